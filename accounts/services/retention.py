"""How long what may be erased is kept: where acts came from, a year; then the log stands without it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q

from accounts.models import AuditPrivate

ORIGIN_KEPT: Final = timedelta(days=365)
AT_ONCE: Final = 2000


def forget_origins(*, now: datetime) -> int:
    """Take address and browser off acts of more than a year ago; return how many, at most 2,000 a call.

    The chain says nothing of them, so it holds as before.
    """
    old = AuditPrivate.objects.filter(event__at__lt=now - ORIGIN_KEPT)
    said = old.filter(~Q(address="") | ~Q(user_agent=""))
    keys = list(said.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    return AuditPrivate.objects.filter(pk__in=keys).update(address="", user_agent="")
