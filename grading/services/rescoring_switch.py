"""The switch: in one transaction the candidate becomes live and the board is its own.

The new board is computed without a lock from a numbered state, as every board is; under the locks only
the number is compared and rows are written. Order of locks: entrants, track, submissions, evaluations,
recipes' roles, board, log.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.enums import NoticeKind
from accounts.models import User
from accounts.services import audit
from competition.models import Entrant, Phase, Track
from competition.services.authority import require_organizer
from grading import corrections
from grading.enums import EvaluationState, Priority, RecipeRole, RescoringState, SubmissionState
from grading.models import Board, Evaluation, PhaseRecipe, Rescoring, Submission
from grading.services import boards, errors, news, notices, quota, rescoring, selection, standings
from grading.services.rescoring import standing

REPEATS = 4
LISTED = 20

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Readiness:
    """What stands against a switch: submissions without a result, and those that failed."""

    unfinished: tuple[str, ...]
    failed: tuple[Evaluation, ...]

    @property
    def failed_codes(self) -> tuple[str, ...]:
        """The codes of submissions that failed under the candidate."""
        return tuple(one.submission.code for one in self.failed)


@dataclass(frozen=True, slots=True)
class _Plan:
    """Everything a switch writes, and what it was computed from."""

    rescoring: Rescoring
    readiness: Readiness
    board_id: int
    snapshot: standings.Snapshot
    scored: int
    now: datetime


class _Overtaken(Exception):
    """The state that a plan was made from is not the present one any more."""


def readiness(proposal: Rescoring) -> Readiness:
    """Return what stands against switching to an open proposal.

    Finished must be: every submission that counts now, and all that stood when it was proposed.
    Those that came since and do not count may follow.
    """
    phase = proposal.phase
    counted = {one.submission_id for one in selection.counted_lines(phase).values()}
    results: dict[int, str] = dict(
        Evaluation.objects.filter(
            submission__in=standing(phase), recipe=proposal.recipe
        ).values_list("submission_id", "state")
    )
    ended = {EvaluationState.SCORED, EvaluationState.FAILED}
    unfinished = [
        code
        for pk, code, since in standing(phase).values_list("pk", "code", "validated_at")
        if results.get(pk) not in ended and (pk in counted or since <= proposal.proposed_at)
    ]
    return Readiness(tuple(sorted(unfinished)), tuple(_failed(proposal)))


def switch(
    *,
    actor: User | None,
    phase: Phase,
    now: datetime,
    accepted_failures: Collection[str] = (),
    digest: str = "",
) -> Rescoring:
    """Make the candidate live and the board its own, in one step that readers see whole or not at all.

    `accepted_failures` names submissions that may go without a score; they fail, and their slots
    are given back. `digest` names the recipe that is meant; empty means whichever is proposed.
    Refuses NotOrganizer, NoCandidate, RescoringUnfinished, FailuresNotAccepted, BoardBusy.
    """
    require_organizer(actor, phase.track.competition)
    held: frozenset[int] = frozenset()
    for repeat in range(REPEATS):
        is_last = repeat + 1 == REPEATS
        plan = _plan(phase, accepted_failures, digest, now)
        held = frozenset(one.submission.entrant_id for one in plan.readiness.failed)
        try:
            return _carry_out(actor, plan, held, accepted_failures, is_last=is_last)
        except _Overtaken:
            continue
    raise errors.BoardBusy(_("The board changed in this very moment. Please switch once more."))


def _plan(phase: Phase, accepted: Collection[str], digest: str, now: datetime) -> _Plan:
    proposal = rescoring.open_of(phase)
    if digest and proposal.recipe.digest != digest:
        raise errors.NoCandidate(_("Another correction is proposed by now. Look at it first."))
    board, _is_new = Board.objects.get_or_create(phase=phase)
    board = Board.objects.select_related("phase__track__competition", "phase__references").get(
        pk=board.pk
    )
    found = readiness(proposal)
    _check(found, accepted)
    scored = _scored(proposal).count()
    corrected = set(_corrected(proposal).values_list("pk", flat=True))

    def note(evaluation: Evaluation) -> None:
        if evaluation.pk in corrected:
            evaluation.corrected_at = now

    told = [_as_switched(proposal, found, now), *corrections.of_phase(phase)]
    snapshot = standings.take_under(board, proposal.recipe, told, now, note=note)
    return _Plan(proposal, found, board.pk, snapshot, scored, now)


def _check(found: Readiness, accepted: Collection[str]) -> None:
    if found.unfinished:
        count = len(found.unfinished)
        raise errors.RescoringUnfinished(
            ngettext(
                "%(count)s submission has no result under the new recipe yet.",
                "%(count)s submissions have no result under the new recipe yet.",
                count,
            )
            % {"count": count},
            count=count,
            submissions=list(found.unfinished[:LISTED]),
        )
    missing = sorted(set(found.failed_codes) - set(accepted))
    if missing:
        raise errors.FailuresNotAccepted(
            ngettext(
                "%(count)s submission failed under the new recipe and was not accepted by name.",
                "%(count)s submissions failed under the new recipe and were not accepted by name.",
                len(missing),
            )
            % {"count": len(missing)},
            count=len(missing),
            submissions=missing,
        )


def _carry_out(
    actor: User | None,
    plan: _Plan,
    held: frozenset[int],
    accepted: Collection[str],
    *,
    is_last: bool,
) -> Rescoring:
    """Write a plan if what it was made from still holds; the last try computes under the locks.

    Raises _Overtaken; then nothing is written.
    """
    proposal, now = plan.rescoring, plan.now
    with audit.audited():
        _lock(proposal, held, plan.readiness)
        _tell_people(proposal, now)
        _mark_corrected(proposal, now)
        roles = _lock_roles(proposal)
        # Under the roles, as where a score finishes: both put the same mail in the queue.
        _tell_first_scores(proposal, now)
        board = Board.objects.select_for_update().get(pk=plan.board_id)
        if not _holds(plan, board):
            if not is_last:
                raise _Overtaken
            plan = _plan(proposal.phase, accepted, proposal.recipe.digest, now)
            if {one.submission.entrant_id for one in plan.readiness.failed} - held:
                raise _Overtaken
        _move_roles(roles, now)
        _let_go(plan.readiness.failed, now)
        _end(actor, plan)
        board.wanted = plan.snapshot.number + 1
        standings.replace(board, _numbered(plan.snapshot, board.wanted), now)
        if _scored(proposal).count() != plan.scored:
            boards.want_rebuild(phase_id=proposal.phase_id, now=now)
        rescoring.record(proposal, "rescoring.switched", actor, now, **_told_log(plan, board))
    proposal.refresh_from_db()
    return proposal


def _lock(proposal: Rescoring, held: frozenset[int], found: Readiness) -> None:
    """Lock whose submissions fail, then the track; raises NoCandidate when the proposal has ended."""
    list(Entrant.objects.select_for_update().filter(pk__in=held).order_by("pk").values_list("pk"))
    Track.objects.select_for_update().get(pk=proposal.phase.track_id)
    present = rescoring.open_of(proposal.phase)
    if present.pk != proposal.pk:
        raise errors.NoCandidate(_("Another correction is proposed by now. Look at it first."))
    failed = [one.submission_id for one in found.failed]
    rows = Submission.objects.select_for_update().filter(pk__in=failed)
    list(rows.order_by("pk").values_list("pk"))


def _mark_corrected(proposal: Rescoring, now: datetime) -> None:
    """Date the scores that replace others; what is still queued is fresh work from now on."""
    _corrected(proposal).update(corrected_at=now)
    Evaluation.objects.filter(
        submission__in=standing(proposal.phase),
        recipe=proposal.recipe,
        state__in=[EvaluationState.WAITING, EvaluationState.QUEUED],
    ).update(priority=Priority.FRESH)


def _lock_roles(proposal: Rescoring) -> list[PhaseRecipe]:
    """Hold both roles: from here on no score finishes in this phase until the switch is over."""
    roles = PhaseRecipe.objects.select_for_update().filter(
        phase=proposal.phase, role__in=[RecipeRole.LIVE, RecipeRole.CANDIDATE]
    )
    return list(roles.order_by("pk"))


def _holds(plan: _Plan, board: Board) -> bool:
    """Return whether nothing that the plan was computed from has changed."""
    failed = {one.pk for one in _failed(plan.rescoring)}
    return board.wanted == plan.snapshot.number and failed == {
        one.pk for one in plan.readiness.failed
    }


def _move_roles(roles: Sequence[PhaseRecipe], now: datetime) -> None:
    live = next(row for row in roles if row.role == RecipeRole.LIVE)
    candidate = next(row for row in roles if row.role == RecipeRole.CANDIDATE)
    for row, role in ((live, RecipeRole.RETIRED), (candidate, RecipeRole.LIVE)):
        PhaseRecipe.objects.filter(pk=row.pk).update(role=role, since=now)


def _let_go(failed: Sequence[Evaluation], now: datetime) -> None:
    """Fail the submissions whose only fault is ours, and give their slots back."""
    for one in failed:
        Submission.objects.filter(pk=one.submission_id, state=SubmissionState.ACCEPTED).update(
            state=SubmissionState.FAILED,
            failure_code=one.failure_code,
            ended_at=now,
            marked_at=None,
        )
        quota.release(submission_id=one.submission_id, reason="failed", now=now)


def _end(actor: User | None, plan: _Plan) -> None:
    Rescoring.objects.filter(pk=plan.rescoring.pk).update(
        state=RescoringState.SWITCHED,
        ended_by=actor,
        ended_at=plan.now,
        accepted_failures=sorted(plan.readiness.failed_codes),
    )


def _numbered(snapshot: standings.Snapshot, number: int) -> standings.Snapshot:
    data = {**snapshot.data, "number": number}
    return standings.Snapshot(number, snapshot.rows, data, snapshot.frozen_at)


def _told_log(plan: _Plan, board: Board) -> Json:
    return {
        "rescored": plan.scored,
        "without_score": sorted(plan.readiness.failed_codes),
        "board": board.wanted,
    }


def _tell_people(proposal: Rescoring, now: datetime) -> None:
    """Put a mail to everybody who takes part in the queue."""
    phase = proposal.phase
    competition = phase.track.competition
    notices.tell(
        recipients=notices.participants(competition),
        kind=NoticeKind.RESCORED,
        subject=f"rescoring:{proposal.code}",
        now=now,
        competition=competition,
        context={
            "reason": proposal.reason,
            "texts": {"phase": news.titles(phase)},
            "path": f"/competitions/{competition.slug}/tracks/{phase.track.slug}/{phase.slug}/board/",
        },
    )


def _tell_first_scores(proposal: Rescoring, now: datetime) -> None:
    """Tell the teams whose submissions had no score until now, such as those that waited for the scorer."""
    first = _scored(proposal).exclude(pk__in=_corrected(proposal).values("pk"))
    related = ("submission__entrant__team", "submission__phase__track__competition")
    for one in first.select_related(*related):
        news.submission_scored(submission=one.submission, now=now)


def _as_switched(proposal: Rescoring, found: Readiness, now: datetime) -> Json:
    """Return the correction as the board will tell it once the switch is made."""
    made = Rescoring(
        recipe=proposal.recipe,
        replaced=proposal.replaced,
        reason=proposal.reason,
        ended_at=now,
        accepted_failures=sorted(found.failed_codes),
    )
    return corrections.as_json(made)


def _failed(proposal: Rescoring) -> list[Evaluation]:
    failed = Evaluation.objects.filter(
        submission__in=standing(proposal.phase),
        recipe=proposal.recipe,
        state=EvaluationState.FAILED,
    )
    return list(failed.select_related("submission__entrant__team").order_by("submission__code"))


def _scored(proposal: Rescoring) -> Any:
    return Evaluation.objects.filter(
        submission__in=standing(proposal.phase),
        recipe=proposal.recipe,
        state=EvaluationState.SCORED,
    )


def _corrected(proposal: Rescoring) -> Any:
    """Return the candidate's scores of submissions that the replaced recipe has scored too."""
    before = Evaluation.objects.filter(
        submission=OuterRef("submission"),
        recipe=proposal.replaced,
        state=EvaluationState.SCORED,
    )
    return _scored(proposal).filter(Exists(before))
