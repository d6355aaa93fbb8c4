"""Places, bands and rank ranges."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.ranking import Entry, Ranked, RankingRefused, rank

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/scoring.json").read_text("utf-8"))
BAND_CASES = [case for case in GOLDEN["cases"] if case["kind"] == "rank_bands"]
RULES = ["leader", "components"]


def bands_of(ranked: list[Ranked]) -> list[list[str]]:
    groups: dict[int, list[str]] = {}
    for item in ranked:
        if item.band is not None:
            groups.setdefault(item.band, []).append(item.entry.name)
    return [sorted(groups[band]) for band in sorted(groups)]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("case", BAND_CASES, ids=lambda case: case["id"])
def test_golden_bands(case: dict[str, Any], rule: Any) -> None:
    entries = [
        Entry(e["id"], e["point"], e["lo"], e["hi"], lower_is_better=case["lower_is_better"])
        for e in case["entries"]
    ]
    assert bands_of(rank(entries, rule)) == case["expected"]["bands"]


CHAIN = [
    Entry("a", 80.0, 75.0, 85.0),
    Entry("b", 74.0, 70.0, 78.0),
    Entry("c", 69.0, 65.0, 73.0),
    Entry("d", 50.0, 49.0, 51.0),
]


def test_a_chain_is_cut_by_the_leader_and_joined_by_components() -> None:
    assert bands_of(rank(CHAIN)) == [["a", "b"], ["c"], ["d"]]
    assert bands_of(rank(CHAIN, "components")) == [["a", "b", "c"], ["d"]]
    assert [item.band for item in rank(CHAIN)] == [1, 1, 3, 4]
    assert [item.range for item in rank(CHAIN)] == [(1, 2), (1, 3), (2, 3), (4, 4)]


def test_a_band_ends_at_the_first_that_does_not_overlap() -> None:
    wide_below = [
        Entry("a", 80.0, 75.0, 85.0),
        Entry("b", 70.0, 69.0, 71.0),
        Entry("c", 60.0, 30.0, 90.0),
    ]
    assert bands_of(rank(wide_below)) == [["a"], ["b", "c"]]


def test_equal_keys_share_a_place_and_the_next_is_skipped() -> None:
    entries = [Entry("x", 50.0), Entry("y", 50.0), Entry("z", 40.0)]
    assert [(i.entry.name, i.place) for i in rank(entries)] == [("x", 1), ("y", 1), ("z", 3)]


def test_scores_are_compared_after_nine_decimals() -> None:
    entries = [Entry("x", 50.0000000001), Entry("y", 50.0000000002), Entry("z", 50.00000001)]
    assert [i.place for i in rank(entries)] == [1, 2, 2]


def test_tie_breaks_of_the_key_decide_places() -> None:
    entries = [Entry("x", 50.0, key=(-50.0, 0.3)), Entry("y", 50.0, key=(-50.0, 0.2))]
    assert [(i.entry.name, i.place) for i in rank(entries)] == [("y", 1), ("x", 2)]


def test_no_interval_counts_as_the_score_itself() -> None:
    entries = [Entry("a", 70.0, 60.0, 80.0), Entry("b", 60.0), Entry("c", 60.0, 60.0, 60.0)]
    assert bands_of(rank(entries)) == [["a", "b", "c"]]
    assert bands_of(rank([Entry("a", 70.0), Entry("b", 60.0)])) == [["a"], ["b"]]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("high", [60.0, 60.0000000001])
def test_an_interval_without_width_counts_as_the_score_and_is_shown_as_given(
    rule: Any, high: float
) -> None:
    ranked = rank(
        [Entry("a", 70.0, 60.0, high), Entry("b", 65.0, 64.0, 66.0), Entry("c", 60.0)], rule
    )
    assert [item.range for item in ranked] == [(1, 1), (2, 2), (3, 3)]
    assert [item.band for item in ranked] == [1, 2, 3]
    assert (ranked[0].entry.low, ranked[0].entry.high) == (60.0, high)


def test_half_an_interval_is_none() -> None:
    for low, high in ((60.0, None), (None, 80.0)):
        assert bands_of(rank([Entry("a", 70.0, low, high), Entry("b", 65.0, 64.0, 69.0)])) == [
            ["a"],
            ["b"],
        ]


def test_bounds_are_compared_after_nine_decimals() -> None:
    for rule in ("leader", "components"):
        touching = [Entry("a", 75.0, 70.0000000001, 80.0), Entry("b", 65.0, 60.0, 70.0)]
        assert bands_of(rank(touching, rule)) == [["a", "b"]]
        apart = [Entry("a", 75.0, 70.00000001, 80.0), Entry("b", 65.0, 60.0, 70.0)]
        assert bands_of(rank(apart, rule)) == [["a"], ["b"]]


def test_rows_outside_the_ranking_take_no_place_and_are_not_counted() -> None:
    entries = [
        Entry("baseline", 90.0, 80.0, 99.0, ranked=False),
        Entry("a", 70.0, 60.0, 80.0),
        Entry("withheld", None),
        Entry("b", 65.0, 60.0, 70.0),
    ]
    ranked = rank(entries)
    assert [item.entry.name for item in ranked] == ["baseline", "a", "b", "withheld"]
    assert [item.place for item in ranked] == [None, 1, 2, None]
    assert [item.range for item in ranked] == [None, (1, 2), (1, 2), None]


@pytest.mark.parametrize("field", ["score", "low", "high"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 10**350, -(10**350)])
def test_what_is_not_a_finite_number_is_refused_by_name(field: str, value: float) -> None:
    numbers: dict[str, Any] = {"score": 1.0, "low": 1.0, "high": 1.0, field: value}
    with pytest.raises(RankingRefused, match=rf"Team Alder: {field}"):
        rank([Entry("Team Alder", **numbers)])


def test_an_interval_upside_down_and_mixed_directions_are_refused() -> None:
    with pytest.raises(RankingRefused, match="above"):
        rank([Entry("a", 1.0, 2.0, 1.0)])
    with pytest.raises(RankingRefused, match="lower"):
        rank([Entry("a", 1.0), Entry("b", 1.0, lower_is_better=True)])


def test_no_rows_give_no_ranking() -> None:
    assert rank([]) == []


@st.composite
def boards(draw: st.DrawFn) -> list[Entry]:
    grid = st.integers(0, 12).map(float)
    entries = []
    for number in range(draw(st.integers(0, 12))):
        score = draw(st.none() | grid)
        low, high = sorted([draw(grid), draw(grid)])
        bare = draw(st.booleans())
        entries.append(
            Entry(
                f"t{number}",
                score,
                None if bare else low,
                None if bare else high,
                ranked=draw(st.sampled_from([True, True, False])),
            )
        )
    return entries


def facts(ranked: list[Ranked]) -> dict[str, tuple[Any, ...]]:
    return {i.entry.name: (i.place, i.band, i.range) for i in ranked}


@pytest.mark.parametrize("rule", RULES)
@given(entries=boards(), seed=st.integers(0, 1000))
def test_the_order_of_the_rows_changes_nothing(rule: Any, entries: list[Entry], seed: int) -> None:
    shuffled = entries.copy()
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - not for secrets
    assert rank(shuffled, rule) == rank(entries, rule)


@pytest.mark.parametrize("rule", RULES)
@given(entries=boards(), seed=st.integers(0, 1000))
def test_names_decide_nothing_but_the_display_order(
    rule: Any, entries: list[Entry], seed: int
) -> None:
    names = [entry.name for entry in entries]
    random.Random(seed).shuffle(names)  # noqa: S311 - not for secrets
    renamed = [
        Entry(name, e.score, e.low, e.high, ranked=e.ranked)
        for name, e in zip(names, entries, strict=True)
    ]
    before, after = facts(rank(entries, rule)), facts(rank(renamed, rule))
    for old, new in zip(entries, renamed, strict=True):
        assert before[old.name] == after[new.name]


@pytest.mark.parametrize("rule", RULES)
@given(entries=boards())
def test_places_bands_and_ranges_fit_together(rule: Any, entries: list[Entry]) -> None:
    ranked = rank(entries, rule)
    counted = [item for item in ranked if item.place is not None]
    assert len(counted) == sum(e.ranked and e.score is not None for e in entries)
    for item in counted:
        better = sum(other.entry.score > item.entry.score for other in counted)  # type: ignore[operator]
        assert item.place == better + 1
        assert item.range is not None
        first, last = item.range
        assert 1 <= first <= last <= len(counted)
    sizes: dict[int, int] = {}
    for item in counted:
        assert item.band is not None
        sizes[item.band] = sizes.get(item.band, 0) + 1
    above = 0
    for band in sorted(sizes):
        assert band == above + 1
        above += sizes[band]


@given(entries=boards())
def test_display_order_is_by_score_with_withheld_rows_last(entries: list[Entry]) -> None:
    scores = [item.entry.score for item in rank(entries)]
    shown = [score for score in scores if score is not None]
    assert scores == [*shown, *[None] * (len(scores) - len(shown))]
    assert shown == sorted(shown, reverse=True)


@pytest.mark.parametrize("rule", RULES)
@given(entries=boards())
def test_lower_is_better_is_the_mirror_image(rule: Any, entries: list[Entry]) -> None:
    def minus(value: float | None) -> float | None:
        return None if value is None else -value

    mirrored = [
        Entry(e.name, minus(e.score), minus(e.high), minus(e.low), None, e.ranked, True)
        for e in entries
    ]
    assert facts(rank(mirrored, rule)) == facts(rank(entries, rule))


@given(entries=boards())
def test_components_are_the_connected_parts_of_overlap(entries: list[Entry]) -> None:
    counted = [item for item in rank(entries, "components") if item.place is not None]

    def bounds(entry: Entry) -> tuple[float, float]:
        if entry.low is None or entry.high is None or entry.low == entry.high:
            return entry.score or 0.0, entry.score or 0.0
        return entry.low, entry.high

    for one in counted:
        for other in counted:
            (low, high), (low2, high2) = bounds(one.entry), bounds(other.entry)
            if low <= high2 and low2 <= high:
                assert one.band == other.band
    reached: dict[int | None, list[Ranked]] = {}
    for item in counted:
        reached.setdefault(item.band, []).append(item)
    for group in reached.values():
        spans = sorted(bounds(item.entry) for item in group)
        top = spans[0][1]
        for low, high in spans:
            assert low <= top
            top = max(top, high)
