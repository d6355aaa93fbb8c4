"""A few random kills of every kind; the long form is `./run prove kills`."""

from __future__ import annotations

import secrets

import pytest

from tests.proofs.kills import EMBEDDED, EVERYWHERE, faults_of, run
from tests.security.served import SHORT

POINTS = 8


@pytest.mark.slow
def test_random_kills_lose_nothing_and_double_nothing(tmp_path):
    done = run(folder=tmp_path, points=POINTS, seed=secrets.randbelow(2**32), served=False, **SHORT)
    assert done.received
    assert max(done.waits) < 60


def test_a_lost_or_doubled_upload_is_told():
    state = {
        "submissions": [["a", "p", "accepted"], ["b", "p", "failed"], ["c", "p", "accepted"]],
        "evaluations": [["a", "scored"], ["a", "scored"], ["c", "failed"]],
        "quota": [["a", "charged"], ["b", "charged"], ["c", "released"], ["c", "released"]],
        "reasons": ["b"],
        "doubled": [["evaluation.scored submission:a", 2]],
        "log_holds": True,
    }
    assert sorted(faults_of(["a", "x"], state)) == [
        "2 times: evaluation.scored submission:a",
        "a: accepted, evaluations ['scored', 'scored']",
        "b: failed, charged",
        "c: 2 quota lines",
        "x: lost",
    ]


def test_every_kind_of_kill_is_likely_in_two_hundred():
    weights = [weight for weight, _ in (EVERYWHERE | EMBEDDED).values()]
    assert all(200 * weight / sum(weights) > 5 for weight in weights)
