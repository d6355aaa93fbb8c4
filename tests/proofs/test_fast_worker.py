"""What stands in for the child process in a proof takes what the product gives the child."""

from __future__ import annotations

import inspect

from grading.services import child
from tests.proofs import fast_worker


def test_it_takes_what_the_child_takes() -> None:
    def kinds(run: object) -> dict[str, object]:
        taken = inspect.signature(run).parameters  # type: ignore[arg-type]
        return {name: one.kind for name, one in taken.items()}

    assert kinds(fast_worker.run) == kinds(child.run)
