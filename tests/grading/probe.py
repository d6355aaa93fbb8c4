"""A small installation for tests that kill real workers: `python -m tests.grading.probe COMMAND`.

Runs in a process of its own on the database that the environment names, and answers in JSON.
"""

from __future__ import annotations

import json
import sys
import time

import django
import psutil

django.setup()

from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts.models import AuditEvent  # noqa: E402
from accounts.services import audit  # noqa: E402
from grading import queries  # noqa: E402
from grading.models import Board, Evaluation, EvaluationTallies, Submission  # noqa: E402
from grading.services import intake  # noqa: E402
from tests.factories.grading import make_arena  # noqa: E402

POLL_SECONDS = 0.01


def prepare(utterances: str) -> dict[str, object]:
    """Make a phase with that many utterances a language, and hand in one file."""
    call_command("migrate", verbosity=0)
    now = timezone.now()
    arena = make_arena(utterances=int(utterances), now=now)
    submission = intake.receive(
        actor=arena.captain,
        phase=arena.phase,
        system="wav2nvv",
        note="",
        filename="run.jsonl",
        stored=arena.store(arena.flawed(int(utterances) // 4)),
        created_at=now,
        now=now,
    )
    return {"submission": submission.code}


def wait_for(what: str, seconds: str) -> dict[str, object]:
    """Return once the submission is in the named situation; `seen` is False when time is up."""
    deadline = time.monotonic() + float(seconds)
    while time.monotonic() < deadline:
        if SITUATIONS[what]():
            return {"seen": True}
        time.sleep(POLL_SECONDS)
    return {"seen": False}


def kill_when(what: str, seconds: str) -> dict[str, object]:
    """Kill the worker whose pid comes on standard input, in the named situation and in mid-work.

    Says "ready" first, so that the worker is started only when somebody watches. Returns the pids
    of the processes that the worker had started then; none when time was up.
    """
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    worker = psutil.Process(int(sys.stdin.readline()))
    deadline = time.monotonic() + float(seconds)
    while time.monotonic() < deadline:
        if SITUATIONS[what]() and (children := worker.children(recursive=True)):
            worker.kill()
            return {"children": [child.pid for child in children]}
        time.sleep(POLL_SECONDS)
    return {"children": []}


def report() -> dict[str, object]:
    """Return what became of the submission."""
    submission = Submission.objects.select_related("quota").get()
    evaluation = Evaluation.objects.filter(submission=submission).first()
    board = Board.objects.get(phase=submission.phase)
    rows = queries.board_rows(submission.phase, None, "", timezone.now())
    kinds = AuditEvent.objects.filter(target=f"submission:{submission.code}")
    return {
        "submission": submission.state,
        "submission_attempts": submission.attempt,
        "quota": submission.quota.state,
        "evaluation": evaluation and evaluation.state,
        "evaluation_attempts": evaluation and evaluation.attempt,
        "tallies": EvaluationTallies.objects.count(),
        "board": [board.built, board.wanted, [row["submission"] for row in rows]],
        "events": sorted(kinds.values_list("kind", flat=True)),
        "log_holds": audit.verify().ok,
    }


def _is_validating() -> bool:
    return Submission.objects.filter(state="received", lease_until__isnull=False).exists()


def _is_scoring() -> bool:
    return Evaluation.objects.filter(state="running").exists()


def _is_on_the_board() -> bool:
    return Board.objects.filter(built__gt=0, standings__isnull=False).exists()


SITUATIONS = {
    "validating": _is_validating,
    "scoring": _is_scoring,
    "on the board": _is_on_the_board,
}
COMMANDS = {"prepare": prepare, "wait": wait_for, "kill": kill_when, "report": report}

if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    sys.stdout.write(json.dumps(COMMANDS[command](*arguments)))
