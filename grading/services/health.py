"""Whether each part of an installation works, and what to do where it does not."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from celery import current_app
from django.conf import settings
from django.core import checks, mail
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from kombu.exceptions import OperationalError

from accounts import ownership, triggers
from accounts.models import AuditEvent
from competition import bucket
from grading.enums import UploadState
from grading.models import UploadSession
from grading.services import (
    canary,
    checkpoints,
    heartbeat,
    notices,
    safekeeping,
    status,
    stoppages,
)
from grading.services.canary import CanaryVerdict
from grading.services.findings import Finding
from grading.services.status import Status

LEAST_FREE_BYTES = 1024**3
LARGEST_SKEW = timedelta(seconds=2)
CONNECT_SECONDS = 5
OLDEST_SENSIBLE_YEAR = 2026


Look = Callable[[datetime], Finding]


def examine(*, now: datetime, parts: tuple[str, ...] = ()) -> list[Finding]:
    """Return a finding for each of `parts` (all without any named); a look that fails is one too."""
    return [_safely(part, look, now) for part, look in LOOKS.items() if not parts or part in parts]


def _safely(part: str, look: Look, now: datetime) -> Finding:
    try:
        return look(now)
    except (OSError, DatabaseError, OperationalError) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        return Finding(part, said, REMEDIES[part])


def database(now: datetime) -> Finding:
    """Look whether the database answers and has every migration."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    executor = MigrationExecutor(connection)
    open_ones = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if open_ones:
        return Finding(
            "database", f"{len(open_ones)} migrations are not applied", "Run: manage.py migrate"
        )
    return Finding("database", f"{connection.vendor} answers, every migration is applied")


def evidence(now: datetime) -> Finding:
    """Look whether the triggers that keep evidence are there, and whether signed heads of the log hold."""
    missing = triggers.triggers_missing()
    if missing:
        return Finding("evidence", f"{len(missing)} triggers are missing", "Run: manage.py migrate")
    if broken := triggers.rules_broken():
        said = f"rows break what the triggers keep: {', '.join(broken)}"
        return Finding("evidence", said, "Compare with a backup; nothing of them may be served.")
    doubts = checkpoints.doubtful()
    if doubts:
        first = doubts[0]
        said = f"the signed head {first.count} of {first.scope} does not hold ({first.outcome})"
        return Finding("evidence", said, "Run: manage.py verify_audit; compare with a backup.")
    if settings.EVIDENCE_IS_APART and ownership.alterable():
        said = "the application's own role could switch off the triggers that keep evidence"
        return Finding("evidence", said, "Set DATABASE_OWNER_URL for manage.py migrate alone.")
    return Finding("evidence", "every trigger that keeps evidence is there, signed heads hold")


def broker(now: datetime) -> Finding:
    """Look whether the broker takes a connection."""
    with current_app.connection_for_write(connect_timeout=CONNECT_SECONDS) as opened:
        opened.ensure_connection(max_retries=1, timeout=CONNECT_SECONDS)
        channel: Any = opened.default_channel
        waiting = channel.queue_declare("default").message_count
        return Finding("broker", f"{opened.transport_cls} answers; {waiting} messages wait")


def workers(now: datetime) -> Finding:
    """Look whether a worker was heard of within the last minute, and beat."""
    alive = heartbeat.living(kind="worker", now=now)
    if not alive:
        return Finding("workers", "no worker was heard of for a minute", REMEDIES["workers"])
    beat = "beat too" if heartbeat.living(kind="beat", now=now) else "no beat (workers sweep too)"
    return Finding("workers", f"{', '.join(alive)}; {beat}")


def storage(now: datetime) -> Finding:
    """Look whether both storage areas can be written, and the hidden one is closed to others."""
    for folder in (settings.PUBLIC_FILES, settings.HIDDEN_FILES):
        _write_and_remove(Path(folder))
    mode = Path(settings.HIDDEN_FILES).stat().st_mode & 0o077
    if mode:
        return Finding(
            "storage",
            f"other accounts of this machine may open {settings.HIDDEN_FILES}",
            f"Run: chmod 700 {settings.HIDDEN_FILES}",
        )
    place = "bucket" if bucket.is_on() else "disk"
    if bucket.is_on():
        bucket.probe()
    coming = UploadSession.objects.filter(state=UploadState.OPEN).count()
    said = f"uploads ({place}) and hidden files can be written; {coming} uploads in parts are open"
    return Finding("storage", said)


