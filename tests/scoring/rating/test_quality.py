"""Quality control: each rule at its edge, and whom it lets through in simulation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grading.scoring.rating import quality
from grading.scoring.rating.quality import Answer
from grading.scoring.rating.settings import DEFAULTS
from tests.scoring.rating.simulated import Panel

EXPECTED = (2, 4, 1, 5, 3)


def answer(kind: str, marks: tuple[int, ...] = EXPECTED, number: int = 0, **changes) -> Answer:
    given = {
        "key": f"{kind}{number}",
        "rater": "R1",
        "session": "one",
        "kind": kind,
        "stimulus": f"x{number}",
        "marks": marks,
        "took_ms": 12_000,
        "sound_ms": 4_000,
        "day": "2026-12-01",
        "expected": EXPECTED if kind in {"trap", "known"} else (),
    }
    return Answer(**given | changes)


def varied(count: int = 40) -> list[Answer]:
    return [answer("scored", tuple(1 + (n + p) % 5 for p in range(5)), n) for n in range(count)]


def reasons(answers: list[Answer]) -> tuple[str, ...]:
    return quality.void_reasons(answers, DEFAULTS)


def test_a_trap_is_passed_only_if_all_five_marks_match():
    assert quality.trap_passed(answer("trap"))
    for place in range(5):
        marks = tuple(
            mark + (1 if mark < 5 else -1) * (p == place) for p, mark in enumerate(EXPECTED)
        )
        assert not quality.trap_passed(answer("trap", marks))


@pytest.mark.parametrize(
    ("marks", "expected", "is_right"),
    [
        ((3, 5, 2, 4, 4), EXPECTED, True),  # all within one
        ((3, 5, 2, 4, 5), EXPECTED, True),  # four of five within one
        ((3, 5, 3, 4, 5), EXPECTED, False),  # three of five
        ((0, 0, 4, 4, 3), (0, 0, 4, 4, 3), True),
        ((1, 1, 4, 4, 3), (0, 0, 4, 4, 3), False),  # a 0 is 0
        ((0, 0, 4, 4, 3), (1, 1, 4, 4, 3), True),
    ],
)
def test_a_known_answer_is_right_with_four_marks_within_one_and_every_zero_a_zero(
    marks, expected, is_right
):
    assert quality.known_is_right(answer("known", marks, expected=expected), DEFAULTS) is is_right


def test_three_of_four_traps_pass_and_two_void_the_session():
    wrong = answer("trap", (5, 5, 5, 5, 5))
    good = [answer("trap", number=n) for n in range(4)]
    assert reasons([*varied(), *good[:3], wrong]) == ()
    assert reasons([*varied(), *good[:2], wrong, wrong]) == (quality.TRAPS_FAILED,)


def test_two_of_four_known_answers_do_and_one_voids_the_session():
    wrong = answer("known", (5, 1, 5, 1, 1))
    good = [answer("known", number=n) for n in range(4)]
    assert reasons([*varied(), *good[:2], wrong, wrong]) == ()
    assert reasons([*varied(), good[0], wrong, wrong, wrong]) == (quality.KNOWN_WRONG,)


def test_three_scales_without_variance_void_a_session_and_two_do_not():
    flat = [replace(row, marks=(*row.marks[:2], 3, 3, 3)) for row in varied()]
    assert reasons(flat) == (quality.FLAT,)
    assert reasons([replace(row, marks=(*row.marks[:3], 3, 3)) for row in varied()]) == ()
    # 36 times 3 and 4 times 4 is a variance of 0.09; 35 and 5 one of 0.109375.
    for fours, found in ((4, (quality.FLAT,)), (5, ())):
        rows = [
            replace(row, marks=(*row.marks[:2], *(3 + (n < fours),) * 3))
            for n, row in enumerate(varied())
        ]
        assert reasons(rows) == found


def test_a_median_of_less_than_three_seconds_beyond_the_sound_is_too_fast():
    assert reasons([replace(row, took_ms=6_999) for row in varied()]) == (quality.TOO_FAST,)
    assert reasons([replace(row, took_ms=7_000) for row in varied()]) == ()


def test_a_rater_is_void_with_two_void_sessions_or_more_than_half():
    fast = [replace(row, took_ms=1) for row in varied()]
    sessions = [
        [replace(row, session=f"s{n}", key=f"{n}.{row.key}") for row in varied()] for n in range(4)
    ]
    one_of_three = [replace(r, took_ms=1) for r in sessions[0]] + sessions[1] + sessions[2]
    found = quality.inspect(one_of_three, DEFAULTS)
    assert set(found.sessions) == {"s0"}
    assert not found.raters
    assert len(found.kept) == 80
    two_of_four = [replace(r, took_ms=1) for part in sessions[:2] for r in part]
    found = quality.inspect([*two_of_four, *sessions[2], *sessions[3]], DEFAULTS)
    assert found.raters == {"R1": (quality.SESSIONS_VOID,)}
    assert not found.kept
    assert quality.inspect(fast, DEFAULTS).raters == {"R1": (quality.SESSIONS_VOID,)}


def test_repeats_that_contradict_void_a_rater_only_together_with_a_low_correlation():
    others = [
        replace(row, rater=f"R{n}", session=f"R{n}", key=f"{n}.{row.key}")
        for n in (2, 3)
        for row in varied()
    ]
    contradicting = [answer("repeat", (5, 5, 5, 5, 5), n, first=(1, 1, 1, 1, 1)) for n in range(2)]
    assert not quality.inspect([*varied(), *contradicting, *others], DEFAULTS).raters
    # All sums are equal in `varied`; here the others' go up with the stimulus, this rater's down.
    up = [replace(row, marks=(1 + n % 5,) * 5) for row in others for n in [int(row.stimulus[1:])]]
    down = [replace(row, marks=(5 - n % 5,) * 5) for n, row in enumerate(varied())]
    found = quality.inspect([*down, *contradicting, *up], DEFAULTS)
    assert found.raters == {"R1": (quality.INCONSISTENT,)}
    assert not quality.inspect([*down, *up], DEFAULTS).raters
    few = [*down[:29], *contradicting, *up]
    assert not quality.inspect(few, DEFAULTS).raters


def test_the_order_of_answers_changes_nothing_and_no_system_is_known():
    panel = Panel(5)
    answers = panel.sessions("a", noise=0.8) + panel.sessions("b", noise=None)
    assert quality.inspect(answers, DEFAULTS) == quality.inspect(answers[::-1], DEFAULTS)
    assert "system" not in Answer.__slots__


def test_a_day_with_fewer_than_half_valid_answers_is_alarming():
    fast = [
        replace(row, took_ms=1, rater="R9", session="nine", key=f"9.{row.key}") for row in varied()
    ]
    good = varied()
    for rows, is_alarming in (([*good, *fast], False), ([*good[:-1], *fast], True)):
        (day,) = quality.by_day(rows, quality.inspect(rows, DEFAULTS))
        assert day.is_alarming(DEFAULTS) is is_alarming


def test_those_who_click_at_random_are_dropped_and_honest_ones_kept():
    panel = Panel(1)
    people = [f"click{n}" for n in range(60)]
    answers = [row for rater in people for row in panel.sessions(rater, noise=None)]
    honest = [f"honest{n}" for n in range(60)]
    answers += [row for rater in honest for row in panel.sessions(rater, noise=0.8)]
    found = quality.inspect(answers, DEFAULTS)
    assert set(people) <= set(found.raters)
    assert sum(session.startswith("honest") for session in found.sessions) <= 1
    assert not set(honest) & set(found.raters)


def compared(marks: list[int], *, is_turned: bool) -> list[Answer]:
    """Return comparisons that count as `marks`, every other one of which was heard turned round."""
    return [
        answer(
            "scored",
            (mark,),
            number,
            shown=(-mark if is_turned and number % 2 else mark,),
            zero_is_absent=False,
        )
        for number, mark in enumerate(marks)
    ]


def test_whoever_always_presses_the_same_is_flat_whatever_it_counts_as():
    # 2 pressed each time, in both orders: what is stored is 2 and -2 by turns.
    assert quality.FLAT in reasons(compared([2, -2] * 10, is_turned=True))
    assert quality.FLAT not in reasons(compared([2, -2] * 10, is_turned=False))
    assert quality.FLAT not in reasons(compared([2, 2] * 10, is_turned=True))


def test_about_the_same_is_a_mark_as_any_between_worse_and_better():
    for given, is_right in ((-1, True), (0, True), (1, True), (2, False), (-2, False)):
        known = answer("known", (given,), expected=(0,), zero_is_absent=False)
        assert quality.known_is_right(known, DEFAULTS) is is_right


def test_null_pairs_are_of_no_account_in_quality_control():
    rows = [*varied(), *(answer("null", (2,) * 5, number) for number in range(4))]
    found = quality.inspect(rows, DEFAULTS)
    assert len(found.kept) == 40
    assert found.sessions == quality.inspect(varied(), DEFAULTS).sessions
