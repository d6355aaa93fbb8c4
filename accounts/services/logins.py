"""Failed log-ins: counted per minute and address, told to the audit log as one event each."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from accounts.models import LoginFailure
from accounts.services import audit

TYPED_KEPT = 20


def note_failure(*, typed: str, address: str, now: datetime) -> None:
    """Count a failed log-in; of what was typed a keyed hash is kept, at most 20 a minute."""
    minute = now.replace(second=0, microsecond=0)
    summarize_failures(now=now)
    with transaction.atomic():
        key = {"address": address[:64], "minute": minute}
        LoginFailure.objects.bulk_create([LoginFailure(**key)], ignore_conflicts=True)
        row = LoginFailure.objects.select_for_update().get(**key)
        row.count += 1
        digest = audit.keyed_hash(typed)
        if digest not in row.typed and len(row.typed) < TYPED_KEPT:
            row.typed = [*row.typed, digest]
        row.save(update_fields=["count", "typed"])


def summarize_failures(*, now: datetime) -> int:
    """Turn the counts of minutes that are over into audit events; returns how many events."""
    minute = now.replace(second=0, microsecond=0)
    if not LoginFailure.objects.filter(minute__lt=minute).exists():
        return 0
    with audit.audited():
        rows = list(LoginFailure.objects.select_for_update().filter(minute__lt=minute))
        for row in rows:
            _tell(row, now)
        LoginFailure.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return len(rows)


def _tell(row: LoginFailure, now: datetime) -> None:
    audit.record(
        kind="login.failed",
        actor=None,
        target=f"address:{audit.keyed_hash(row.address)}",
        payload={
            "minute": row.minute.isoformat(),
            "failures": row.count,
            "typed": row.typed,
        },
        now=now,
        address=row.address,
    )
