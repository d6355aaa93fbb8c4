"""What the kills ask the database: what waits, what was in whose hands, and what came of everything.

Reads a command a line, as JSON, on the database that the environment names (tests.security.probe).
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import django
import psutil

django.setup()

from django.conf import settings  # noqa: E402

from competition import bucket  # noqa: E402
from grading.enums import SubmissionKind  # noqa: E402
from grading.models import Evaluation, Submission, WorkerHeartbeat  # noqa: E402
from tests.security import probe  # noqa: E402

POLL_SECONDS = 0.001
Json = dict[str, Any]


def prepare() -> Json:
    """Make the bucket, where there is one, and the challenge."""
    if bucket.is_on():
        bucket.client().create_bucket(Bucket=settings.S3_BUCKET)
    return probe.prepare()


def waiting() -> Json:
    """Return the codes of what has not ended."""
    received = Submission.objects.filter(state="received").values_list("code", flat=True)
    unscored = Evaluation.objects.filter(state__in=["queued", "running"])
    return {
        "received": list(received),
        "unscored": list(unscored.values_list("submission__code", flat=True)),
    }


def strike(situation: str, pid: str, seconds: str) -> Json:
    """Kill the worker of that pid as soon as work of its own is in the situation, or time is up.

    Returns how much of its work was in each situation when it died.
    """
    worker = psutil.Process(int(pid))
    since = datetime.fromtimestamp(worker.create_time(), UTC)
    deadline = time.monotonic() + float(seconds)
    while not in_hand(since)[situation] and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    worker.kill()
    psutil.wait_procs([worker], timeout=10)
    return in_hand(since)


def in_hand(since: datetime) -> Json:
    """Return how much of what was taken up since then is validated, scored, or between the two."""
    lease = timedelta(seconds=settings.EVALUATION_LEASE_SECONDS)
    leased = Submission.objects.filter(state="received", lease_until__gte=since + lease)
    running = Evaluation.objects.filter(state="running", started_at__gte=since)
    queued = Evaluation.objects.filter(state="queued", queued_at__gte=since)
    return {
        "validating": leased.count(),
        "scoring": running.count(),
        "between": queued.count(),
    }


def state() -> Json:
    """Return what there is of people's uploads, and why what failed has failed.

    The server's own submissions take no slot and are left out.
    """
    sent = Submission.objects.exclude(kind=SubmissionKind.CANARY).order_by("pk")
    failed = Submission.objects.exclude(failure_code="").values_list("failure_code", flat=True)
    attempts = Evaluation.objects.values_list("attempt", flat=True)
    return {
        **probe.state(),
        "submissions": list(sent.values_list("code", "phase__slug", "state")),
        "filenames": list(sent.values_list("filename", flat=True)),
        "failures": dict(Counter(failed)),
        "attempts": dict(Counter(str(number) for number in attempts)),
    }


def failure(code: str) -> Json:
    """Return how one submission stands: its state, why it failed, its slot."""
    one = Submission.objects.select_related("quota").get(code=code)
    return {"state": one.state, "failure": one.failure_code, "slot": one.quota.state}


def scorers() -> Json:
    """Return how many evaluations each worker has scored, and how many it is at."""
    rows = Evaluation.objects.exclude(submission__kind=SubmissionKind.CANARY)
    return {
        now: dict(Counter(rows.filter(state=now).values_list("worker", flat=True)))
        for now in ("scored", "running")
    }


def heard_of() -> Json:
    """Return when each worker was last heard of, in seconds since 1970."""
    rows = WorkerHeartbeat.objects.filter(kind="worker").values_list("name", "at")
    return {name: at.timestamp() for name, at in rows}


COMMANDS = probe.COMMANDS | {
    "prepare": prepare,
    "waiting": waiting,
    "strike": strike,
    "state": state,
    "failure": failure,
    "scorers": scorers,
    "heard of": heard_of,
}

if __name__ == "__main__":
    probe.serve(COMMANDS, sys.stdin, sys.stdout)
