"""Who does the work, and when they last said that they live."""

from __future__ import annotations

from datetime import datetime, timedelta

from grading.models import WorkerHeartbeat

FORGOTTEN_AFTER = timedelta(days=1)
ALIVE_FOR = timedelta(minutes=1)


def beat(*, name: str, kind: str, now: datetime) -> None:
    """Say that the worker (or beat) called `name` lives; forget those not heard of for a day."""
    WorkerHeartbeat.objects.update_or_create(name=name, defaults={"kind": kind, "at": now})
    WorkerHeartbeat.objects.filter(at__lt=now - FORGOTTEN_AFTER).delete()


def leave(*, name: str) -> None:
    """Forget a worker that ended by itself."""
    WorkerHeartbeat.objects.filter(name=name).delete()


def living(*, kind: str, now: datetime) -> list[str]:
    """Return the names of those of `kind` heard of within the last minute."""
    rows = WorkerHeartbeat.objects.filter(kind=kind, at__gte=now - ALIVE_FOR)
    return list(rows.order_by("name").values_list("name", flat=True))
