"""A few random kills of every kind; the long form is `./run prove kills`."""

from __future__ import annotations

import random
import secrets

import pytest

from tests.proofs.blows import blows_of, deal
from tests.proofs.disks import may_mount
from tests.proofs.kills import SETUPS, faults_of, run
from tests.proofs.shop import Setup
from tests.security.served import SHORT

POINTS = 8


@pytest.mark.slow
def test_random_kills_lose_nothing_and_double_nothing(tmp_path):
    done = run(
        folder=tmp_path,
        setup=Setup(small_disk=may_mount()),
        points=POINTS,
        seed=secrets.randbelow(2**32),
        **SHORT,
    )
    assert done["uploads_received"] > 0
    assert max(done["settled_in_seconds"]) < 60


def test_a_lost_or_doubled_upload_is_told():
    state = {
        "submissions": [
            ["a", "p", "accepted"],
            ["b", "p", "failed"],
            ["c", "p", "accepted"],
            ["d", "p", "accepted"],
            ["e", "p", "failed"],
            ["f", "p", "received"],
        ],
        "evaluations": [["a", "scored"], ["a", "scored"], ["c", "failed"], ["d", "scored"]],
        "quota": [
            *(["a", "charged"], ["b", "charged"], ["c", "released"], ["c", "released"]),
            *(["d", "reserved"], ["e", "released"], ["f", "reserved"]),
        ],
        "reasons": ["b"],
        "doubled": [["evaluation.scored submission:a", 2]],
        "filenames": ["run-1.jsonl", "run-2.jsonl", "run-1.jsonl"],
        "log_holds": False,
    }
    assert sorted(faults_of(["a", "x"], state)) == [
        "2 submissions of run-1.jsonl",
        "2 times: evaluation.scored submission:a",
        "a: accepted, evaluations ['scored', 'scored']",
        "b: failed, charged",
        "c: 2 quota lines",
        "d: scored, reserved",
        "e: failed without a reason",
        "f: received",
        "the audit log does not hold",
        "x: lost",
    ]


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
def test_every_kind_of_kill_is_dealt(setup):
    chance = random.Random(0)  # noqa: S311  chance, not a secret
    assert set(deal(setup, 75, chance)) == set(blows_of(setup))
    assert len(deal(setup, 7, chance)) == 7
