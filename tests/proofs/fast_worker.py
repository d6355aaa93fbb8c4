"""A worker that scores in its own process: the same code without a child, so that thousands take minutes.

`python -m tests.proofs.fast_worker` takes what `celery -A config.celery worker` takes. Only the proof of
re-scoring thousands of submissions starts it; what it proves is the queue, not the sandbox.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from config.celery import app
from grading import sandbox
from grading.services import child


def run(
    job: Mapping[str, Any],
    *,
    bounds: child.Bounds,
    watch: Callable[[int, int], None] | None = None,
    on_step: Callable[[str], None] | None = None,
    module: str = "",
) -> dict[str, Any]:
    """Do one job here, with the function that the child process would call."""

    def tell(done: int, total: int, step: str = "") -> None:
        if step and on_step is not None:
            on_step(step)
        if watch is not None:
            watch(done, total)

    return sandbox.DOERS[job["do"]](dict(job), tell)


if __name__ == "__main__":
    child.run = run
    app.worker_main(["worker"])
