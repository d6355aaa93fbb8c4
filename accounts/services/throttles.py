"""How often one address or one person may do what costs us, or tries what others keep secret."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.core.cache import cache
from django.utils.translation import gettext as _

from accounts.refusals import Refusal
from accounts.services.audit import keyed_hash


class Throttled(Refusal):
    """The same was done too often in a short time; `retry_after` says when it may be done again."""

    code = "THROTTLED"
    status = 429


def spend(*, name: str, who: str, now: datetime) -> None:
    """Count one act of somebody under the limit that `settings.THROTTLES` has for the name.

    Windows begin at fixed moments; what is counted under is a keyed hash, so the cache holds no
    address. A name without a limit is free. Raises Throttled beyond the limit.
    """
    limit, seconds = settings.THROTTLES.get(name, (0, 0))
    if not limit:
        return
    window, elapsed = divmod(int(now.timestamp()), seconds)
    if _count(f"throttle:{name}:{keyed_hash(who)}:{window}", seconds) > limit:
        text = _("This was tried too often in a short time. Please wait a few minutes.")
        raise Throttled(text, retry_after=seconds - elapsed)


def _count(key: str, seconds: int) -> int:
    cache.add(key, 0, timeout=seconds)
    try:
        count: int = cache.incr(key)
    except ValueError:  # it was dropped between the two calls
        cache.set(key, 1, timeout=seconds)
        return 1
    return count
