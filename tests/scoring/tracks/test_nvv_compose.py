"""From sums to scores, in replicates and in points: what is capped, what 0/0 is worth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grading.scoring.tracks.base import Composed
from grading.scoring.tracks.nvv_compose import NTD_SCALE, Replicates, points, replicate_scores
from grading.scoring.tracks.nvv_t1 import TRACK, _final_scores
from tests.scoring.golden import PARAMS

# tp, fp + fn, NTD in 2**-32, utterances with an NTD, edits, tokens; the score; is a ratio 0/0
REPLICATES = [
    ((1, 0, 0, 1, 0, 5), 100, False),
    ((1, 2, NTD_SCALE // 2, 1, 12, 5), 45, False),  # F1 1/2, mNTD 1/2, more edits than tokens
    ((0, 0, 0, 1, 0, 5), 30, True),  # no event on either side: F1 0
    ((1, 0, 0, 0, 0, 5), 80, True),  # no reference with an event: mNTD 1
    ((1, 0, 0, 1, 0, 0), 90, True),  # no token: error 1
    ((0, 0, 0, 0, 0, 5), 10, True),
    ((0, 3, 2 * NTD_SCALE, 2, 5, 5), 0, False),
]


def test_replicates_cap_the_error_and_take_the_worst_of_0_over_0() -> None:
    table = np.array([sums for sums, _, _ in REPLICATES], dtype=np.int64).T
    found = replicate_scores(table, PARAMS)
    assert found.scores.tolist() == pytest.approx([score for _, score, _ in REPLICATES])
    assert found.degenerate.tolist() == [worst for _, _, worst in REPLICATES]


def test_a_replicate_is_degenerate_when_one_language_is() -> None:
    en = Replicates(np.array([10.0, 20.0, 30.0]), np.array([True, False, False]))
    zh = Replicates(np.array([30.0, 40.0, 50.0]), np.array([False, True, False]))
    scores, degenerate = _final_scores({"en": (3, [en]), "zh": (3, [zh])}, 0)
    assert scores.tolist() == [20, 30, 40]
    assert degenerate.tolist() == [True, True, False]


def test_an_error_above_one_takes_no_more_points_than_one() -> None:
    part = {"utterances": 3, "f1": 1.0, "mntd": 0.0, "error_rate": 1.5}
    right = {**part, "error_rate": 0.0}
    assert points({"en": part, "zh": right}, PARAMS) == {"f1": 70, "mntd": 20, "error": 5}


@pytest.mark.parametrize("name", ["f1", "mntd", "error_rate"])
def test_tie_breaks_are_compared_after_nine_decimals(name: str) -> None:
    rates = {"f1": 0.5, "mntd": 0.3, "error_rate": 0.2}
    base = Composed(70.0, "", rates, {})
    noise = replace(base, components={**rates, name: rates[name] + 1e-11})
    other = replace(base, components={**rates, name: rates[name] + 1e-8})
    assert TRACK.order_key(noise, PARAMS) == TRACK.order_key(base, PARAMS)
    assert TRACK.order_key(other, PARAMS) != TRACK.order_key(base, PARAMS)
