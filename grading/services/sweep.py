"""Puts right what a lost message or a dead worker left: every 15 seconds, from anywhere, any number at once."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from accounts.services import logins, retention
from competition.enums import CompetitionState
from competition.models import DeadlineChange, EntrantChange, Phase
from competition.services.errors import ReferencesMissing
from grading import storage
from grading.enums import EvaluationState, Priority, RecipeRole, SubmissionState
from grading.models import Board, Evaluation, Submission
from grading.rules import scored_here, waits_for_judge
from grading.scoring import registry
from grading.services import (
    boards,
    composing,
    doorbell,
    draws,
    evaluations,
    file_sets,
    idempotency,
    judging_claims,
    kept_bytes,
    notices,
    recipes,
    rescore_checks,
    rescoring_queue,
    upload_sessions,
    validation,
    waveforms,
)
from grading.services.final import settling
from grading.services.ratings import delivery, stimuli
from grading.services.verification import scoring as held_out

AT_ONCE = 50
"""Bells per kind and sweep: a long queue is not rung for again as a whole."""
TIDY_SECONDS = 3600
ORPHAN_AGE = timedelta(hours=1)
KEYS_AT_ONCE = 500
REJECTED_KEPT = timedelta(days=7)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Swept:
    """What one sweep found and put right."""

    lapsed: int
    rung: int
    boards: int
    recipes: int
    rescored: int
    keys: int
    uploads: int
    files: int

    def as_json(self) -> dict[str, int]:
        """Return the counts by name."""
        return asdict(self)


def sweep(*, now: datetime) -> Swept:
    """Release lapsed leases, ring for what was never picked up, and now and then tidy up."""
    logins.summarize_failures(now=now)
    lapsed = _release_lapsed(now)
    draws.draw_due(now=now)
    made = _ensure_recipes(now)
    return Swept(
        lapsed=lapsed,
        rung=_ring_again(now) + stimuli.settle(now=now) + judging_claims.settle(now=now),
        boards=_ring_boards(now) + settling.settle(now=now),
        recipes=made,
        rescored=rescoring_queue.settle(now=now)
        + rescore_checks.settle(now=now)
        + held_out.settle(now=now),
        keys=idempotency.remove_expired(now),
        uploads=upload_sessions.expire(now=now, at_once=AT_ONCE)
        + file_sets.expire(now=now, at_once=AT_ONCE),
        files=tidy(now=now) if _is_time_to_tidy() else 0,
    )


def tidy(*, now: datetime) -> int:
    """Remove files that nothing refers to, and bytes of uploads rejected over 7 days ago."""
    before = now - ORPHAN_AGE
    notices.forget_old(now)
    retention.forget_origins(now=now)
    delivery.forget_old(now=now)
    try:
        in_storage = (
            _remove_rejected(now) + _remove_orphans(now) + upload_sessions.remove_leftovers(before)
        )
    except OSError as error:
        log.warning("sweep.storage_unavailable", extra={"error": str(error)})
        in_storage = 0
    left = waveforms.remove_work_folders(now - _longest_task())
    return in_storage + storage.remove_old_files(before) + left


def _release_lapsed(now: datetime) -> int:
    lapsed = Q(lease_until__lt=now)
    waiting = _ids(Submission.objects.filter(lapsed, state=SubmissionState.RECEIVED))
    running = _ids(Evaluation.objects.filter(lapsed, state=EvaluationState.RUNNING))
    for submission_id in waiting:
        validation.release_lapsed(submission_id=submission_id, now=now)
    for evaluation_id in running:
        evaluations.release_lapsed(evaluation_id=evaluation_id, now=now)
    return len(waiting) + len(running)


def _ring_again(now: datetime) -> int:
    received = Submission.objects.filter(
        state=SubmissionState.RECEIVED, lease_until__isnull=True
    ).order_by("received_at")
    unpaused = Q(submission__phase__track__competition__paused_at__isnull=True)
    queued = Evaluation.objects.filter(
        scored_here(), unpaused, state=EvaluationState.QUEUED, priority=Priority.FRESH
    ).order_by("queued_at")
    unjudged = Evaluation.objects.filter(waits_for_judge(), unpaused).order_by(
        "priority", "queued_at"
    )
    is_sounds = Q(phase__track__kind__in=registry.sending_sounds())
    return (
        _ring(doorbell.VALIDATE, received.exclude(is_sounds), now)
        + _ring(doorbell.VALIDATE_SOUNDS, received.filter(is_sounds), now)
        + _ring(doorbell.EVALUATE, queued, now)
        + _ring(doorbell.JUDGE, unjudged, now)
    )


def _ring_boards(now: datetime) -> int:
    for phase_id in (*_outdated_boards(now), *composing.behind()):
        boards.want_rebuild(phase_id=phase_id, now=now)
    behind = Board.objects.filter(wanted__gt=F("built")).order_by("rung_at")
    return _ring(doorbell.REBUILD, behind, now)


def _outdated_boards(now: datetime) -> list[int]:
    """Return phases whose board was built before something that no score announces.

    That is: the freeze or the end has come, a date was moved, the definition was loaded anew, or
    an entrant's state or kind has changed.
    """
    outdated = (
        Q(phase__closes_at__lte=now, phase__closes_at__gt=F("built_at"))
        | Q(phase__frozen_from__lte=now, phase__frozen_from__gt=F("built_at"))
        | Q(phase__track__competition__loaded_at__gt=F("built_at"))
        | Exists(
            DeadlineChange.objects.filter(
                phase=OuterRef("phase"), at__gt=OuterRef("built_at"), at__lte=now
            )
        )
        | Exists(
            EntrantChange.objects.filter(
                entrant__competition=OuterRef("phase__track__competition"),
                at__gt=OuterRef("built_at"),
                at__lte=now,
            )
        )
    )
    found = Board.objects.filter(outdated, wanted=F("built"))
    return list(found.values_list("phase_id", flat=True)[:AT_ONCE])


def _ring(name: str, rows: QuerySet[Any], now: datetime) -> int:
    """Ring for the rows that were never rung, or so long ago that the bell was surely lost."""
    old = Q(rung_at__isnull=True) | Q(rung_at__lt=now - _patience())
    rung = 0
    for row_id in _ids(rows.filter(old)):
        # By its own columns: of two that sweep at once, one rings.
        if rows.model.objects.filter(old, pk=row_id).update(rung_at=now):
            doorbell.ring(name, row_id)
            rung += 1
    return rung


def _patience() -> timedelta:
    return timedelta(seconds=settings.RING_AGAIN_SECONDS)


def _ensure_recipes(now: datetime) -> int:
    """Give every phase of a published competition its recipe and board, before the first upload."""
    bare = Phase.objects.filter(track__competition__state=CompetitionState.PUBLISHED).exclude(
        recipes__role=RecipeRole.LIVE
    )
    phases = list(bare.select_related("track", "references")[:AT_ONCE])
    return sum(_ensure_recipe(phase, now) for phase in phases)


def _ensure_recipe(phase: Phase, now: datetime) -> bool:
    """Return whether the phase has its recipe now: one phase's lost references hold up no other work."""
    try:
        recipes.ensure_live(phase=phase, now=now)
    except ReferencesMissing as missing:
        log.warning("sweep.references_missing", extra={"phase": phase.code, "code": missing.code})
        return False
    return True


