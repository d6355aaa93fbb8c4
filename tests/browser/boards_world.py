"""The examples' boards, one of every kind, as their teams fill them; and files that are not accepted."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from unittest import mock

from accounts.models import User
from competition.models import Entrant, Phase
from grading import sandbox
from grading.demo import showcase
from grading.enums import EvaluationState
from grading.models import Board, Evaluation, Submission
from grading.services import child, evaluations, intake, standings, validation
from grading.storage import store_stream
from tests.factories.accounts import UserFactory

CANTONESE, REGION, CLIPS, ROOMS = showcase.EXAMPLES
SENT = {
    "rates": (REGION, "stt", "edition"),
    "speed": (REGION, "speed", "edition"),
    "agents": (REGION, "agent", "edition"),
    "recognition": (CANTONESE, "asr", "edition"),
    "answers": (CANTONESE, "llm", "edition"),
    "voices": (CANTONESE, "tts", "edition"),
    "talks": (CANTONESE, "e2e", "edition"),
}
"""One board for each kind of track that takes files: what it is called here, and where it is."""
MORE = {
    "stack": (CANTONESE, "stack", "edition"),
    "endpoints": (CLIPS, "endpoint", "board"),
    "corpora": (ROOMS, "wer", "open"),
}
PLACES = SENT | MORE
TEAMS = {CANTONESE: "Team Ferry", REGION: "Team Banyan"}
OTHERS = {
    "Team Peak",
    "Baseline Kowloon",
    "Team Orchid",
    "Baseline Straits",
    "Team Monsoon",
    "Mistral Ear",
    "Heron Voice",
    "Open Wren",
}
"""Who stands beside them: withheld, baseline, unofficial, corrected, and rivals."""
READERS = {CANTONESE: "stacker", REGION: "regional"}
"""Who sends, and what its captain is called among the people of the pages."""


def _of(name: str) -> list[str]:
    return [READERS[SENT[name][0]]]


BOARDS_PAGES: list[tuple[str, str, list[str]]] = [
    *(("grading:board", f"{name} place", ["anonymous"]) for name in PLACES if name != "stack"),
    ("grading:board", "stack place", ["stacker"]),
    ("grading:board", "stack whole", ["anonymous"]),
    ("grading:board", "rates part", ["anonymous"]),
    ("grading:board", "agents part", ["anonymous"]),
    *(("grading:methodology", f"{name} track", ["anonymous"]) for name in (*SENT, "stack")),
    *(("grading:submission-create", f"{name} place", _of(name)) for name in SENT),
    *(("grading:submission-detail", f"{name} scored", _of(name)) for name in SENT),
    *(("grading:submission-detail", f"{name} rejected", _of(name)) for name in SENT),
    ("grading:submission-detail", "withheld", ["withheld sender"]),
    ("grading:entrant-history", "stack entrant", ["anonymous"]),
    ("grading:entrant-history", "region entrant", ["anonymous"]),
    ("competition:competition-detail", "stack competition", ["anonymous"]),
    ("competition:data", "stack competition", ["anonymous"]),
]


def make_boards_world(now: datetime) -> tuple[dict[str, User | None], dict[str, dict[str, str]]]:
    """Return the senders by kind, and what the addresses of the boards' pages are made of."""
    organizer = UserFactory(is_staff=True, is_superuser=True)
    with mock.patch.object(child, "run", _in_this_process):
        for slug in showcase.EXAMPLES:
            _enter_some(slug, organizer, now)
        rejected = {name: _spoil(name, now) for name in SENT}
        _score_everything(now)
    people: dict[str, User | None] = {
        READERS[slug]: _entrant(slug).members.get().user for slug in TEAMS
    }
    of_examples = {"submission__entrant__competition__slug__in": showcase.EXAMPLES}
    withheld = Evaluation.objects.filter(score=None, state=EvaluationState.SCORED, **of_examples)
    submission = withheld.select_related("submission__uploader").earliest("pk").submission
    people["withheld sender"] = submission.uploader
    return people, {
        **_places(),
        **{f"{name} scored": {"code": _scored(name).code} for name in SENT},
        **{f"{name} rejected": {"code": one.code} for name, one in rejected.items()},
        "withheld": {"code": submission.code},
    }


