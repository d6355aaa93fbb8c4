"""Quality control in simulation: `python -m tests.proofs.panels --raters 1000`.

Ends with 1 when fewer than 999 of 1,000 raters who click at random are dropped, or more than 1 in
100 sessions of honest raters, whose noise has a standard deviation of 0.8 marks, is void.
"""

from __future__ import annotations

import argparse
import json
import sys

from grading.scoring.rating import quality
from grading.scoring.rating.settings import DEFAULTS
from tests.scoring.rating.simulated import Panel

NOISE = 0.8
LET_THROUGH = 1_000
VOID_OF = 100


def run(raters: int, seed: int) -> dict[str, int]:
    """Return how many of each sort there were, and how many were dropped."""
    panel = Panel(seed)
    clicking = [f"click{number}" for number in range(raters)]
    honest = [f"honest{number}" for number in range(raters // 2)]
    answers = [row for name in clicking for row in panel.sessions(name, noise=None)]
    answers += [row for name in honest for row in panel.sessions(name, noise=NOISE)]
    found = quality.inspect(answers, DEFAULTS)
    return {
        "clicking": len(clicking),
        "clicking_dropped": len(set(clicking) & set(found.raters)),
        "honest_sessions": 2 * len(honest),
        "honest_sessions_void": sum(name.startswith("honest") for name in found.sessions),
        "honest_dropped": len(set(honest) & set(found.raters)),
    }


def main() -> int:
    """Return 1 when quality control lets through, or voids, too many."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=2026)
    given = parser.parse_args()
    found = run(given.raters, given.seed)
    print(json.dumps(found, indent=1))  # noqa: T201
    let_through = found["clicking"] - found["clicking_dropped"]
    too_many = VOID_OF * found["honest_sessions_void"] > found["honest_sessions"]
    return int(LET_THROUGH * let_through > found["clicking"] or too_many)


if __name__ == "__main__":
    sys.exit(main())
