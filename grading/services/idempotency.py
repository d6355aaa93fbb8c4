"""Requests that may be sent again: same key and body, same answer, for 24 hours."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from grading.models import IdempotencyKey
from grading.services import errors

KEPT = timedelta(hours=24)
ABANDONED = timedelta(seconds=30)
"""After how long a request that has not ended is taken for dead: the file is stored before it begins,
so that only one short transaction stands between. Should both go on, the content makes them one."""
KEY_LENGTH = 120
ATTEMPTS = 5


def fingerprint(*parts: str) -> str:
    """Return one SHA-256 (hex) over all that makes the body: the file's own hash and each field."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def begin(
    *, user: User, endpoint: str, key: str, body_sha256: str, now: datetime
) -> IdempotencyKey:
    """Return the key's row: `status` is None for a request to carry out, else its stored answer.

    Raises IdempotencyKeyReused for another body, RequestStillRunning while the first one runs,
    IdempotencyKeyInvalid for a key that cannot be one.
    """
    if not 0 < len(key) <= KEY_LENGTH or not key.isprintable():
        raise errors.IdempotencyKeyInvalid(
            _("The idempotency key must have 1 to %(length)s printable characters.")
            % {"length": KEY_LENGTH}
        )
    row = IdempotencyKey(
        user=user, endpoint=endpoint, key=key, body_sha256=body_sha256, created_at=now
    )
    rows = _rows(user, endpoint, key)
    rows.filter(created_at__lte=now - KEPT).delete()
    for _attempt in range(ATTEMPTS):
        try:
            with transaction.atomic():
                row.save(force_insert=True)
        except IntegrityError:
            # Gone again where the other request was refused in this very moment.
            known = rows.first()
            if known is not None:
                return _known(known, body_sha256, now)
        else:
            return row
    raise _still_running()


def is_answered(*, user: User, endpoint: str, key: str, now: datetime) -> bool:
    """Return whether a request with this key has its answer: it is given again, whatever has closed since."""
    answered = _rows(user, endpoint, key).filter(status__isnull=False)
    return bool(key) and answered.filter(created_at__gt=now - KEPT).exists()


def finish(row: IdempotencyKey, *, status: int, answer: Mapping[str, Any]) -> None:
    """Store the answer that a repetition gets."""
    IdempotencyKey.objects.filter(pk=row.pk).update(status=status, answer=dict(answer))


def abandon(row: IdempotencyKey) -> None:
    """Forget a request that was refused and changed nothing, so that it may be tried again."""
    IdempotencyKey.objects.filter(pk=row.pk, status__isnull=True).delete()


def remove_expired(now: datetime) -> int:
    """Delete keys older than 24 hours; return how many."""
    return IdempotencyKey.objects.filter(created_at__lte=now - KEPT).delete()[0]


def _known(row: IdempotencyKey, body_sha256: str, now: datetime) -> IdempotencyKey:
    if row.body_sha256 != body_sha256:
        raise errors.IdempotencyKeyReused(
            _("This idempotency key was used before with another body.")
        )
    if row.status is not None:
        return row
    # A server that died in the middle must not block the key for a day.
    taken = IdempotencyKey.objects.filter(
        pk=row.pk, status__isnull=True, created_at=row.created_at, created_at__lte=now - ABANDONED
    ).update(created_at=now)
    if not taken:
        raise _still_running()
    return row


def _rows(user: User, endpoint: str, key: str) -> QuerySet[IdempotencyKey]:
    return IdempotencyKey.objects.filter(user=user, endpoint=endpoint, key=key)


def _still_running() -> errors.RequestStillRunning:
    return errors.RequestStillRunning(
        _("The first request with this key is still running."), retry_after=1
    )
