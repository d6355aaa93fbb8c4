"""A small installation for tests that kill real workers: `python -m tests.grading.probe COMMAND`.

Runs in a process of its own on the database that the environment names, and answers in JSON.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from itertools import islice
from pathlib import Path

import django
import psutil

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts.models import AuditEvent  # noqa: E402
from accounts.services import audit  # noqa: E402
from grading import queries  # noqa: E402
from grading.models import (  # noqa: E402
    Board,
    Evaluation,
    EvaluationTallies,
    Submission,
    Waveform,
)
from grading.services import intake, waveforms  # noqa: E402
from tests.factories.grading import make_arena  # noqa: E402
from tests.factories.speech import hand_in, make_speech_arena  # noqa: E402
from tests.scoring.audio.waves import tone, wav  # noqa: E402

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


def prepare_clips(count: str) -> dict[str, object]:
    """Make a phase with that many utterances, and hand in an archive with a clip for each."""
    call_command("migrate", verbosity=0)
    now = timezone.now()
    ids = [f"utt_{number:05d}" for number in range(int(count))]
    arena = make_speech_arena(ids, now=now)
    # All clips differ: each is to be stored.
    files = {
        f"{utt_id}.wav": wav(tone(1_600, offset=number % 500, height=8_000 + number // 500))
        for number, utt_id in enumerate(ids)
    }
    submission = hand_in(arena, files, created_at=now, now=now)
    return {"submission": submission.code}


def report_clips() -> dict[str, object]:
    """Return what is kept of the archive of clips: rows, and files on disk."""
    submission = Submission.objects.select_related("quota").get()
    folder = Path(settings.PUBLIC_FILES)
    return {
        "submission": submission.state,
        "attempt": submission.attempt,
        "quota": submission.quota.state,
        "clips": submission.clips.count(),
        "waveforms": Waveform.objects.count(),
        "files": sum(path.is_file() for path in (folder / "uploads").rglob("*")),
        "work": len(list((folder / "work").glob("*"))),
        "sound": all(
            hashlib.sha256(waveforms.read_bytes(one)).hexdigest() == one.sha256
            for one in Waveform.objects.all()
        ),
        "log_holds": audit.verify().ok,
    }


def kill_at_once_when(what: str, seconds: str) -> dict[str, object]:
    """Kill the worker whose pid comes on standard input as soon as the situation is there."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    worker = psutil.Process(int(sys.stdin.readline()))
    deadline = time.monotonic() + float(seconds)
    while time.monotonic() < deadline:
        if SITUATIONS[what]():
            children = worker.children(recursive=True)
            worker.kill()
            return {"children": [child.pid for child in children]}
        time.sleep(POLL_SECONDS / 10)
    return {"children": None}


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


def _is_taking_out_clips() -> bool:
    return any((Path(settings.PUBLIC_FILES) / "work").glob("*/*"))


def _is_storing_clips() -> bool:
    """Tell whether some clips lie in storage, beside the archive, and none has a row."""
    stored = (
        path for path in (Path(settings.PUBLIC_FILES) / "uploads").rglob("*") if path.is_file()
    )
    return len(list(islice(stored, 3))) > 2 and not Waveform.objects.exists()


def _is_accepted() -> bool:
    return Submission.objects.filter(state="accepted").exists()


SITUATIONS = {
    "taking out clips": _is_taking_out_clips,
    "storing clips": _is_storing_clips,
    "accepted": _is_accepted,
    "validating": _is_validating,
    "scoring": _is_scoring,
    "on the board": _is_on_the_board,
}
COMMANDS = {
    "prepare": prepare,
    "prepare-clips": prepare_clips,
    "wait": wait_for,
    "kill": kill_when,
    "kill-at-once": kill_at_once_when,
    "report": report,
    "report-clips": report_clips,
}

if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    sys.stdout.write(json.dumps(COMMANDS[command](*arguments)))
