"""Plans: every promise of the design, over many sizes; the same seed gives the same plan."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.rating import plans


@given(
    systems=st.integers(2, 12),
    texts=st.integers(1, 40),
    copies=st.integers(1, 3),
    seed=st.text(max_size=8),
)
def test_a_plan_keeps_what_it_promises(systems, texts, copies, seed):
    names = [f"s{number}" for number in range(systems)]
    ids = [f"t{number}" for number in range(texts)]
    rows = plans.plan_rows(names, ids, copies=copies, seed=seed)
    assert len(rows) == copies * systems  # raters needed = k × systems
    heard = Counter((slot.system, slot.text) for row in rows for slot in row)
    assert set(heard.values()) == {copies}
    assert len(heard) == systems * texts
    for row in rows:
        assert sorted(slot.text for slot in row) == sorted(ids)
        assert [slot.position for slot in row] == list(range(texts))
        assert all(one.system != other.system for one, other in pairwise(row))
        for cut in range(texts + 1):
            assert _spread(row[:cut], names) <= 1
            assert _spread(row[cut:], names) <= 2


def _spread(row: list[plans.Slot], names: list[str]) -> int:
    counts = Counter(slot.system for slot in row)
    return max(counts[name] for name in names) - min(counts[name] for name in names)


@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 9, 12])
def test_a_williams_design_has_every_ordered_pair_equally_often(size):
    rows = plans.williams(size)
    assert all(sorted(row) == list(range(size)) for row in rows)
    pairs = Counter(pair for row in rows for pair in pairwise(row))
    assert len(pairs) == size * (size - 1)
    assert len(set(pairs.values())) == 1


def test_a_plan_follows_from_its_seed_alone():
    names, ids = ["a", "b", "c"], ["x", "y", "z", "w"]
    one = plans.plan_rows(names, ids, copies=2, seed="1")
    assert one == plans.plan_rows(names[::-1], ids[::-1], copies=2, seed="1")
    assert one != plans.plan_rows(names, ids, copies=2, seed="2")
    # What it was when it was written: plans that were frozen must come out again.
    assert "".join(slot.system + slot.text for slot in one[0]) == FIRST_ROW


FIRST_ROW = "bwazcybx"


@pytest.mark.parametrize(("systems", "texts"), [(5, 8), (4, 8), (9, 80)])
def test_a_rating_that_ends_early_has_every_clip_rated_equally_often_within_one(systems, texts):
    names = [f"s{number}" for number in range(systems)]
    ids = [f"t{number:02d}" for number in range(texts)]
    counts = Counter(dict.fromkeys(product(names, ids), 0))
    for number, row in enumerate(plans.plan_rows(names, ids, copies=3, seed="x"), 1):
        counts.update((slot.system, slot.text) for slot in row)
        assert max(counts.values()) - min(counts.values()) <= 1
        if number % systems == 0:
            assert set(counts.values()) == {number // systems}


def test_eighty_texts_are_five_of_each_of_sixteen_labels():
    labels = {f"u{n:03d}": {f"label{n % 16}"} for n in range(400)}
    chosen = plans.choose_texts(labels, count=80, seed="s")
    assert set(Counter(next(iter(labels[one])) for one in chosen).values()) == {5}
    assert chosen == sorted(chosen)
    assert chosen != plans.choose_texts(labels, count=80, seed="t")
    assert plans.choose_texts(labels, count=900, seed="s") == sorted(labels)


def test_a_session_is_forty_scored_with_its_controls_spread_and_repeats_late():
    for seed in map(str, range(50)):
        layout = plans.session_layout(scored=40, traps=4, known=4, repeats=2, seed=seed)
        assert Counter(layout) == {"scored": 40, "trap": 4, "known": 4, "repeat": 2}
        assert layout[:2] == ["scored", "scored"]
        assert all(place >= 26 for place, kind in enumerate(layout) if kind == "repeat")
        controls = [place for place, kind in enumerate(layout) if kind in {"trap", "known"}]
        assert controls[-1] - controls[0] > 25


def test_raters_needed_are_k_times_the_systems():
    need = plans.raters_needed(systems=9, texts=80, wanted=5, least=3, scored=40)
    assert (need.wanted, need.least, need.sessions) == (45, 27, 2)


def test_fewer_than_two_systems_make_no_plan():
    with pytest.raises(ValueError, match="two systems"):
        plans.plan_rows(["a"], ["x"], copies=1, seed="")
