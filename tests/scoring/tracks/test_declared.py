"""A track that leaves out what every track must give itself is told here, not at its first upload."""

from __future__ import annotations

from typing import Any

import pytest

from grading.scoring import registry
from grading.scoring.tracks.declared import Declared
from tests.toy import vowels

OF_FILES = {"check", "score", "interval"}
"""What a board made of others never does: nothing is sent to it, its intervals are composed."""
OF_BOARDS = {"compose_tables"}


def left_out(track: Any) -> set[str]:
    """Return the attributes that do nothing but raise NotImplementedError."""
    found = set()
    for name in dir(type(track)):
        given = getattr(type(track), name)
        code = getattr(getattr(given, "fget", given), "__code__", None)
        if code is not None and "NotImplementedError" in code.co_names:
            found.add(name)
    return found


def test_what_a_track_must_give_is_seen() -> None:
    assert {"columns", "tallies", "compose"} | OF_FILES | OF_BOARDS <= left_out(Declared())


@pytest.mark.parametrize(
    "track", [*map(registry.get, registry.names()), vowels.TRACK], ids=lambda one: one.name
)
def test_a_track_gives_all_that_is_asked_of_it(track: Any) -> None:
    assert left_out(track) == (OF_FILES if track.is_composed else OF_BOARDS)