def _write_and_remove(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    probe = folder / f".doctor-{uuid.uuid4().hex}"
    probe.write_bytes(b"x")
    probe.unlink()


def clock(now: datetime) -> Finding:
    """Look whether this machine's clock is sensible and agrees with the database's."""
    if now.year < OLDEST_SENSIBLE_YEAR:
        return Finding("clock", f"it says {now:%Y-%m-%d}", REMEDIES["clock"])
    last = AuditEvent.objects.order_by("-pk").values_list("at", flat=True).first()
    if last is not None and last - now > LARGEST_SKEW:
        said = f"it is behind the log's last event, of {last:%Y-%m-%d %H:%M:%S} UTC"
        return Finding("clock", said, REMEDIES["clock"])
    if connection.vendor != "postgresql":
        return Finding("clock", f"it says {now:%Y-%m-%d %H:%M:%S} UTC")
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        skew = abs(cursor.fetchone()[0] - timezone.now())
    said = f"{skew.total_seconds():.1f} s apart from the database's"
    return Finding("clock", said, REMEDIES["clock"] if skew > LARGEST_SKEW else "")


def mailing(now: datetime) -> Finding:
    """Look whether the mail server takes a connection; nothing is sent."""
    backend = settings.EMAIL_BACKEND.rsplit(".", 2)[-2]
    if backend != "smtp":
        return Finding("mail", f"mails go to {backend}, not to people")
    with mail.get_connection(timeout=CONNECT_SECONDS):
        return Finding("mail", f"{settings.EMAIL_HOST} takes mails")


def queue(now: datetime) -> Finding:
    """Look whether a submission waits longer than it should."""
    return queue_finding(status.status(now=now))


def queue_finding(state: Status) -> Finding:
    """Say how long the oldest submission waits."""
    said = f"{state.waiting} wait, the oldest for {state.oldest.total_seconds():.0f} s"
    return Finding("queue", said, REMEDIES["queue"] if state.is_late else "")


def last_canary(now: datetime) -> Finding:
    """Look how the last submission of the server's own ended."""
    return canary_finding(canary.look(now=now))


def canary_finding(verdict: CanaryVerdict) -> Finding:
    """Say how the last canary ended."""
    if verdict.state == canary.CanaryState.NONE:
        return Finding("canary", "none has ended yet; beat sends one every few minutes")
    said = f"{verdict.state.value}, sent {verdict.sent_at:%Y-%m-%d %H:%M:%S} UTC {verdict.code}"
    return Finding("canary", said.strip(), CANARY_REMEDIES.get(verdict.state, ""))


def mails(now: datetime) -> Finding:
    """Look whether mails get through."""
    count, oldest = notices.waiting(now)
    failed = notices.failed_since(now - timedelta(days=1))
    said = f"{count} wait, {failed} failed within a day"
    is_stuck = oldest is not None and now - oldest > status.MAIL_PATIENCE
    return Finding("notices", said, REMEDIES["notices"] if is_stuck or failed else "")


def disk(now: datetime) -> Finding:
    """Look whether there is room left where this installation writes."""
    folders = (settings.PUBLIC_FILES, settings.HIDDEN_FILES, settings.VAR_DIR)
    free = min(shutil.disk_usage(_existing(Path(folder))).free for folder in folders)
    said = f"{free / 1024**3:.1f} GiB are free"
    return Finding("disk", said, REMEDIES["disk"] if free < LEAST_FREE_BYTES else "")


def _existing(path: Path) -> Path:
    return path if path.exists() else _existing(path.parent)


def configuration(now: datetime) -> Finding:
    """Look whether Django's checks find a setting that is not right."""
    found = checks.run_checks()
    if found:
        return Finding("settings", f"{len(found)} warnings", "Run: manage.py check")
    return Finding("settings", f"{settings.SETTINGS_MODULE} is in order")


LOOKS: dict[str, Look] = {
    "settings": configuration,
    "database": database,
    "evidence": evidence,
    "broker": broker,
    "workers": workers,
    "storage": storage,
    "disk": disk,
    "clock": clock,
    "mail": mailing,
    "receipts": safekeeping.receipts,
    "backup": safekeeping.backup,
    "scorer": safekeeping.scorer,
    "queue": queue,
    "canary": last_canary,
    "notices": mails,
    "judge": stoppages.judge,
    "finals": stoppages.finals,
    "sounds": stoppages.sounds,
}
CANARY_REMEDIES = {
    canary.CanaryState.LATE: "No canary has ended for long: start workers and beat.",
    canary.CanaryState.WRONG: (
        "The scorer gives other digits than it should: pause scoring, compare the installed"
        " packages with requirements.txt, and score again what was scored since."
    ),
    canary.CanaryState.FAILED: "The scorer cannot finish: the worker's log says why.",
}
REMEDIES = (safekeeping.REMEDIES | stoppages.REMEDIES) | {
    "queue": "Start more workers, or raise WORKER_CONCURRENCY; docs/operations.md has the sizes.",
    "canary": "Look at the worker's log.",
    "notices": "Check EMAIL_URL and the mail server; notices wait and are tried again by themselves.",
    "settings": "Compare the environment with .env.example.",
    "database": "Start the database server, and check DATABASE_URL.",
    "evidence": "Run: manage.py migrate",
    "broker": "Start Redis and check REDIS_URL; without it, check that PLAUDIT_VAR can be written.",
    "workers": "Start a worker: ./run serve, or celery -A config.celery worker",
    "storage": "Give the account of the server the right to write PLAUDIT_VAR; check S3_*, clocks too.",
    "disk": "Free some space: uploads are refused when the disk is full.",
    "clock": "Set the clock (timedatectl set-ntp true): deadlines are read from it.",
    "mail": "Check EMAIL_URL; until then nobody can verify an address.",
}
