"""How the server does, in numbers that anybody may read: no names, no hosts, nothing of anybody's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, Max, Min, QuerySet

from grading.enums import EvaluationState, NoticeState, Priority, SubmissionState
from grading.models import Board, Evaluation, Notice, Submission, WorkerHeartbeat
from grading.rules import scored_here, waits_for_judge
from grading.services import canary, heartbeat
from grading.services.canary import CanaryVerdict

ALIVE_FOR = heartbeat.ALIVE_FOR
PATIENCE = timedelta(minutes=10)
"""After how long in a queue somebody should look."""
MAIL_PATIENCE = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class QueueState:
    """What waits in one queue, and since when the oldest does."""

    name: str
    depth: int
    since: datetime | None

    def age(self, now: datetime) -> timedelta:
        """Return how long the oldest waits; zero when nothing does."""
        return max(now - self.since, timedelta()) if self.since else timedelta()


@dataclass(frozen=True, slots=True)
class Status:
    """The server at one moment."""

    at: datetime
    queues: tuple[QueueState, ...]
    running: int
    workers: int
    heard_at: datetime | None
    canary: CanaryVerdict

    @property
    def waiting(self) -> int:
        """How many submissions wait to be checked or scored."""
        return sum(queue.depth for queue in self.queues if queue.name in {"check", "score"})

    @property
    def oldest(self) -> timedelta:
        """How long the oldest of them waits."""
        waits = [queue.age(self.at) for queue in self.queues if queue.name in {"check", "score"}]
        return max(waits, default=timedelta())

    @property
    def is_late(self) -> bool:
        """Whether something waits longer than it should."""
        return self.oldest > PATIENCE

    @property
    def is_well(self) -> bool:
        """Whether nothing needs anybody's attention."""
        return self.workers > 0 and not self.is_late and not self.canary.is_alarm


def status(*, now: datetime) -> Status:
    """Return the server's state, with a bounded number of statements."""
    running = Evaluation.objects.filter(state=EvaluationState.RUNNING).count()
    return Status(
        at=now,
        queues=queues(),
        running=running,
        workers=len(heartbeat.living(kind="worker", now=now)),
        heard_at=WorkerHeartbeat.objects.filter(kind="worker").aggregate(at=Max("at"))["at"],
        canary=canary.look(now=now),
    )


def queues() -> tuple[QueueState, ...]:
    """Return every queue of the database; what a pause or a missing scorer holds back waits for nobody."""
    queued = Evaluation.objects.filter(state=EvaluationState.QUEUED)
    fresh = queued.filter(
        scored_here(),
        priority=Priority.FRESH,
        submission__phase__track__competition__paused_at__isnull=True,
    )
    unjudged = Evaluation.objects.filter(
        waits_for_judge(), submission__phase__track__competition__paused_at__isnull=True
    )
    received = Submission.objects.filter(state=SubmissionState.RECEIVED, lease_until__isnull=True)
    behind = Board.objects.filter(wanted__gt=F("built"))
    mails = Notice.objects.filter(state=NoticeState.WAITING)
    return (
        _queue("check", received, "received_at"),
        _queue("score", fresh, "queued_at"),
        _queue("score-again", queued.filter(priority=Priority.AGAIN), "queued_at"),
        _queue("judge", unjudged, "queued_at"),
        _queue("board", behind, "rung_at"),
        _queue("mail", mails, "created_at"),
    )


def _queue(name: str, rows: QuerySet[Any], since: str) -> QueueState:
    found = rows.aggregate(depth=Count("pk"), since=Min(since))
    return QueueState(name, found["depth"], found["since"])
