"""What a receipt says of a submission: received, validated, scored; signed when it is asked for."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from accounts.chain import instant
from accounts.models import AuditEvent
from competition.timeline import is_complete_in_time, is_on_time
from grading import queries, receipts
from grading.enums import EvaluationState, SubmissionState
from grading.identity import SINGLE_BYTES
from grading.models import Evaluation, Submission
from grading.presentation import Sight, columns_of, shown_score, sight_of
from grading.services import receipt_keys

RECEIVED, VALIDATED, SCORED = "submission.received", "submission.validated", "submission.scored"
DIGITS = (
    "score",
    "withheld_reason",
    "interval",
    "interval_reason",
    "components",
    "languages",
    "hidden",
)

Json = dict[str, Any]


def receipt(*, submission: Submission, now: datetime) -> Json:
    """Return the receipt of a submission as far as it has come.

    Deterministic but for the moment at which it is issued. Raises ReceiptsUnavailable.
    """
    private, key = receipt_keys.current(now=now)
    events = _events(submission)
    # Another machine's clock may be a little ahead, and a key does not sign before it is valid.
    common = {
        "server": key.server,
        "issued_at": instant(max(now, key.valid_from)),
        "competition": submission.phase.track.competition.slug,
        "track": submission.phase.track.slug,
        "phase": submission.phase.slug,
        "entrant": submission.entrant.code,
        "submission": submission.code,
        "content_id": submission.content_id,
    }
    found = [
        _received(submission, events),
        _validated(submission, events),
        _scored(submission, events, now),
    ]
    return receipts.receipt_of(
        [receipts.sign(private, {**common, **statement}) for statement in found if statement]
    )


def log_number(submission: Submission) -> int | None:
    """Return the number under which the log holds the upload, None when it holds none."""
    found = _events_of(submission).filter(kind="submission.received").first()
    return found.number if found else None


def file_sha256(submission: Submission) -> str | None:
    """Return the file's own SHA-256 (hex): known of one part at once, of several after validation."""
    if submission.sha256:
        return str(submission.sha256)
    return submission.content_id if submission.size <= SINGLE_BYTES else None


def _received(submission: Submission, events: dict[str, AuditEvent]) -> Json:
    phase = submission.phase
    in_time = is_on_time(submission.created_at, phase) and is_complete_in_time(
        submission.received_at, phase
    )
    return {
        "kind": RECEIVED,
        "number": submission.number,
        "size": submission.size,
        "created_at": instant(submission.created_at),
        "received_at": instant(submission.received_at),
        "closes_at": instant(phase.closes_at),
        "on_time": in_time,
        **_logged(events.get("submission.received")),
    }


def _validated(submission: Submission, events: dict[str, AuditEvent]) -> Json | None:
    if submission.validated_at is None:
        return None
    was_rejected = submission.state == SubmissionState.REJECTED
    verdict = SubmissionState.REJECTED if was_rejected else SubmissionState.ACCEPTED
    return {
        "kind": VALIDATED,
        "sha256": file_sha256(submission),
        "verdict": verdict.value,
        "validated_at": instant(submission.validated_at),
        "rows": submission.rows,
        "errors": submission.errors_total,
        **_logged(events.get(f"submission.{verdict.value}")),
    }


def _scored(submission: Submission, events: dict[str, AuditEvent], now: datetime) -> Json | None:
    evaluation = queries.live_evaluation(submission)
    if evaluation is None or evaluation.state != EvaluationState.SCORED:
        return None
    # What the team may see, whoever asks: an organizer's copy says no more than the team's own.
    sight = sight_of(submission.phase, now=now, is_organizer=False)
    shown = shown_score(evaluation, sight)
    decimals = max(column.kept_decimals for column in columns_of(evaluation.recipe))
    return {
        "kind": SCORED,
        "recipe_digest": evaluation.recipe.digest,
        "scorer": evaluation.recipe.scorer,
        "scorer_version": evaluation.recipe.version,
        "reference_sha256": evaluation.recipe.references.sha256,
        "seed": evaluation.seed,
        "finished_at": _finished(evaluation),
        "feedback": sight.value,
        **{name: _digits(shown[name], sight, decimals) for name in DIGITS},
        **_logged(events.get(f"evaluation.scored {evaluation.recipe.digest}")),
    }


def _finished(evaluation: Evaluation) -> str | None:
    return instant(evaluation.finished_at) if evaluation.finished_at else None


def _digits(value: Any, sight: Sight, decimals: int) -> Any:
    """Return the same with every fraction as text: the decimals that show, or all of its digits."""
    if isinstance(value, float):
        return f"{value:.{decimals}f}" if sight == Sight.ROUNDED else repr(value)
    if isinstance(value, dict):
        return {name: _digits(part, sight, decimals) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_digits(part, sight, decimals) for part in value]
    return value


def _events(submission: Submission) -> dict[str, AuditEvent]:
    """Return the last event of each kind that the log holds; of scoring, by the recipe's digest."""
    return {_name(event): event for event in _events_of(submission).order_by("number")}


def _name(event: AuditEvent) -> str:
    recipe = json.loads(event.payload).get("recipe")
    return f"{event.kind} {recipe}" if recipe else event.kind


def _events_of(submission: Submission) -> Any:
    scope = submission.phase.track.competition.audit_scope
    return AuditEvent.objects.filter(
        chain__scope=scope, target=f"submission:{submission.code}"
    ).select_related("chain")


def _logged(event: AuditEvent | None) -> Json:
    return {
        "log": event.chain.scope if event else None,
        "log_entry": event.number if event else None,
        "log_hash": event.hash if event else None,
    }