def _is_time_to_tidy() -> bool:
    return bool(cache.add("grading.tidied", 1, timeout=TIDY_SECONDS))


def _remove_rejected(now: datetime) -> int:
    """Delete bytes of old rejected uploads unless another submission stands on the same content."""
    old = Submission.objects.filter(
        state=SubmissionState.REJECTED, ended_at__lt=now - REJECTED_KEPT
    ).exclude(storage_key="")
    removed = 0
    for submission in old[:1000]:
        key = submission.storage_key
        Submission.objects.filter(pk=submission.pk).update(storage_key="")
        if not kept_bytes.is_wanted(key):
            removed += storage.remove_before(key, now - ORPHAN_AGE)
    return removed


def _remove_orphans(now: datetime) -> int:
    """Delete old files without a row: their upload was refused or cut.

    Clips are stored before their rows are written, at most the length of one task earlier.
    """
    age = _longest_task()
    stored, removed = storage.stored_before(now - age), 0
    while keys := list(islice(stored, KEYS_AT_ONCE)):
        for key in sorted(set(keys) - kept_bytes.wanted(keys)):
            removed += storage.remove_before(key, now - age)
    return removed


def _longest_task() -> timedelta:
    """Return how long the validation of an archive may take: until then its work is not left over."""
    return max(ORPHAN_AGE, timedelta(seconds=settings.SOUNDS_TASK_SECONDS))


def _ids(rows: QuerySet[Any]) -> list[int]:
    return list(rows.values_list("pk", flat=True)[:AT_ONCE])
