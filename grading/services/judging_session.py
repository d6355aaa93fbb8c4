"""One claim's work at a judge's run: asks what is missing, several calls at a time, until none is or it must end.

Threads only speak HTTP. The database is this thread's alone: what is asked is written before it is
sent, and what came back is stored before anything else is looked at.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from random import SystemRandom
from threading import Event

from django.conf import settings

from grading import storage
from grading.enums import AttemptKind, JudgeFailure, JudgeStop
from grading.judges import patience
from grading.judges.base import FORMATS, STAND_IN_MODEL, TEXT, CallFailed, Judge, Reply
from grading.scoring.tracks.nvv_t2_judge_answer import AnswerInvalid, MarkOutOfRange
from grading.services import judging_calls as calls
from grading.services import judging_gate as gates
from grading.services.child import ClaimLost, StorageDown
from grading.services.judging_agenda import Agenda
from grading.services.judging_calls import Begun, Later
from grading.services.judging_desk import Desk
from grading.services.judging_endpoint import RunStopped
from grading.services.judging_items import NOT_THE_CLIPS_FAULT, Item

LONGEST_WAIT_SECONDS = 0.2
HOPELESS = 60
"""After how many failed calls in a row, with no answer between, a run stops."""
MOST_LISTED = 20

log = logging.getLogger(__name__)


class Ending(Enum):
    """How a session ended: everything there, to be gone on with, or not wanted any more."""

    DONE = "done"
    AGAIN = "again"
    LATER = "later"
    UNWANTED = "unwanted"


@dataclass(slots=True)
class Signals:
    """What a session is told from outside.

    `keep(done, needed)` renews the claim: it returns whether the marks are still wanted and raises
    ClaimLost. `leaving` says that the worker is to end.
    """

    keep: Callable[[int, int], bool]
    leaving: Callable[[], bool]
    clock: Callable[[], datetime]


class Session:
    """Works through an agenda of questions until it ends."""

    def __init__(self, desk: Desk, judge: Judge, agenda: Agenda, signals: Signals) -> None:
        self._desk = desk
        self._judge = judge
        self._agenda = agenda
        self._signals = signals
        self._flying: dict[Future[Reply], tuple[Item, Begun]] = {}
        self._ending: Ending | RunStopped | None = None
        self._until = time.monotonic() + settings.JUDGE_SLICE_SECONDS
        self._gate_until = 0.0
        self._failures = 0
        self._unreachable_since: float | None = None
        self._draw = SystemRandom().random

    def work(self) -> Ending:
        """Ask until there is an end; what is in flight then is waited for and stored.

        Raises RunStopped, ClaimLost.
        """
        with ThreadPoolExecutor(self._desk.definition.limits.concurrency) as pool:
            try:
                while not self._is_over():
                    self._start(pool)
                    self._wait()
                    self._collect()
            finally:
                self._drain()
        if isinstance(self._ending, RunStopped):
            raise self._ending
        return self._ending or Ending.DONE

    def _is_over(self) -> bool:
        agenda = self._agenda
        if not self._signals.keep(agenda.done, agenda.needed):
            self._end(Ending.UNWANTED)
        elif self._signals.leaving() or time.monotonic() > self._until:
            self._end(Ending.AGAIN)
        elif not self._flying and agenda.is_empty:
            self._settle()
        return self._ending is not None and not self._flying

    def _settle(self) -> None:
        """Go over what failed once more; what fails again stops the run."""
        given_up = self._agenda.given_up
        if not given_up:
            self._end(Ending.DONE)
        elif any(item.kind == AttemptKind.CANARY for item in given_up):
            self._end(RunStopped(JudgeStop.CANARY_UNANSWERED, count=len(given_up)))
        elif not self._agenda.recover():
            ids = sorted({use[0] for item in given_up for use in item.uses})
            stop = RunStopped(JudgeStop.UNANSWERED, count=len(given_up), ids=ids[:MOST_LISTED])
            self._end(stop)

    def _end(self, ending: Ending | RunStopped) -> None:
        self._ending = self._ending or ending

    def _start(self, pool: ThreadPoolExecutor) -> None:
        while self._ending is None and time.monotonic() >= self._gate_until:
            if len(self._flying) >= self._room():
                return
            item = self._next()
            if item is None or not self._begin(pool, item):
                return

    def _room(self) -> int:
        """Return how many calls may be in flight: one, until it is known how to ask for the form."""
        is_known = bool(self._agenda.answer_format)
        return self._desk.definition.limits.concurrency if is_known else 1

    def _next(self) -> Item | None:
        try:
            return self._agenda.next_item(are_calls_out=bool(self._flying))
        except RunStopped as stop:
            self._end(stop)
            return None

    def _begin(self, pool: ThreadPoolExecutor, item: Item) -> bool:
        """Send a question, or put it back; return whether to go on with the next one."""
        answer_format = item.answer_format or self._agenda.answer_format or FORMATS[0]
        clock = self._signals.clock
        try:
            begun = calls.begin(
                desk=self._desk, item=item, answer_format=answer_format, clock=clock
            )
        except RunStopped as stop:
            self._end(stop)
            return False
        if isinstance(begun, Later):
            self._agenda.put_off(item, begun.seconds if begun.is_busy else 0.0)
            if not begun.is_busy:
                self._gate_until = time.monotonic() + begun.seconds
            return begun.is_busy
        if begun is None:
            self._agenda.note_answer(item)
            return True
        self._agenda.note_call()
        seconds = max((begun.at - clock()).total_seconds(), 0.0)
        self._flying[pool.submit(self._ask, item, begun.answer_format, seconds)] = (item, begun)
        return True

    def _ask(self, item: Item, answer_format: str, seconds: float) -> Reply:
        """Ask when it is this call's turn; runs in a thread of the pool."""
        Event().wait(seconds)
        return self._judge.ask(item.question(self._desk, answer_format))

    def _wait(self) -> None:
        seconds = min(max(self._agenda.seconds_to_next(), 0.005), LONGEST_WAIT_SECONDS)
        if self._flying:
            wait_for(self._flying, timeout=seconds, return_when=FIRST_COMPLETED)
        else:
            Event().wait(seconds)

    def _collect(self) -> None:
        for future in [future for future in self._flying if future.done()]:
            item, begun = self._flying.pop(future)
            self._take(future, item, begun)

    def _drain(self) -> None:
        """Store what still comes: it is paid for, also where the claim is lost meanwhile."""
        while self._flying:
            future, (item, begun) = self._flying.popitem()
            try:
                self._take(future, item, begun)
            except ClaimLost:
                log.info("judge.late-answer", extra={"attempt_id": begun.attempt.pk})

    def _take(self, future: Future[Reply], item: Item, begun: Begun) -> None:
        try:
            reply = future.result()
        except CallFailed as failed:
            self._failed(item, begun, failed)
        except (StorageDown, storage.BytesMissing) as error:
            self._clip_unread(item, begun, is_lost=isinstance(error, storage.BytesMissing))
        else:
            self._read(item, begun, reply)

    def _read(self, item: Item, begun: Begun, reply: Reply) -> None:
        if reply.model == STAND_IN_MODEL and not self._desk.definition.is_stand_in:
            self._failed(item, begun, _failure(JudgeFailure.STAND_IN, reply))
            self._end(RunStopped(JudgeStop.STAND_IN))
            return
        self._agenda.note_format(begun.answer_format)
        try:
            marks = self._desk.asking.read(reply.text)
        except AnswerInvalid as invalid:
            is_range = isinstance(invalid, MarkOutOfRange)
            kind = JudgeFailure.OUT_OF_RANGE if is_range else JudgeFailure.MALFORMED
            self._ask_to_mend(item, begun, reply, invalid)
            self._failed(item, begun, _failure(kind, reply))
            return
        now = self._signals.clock()
        calls.record_answer(
            desk=self._desk, item=item, begun=begun, reply=reply, marks=marks, now=now
        )
        self._failures, self._unreachable_since = 0, None
        self._agenda.note_answer(item)
        rule = self._desk.definition.canaries
        if item.canary is None or rule is None:
            return
        changed = self._desk.asking.changed(item.canary.marks, marks, rule.tolerance)
        if changed:
            named = {"canary": item.canary.canary_id, "marks": changed}
            self._end(RunStopped(JudgeStop.CANARY_CHANGED, **named))

    def _ask_to_mend(self, item: Item, begun: Begun, reply: Reply, invalid: AnswerInvalid) -> None:
        """Where only words say what the form is, show the bad answer once and ask for the right one."""
        is_second = item.rejected is not None
        item.rejected = None
        if begun.answer_format == TEXT and not is_second:
            request = self._desk.asking.repair(item.language, "; ".join(invalid.faults))
            item.rejected = (reply.text, request)

    def _clip_unread(self, item: Item, begun: Begun, *, is_lost: bool) -> None:
        self._failed(item, begun, CallFailed(JudgeFailure.STORAGE, was_sent=False))
        ids = sorted({use[0] for use in item.uses})[:MOST_LISTED]
        self._end(RunStopped(JudgeStop.CLIPS_MISSING, ids=ids) if is_lost else Ending.LATER)

    def _failed(self, item: Item, begun: Begun, failed: CallFailed) -> None:
        calls.record_failure(
            desk=self._desk, item=item, begun=begun, failed=failed, now=self._signals.clock()
        )
        self._failures += 1
        self._heed(failed)
        if failed.failure == JudgeFailure.REJECTED and self._agenda.ask_laxer(
            item, begun.answer_format
        ):
            return
        if failed.failure not in NOT_THE_CLIPS_FAULT:
            item.tries += 1
        self._agenda.put_off(item, self._pause(max(item.tries, 1)))

    def _heed(self, failed: CallFailed) -> None:
        """Do what a failure means for all calls: pause them, or stop the run."""
        kind = failed.failure
        if kind == JudgeFailure.REFUSED:
            self._end(RunStopped(JudgeStop.REFUSED, http_status=failed.http_status))
        if kind == JudgeFailure.UNREACHABLE:
            self._note_unreachable()
        elif self._failures >= max(HOPELESS, 10 * self._desk.definition.limits.concurrency):
            self._end(RunStopped(JudgeStop.UNANSWERED, failure=kind.value))
        seconds = failed.retry_after
        if seconds is None and kind in {JudgeFailure.RATE_LIMITED, JudgeFailure.UNREACHABLE}:
            seconds = self._pause(min(self._failures, patience.TRIES))
        if seconds:
            until = self._signals.clock() + timedelta(seconds=seconds)
            gates.pause(endpoint=self._desk.address, until=until)

    def _note_unreachable(self) -> None:
        now = time.monotonic()
        self._unreachable_since = self._unreachable_since or now
        if now - self._unreachable_since > settings.JUDGE_PATIENCE_SECONDS:
            self._end(RunStopped(JudgeStop.UNREACHABLE))

    def _pause(self, tries: int) -> float:
        return patience.pause(tries, first=settings.JUDGE_PAUSE_SECONDS, draw=self._draw)


def _failure(kind: JudgeFailure, reply: Reply) -> CallFailed:
    return CallFailed(kind, raw=reply.text, usage=reply.usage)
