from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from grading.services import heartbeat


def test_a_living_process_says_so_without_a_database(client: Client) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.content) == (200, b"ok\n")


@pytest.mark.django_db
def test_an_installation_without_workers_is_not_ready(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {
        "ready": False,
        "database": True,
        "broker": True,
        "workers": False,
        "storage": True,
    }


@pytest.mark.django_db
def test_an_installation_with_a_living_worker_is_ready(
    client: Client, settings, tmp_path: Path
) -> None:
    settings.HIDDEN_FILES = tmp_path / "hidden"
    heartbeat.beat(name="worker@a", kind="worker", now=timezone.now())
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["ready"]) == (200, True)
    assert "no-store" in answer.headers["Cache-Control"]
