"""The Celery app. The database is the queue of record; a message only rings."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

app = Celery("plaudit")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["competition", "grading"])
