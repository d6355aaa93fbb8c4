from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.metrics.events import Counts
from grading.scoring.tally import NvvTallies, TalliesInvalid, UtteranceTally, pool
from grading.scoring.tracks.nvv_t1 import TRACK
from tests.scoring.golden import PARAMS, demo_corpus

SMALL = st.integers(0, 9)
LABELS = st.dictionaries(
    st.sampled_from(["laugh", "cry"]), st.builds(Counts, SMALL, SMALL, SMALL)
).map(lambda labels: tuple(sorted(labels.items())))
ROWS = st.builds(
    UtteranceTally,
    st.text(max_size=3),
    st.sampled_from(["en", "zh"]),
    SMALL,
    SMALL,
    SMALL,
    st.none() | st.fractions(0, 1, max_denominator=30),
    SMALL,
    SMALL,
    LABELS,
)


@given(st.lists(ROWS, max_size=6), st.randoms(use_true_random=False))
def test_pooling_is_free_of_order(rows: list[UtteranceTally], rng) -> None:
    shuffled = rows.copy()
    rng.shuffle(shuffled)
    assert pool(shuffled) == pool(rows)


@given(st.lists(ROWS, max_size=4), st.lists(ROWS, max_size=4))
def test_pooling_adds_up(left: list[UtteranceTally], right: list[UtteranceTally]) -> None:
    both, a, b = pool(left + right), pool(left), pool(right)
    assert both.counts == tuple(x + y for x, y in zip(a.counts, b.counts, strict=True))
    assert (both.edits, both.tokens) == (a.edits + b.edits, a.tokens + b.tokens)
    assert both.ntd_utterances == a.ntd_utterances + b.ntd_utterances
    assert both.mntd * both.ntd_utterances == a.mntd * a.ntd_utterances + b.mntd * b.ntd_utterances


@given(st.lists(ROWS, max_size=6))
def test_tallies_survive_their_bytes(rows: list[UtteranceTally]) -> None:
    tallies = NvvTallies(tuple(rows))
    data = tallies.to_bytes()
    assert NvvTallies.from_bytes(data) == tallies
    assert NvvTallies.from_bytes(data).to_bytes() == data


def test_rows_are_json() -> None:
    tallies = TRACK.score(*demo_corpus(), PARAMS)
    first = json.loads(json.dumps(tallies.rows()[1]))
    assert first == {
        "utt_id": "demo_en_002",
        "language": "en",
        "tp": 0,
        "fp": 1,
        "fn": 1,
        "ntd": "1/3",
        "edits": 2,
        "tokens": 10,
        "labels": {"sniff": [0, 1, 1]},
    }


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"schema": "other"}', b"\xff", b'{"schema": "nvv-t1-tallies/1"}']
)
def test_foreign_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(TalliesInvalid):
        NvvTallies.from_bytes(data)


def test_columns_of_unequal_length_are_refused() -> None:
    whole = json.loads(TRACK.score(*demo_corpus(), PARAMS).to_bytes())
    whole["tp"].pop()
    with pytest.raises(TalliesInvalid):
        NvvTallies.from_bytes(json.dumps(whole).encode())


def test_an_error_rate_without_tokens_is_0_or_1() -> None:
    empty = UtteranceTally("a", "en", 0, 0, 0, None, 0, 0, ())
    assert pool([empty]).error_rate == 0
    assert pool([empty._replace(edits=3)]).error_rate == Fraction(1)
