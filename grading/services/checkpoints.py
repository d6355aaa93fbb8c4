"""Checkpoints of the audit log: heads signed with the key of receipts, every ten minutes and on demand."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, Max, Q

from accounts.chain import instant
from accounts.models import AuditChain, AuditCheckpoint
from grading import receipts
from grading.receipts import Outcome
from grading.services import receipt_keys
from grading.services.errors import ReceiptsUnavailable

KIND = "audit.checkpoint"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A checkpoint that does not hold, and why."""

    scope: str
    count: int
    outcome: str


def take(*, now: datetime, scope: str | None = None) -> list[AuditCheckpoint]:
    """Sign the head of every chain (or of one) that has grown since its last checkpoint.

    Two at once sign the same head once. Raises ReceiptsUnavailable.
    """
    # First, because making the key is an event as well.
    private, key = receipt_keys.current(now=now)
    chains = AuditChain.objects.annotate(last=Max("checkpoints__count")).filter(
        Q(last__isnull=True) | Q(last__lt=F("count")), count__gte=1
    )
    if scope is not None:
        chains = chains.filter(scope=scope)
    issued_at = max(now, key.valid_from)
    made = [
        AuditCheckpoint(
            chain=chain,
            count=chain.count,
            head=chain.head,
            at=now,
            signed=receipts.sign(private, statement(chain, key.server, issued_at)),
        )
        for chain in chains.order_by("scope")
    ]
    AuditCheckpoint.objects.bulk_create(made, ignore_conflicts=True)
    return made


def note_publication(*, scope: str, now: datetime) -> None:
    """Sign a chain's head after a publication; where the key cannot be read the log says so.

    The act stands already, and the next round signs what this one could not.
    """
    try:
        take(now=now, scope=scope)
    except ReceiptsUnavailable as refusal:
        log.warning("checkpoint.unsigned", extra={"scope": scope, "reason": refusal.code})


def statement(chain: AuditChain, server: str, issued_at: datetime) -> dict[str, object]:
    """Return what is signed: the chain's name, how many events it has and the hash of the last."""
    return {
        "kind": KIND,
        "server": server,
        "issued_at": instant(issued_at),
        "submission": "",
        "scope": chain.scope,
        "count": chain.count,
        "head": chain.head,
    }


def latest(scope: str) -> AuditCheckpoint | None:
    """Return the newest checkpoint of a chain, None before its first."""
    return AuditCheckpoint.objects.filter(chain__scope=scope).order_by("-count").first()


def doubtful(rows: Iterable[AuditCheckpoint] | None = None) -> list[Doubt]:
    """Return the checkpoints whose signature does not hold, or that say other than their row."""
    keys = receipt_keys.known()
    found = []
    stored = AuditCheckpoint.objects.select_related("chain") if rows is None else rows
    for row in stored:
        (verified,) = receipts.verify([row.signed], keys)
        said = tuple(verified.statement.get(name) for name in ("kind", "scope", "count", "head"))
        if verified.outcome != Outcome.HOLDS:
            found.append(Doubt(row.chain.scope, row.count, verified.outcome.value))
        elif said != (KIND, row.chain.scope, row.count, row.head):
            found.append(Doubt(row.chain.scope, row.count, "says_otherwise"))
    return found
