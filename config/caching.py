"""Redis as a cache that may be away: what is counted or kept there is forgiven, nobody is locked out."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

AWAY = (OSError, RedisError)
"""What Redis raises that is not there, is full, or takes no writes now."""

log = logging.getLogger(__name__)
T = TypeVar("T")


class ForgivingRedisCache(RedisCache):
    """Django's Redis cache; while Redis is away it is an empty one that keeps nothing (decision 0340).

    Each such call is logged. `add` then says True, as to the first who comes, and `incr` 1.
    """

    def add(self, *args: Any, **kwargs: Any) -> bool:
        """Store a value unless there is one; return whether it was stored."""
        return _or(True, "add", lambda: super(ForgivingRedisCache, self).add(*args, **kwargs))

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """Return a value, or the default."""
        return _or(
            default, "get", lambda: super(ForgivingRedisCache, self).get(key, default, version)
        )

    def set(self, *args: Any, **kwargs: Any) -> None:
        """Store a value."""
        _or(None, "set", lambda: super(ForgivingRedisCache, self).set(*args, **kwargs))

    def touch(self, *args: Any, **kwargs: Any) -> bool:
        """Let a value live on; return whether there is one."""
        return _or(False, "touch", lambda: super(ForgivingRedisCache, self).touch(*args, **kwargs))

    def delete(self, *args: Any, **kwargs: Any) -> bool:
        """Remove a value; return whether there was one."""
        return _or(
            False, "delete", lambda: super(ForgivingRedisCache, self).delete(*args, **kwargs)
        )

    def has_key(self, *args: Any, **kwargs: Any) -> bool:
        """Return whether there is a value."""
        return _or(
            False, "has_key", lambda: super(ForgivingRedisCache, self).has_key(*args, **kwargs)
        )

    def incr(self, *args: Any, **kwargs: Any) -> int:
        """Return a count, one higher; raises ValueError where nothing is counted."""
        return _or(1, "incr", lambda: super(ForgivingRedisCache, self).incr(*args, **kwargs))

    def get_many(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        """Return the values that there are."""
        return _or(
            {}, "get_many", lambda: super(ForgivingRedisCache, self).get_many(*args, **kwargs)
        )

    def set_many(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Store values; return the keys that could not be stored, none of them known."""
        return _or(
            [], "set_many", lambda: super(ForgivingRedisCache, self).set_many(*args, **kwargs)
        )

    def delete_many(self, *args: Any, **kwargs: Any) -> None:
        """Remove values."""
        _or(
            None,
            "delete_many",
            lambda: super(ForgivingRedisCache, self).delete_many(*args, **kwargs),
        )


def _or(instead: T, act: str, call: Callable[[], T]) -> T:
    try:
        return call()
    except AWAY as error:
        log.warning("cache.away", extra={"act": act, "error": type(error).__name__})
        return instead
