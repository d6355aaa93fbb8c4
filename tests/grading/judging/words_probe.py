"""As `probe`, for a judge of words: `python -m tests.grading.judging.words_probe COMMAND`."""

from __future__ import annotations

import json
import sys

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from tests.factories.words import waiting, words_arena  # noqa: E402
from tests.grading.judging.probe import report, work  # noqa: E402


def prepare() -> object:
    """Make an evaluation that waits for the marks of four answers."""
    call_command("migrate", verbosity=0)
    arena = words_arena(now=timezone.now(), replicates=5)
    return waiting(arena, now=timezone.now()).pk


if __name__ == "__main__":
    done = {"prepare": prepare, "work": work, "report": report}[sys.argv[1]]()
    sys.stdout.write(json.dumps(done))
