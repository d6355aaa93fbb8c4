"""Has an evaluation's items judged: claim, ask for what is missing, release the evaluation, or stop."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from datetime import datetime

from competition.services.errors import ReferencesMissing, ReferencesUnreachable
from grading.enums import EvaluationState, JudgeStop
from grading.models import Evaluation, JudgeRating, JudgeRun
from grading.services import evaluations, leases
from grading.services import judging_calls as calls
from grading.services import judging_claims as claims
from grading.services import judging_endpoint as endpoints
from grading.services import judging_items as asked
from grading.services.child import ClaimLost, StorageDown
from grading.services.judging_agenda import Agenda
from grading.services.judging_desk import Desk
from grading.services.judging_endpoint import RunStopped
from grading.services.judging_items import Item
from grading.services.judging_marks import asking_of, definition_of
from grading.services.judging_session import Ending, Session, Signals
from grading.services.judging_words import word_items

log = logging.getLogger(__name__)


def run(
    *,
    evaluation_id: int,
    worker: str,
    clock: Callable[[], datetime],
    leaving: Callable[[], bool] = lambda: False,
) -> JudgeRun | None:
    """Claim the judging of a waiting evaluation and ask for the marks that are missing.

    Returns the run, or None when there was nothing to claim. Safe to call any number of times: an
    answer is asked for once. `leaving` says that the worker is asked to end.
    """
    claimed = claims.claim(evaluation_id=evaluation_id, worker=worker, now=clock())
    if claimed is None:
        return None
    try:
        _go_on(claimed, clock, leaving)
    except RunStopped as stopped:
        _stop(claimed, stopped, clock())
    except (StorageDown, ReferencesUnreachable):
        _end(claimed, Ending.LATER, clock())
    except ClaimLost:
        log.info("judge.claim-lost", extra={"run_id": claimed.pk})
    fresh: JudgeRun = JudgeRun.objects.get(pk=claimed.pk)
    _note_progress(fresh, fresh.done, fresh.needed, clock())
    return fresh


def _go_on(claimed: JudgeRun, clock: Callable[[], datetime], leaving: Callable[[], bool]) -> None:
    definition = definition_of(claimed.evaluation)
    if definition is None:
        raise RunStopped(JudgeStop.NOT_ALLOWED)
    asking = asking_of(claimed.evaluation.recipe, definition)
    desk = Desk(claimed, definition, endpoints.address_of(definition), asking)
    agenda = _agenda(desk, clock)
    with closing(endpoints.judge_at(desk.address, definition)) as judge:
        signals = Signals(_keeping(claimed, clock), leaving, clock)
        ending = Session(desk, judge, agenda, signals).work()
    _end(claimed, ending, clock())


def _agenda(desk: Desk, clock: Callable[[], datetime]) -> Agenda:
    """Return what is open, once every answer that is there already has been used."""
    items = _items(desk, clock)
    needed = sum(len(item.uses) for item in items)
    rated = set(
        JudgeRating.objects.filter(run=desk.run).values_list("utt_id", "profile", "replicate")
    )
    for item in items:
        item.uses = [use for use in item.uses if use not in rated]
    _note_size(desk.run, needed, len(rated))
    left = calls.use_known(desk=desk, items=[item for item in items if item.uses])
    asked.remember_tries(desk.run, left)
    if not claims.renew(desk.run, clock()):  # thousands of items take their time
        raise ClaimLost
    done = needed - sum(len(item.uses) for item in left)
    return Agenda(desk, needed=needed, done=done, clips=left)


def _items(desk: Desk, clock: Callable[[], datetime]) -> list[Item]:
    """Return everything that a run needs, asked before or not."""
    if desk.definition.is_of_words:
        keeper = leases.Keeper(lambda now, *_: claims.renew(desk.run, now), clock=clock)
        return word_items(desk, keeper.watch)
    try:
        return asked.clip_items(desk)
    except ReferencesMissing:
        raise RunStopped(JudgeStop.CLIPS_MISSING, references=True) from None


def _note_size(claimed: JudgeRun, needed: int, done: int) -> None:
    if not claims.mine(claimed).update(needed=needed, done=done):
        raise ClaimLost
    claimed.needed = needed


def _keeping(claimed: JudgeRun, clock: Callable[[], datetime]) -> Callable[[int, int], bool]:
    """Return what keeps the claim and says whether the evaluation still waits for marks."""
    is_wanted = True

    def renew(now: datetime, done: int, total: int) -> bool:
        nonlocal is_wanted
        is_wanted = _note_progress(claimed, done, total, now)
        return claims.renew(claimed, now)

    keeper = leases.Keeper(renew, clock=clock)

    def keep(done: int, needed: int) -> bool:
        keeper.watch(done, needed)
        return is_wanted

    return keep


def _note_progress(claimed: JudgeRun, done: int, total: int, now: datetime) -> bool:
    """Show how far it is; return whether the evaluation still waits. Known answers begin nothing."""
    has_called = JudgeRun.objects.filter(pk=claimed.pk, calls__gte=1).exists()
    if has_called:
        return evaluations.note_judging(
            evaluation_id=claimed.evaluation_id, done=done, total=total, now=now
        )
    waiting = Evaluation.objects.filter(pk=claimed.evaluation_id, state=EvaluationState.WAITING)
    return waiting.exists()


def _end(claimed: JudgeRun, ending: Ending, now: datetime) -> None:
    if ending is Ending.DONE:
        claims.finish(run=claimed, now=now)
    elif ending is Ending.UNWANTED:
        claims.cancel(run=claimed, now=now)
    else:
        claims.put_back(run=claimed, now=now, ring=ending is Ending.AGAIN)


def _stop(claimed: JudgeRun, stopped: RunStopped, now: datetime) -> None:
    log.warning("judge.stopped", extra={"run_id": claimed.pk, "reason": stopped.reason.value})
    try:
        claims.stop(run=claimed, reason=stopped.reason, detail=stopped.detail, now=now)
    except ClaimLost:
        log.info("judge.claim-lost", extra={"run_id": claimed.pk})
