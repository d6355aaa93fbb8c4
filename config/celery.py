"""The Celery app. The database is the queue of record; a message only rings."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery, signals

from config import broker, pulse

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

broker.register()
app = Celery("plaudit")
app.set_default()
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["competition", "grading"])
pulse.install()


@signals.setup_logging.connect
def keep_our_logging(**_: Any) -> None:
    """Leave logging as Django's settings made it; a receiver is all that Celery asks for."""
