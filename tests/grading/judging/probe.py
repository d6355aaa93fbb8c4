"""A small installation for a test that kills what judges: `python -m tests.grading.judging.probe COMMAND`."""

from __future__ import annotations

import json
import sys

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from grading.models import Evaluation, JudgeAttempt, JudgeRun  # noqa: E402
from grading.services import judging, judging_claims  # noqa: E402
from grading.services.judging_marks import marks_of  # noqa: E402
from tests.factories.judging import judged_arena, waiting  # noqa: E402


def prepare() -> object:
    """Make an evaluation that waits for the marks of four clips."""
    call_command("migrate", verbosity=0)
    arena = judged_arena(now=timezone.now(), replicates=5)
    return waiting(arena, now=timezone.now()).pk


def work() -> object:
    """Judge until there is nothing to claim, as a worker does when it is rung for."""
    judging_claims.settle(now=timezone.now())
    evaluation = Evaluation.objects.get()
    while judging.run(evaluation_id=evaluation.pk, worker="probe", clock=timezone.now):
        continue
    return JudgeRun.objects.get().state


def report() -> object:
    """Return marks, calls that were written down and what became of them."""
    attempts = JudgeAttempt.objects.order_by("pk")
    return {
        "marks": marks_of(Evaluation.objects.get()),
        "state": JudgeRun.objects.get().state,
        "evaluation": Evaluation.objects.get().state,
        "calls": JudgeRun.objects.get().calls,
        "attempts": list(attempts.values_list("state", flat=True)),
    }


if __name__ == "__main__":
    sys.stdout.write(
        json.dumps({"prepare": prepare, "work": work, "report": report}[sys.argv[1]]())
    )