def _places() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for name, (slug, track, phase) in PLACES.items():
        found[f"{name} track"] = {"slug": slug, "track": track}
        found[f"{name} place"] = {"slug": slug, "track": track, "phase": phase}
    return found | {
        "stack whole": found["stack place"] | {"?view": "asr-llm-tts-e2e"},
        "rates part": found["rates place"] | {"?view": "ta"},
        "agents part": found["agents place"] | {"?view": "en"},
        "stack entrant": {"slug": CANTONESE, "code": _entrant(CANTONESE).code},
        "region entrant": {"slug": REGION, "code": _entrant(REGION).code},
        "stack competition": {"slug": CANTONESE},
    }


def _in_this_process(job: dict[str, Any], **_more: Any) -> Any:
    """Read a file in this process: what the child would find, without starting one for each."""
    return json.loads(json.dumps(sandbox.DOERS[job["do"]](job, lambda *_told: None)))


def _enter_some(slug: str, organizer: User, now: datetime) -> None:
    """Load an example and hand in what some of its teams send to the boards that are shown."""
    shown = {(track, phase) for place, track, phase in PLACES.values() if place == slug}
    entries = [
        {**one, "files": [file for file in one["files"] if (file["track"], file["phase"]) in shown]}
        for one in showcase.entries_of(slug)
        if one["team"] in OTHERS | set(TEAMS.values())
    ]
    with mock.patch.multiple(showcase, EXAMPLES=(slug,), entries_of=lambda _slug: entries):
        showcase.prepare_examples(organizer=organizer, now=now, say=lambda _text: None)


def _entrant(slug: str) -> Entrant:
    return Entrant.objects.get(competition__slug=slug, team__name=TEAMS[slug])


def _phase(name: str) -> Phase:
    slug, track, phase = PLACES[name]
    phases = Phase.objects.select_related("track__competition", "references")
    return phases.get(track__competition__slug=slug, track__slug=track, slug=phase)


def _scored(name: str) -> Submission:
    entrant = _entrant(SENT[name][0])
    return Submission.objects.filter(phase=_phase(name), entrant=entrant).earliest("pk")


def _spoil(name: str, now: datetime) -> Submission:
    """Hand in a team's file with rows that are missing, doubled, and of another shape."""
    slug, track, _phase_slug = SENT[name]
    one = next(one for one in showcase.entries_of(slug) if one["team"] == TEAMS[slug])
    path = next(file["file"] for file in one["files"] if file["track"] == track)
    rows = (showcase.FOLDER / slug / path).read_text("utf-8").splitlines()
    spoilt = [
        *rows[: len(rows) // 2],
        rows[0],
        '{"utt_id": 7}',
        '{"text": "x"',
        "[]",
        '{"utt_id": "a b"}',
    ]
    return intake.receive(
        actor=_entrant(slug).members.get().user,
        phase=_phase(name),
        system="spoilt",
        note="",
        filename="run.jsonl",
        stored=store_stream(["\n".join(spoilt).encode()], limit=1 << 24),
        created_at=now,
        now=now,
    )


def _score_everything(now: datetime) -> None:
    """Check and score what nobody has, and build every board: tasks may run later, and find nothing to do."""
    sent = Submission.objects.filter(phase__track__competition__slug__in=showcase.EXAMPLES)
    for submission in sent.order_by("pk"):
        validation.validate(submission_id=submission.pk, clock=lambda: now)
        evaluation = Evaluation.objects.filter(submission=submission).first()
        if evaluation is not None:
            evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=lambda: now)
    of_examples = Board.objects.filter(phase__track__competition__slug__in=showcase.EXAMPLES)
    for board in of_examples:
        standings.rebuild(board_id=board.pk, now=now)
