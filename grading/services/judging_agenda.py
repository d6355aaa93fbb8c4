"""What a session still has to ask and in which order: canaries when they are due, then items."""

from __future__ import annotations

import heapq
import time
from itertools import count

from django.db.models import F

from grading.enums import AttemptKind
from grading.judges.base import FORMATS
from grading.judges.patience import TRIES
from grading.models import JudgeRun
from grading.services import judging_claims as claims
from grading.services import judging_items
from grading.services.child import ClaimLost
from grading.services.judging_desk import Desk
from grading.services.judging_items import Item

IDLE_SECONDS = 60.0


class Waiting:
    """Items by the moment from which they may be asked; of equals, the first that came."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Item]] = []
        self._order = count()

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, item: Item, seconds: float = 0.0) -> None:
        """Add an item that may be asked in so many seconds."""
        heapq.heappush(self._heap, (time.monotonic() + seconds, next(self._order), item))

    def pop_due(self) -> Item | None:
        """Take the next item that may be asked now."""
        if not self._heap or self._heap[0][0] > time.monotonic():
            return None
        return heapq.heappop(self._heap)[2]

    def seconds_to_next(self) -> float:
        """Return in how many seconds the next may be asked; a minute where there is none."""
        return self._heap[0][0] - time.monotonic() if self._heap else IDLE_SECONDS


class Agenda:
    """The open questions of a claimed run.

    `given_up` are those that used up their tries. While canaries are asked nothing else is: a judge that
    changed is noticed before it marks on.
    """

    def __init__(self, desk: Desk, *, needed: int, done: int, clips: list[Item]) -> None:
        self._desk = desk
        self.needed = needed
        self.done = done
        self.answer_format = desk.run.answer_format
        self.given_up: list[Item] = []
        self._calls = desk.run.calls
        self._clips = Waiting()
        self._canaries: Waiting | None = None
        self._unanswered: set[str] = set()
        for item in clips:
            self.put_off(item, 0.0)

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits to be asked; calls may still be out."""
        return not (self._clips if self._canaries is None else self._canaries)

    def next_item(self, *, are_calls_out: bool) -> Item | None:
        """Return what may be asked now. Raises RunStopped where canaries are due and not there."""
        if self._canaries is None and self._clips and self._are_canaries_due():
            if are_calls_out:
                return None
            self._open_check()
        return (self._clips if self._canaries is None else self._canaries).pop_due()

    def note_call(self) -> None:
        """Count a call that was written down."""
        self._calls += 1

    def note_answer(self, item: Item) -> None:
        """Count an answer that counts."""
        if item.kind == AttemptKind.CLIP:
            self.done += len(item.uses)
        else:
            self._unanswered.discard(item.key)
            self._close_check()

    def put_off(self, item: Item, seconds: float) -> None:
        """Let an item wait, or give it up when its tries are used."""
        if item.tries >= TRIES:
            self.given_up.append(item)
        elif item.kind == AttemptKind.CANARY and self._canaries is not None:
            self._canaries.push(item, seconds)
        else:
            self._clips.push(item, seconds)

    def ask_laxer(self, item: Item, answer_format: str) -> bool:
        """Let an item be asked for a laxer form after it was rejected; False where there is none."""
        following = FORMATS.index(answer_format) + 1
        if self.answer_format or following >= len(FORMATS):
            return False
        item.answer_format = FORMATS[following]
        self.put_off(item, -IDLE_SECONDS)  # before all others: it shows how they are to be asked
        return True

    def note_format(self, answer_format: str) -> None:
        """Ask in this form from now on: the endpoint took it."""
        if not self.answer_format:
            self.answer_format = answer_format
            self._store(answer_format=answer_format)

    def recover(self) -> bool:
        """Go over what was given up once more, with fresh tries; False when that was done before."""
        if self._desk.run.has_recovered:
            return False
        self._desk.run.has_recovered = True
        self._desk.run.round += 1
        self._store(has_recovered=True, round=self._desk.run.round)
        again, self.given_up = self.given_up, []
        for item in again:
            item.tries, item.rejected, item.answer_format = 0, None, ""
            self._clips.push(item)
        return True

    def seconds_to_next(self) -> float:
        """Return in how many seconds something may be asked."""
        waiting = self._clips if self._canaries is None else self._canaries
        return waiting.seconds_to_next()

    def _are_canaries_due(self) -> bool:
        rule, passed = self._desk.definition.canaries, self._desk.run.canaries_passed_at
        return rule is not None and (passed is None or self._calls - passed >= rule.every)

    def _open_check(self) -> None:
        desk = self._desk
        items = judging_items.canary_items(desk, desk.run.canary_round)
        judging_items.remember_tries(desk.run, items)
        self._canaries, self._unanswered = Waiting(), {item.key for item in items}
        for item in items:
            self.put_off(item, 0.0)
        if not items:
            self._close_check()

    def _close_check(self) -> None:
        """Note that all canaries of a check gave their marks."""
        if self._unanswered:
            return
        self._canaries = None
        run = self._desk.run
        run.canary_round, run.canaries_passed_at = run.canary_round + 1, self._calls
        self._store(canary_round=F("canary_round") + 1, canaries_passed_at=self._calls)

    def _store(self, **fields: object) -> None:
        run: JudgeRun = self._desk.run
        if not claims.mine(run).update(**fields):
            raise ClaimLost
