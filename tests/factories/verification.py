"""A phase with scores, clips that are held out, and what it takes to verify a standing against them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from accounts.models import User
from competition.enums import Pool
from competition.models import DatasetVersion, Entrant
from grading.enums import VerificationState
from grading.models import (
    Evaluation,
    EvaluationTallies,
    HeldOutSet,
    Verification,
    VerificationRun,
    VerifiedEntrant,
)
from grading.scoring import evaluate, registry
from grading.services import board_pace, boards
from grading.services.verification import beginning, comparing, receiving, scoring, sets
from grading.services.verification.beginning import Wish
from grading.storage import store_stream
from tests.factories.datasets import DatasetClipFactory, DatasetVersionFactory
from tests.factories.grading import EN, NOW, ZH, Arena, jsonl, make_arena, scored

SECRET_ID = "quokka"
SECRET_WORD = "xylograph"
"""What no page, file or mail of a participant may hold: a part of each held-out id, a word of each text."""


@dataclass(slots=True)
class Stage:
    """An arena whose board stands, a held-out set of its track, and the ranked entrants' captains."""

    arena: Arena
    version: DatasetVersion
    held_out: HeldOutSet
    rows: dict[str, tuple[str, str]]
    entrants: list[Entrant]
    captains: list[User]

    def output(self, wrong: int = 0) -> bytes:
        """Return predictions of the held-out clips of which the first `wrong` of each language are spoilt."""
        given = {}
        for language in ("en", "zh"):
            ids = [utt_id for utt_id, (spoken, _) in self.rows.items() if spoken == language]
            given |= {utt_id: self.rows[utt_id][1] for utt_id in ids}
            given |= dict.fromkeys(ids[:wrong], "wrong [burp]")
        return jsonl(given)

    def begin(self, **wish: object) -> Verification:
        """Begin a verification of all entrants, or as wished."""
        given = Wish(**{"entrants": tuple(self.entrants), **wish})  # type: ignore[arg-type]
        return beginning.begin(
            actor=None, phase=self.arena.phase, held_out=self.held_out, wish=given, now=NOW
        )

    def send(self, found: Verification, place: int, data: bytes) -> VerificationRun:
        """Bring the output of the entrant at a place of the board (from 0), as organizers do."""
        return receiving.receive(
            actor=None,
            named=found.entrants.get(entrant=self.entrants[place]),
            filename="out.jsonl",
            stored=store_stream([data], limit=1 << 24),
            now=NOW,
        )

    def scored(self, found: Verification, place: int, wrong: int) -> VerificationRun:
        """Bring an output and score it in this process; the child is for tests of the way itself."""
        run = self.send(found, place, self.output(wrong))
        return self.scored_by(run.named, run, wrong)

    def scored_by(
        self, named: VerifiedEntrant, run: VerificationRun, wrong: int
    ) -> VerificationRun:
        """Score an output that has come, so many clips a language spoilt, in this process."""
        claimed = scoring.claim(run_id=run.pk, worker="w", now=NOW)
        if claimed is None:  # where commits are real, the bell was answered at once
            done = VerificationRun.objects.get(pk=run.pk)
            assert done.state == VerificationState.SCORED, (done.state, done.failure_code)
            return done
        given = {row["utt_id"]: row["text_with_nvvs"] for row in _rows(self.output(wrong))}
        made = evaluated(self.arena, references_of(self.rows), given, named.verification.code)
        data = made.tallies.to_bytes()
        result = {
            "sample": [],
            "score": made.as_json(),
            "tallies": data.hex(),
            "tallies_sha256": hashlib.sha256(data).hexdigest(),
        }
        scoring._finish(claimed, {"problems": [], "total": 0}, result, NOW)
        return VerificationRun.objects.get(pk=run.pk)

    def verified(self, found: Verification, wrong: tuple[int, ...]) -> list[comparing.Line]:
        """Bring and score an output of each entrant, so many clips a language spoilt; return the lines."""
        for place, count in enumerate(wrong):
            self.scored(found, place, count)
        return comparing.compare(found)


def _rows(data: bytes) -> list[dict[str, str]]:
    return [json.loads(line) for line in data.splitlines()]


def evaluated(
    arena: Arena, references: bytes, given: dict[str, str], code: str
) -> evaluate.Evaluated:
    """Return what the track finds for predictions."""
    track = registry.get(arena.track.kind)
    params = track.params(arena.track.params)
    return evaluate.evaluate(
        track=track,
        params=params,
        references=track.references(references, params),
        given=given,
        phase_code=code,
    )


def score(arena: Arena, entrant: Entrant, captain: User, wrong: int) -> Evaluation:
    """Give an entrant a scored submission, so many clips of each language spoilt."""
    rows = references_of(arena.rows)
    made = evaluated(arena, rows, arena.flawed(wrong), arena.phase.code)
    assert made.score is not None
    found = scored(arena, entrant, captain, made.score, with_tallies=False)
    low, high = made.interval or (None, None)
    Evaluation.objects.filter(pk=found.pk).update(
        low=low, high=high, seed=str(made.seed), components=dict(made.components)
    )
    data = made.tallies.to_bytes()
    EvaluationTallies.objects.create(
        evaluation=found, data=data, sha256=hashlib.sha256(data).hexdigest()
    )
    return found


def make_stage(*, wrong: tuple[int, ...] = (1, 2, 3), clips: int = 6) -> Stage:
    """Return a stage with as many scored entrants, best first, and `clips` held-out clips a language."""
    arena = make_arena()
    people = [(arena.entrant, arena.captain), *(arena.enter() for _ in wrong[1:])]
    for (entrant, captain), count in zip(people, wrong, strict=True):
        score(arena, entrant, captain, count)
    boards.want_rebuild(phase_id=arena.phase.pk, now=NOW)
    board_pace.keep_up(board_id=arena.phase.board.pk, now=NOW)
    version, rows = hold_out(arena, clips)
    held_out = sets.make(
        actor=None,
        track=arena.track,
        version=version,
        title="Twelve",
        data=references_of(rows),
        now=NOW,
    )
    entrants, captains = [list(part) for part in zip(*people, strict=True)]
    return Stage(arena, version, held_out, rows, entrants, captains)


def hold_out(
    arena: Arena, clips: int, name: str = SECRET_ID, version: DatasetVersion | None = None
) -> tuple[DatasetVersion, dict[str, tuple[str, str]]]:
    """Return a dataset with held-out clips, and their rows; ids and texts hold the secret words."""
    version = version or DatasetVersionFactory(
        dataset__competition=arena.competition, clip_count=2 * clips
    )
    assert version is not None
    rows = {}
    for language, texts in (("en", EN), ("zh", ZH)):
        for number in range(clips):
            utt_id = f"{name}_{language}_{number:02d}"
            rows[utt_id] = (language, f"{SECRET_WORD} {texts[number % len(texts)]}")
            sha256 = hashlib.sha256(utt_id.encode()).hexdigest()
            DatasetClipFactory(
                version=version,
                utt_id=utt_id,
                language=language,
                audio__pool=Pool.HELD_OUT,
                audio__sha256=sha256,
            )
    return version, rows


def references_of(rows: dict[str, tuple[str, str]]) -> bytes:
    """Return rows as the track's references."""
    lines = (
        {"utt_id": utt_id, "language": language, "text_with_nvvs": text}
        for utt_id, (language, text) in rows.items()
    )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
