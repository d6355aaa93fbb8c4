"""A scorer's process that reads files like any other and never scores: it hangs, spins or eats memory.

What it does with a file stands in the file's name: `hang.jsonl`, `spin.jsonl`, `eat.jsonl`.
"""

from __future__ import annotations

import sys
from typing import Any

from grading import sandbox
from tests.grading import naughty

HONEST = {"check": sandbox.check, "evaluate": sandbox.evaluate}
WAYS = {"hang": naughty.hang, "spin": naughty.spin, "eat": naughty.eat}


def evaluate(job: dict[str, Any], progress: Any) -> Any:
    """Misbehave as the file's name says; score what has another name."""
    way = WAYS.get(str(job["filename"]).partition(".")[0], HONEST["evaluate"])
    return way(job, progress)


if __name__ == "__main__":
    sandbox.DOERS = HONEST | {"evaluate": evaluate}
    sys.exit(sandbox.main())
