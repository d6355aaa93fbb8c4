"""Replicates of a score: the same draws as its interval, and two sides of a difference drawn apart."""

from __future__ import annotations

from grading.scoring import bootstrap
from grading.scoring.tracks.nvv_t1 import TRACK
from tests.factories.grading import PARAMS, tallies

PARAMETERS = TRACK.params(PARAMS)
SMALL = 2000


def test_they_are_what_the_interval_is_made_of() -> None:
    found = tallies(hits=2)
    for seed in (1, 7):
        values = TRACK.replicates(found, PARAMETERS, seed=seed, replicates=SMALL)
        assert values is not None
        assert len(values) == SMALL
        interval = TRACK.interval(found, PARAMETERS, seed=seed, replicates=SMALL)["final"]
        assert bootstrap.bounds(values) == (interval.low, interval.high)


def test_two_sides_with_seeds_of_their_own_differ_by_nothing_on_the_whole() -> None:
    found = tallies(hits=2)
    one, other = (
        TRACK.replicates(found, PARAMETERS, seed=seed, replicates=SMALL) for seed in (1, 2)
    )
    assert one is not None
    assert other is not None
    low, high = bootstrap.bounds(one - other)
    assert low < 0 < high
    # Variances of independent sides add up: the interval is wider than that of one side.
    alone = bootstrap.bounds(one)
    assert high - low > alone[1] - alone[0]


def test_a_language_of_one_clip_has_none() -> None:
    rows = tallies(hits=2).utterances
    thin = type(tallies(hits=2))(tuple(row for row in rows if row.utt_id != "x")[:5])
    assert TRACK.replicates(thin, PARAMETERS, seed=1, replicates=SMALL) is None
