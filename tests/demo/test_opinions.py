from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from statistics import mean

import pytest

from grading.demo.crowd import lead
from grading.demo.opinions import Temper
from grading.judges.hearing_marks import Fault, Heard

HEARD = Heard({"A": 5, "P": 4, "N": 4, "Q": 4, "E": 4}, {}, "", (), 3.0)
ABSENT = replace(HEARD, marks={"A": 0, "P": 0, "N": 4, "Q": 5, "E": 3})
PANEL = [Temper(f"Simulated rater {number}") for number in range(40)]


def panel_mean(heard: Heard, name: str) -> float:
    return mean(temper.marks(heard, "clip")[name] for temper in PANEL)


def test_marks_are_whole_and_in_range_and_the_same_every_time() -> None:
    for temper in [*PANEL, Temper("careless", listens=False)]:
        for heard in (HEARD, ABSENT):
            marks = temper.marks(heard, "clip")
            assert marks == temper.marks(heard, "clip")
            assert set(marks) == set("APNQE")
            assert all(0 <= marks[name] <= 5 for name in "AP")
            assert all(1 <= marks[name] <= 5 for name in "NQE")
            assert (marks["A"] == 0) is (marks["P"] == 0)


def test_a_panel_of_listeners_comes_near_to_what_is_heard_and_its_raters_differ() -> None:
    assert panel_mean(HEARD, "Q") == pytest.approx(4, abs=0.4)
    assert len({tuple(temper.marks(HEARD, "clip").values()) for temper in PANEL}) > 5
    assert max(temper.severity for temper in PANEL) - min(t.severity for t in PANEL) > 0.4


def test_what_is_absent_is_absent_for_all_who_listen() -> None:
    assert all(temper.marks(ABSENT, "clip")["A"] == 0 for temper in PANEL)


@pytest.mark.parametrize(
    ("fault", "name", "sign"),
    [(Fault.NOISE, "N", -1), (Fault.CLIPPING, "P", -1), (Fault.MONOTONE, "E", -1), (Fault.WEAK, "P", 1)],
)  # fmt: skip
def test_people_mind_other_things_than_the_judge(fault: Fault, name: str, sign: int) -> None:
    with_fault = replace(HEARD, faults=((fault, 2),))
    assert sign * (panel_mean(with_fault, name) - panel_mean(HEARD, name)) > 0.2


def test_a_listener_passes_traps_and_known_answers_and_a_careless_one_does_not() -> None:
    asked = {"A": 2, "P": 4, "N": 1, "Q": 5, "E": 3}
    careless = [Temper(f"careless {number}", listens=False) for number in range(40)]
    assert all(temper.exactly(asked, "trap") == asked for temper in PANEL)
    assert sum(temper.exactly(asked, "trap") == asked for temper in careless) <= 1
    for temper in PANEL:
        near = temper.near({"A": 0, "P": 0, "N": 3, "Q": 5, "E": 1}, "known")
        assert near["A"] == near["P"] == 0
        assert abs(near["N"] - 3) <= 1
        assert near["Q"] >= 4


def test_sittings_go_on_in_the_order_in_which_their_pauses_are_over() -> None:
    at, done, shown = [0.0], [], []

    def sitting(name: str, pauses: list[float]) -> Iterator[float]:
        for pause in pauses:
            yield pause
            done.append((name, at[0]))

    def wait(seconds: float) -> None:
        assert seconds >= 0
        at[0] += seconds

    lead(
        [sitting("a", [3.0, 3.0]), sitting("b", [1.0]), sitting("c", [])],
        wait=wait,
        show=lambda *told: shown.append(told),
    )
    assert [name for name, _ in done] == ["b", "a", "a"]
    assert [moment for _, moment in done] == pytest.approx([1.4, 3.0, 6.0])
    assert shown[-1] == (3, 3)
