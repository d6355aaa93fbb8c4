from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.scoring.selections import subsets
from grading.scoring.selections.items import Item, SelectionRefused
from grading.scoring.selections.subsets import select_subset

SERIES = ("ES2004", "ES2014", "IS1009", "TS3003", "TS3007")


def by_hand(items: list[Item], target: Fraction) -> tuple[str, ...]:
    """Look at every subset with itertools, as the rule reads."""
    wanted = {group for item in items for group in item.groups}
    found = [
        (abs(sum(item.weight for item in chosen) - target), size, tuple(i.item_id for i in chosen))
        for size in range(1, len(items) + 1)
        for chosen in combinations(sorted(items), size)
        if {group for item in chosen for group in item.groups} == wanted
    ]
    return min(found)[2]


ITEMS = st.lists(
    st.tuples(
        st.integers(0, 12).map(Fraction),
        st.lists(st.sampled_from("xyz"), max_size=2).map(tuple),
    ),
    min_size=1,
    max_size=7,
).map(lambda rows: [Item(f"i{k}", *row) for k, row in enumerate(rows)])


@settings(max_examples=150)
@given(ITEMS, st.integers(0, 50))
def test_the_subset_is_the_first_of_the_smallest_of_the_nearest(
    items: list[Item], target: int
) -> None:
    found = select_subset(reversed(items), target=target)
    assert found.item_ids == by_hand(items, Fraction(target))


@settings(max_examples=30)
@given(ITEMS, st.integers(0, 50))
def test_blocks_do_not_matter(items: list[Item], target: int) -> None:
    before = subsets._BLOCK_ITEMS
    subsets._BLOCK_ITEMS = 2
    try:
        found = select_subset(items, target=target)
    finally:
        subsets._BLOCK_ITEMS = before
    assert found.item_ids == by_hand(items, Fraction(target))


def test_a_pool_like_that_of_the_protocol_is_covered_by_series_and_phase() -> None:
    pool = [
        Item(f"{name}{phase}", Fraction(3_000 + 611 * k % 4_000 + 97 * j), (name, phase))
        for k, name in enumerate(SERIES)
        for j, phase in enumerate("abcd")
    ]
    found = select_subset(pool, target=32_928)
    assert {one[:-1] for one in found.item_ids} == set(SERIES)
    assert {one[-1] for one in found.item_ids} == set("abcd")
    assert found.item_ids == tuple(sorted(found.item_ids))
    assert found.distance == abs(
        sum(i.weight for i in pool if i.item_id in found.item_ids) - 32_928
    )
    assert found.distance < 20


def test_decimals_are_exact_and_one_item_is_the_least() -> None:
    items = [Item("a", Fraction("0.1")), Item("b", Fraction("0.2")), Item("c", Fraction("0.3"))]
    assert select_subset(items, target=Fraction("0.3")).item_ids == ("c",)
    assert select_subset(items, target=0).item_ids == ("a",)
    assert select_subset([Item("a", Fraction(0))], target=5).item_ids == ("a",)
    equal = [Item(name, Fraction(1)) for name in "dbca"]
    assert select_subset(equal, target=2).item_ids == ("a", "b")


@pytest.mark.parametrize(
    ("items", "target", "said"),
    [
        ([], 1, "no items"),
        ([Item("a"), Item("a")], 1, "twice"),
        ([Item(str(k)) for k in range(29)], 1, "29 items are too many.*28"),
        ([Item("a", Fraction(1), tuple(map(str, range(63))))], 1, "63 groups"),
        ([Item("a")], -1, "below 0"),
        ([Item("a", Fraction(2**62))], 1, "too large"),
        ([Item("a", Fraction(1, 3**40)), Item("b", Fraction(1, 2**40))], 1, "too many decimals"),
        ([Item("a")], 2**62, "too large"),
    ],
)
def test_what_is_refused_and_not_guessed(items: list[Item], target: int, said: str) -> None:
    with pytest.raises(SelectionRefused, match=said):
        select_subset(items, target=target)
