from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts import triggers
from grading.models import WorkerHeartbeat
from grading.services import health, heartbeat

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _own_folders(settings, tmp_path: Path) -> None:
    settings.PUBLIC_FILES = tmp_path / "files"
    settings.HIDDEN_FILES = tmp_path / "hidden"
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"folder": str(tmp_path / "broker")}


def finding(part: str, now: datetime = NOW) -> health.Finding:
    (found,) = health.examine(now=now, parts=(part,))
    assert found.part == part
    return found


@pytest.mark.parametrize(
    "part", ["database", "evidence", "storage", "disk", "clock", "mail", "settings"]
)
def test_a_sound_part_needs_nothing(part: str) -> None:
    assert finding(part).remedy == ""


def test_every_part_has_a_remedy() -> None:
    assert health.LOOKS.keys() == health.REMEDIES.keys()


def test_without_a_heartbeat_the_workers_are_missed() -> None:
    assert not finding("workers").ok


def test_a_worker_heard_of_half_a_minute_ago_is_alive() -> None:
    heartbeat.beat(name="worker@a", kind="worker", now=NOW - timedelta(seconds=30))
    assert finding("workers").ok
    assert "worker@a" in finding("workers").said


def test_a_worker_silent_for_over_a_minute_is_missed() -> None:
    heartbeat.beat(name="worker@a", kind="worker", now=NOW - timedelta(seconds=61))
    assert not finding("workers").ok


def test_beat_alone_is_no_worker() -> None:
    heartbeat.beat(name="beat@a", kind="beat", now=NOW)
    assert not finding("workers").ok


def test_a_heartbeat_replaces_the_one_before_and_old_ones_are_forgotten() -> None:
    heartbeat.beat(name="old", kind="worker", now=NOW - timedelta(days=2))
    heartbeat.beat(name="worker@a", kind="worker", now=NOW - timedelta(minutes=1))
    heartbeat.beat(name="worker@a", kind="worker", now=NOW)
    assert list(WorkerHeartbeat.objects.values_list("name", "at")) == [("worker@a", NOW)]


def test_a_worker_that_leaves_is_forgotten() -> None:
    heartbeat.beat(name="worker@a", kind="worker", now=NOW)
    heartbeat.leave(name="worker@a")
    assert heartbeat.living(kind="worker", now=NOW) == []


def test_missing_triggers_are_told() -> None:
    triggers.drop()
    assert not finding("evidence").ok
    triggers.install()


def test_a_hidden_folder_open_to_others_is_told(settings) -> None:
    settings.HIDDEN_FILES.mkdir(mode=0o755)
    assert "chmod 700" in finding("storage").remedy


def test_a_folder_that_cannot_be_made_is_told(settings, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings.PUBLIC_FILES = tmp_path / "file" / "files"
    assert finding("storage").remedy == health.REMEDIES["storage"]


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "LEAST_FREE_BYTES", 1 << 62)
    assert not finding("disk").ok


def test_a_clock_in_the_past_is_told() -> None:
    assert not finding("clock", now=datetime(1970, 1, 1, tzinfo=UTC)).ok


def test_a_mail_server_that_does_not_answer_is_told(settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    assert "EMAIL_URL" in finding("mail").remedy


def test_doctor_ends_with_an_error_when_something_is_to_be_done(capsys) -> None:
    with pytest.raises(CommandError, match="1 of 2 parts"):
        call_command("doctor", "database", "workers")
    printed = capsys.readouterr().out
    assert "ok   database" in printed
    assert "NOT  workers" in printed
    assert "./run serve" in printed


def test_doctor_speaks_json_to_machines(capsys) -> None:
    call_command("doctor", "database", "--json")
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["part"], row["ok"]) == ("database", True)


def test_sweep_prints_what_it_put_right(capsys) -> None:
    call_command("sweep")
    assert "lapsed   0" in capsys.readouterr().out


@pytest.mark.django_db
def test_doctor_tries_the_bucket_and_counts_uploads_in_parts(bucket):
    (found,) = health.examine(now=NOW, parts=("storage",))
    assert found.ok
    assert "uploads (bucket)" in found.said
    assert "0 uploads in parts are open" in found.said
    bucket.fault(status=403, code="RequestTimeTooSkewed")
    (found,) = health.examine(now=NOW, parts=("storage",))
    assert not found.ok
    assert "RequestTimeTooSkewed" in found.said
