from __future__ import annotations

import hashlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.selections import frozen
from grading.scoring.selections.items import Item, SelectionRefused

NOTSOFAR = [
    "MTG_32102", "MTG_32007", "MTG_32068", "MTG_32022", "MTG_32048", "MTG_32069",
    "MTG_32080", "MTG_32107", "MTG_32072", "MTG_32088", "MTG_32178", "MTG_32108",
    "MTG_32105", "MTG_32082", "MTG_32003", "MTG_32071", "MTG_32087", "MTG_32000",
    "MTG_32106", "MTG_32026", "MTG_32322", "MTG_32004",
]  # fmt: skip
KEY = "notsofar-production-v1"


def hashed(item_id: str, key: str = KEY) -> str:
    return hashlib.sha256(f"{key}:{item_id}".encode()).hexdigest()


def test_the_22_meetings_of_the_protocol_come_in_its_order() -> None:
    found = frozen.select([Item(one) for one in sorted(NOTSOFAR)], key=KEY, target=22)
    assert list(found.item_ids) == NOTSOFAR
    assert (found.weight, found.distance, found.pool) == (22, 0, 22)


def test_a_meeting_that_hashes_later_ends_the_prefix() -> None:
    later = next(f"X{k}" for k in range(100) if hashed(f"X{k}") > hashed(NOTSOFAR[-1]))
    items = [Item(one, Fraction(1500)) for one in [*NOTSOFAR, later]]
    found = frozen.select(items, key=KEY, target=33_000)
    assert list(found.item_ids) == NOTSOFAR


def in_order(*weights: int | str) -> list[Item]:
    """Items whose hash order is that of their weights."""
    ids = sorted((f"i{k}" for k in range(len(weights))), key=lambda one: hashed(one, "k"))
    return [Item(i, Fraction(str(weight))) for i, weight in zip(ids, weights, strict=True)]


@pytest.mark.parametrize(
    ("weights", "target", "length"),
    [
        ([10, 10, 10], 20, 2),
        ([10, 10, 10], 15, 1),  # 10 and 20 are equally near: the shorter
        ([10, 10, 10], 16, 2),
        ([10, 10, 10], 0, 1),  # at least one
        ([10, 10, 10], 99, 3),
        ([10, 0, 10], 10, 1),
        ([10, 0, 10], 20, 3),
        ([0, 0, 10], 10, 3),
        ([0, 0, 10], 5, 1),
        ([100, 1], 3, 1),
        (["0.1", "0.2", "0.3"], "0.3", 2),  # 0.1 + 0.2 is 0.3 here
        (["1.5", "1.5"], "2.25", 1),
    ],
)
def test_the_nearest_prefix(weights: list[int | str], target: int | str, length: int) -> None:
    items = in_order(*weights)
    found = frozen.select(reversed(items), key="k", target=Fraction(str(target)))
    assert list(found.item_ids) == [item.item_id for item in items[:length]]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.integers(0, 120))
def test_no_prefix_is_nearer(weights: list[int], target: int) -> None:
    items = in_order(*weights)
    found = frozen.select(items, key="k", target=target)
    distances = [abs(sum(weights[: k + 1]) - target) for k in range(len(weights))]
    assert len(found.item_ids) == 1 + distances.index(min(distances))
    assert found.distance == min(distances)


@pytest.mark.parametrize(
    ("items", "key", "target", "said"),
    [
        ([], "k", 1, "no items"),
        ([Item("a"), Item("a")], "k", 1, "a is there twice"),
        ([Item("")], "k", 1, "no id"),
        ([Item("a", Fraction(-1))], "k", 1, "below 0"),
        ([Item("a")], "", 1, "key is empty"),
        ([Item("a")], "k", -1, "target is below 0"),
    ],
)
def test_what_cannot_be_selected(items: list[Item], key: str, target: int, said: str) -> None:
    with pytest.raises(SelectionRefused, match=said):
        frozen.select(items, key=key, target=target)
