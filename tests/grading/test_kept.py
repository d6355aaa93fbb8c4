"""What is dear to make is made once, whoever asks meanwhile."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from grading.kept import Kept

THREADS = 16


def test_of_many_who_ask_at_once_one_makes_it_and_all_get_it():
    kept: Kept[object] = Kept(4)
    barrier, made = threading.Barrier(THREADS), []

    def make() -> object:
        made.append(object())
        return made[-1]

    def ask(_: int) -> object:
        barrier.wait(timeout=60)
        return kept.get("board", make)

    with ThreadPoolExecutor(THREADS) as pool:
        found = set(pool.map(ask, range(THREADS)))
    assert found == set(made)
    assert len(made) == 1


def test_what_was_asked_for_longest_ago_goes_first():
    kept: Kept[str] = Kept(2)
    assert [kept.get(key, key.upper) for key in "abac"] == ["A", "B", "A", "C"]
    assert kept.get("a", lambda: "made anew") == "A"
    assert kept.get("b", lambda: "made anew") == "made anew"


def test_an_error_is_not_kept():
    kept: Kept[int] = Kept(2)
    with pytest.raises(ZeroDivisionError):
        kept.get("board", lambda: 1 // 0)
    assert kept.get("board", lambda: 7) == 7
