"""A stand-in over real HTTP for each test, and short pauses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grading.judges.standin import StandIn, StandInServer
from tests.factories.judging import serving


@pytest.fixture
def behaviour() -> StandIn:
    """How the stand-in behaves; a test may change it."""
    return StandIn(slow_seconds=1.3, retry_after="0.02")


@pytest.fixture
def standin(settings, behaviour: StandIn) -> Iterator[StandInServer]:
    """A running stand-in that the server asks."""
    settings.JUDGE_PAUSE_SECONDS = 0.01
    with serving(behaviour) as server:
        settings.JUDGE_BASE_URL = server.base_url
        yield server
