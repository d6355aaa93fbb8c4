"""Draws: counts of tiers exact, clips equally likely, the same list for everybody."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from math import floor, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring import draws
from grading.scoring.draws import DrawRefused, PoolClip

SIZES = {"easy": 22, "medium": 19, "hard": 14}
POOL = [PoolClip(f"yue_{tier}_{i:02d}", tier) for tier, size in SIZES.items() for i in range(size)]
SEED = hashlib.sha256(b"a window").hexdigest()


def shares_by_fractions(sizes: dict[str, int], n: int) -> dict[str, int]:
    """Largest remainder as a textbook has it, on fractions instead of remainders."""
    total = sum(sizes.values())
    exact = {name: Fraction(n * size, total) for name, size in sizes.items()}
    counts = {name: floor(share) for name, share in exact.items()}
    order = sorted(sizes)
    order.sort(key=lambda name: sizes[name], reverse=True)
    order.sort(key=lambda name: exact[name] - counts[name], reverse=True)
    for name in order[: n - sum(counts.values())]:
        counts[name] += 1
    return counts


def test_a_draw_worked_out_by_hand() -> None:
    pool = [PoolClip(name, tier) for name, tier in zip("abcdefg", "xxxxyyz", strict=True)]
    drawn = draws.draw(pool, n=3, key="k")
    # Shares 12/7, 6/7 and 3/7 of a clip: 1 and 5/7, 0 and 6/7, 0 and 3/7.
    assert drawn.counts == {"x": 2, "y": 1, "z": 0}
    order = sorted("abcd", key=lambda name: hashlib.sha256(f"k:{name}".encode()).hexdigest())
    last = min("ef", key=lambda name: hashlib.sha256(f"k:{name}".encode()).hexdigest())
    assert drawn.utt_ids == tuple(sorted([*order[:2], last]))


def test_equal_remainders_go_to_the_larger_tier_then_by_name() -> None:
    assert draws.allot({("b",): 3, ("a",): 1}, 2) == {("b",): 2, ("a",): 0}
    assert draws.allot({("b",): 1, ("a",): 1, ("c",): 1}, 2) == {("b",): 1, ("a",): 1, ("c",): 0}
    # Code points, not the order of a language: "Z" stands before "a".
    assert draws.allot({("a",): 1, ("Z",): 1}, 1) == {("a",): 0, ("Z",): 1}


def test_ten_thousand_keys_hold_the_tiers_exactly_and_treat_clips_alike() -> None:
    runs = 10_000
    seen = dict.fromkeys((clip.utt_id for clip in POOL), 0)
    wanted = shares_by_fractions(SIZES, 30)
    for run in range(1, runs + 1):
        drawn = draws.draw(POOL, n=30, key=draws.run_key(SEED, run))
        assert drawn.counts == wanted
        for utt_id in drawn.utt_ids:
            seen[utt_id] += 1
    for clip in POOL:
        share = wanted[clip.tier] / SIZES[clip.tier]
        bound = 4.5 * sqrt(runs * share * (1 - share))
        assert abs(seen[clip.utt_id] - runs * share) < bound, clip


def test_expected_exposure_is_met_by_many_entrants() -> None:
    total = 0
    for entrant in range(300):
        met: set[str] = set()
        for run in range(1, 4):
            key = draws.run_key(hashlib.sha256(str(entrant).encode()).hexdigest(), run)
            met |= set(draws.draw(POOL, n=30, key=key).utt_ids)
        total += len(met)
    # Tiers are drawn apart, so each has an expectation of its own, close to the pool's.
    counts = shares_by_fractions(SIZES, 30)
    by_tier = sum(size * draws.expected_share(size, counts[t], 3) for t, size in SIZES.items())
    assert abs(total / 300 - float(by_tier)) < 0.5
    assert float(by_tier) / 55 == pytest.approx(float(draws.expected_share(55, 30, 3)), abs=0.002)
    assert draws.expected_share(55, 30, 3) == 1 - Fraction(25, 55) ** 3


@pytest.mark.parametrize(("n", "drawn"), [(1, 1), (30, 30), (55, 55)])
def test_so_many_are_drawn(n: int, drawn: int) -> None:
    found = draws.draw(POOL, n=n, key=SEED)
    assert len(set(found.utt_ids)) == drawn == sum(found.counts.values())
    assert list(found.utt_ids) == sorted(found.utt_ids)


@given(st.dictionaries(st.text("abXYZ", min_size=1), st.integers(1, 40), min_size=1), st.data())
def test_shares_are_the_textbooks_and_no_stratum_gives_more_than_it_has(
    sizes: dict[str, int], data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, sum(sizes.values())))
    counts = draws.allot({(name,): size for name, size in sizes.items()}, n)
    assert {name: count for (name,), count in counts.items()} == shares_by_fractions(sizes, n)
    assert all(counts[(name,)] <= size for name, size in sizes.items())


def test_the_order_of_the_pool_does_not_matter() -> None:
    for mixed in (POOL[::-1], POOL[1::2] + POOL[::2]):
        assert draws.draw(mixed, n=30, key=SEED) == draws.draw(POOL, n=30, key=SEED)


def test_strata_of_language_and_tier() -> None:
    pool = [
        PoolClip(f"{language}_{tier}_{i}", tier, language)
        for language in ("zh", "en")
        for tier in ("easy", "hard")
        for i in range(5)
    ]
    drawn = draws.draw(pool, n=10, key=SEED, strata=("language", "tier"))
    assert [(one.stratum, one.size, one.count) for one in drawn.shares] == [
        (("en", "easy"), 5, 3),
        (("en", "hard"), 5, 3),
        (("zh", "easy"), 5, 2),
        (("zh", "hard"), 5, 2),
    ]
    assert drawn.counts == {"easy": 5, "hard": 5}


@pytest.mark.parametrize(
    ("clips", "n", "key", "strata", "why"),
    [
        (POOL, 56, "k", ("tier",), "from a pool of 55"),
        (POOL, 0, "k", ("tier",), "0 clips"),
        (POOL, -1, "k", ("tier",), "-1 clips"),
        ([], 1, "k", ("tier",), "from a pool of 0"),
        (POOL, 3, "", ("tier",), "key is empty"),
        ([*POOL, POOL[3]], 3, "k", ("tier",), "yue_easy_03 is in the pool twice"),
        ([PoolClip("a", "")], 1, "k", ("tier",), "a has no tier"),
        ([PoolClip("", "x")], 1, "k", ("tier",), "no utt_id"),
        ([PoolClip("a", "x")], 1, "k", ("language", "tier"), "a has no language"),
        (POOL, 3, "k", ("tier", "language"), "strata must be"),
        (POOL, 3, "\ud800", ("tier",), "not valid Unicode"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    clips: list[PoolClip], n: int, key: str, strata: tuple[str, ...], why: str
) -> None:
    with pytest.raises(DrawRefused, match=why):
        draws.draw(clips, n=n, key=key, strata=strata)


def test_what_is_published_before_is_the_hash_of_the_seeds_text() -> None:
    assert draws.commitment(SEED) == hashlib.sha256(SEED.encode("ascii")).hexdigest()
    assert draws.window_key(SEED) == SEED
    assert draws.window_key(SEED, "12345") == f"{SEED}:12345"
    assert draws.run_key(SEED, 2) == f"{SEED}:2"


@pytest.mark.parametrize("seed", ["", SEED[:-1], SEED.upper(), SEED + "0", "g" * 64, "٣" * 64])
def test_a_seed_that_is_none_is_refused(seed: str) -> None:
    with pytest.raises(DrawRefused, match="64 lower-case hex"):
        draws.commitment(seed)


@pytest.mark.parametrize(("pool", "n", "runs"), [(0, 0, 1), (5, 6, 1), (5, -1, 1), (5, 2, -1)])
def test_shares_that_are_none(pool: int, n: int, runs: int) -> None:
    with pytest.raises(DrawRefused):
        draws.expected_share(pool, n, runs)


def test_runs_are_counted_from_one() -> None:
    with pytest.raises(DrawRefused, match="from 1"):
        draws.run_key(SEED, 0)
