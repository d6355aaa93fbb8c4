"""Each step of `./run prove` can be started: what takes long is not run by the suite."""

from __future__ import annotations

import subprocess
import sys

import pytest

from scripts.prove import STEPS
from tests.architecture.sources import ROOT

OURS = {
    name: step
    for name, step in STEPS.items()
    if any("benchmarks" in one or "tests.proofs" in one for one in step)
}


def test_the_measuring_steps_are_there():
    assert len(OURS) >= 6


@pytest.mark.slow
@pytest.mark.parametrize("name", OURS)
def test_a_step_starts_and_knows_its_options(name):
    flag, module, *options = OURS[name]
    assert flag == "-m"
    done = subprocess.run(
        [sys.executable, "-m", module, "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for option in options:
        assert not option.startswith("--") or option in done.stdout
