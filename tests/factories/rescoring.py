"""Corrections as tests need them: an organizer, other references, other weights, candidates' scores."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta
from typing import Any

from accounts.models import User
from competition.enums import Role
from competition.models import RoleGrant
from grading import queries
from grading.enums import EvaluationState
from grading.models import Board, Evaluation, EvaluationTallies, Rescoring
from grading.services import boards, evaluations, rescoring, rescoring_switch, standings
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW, PARAMS, Arena, tallies

LATER = NOW + timedelta(hours=1)
OTHER_PARAMS = {**PARAMS, "weights": {"f1": 0.5, "mntd": 0.3, "error": 0.2}}


def organizer(arena: Arena) -> User:
    """Return a new organizer of the arena's competition."""
    person = UserFactory()
    RoleGrant.objects.create(
        competition=arena.competition, user=person, role=Role.ORGANIZER, granted_at=NOW
    )
    return person


def references_bytes(rows: dict[str, tuple[str, str]]) -> bytes:
    """Return a reference file of rows utt_id -> (language, text)."""
    lines = (
        {"utt_id": utt_id, "language": language, "text_with_nvvs": text}
        for utt_id, (language, text) in rows.items()
    )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def propose(arena: Arena, actor: User | None = None, **changes: Any) -> Rescoring:
    """Propose other weights, unless something else is given."""
    given = {"reason": "The weights were wrong.", "now": LATER, "params": OTHER_PARAMS}
    return rescoring.propose(actor=actor, phase=arena.phase, **given | changes)


def rebuild(arena: Arena) -> Board:
    """Bring the arena's board up to date."""
    boards.want_rebuild(phase_id=arena.phase.pk, now=NOW)
    return standings.rebuild(board_id=arena.phase.board.pk, now=NOW)


def switch(arena: Arena, **changes: Any) -> Rescoring:
    """Make the candidate live."""
    given = {"actor": None, "phase": arena.phase, "now": LATER}
    return rescoring_switch.switch(**given | changes)


def lines(arena: Arena) -> list[tuple[Any, ...]]:
    """Return the public board's rows: submission, place, score, day of correction."""
    rows = queries.board_rows(arena.phase, None, "", LATER)
    return [(row["submission"], row["place"], row["score"], row["corrected_on"]) for row in rows]


def give_score(
    proposal: Rescoring, live: Evaluation, score: float | None, *, at: datetime = LATER
) -> Evaluation:
    """Return the candidate's evaluation of a scored submission, with the given score."""
    has_score = score is not None
    language = {**live.languages["en"], "score": score, "interval": None}
    made, _ = Evaluation.objects.get_or_create(
        submission=live.submission, recipe=proposal.recipe, defaults={"queued_at": at}
    )
    Evaluation.objects.filter(pk=made.pk).update(
        state=EvaluationState.SCORED,
        started_at=at,
        finished_at=at,
        attempt=1,
        score=score,
        low=score - 1 if has_score else None,
        high=score + 1 if has_score else None,
        withheld_reason="" if has_score else "LANGUAGE_WITHOUT_UTTERANCES",
        seed="1",
        components=live.components,
        languages={"en": language, "zh": language},
    )
    data = tallies(hits=live.submission_id % 4).to_bytes()
    EvaluationTallies.objects.create(
        evaluation=made, data=data, sha256=hashlib.sha256(data).hexdigest()
    )
    made.refresh_from_db()
    return made


def fail(proposal: Rescoring, live: Evaluation, *, at: datetime = LATER) -> Evaluation:
    """Return the candidate's evaluation of a scored submission, failed."""
    made, _ = Evaluation.objects.get_or_create(
        submission=live.submission, recipe=proposal.recipe, defaults={"queued_at": at}
    )
    Evaluation.objects.filter(pk=made.pk).update(
        state=EvaluationState.FAILED, finished_at=at, failure_code="SCORER_CRASHED"
    )
    made.refresh_from_db()
    return made


def result_of(score: float) -> dict[str, Any]:
    """Return what a child process would answer for a score without an interval."""
    data = tallies(hits=1).to_bytes()
    components = {"f1": 0.5, "mntd": 0.5, "error_rate": 0.5}
    language = {**components, "score": score, "utterances": 8, "interval": None}
    return {
        "sample": [],
        "tallies": data.hex(),
        "tallies_sha256": hashlib.sha256(data).hexdigest(),
        "score": {
            "score": score,
            "withheld_reason": "",
            "interval": None,
            "interval_reason": "ZERO_WIDTH",
            "seed": 1,
            "components": components,
            "languages": {"en": language, "zh": language},
        },
    }


def claim_and_finish(evaluation_id: int, score: float, at: datetime = LATER) -> Evaluation:
    """Do what a worker does with a queued evaluation, with this score as the child's answer."""
    claimed = evaluations.claim(evaluation_id=evaluation_id, worker="w", now=at)
    assert claimed is not None
    evaluations.finish(evaluation=claimed, result=result_of(score), now=at)
    return Evaluation.objects.get(pk=evaluation_id)
