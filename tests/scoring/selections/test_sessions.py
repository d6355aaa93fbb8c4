from __future__ import annotations

import time
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.selections.items import SelectionRefused
from grading.scoring.selections.sessions import Joined, Result, join, seam, split, streamed


@pytest.mark.parametrize(
    ("duration", "bounds", "sent"),
    [
        (600, [(0, 285), (280, 565), (560, 600)], 610),
        (285, [(0, 285)], 285),
        (286, [(0, 285), (280, 286)], 291),
        (565, [(0, 285), (280, 565)], 570),
        (1, [(0, 1)], 1),
        (0, [], 0),
    ],
)
def test_sessions_of_285_seconds(duration: int, bounds: list[object], sent: int) -> None:
    found = split(duration)
    assert [(one.start, one.end) for one in found] == bounds
    assert [one.replay for one in found] == [0, 5, 5][: len(found)]
    assert streamed(found) == sent


@given(st.integers(0, 5_000), st.integers(1, 90), st.integers(0, 89))
def test_sessions_cover_everything_and_the_last_alone_reaches_the_end(
    duration: int, length: int, replay: int
) -> None:
    if replay >= length:
        with pytest.raises(SelectionRefused):
            split(duration, length=length, replay=replay)
        return
    found = split(duration, length=length, replay=replay)
    assert [one.end == duration for one in found] == [False] * (len(found) - 1) + [True] * bool(
        found
    )
    for before, after in pairwise(found):
        assert before.end - after.start == replay == after.replay
        assert before.end - before.start == length
    assert streamed(found) == duration + replay * max(0, len(found) - 1)


def test_decimals_of_a_second_are_exact() -> None:
    assert split(Fraction("285.0001"))[1].start == 280
    assert len(split(Fraction("0.3"), length=Fraction("0.1"), replay=0)) == 3


@pytest.mark.parametrize(
    "bad", [{"duration": -1}, {"length": 0}, {"replay": 285}, {"replay": -1}, {"duration": 10**9}]
)
def test_sessions_that_cannot_be(bad: dict[str, int]) -> None:
    with pytest.raises(SelectionRefused):
        split(**({"duration": 600} | bad))


def tokens(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c.isspace() else " " for c in text.lower()).split()


def joined(*sessions: list[tuple[str, float]], **more: int) -> Joined:
    given = [[Result(text, Fraction(str(end))) for text, end in one] for one in sessions]
    return join(given, tokens=tokens, **more)


def test_what_ends_in_the_replay_is_dropped_and_the_seam_taken_once() -> None:
    found = joined(
        [("we came over the bridge", 285)], [("the bridge", 4), ("over the bridge at noon", 20)]
    )
    assert found.text == "we came over the bridge at noon"
    assert [(p.results, p.dropped, p.removed_words) for p in found.parts] == [(1, 0, 0), (2, 1, 3)]


@pytest.mark.parametrize(("end", "kept"), [(5, False), (5.0001, True), (4.9999, False)])
def test_a_result_at_the_end_of_the_replay_is_dropped(end: float, kept: bool) -> None:
    assert joined([("a", 9)], [("b", end)]).text == ("a b" if kept else "a")


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        ("it was Good, NIGHT!", "good night to all", "it was Good, NIGHT! to all"),
        ("they often sing", "they sing so low", "they often sing they sing so low"),
        ("count ten nine", "ten-nine eight", "count ten nine eight"),
        ("a b a b", "a b a b c", "a b a b c"),  # the longest
        ("x a", "a a a", "x a a a"),
        ("a", "- a b", "a b"),  # what stands before the last token goes with it
        ("a b", "b-c d", "a b d"),  # a word is not cut through
        ("a b", "", "a b"),
        ("", "a b", "a b"),
        ("", "", ""),
        ("...", "... a", "... ... a"),  # no tokens on the left, nothing to take out
        ("A  b", "b\u00a0c", "A b c"),
    ],
)
def test_seams(left: str, right: str, text: str) -> None:
    assert joined([(left, 285)], [(right, 60)]).text == text


def test_at_most_80_tokens_are_taken_for_a_repetition() -> None:
    words = [f"w{k}" for k in range(90)]
    left, right = " ".join(words), " ".join([*words, "end"])
    assert joined([(left, 285)], [(right, 99)]).parts[1].removed_words == 0
    assert joined([(left, 285)], [(right, 99)], most=90).text == f"{left} end"
    eighty = " ".join(words[10:])
    assert joined([(left, 285)], [(eighty, 99)]).parts[1].removed_words == 80
    assert joined([(left, 285)], [(eighty, 99)], most=0).parts[1].removed_words == 0


def test_a_seam_may_reach_over_a_short_session() -> None:
    found = joined([("a b c", 285)], [("c d", 60)], [("c d e", 60)])
    assert found.text == "a b c d e"


def test_the_first_session_has_no_replay() -> None:
    found = joined([("a", 3), ("b", 8)], [("c", 3)])
    assert (found.text, found.parts[1].dropped) == ("a b", 1)


def test_a_long_recording_takes_linear_time() -> None:
    session = [Result("so it goes on and on " * 40, Fraction(200))]
    start = time.process_time()
    found = join([session] * 100, tokens=tokens)
    assert time.process_time() - start < 2
    assert len(found.parts) == 100


def test_seam_counts_raw_words() -> None:
    assert seam(["one", "two"], ["One", "—", "two!", "x"], tokens=tokens, most=80) == 3
    with pytest.raises(SelectionRefused):
        join([], tokens=tokens, most=-1)


def test_nothing_of_the_first_session_is_dropped() -> None:
    first = [Result("at once", Fraction(0)), Result("later", Fraction(3))]
    found = join([first, [Result("gone", Fraction(0))]], tokens=str.split, replay=0)
    assert found.text == "at once later"
    assert [part.dropped for part in found.parts] == [0, 1]
