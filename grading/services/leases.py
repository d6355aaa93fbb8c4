"""How a worker keeps its claim while it works."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings

from grading.services.child import ClaimLost

PROGRESS_SECONDS = 1.0


def until(now: datetime) -> datetime:
    """Return when a lease taken or renewed now lapses."""
    return now + timedelta(seconds=settings.EVALUATION_LEASE_SECONDS)


class Keeper:
    """Renews a lease every so often and passes on progress, as long as the claim is ours.

    `renew(now, done, total)` returns whether the claim still stood; when it did not, `watch`
    raises ClaimLost.
    """

    def __init__(
        self,
        renew: Callable[[datetime, int, int], bool],
        *,
        clock: Callable[[], datetime],
    ) -> None:
        self._renew = renew
        self._clock = clock
        self._renewed = time.monotonic()
        self._told = (0, 0)

    def watch(self, done: int, total: int) -> None:
        """Take note of progress; renew when it is time, or when there is news to show."""
        silent = time.monotonic() - self._renewed
        news = (done, total) != self._told and silent >= PROGRESS_SECONDS
        if not news and silent < settings.EVALUATION_RENEW_SECONDS:
            return
        if not self._renew(self._clock(), done, total):
            raise ClaimLost
        self._renewed = time.monotonic()
        self._told = (done, total)
