"""Looks at what of Track 2 stands still until somebody acts: judges, final boards, sounds for raters."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Count, F, Min, Q

from grading.enums import JudgeRunState, ProtocolState
from grading.models import (
    Evaluation,
    FinalBoard,
    JudgeRun,
    Rating,
    RatingExclusion,
    Stimulus,
)
from grading.services.findings import Finding

PATIENCE = timedelta(minutes=10)
"""How long a final board may be behind: it is computed once a minute, in seconds."""
REMEDIES = {
    "judge": (
        "The console's Judge page says why each one stopped and lets it go on; docs/judge.md says"
        " what to do. What is marked stays, and nothing is asked twice."
    ),
    "finals": (
        "Look at the worker's log for grading.rebuild_final; the sweep rings for it every minute."
        " Until then the final board shows its last snapshot."
    ),
    "sounds": (
        "The console's Ratings page names each recording and why; Prepare again tries them once"
        " more. One that was lost has to be uploaded again before the rating opens."
    ),
}


def judge(now: datetime) -> Finding:
    """Look whether a judge's run stopped and waits for an organizer."""
    stopped = JudgeRun.objects.filter(state=JudgeRunState.STOPPED)
    reasons = dict(
        stopped.order_by().values_list("stop_reason").annotate(count=Count("pk")).order_by("-count")
    )
    if not reasons:
        return Finding("judge", "no run of a judge is stopped")
    said = f"{sum(reasons.values())} runs are stopped ({_listed(reasons)})"
    return Finding("judge", said, REMEDIES["judge"])


def finals(now: datetime) -> Finding:
    """Look whether a final board does not show marks that came more than ten minutes ago."""
    late = [board for board in behind() if now - behind_since(board) > PATIENCE]
    if not late:
        return Finding("finals", "every final board is up to date, or about to be")
    oldest = min(map(behind_since, late))
    minutes = int((now - oldest).total_seconds() // 60)
    return Finding(
        "finals", f"{len(late)} are behind, one for {minutes} minutes", REMEDIES["finals"]
    )


def sounds(now: datetime) -> Finding:
    """Look whether a recording could not be made ready for raters."""
    failed = (
        Stimulus.objects.exclude(prepare_error="")
        .exclude(protocol__state=ProtocolState.CLOSED)
        .order_by()
        .values_list("prepare_error")
        .annotate(count=Count("pk"))
        .order_by("-count")
    )
    codes = dict(failed)
    if not codes:
        return Finding("sounds", "no recording for raters failed")
    said = f"{sum(codes.values())} recordings for raters are not ready ({_listed(codes)})"
    return Finding("sounds", said, REMEDIES["sounds"])


def behind() -> Iterable[FinalBoard]:
    """Return the final boards whose newest snapshot lacks something."""
    return FinalBoard.objects.filter(Q(wanted__gt=F("built")) | Q(built_at__isnull=True))


def behind_since(board: FinalBoard) -> datetime:
    """Return when the first of what a board lacks came, as far as that can be told.

    Of marks, scores and exclusions it is known; of anything else, since when the last bell is rung.
    """
    built = board.built_at
    if built is None:
        return _selected_at(board)
    of_people = {"rater__protocol__selection__phase": board.phase_id}
    firsts = (
        Rating.objects.filter(created_at__gt=built, **of_people).aggregate(at=Min("created_at")),
        RatingExclusion.objects.filter(excluded_at__gt=built, **of_people).aggregate(
            at=Min("excluded_at")
        ),
        RatingExclusion.objects.filter(lifted_at__gt=built, **of_people).aggregate(
            at=Min("lifted_at")
        ),
        Evaluation.objects.filter(
            submission__phase=board.phase_id, finished_at__gt=built
        ).aggregate(at=Min("finished_at")),
    )
    known = [found["at"] for found in firsts if found["at"] is not None]
    return min(known, default=board.rung_at or built)


def _selected_at(board: FinalBoard) -> datetime:
    at: datetime = board.phase.final_selection.recorded_at
    return at


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
