from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from grading import sandbox
from grading.services import child
from tests.factories.grading import Arena
from tests.factories.speech import make_speech_arena


@pytest.fixture
def arena(db) -> Arena:
    """An open phase for the clips of the test challenge, and one accepted entrant."""
    return make_speech_arena()


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do the child's jobs without a process for each, by the child's own code: tables are long."""

    def run(job: Mapping[str, Any], *, watch: Any = None, on_step: Any = None, **_: Any) -> Any:
        def progress(done: int, total: int, step: str = "") -> None:
            if step:
                on_step(step)
            watch(done, total)

        asked = json.loads(json.dumps(dict(job)))
        return json.loads(json.dumps(sandbox.DOERS[asked["do"]](asked, progress)))

    monkeypatch.setattr(child, "run", run)
