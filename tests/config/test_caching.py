"""A cache that is away forgives: nobody is locked out and no upload is refused for its sake."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from accounts.services import mails, throttles
from config.caching import ForgivingRedisCache
from tests.security.served import free_port


@pytest.fixture
def away() -> ForgivingRedisCache:
    """A cache whose Redis is not there."""
    return ForgivingRedisCache(f"redis://127.0.0.1:{free_port()}/0", {})


def test_each_act_on_it_is_that_on_an_empty_cache_that_keeps_nothing(away):
    assert away.add("a", 1) is True
    assert away.get("a") is None
    assert away.get("a", "else") == "else"
    assert away.incr("a") == 1
    assert away.get_many(["a"]) == {}
    assert away.set_many({"a": 1}) == []
    assert away.get_or_set("a", 5) == 5
    assert [away.touch("a"), away.delete("a"), away.has_key("a")] == [False] * 3
    away.set("a", 1)
    away.delete_many(["a"])


def test_it_is_logged(away, caplog):
    with caplog.at_level(logging.WARNING):
        away.get("a")
    assert [record.getMessage() for record in caplog.records] == ["cache.away"]


@pytest.fixture
def site_without_cache(settings):
    settings.CACHES = {
        "default": {
            "BACKEND": "config.caching.ForgivingRedisCache",
            "LOCATION": f"redis://127.0.0.1:{free_port()}/0",
        }
    }


def test_without_it_nobody_is_throttled(site_without_cache, settings):
    settings.THROTTLES = {"login": (1, 60)}
    for _ in range(3):
        throttles.spend(name="login", who="10.0.0.1", now=timezone.now())
    assert mails.may_send(to="a@example.org", template="x")


@pytest.mark.redis
def test_with_it_a_count_is_a_count(settings):
    settings.CACHES = {
        "default": {
            "BACKEND": "config.caching.ForgivingRedisCache",
            "LOCATION": settings.REDIS_URL,
            "KEY_PREFIX": f"caching-{free_port()}",
        }
    }
    assert cache.add("n", 0, timeout=30)
    assert not cache.add("n", 0, timeout=30)
    assert [cache.incr("n"), cache.incr("n")] == [1, 2]
    with pytest.raises(ValueError, match="not found"):
        cache.incr("none")
    settings.THROTTLES = {"login": (1, 60)}
    now = timezone.now() + timedelta(days=free_port())
    throttles.spend(name="login", who="10.0.0.1", now=now)
    with pytest.raises(throttles.Throttled):
        throttles.spend(name="login", who="10.0.0.1", now=now)
