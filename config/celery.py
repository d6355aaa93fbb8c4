"""The Celery app. The database is the queue of record; a message only rings."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery, signals
from django.conf import settings

from config import broker, log, pulse

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

broker.register()
app = Celery("plaudit")
app.set_default()
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["competition", "grading"])
pulse.install()
signals.task_prerun.connect(log.bind_task)
signals.task_postrun.connect(log.release_task)


@signals.worker_init.connect
def give_way(**_: Any) -> None:
    """Let web server, database and broker of the same machine go first; scorers inherit it."""
    os.nice(settings.WORKER_NICENESS)


@signals.setup_logging.connect
def keep_our_logging(**_: Any) -> None:
    """Leave logging as Django's settings made it; a receiver is all that Celery asks for."""
