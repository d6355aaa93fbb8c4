"""A Celery app on the file broker, for workers and producers started as real processes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from celery import Celery
from django.conf import settings

from config import broker

FOLDER = Path(os.environ.get("PROBE_FOLDER", "."))
COPIED = [name for name in dir(settings) if name.startswith(("CELERY_TASK_", "CELERY_WORKER_"))]

broker.register()
app = Celery("probe", broker="plaudit-files://", set_as_current=False)
app.conf.update({name.removeprefix("CELERY_").lower(): getattr(settings, name) for name in COPIED})
app.conf.update(
    task_always_eager=False,
    broker_transport_options={"folder": str(FOLDER / "broker")},
    broker_connection_retry_on_startup=True,
)


@app.task(name="probe.note")
def note(number: int) -> None:
    """Append the number to this worker's own list, in one write."""
    with (FOLDER / f"handled-{os.getpid()}").open("a") as handle:
        handle.write(f"{number}\n")


def produce(first: int, count: int) -> None:
    """Send `count` messages, numbered from `first`."""
    for number in range(first, first + count):
        note.apply_async(args=[number], queue="score" if number % 2 else "default")


if __name__ == "__main__":
    produce(int(sys.argv[1]), int(sys.argv[2]))
