from __future__ import annotations

from django.db import models
from django.db.models import Q


class AuditChain(models.Model):
    """The head of one hash chain: `site`, or `competition:<code>`."""

    scope = models.CharField(max_length=64, unique=True)
    count = models.BigIntegerField(default=0)
    head = models.CharField(max_length=64, default="0" * 64)

    def __str__(self) -> str:
        return f"{self.scope} ({self.count})"


class AuditEvent(models.Model):
    """One link: who did what to what and when. Append-only by triggers; pseudonymous ids only."""

    chain = models.ForeignKey(AuditChain, on_delete=models.PROTECT, related_name="events")
    number = models.BigIntegerField()
    kind = models.CharField(max_length=64)
    actor = models.CharField(max_length=64, blank=True)
    target = models.CharField(max_length=128, blank=True)
    payload = models.TextField()
    at = models.DateTimeField()
    previous = models.CharField(max_length=64)
    hash = models.CharField(max_length=64, unique=True)

    class Meta:
        ordering = ["chain_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["chain", "number"], name="accounts_event_number"),
            models.CheckConstraint(condition=Q(number__gte=1), name="accounts_event_positive"),
        ]
        indexes = [
            models.Index(fields=["chain", "kind", "number"], name="accounts_event_kind"),
            models.Index(fields=["actor", "at"], name="accounts_event_actor"),
            models.Index(fields=["target", "at"], name="accounts_event_target"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} #{self.number}"


class AuditPrivate(models.Model):
    """What may be erased: address and user agent of an event. Not part of the chain."""

    event = models.OneToOneField(AuditEvent, on_delete=models.PROTECT, related_name="private")
    address = models.CharField(max_length=64, blank=True)
    user_agent = models.CharField(max_length=256, blank=True)

    def __str__(self) -> str:
        return f"private part of {self.event_id}"


class AuditCheckpoint(models.Model):
    """A head of a chain as it was signed at a moment: from then on nobody can say it was another."""

    chain = models.ForeignKey(AuditChain, on_delete=models.PROTECT, related_name="checkpoints")
    count = models.BigIntegerField()
    head = models.CharField(max_length=64)
    at = models.DateTimeField()
    signed = models.JSONField()
    """The statement with its signature, in the form of receipts."""

    class Meta:
        ordering = ["chain_id", "count"]
        constraints = [
            models.UniqueConstraint(fields=["chain", "count"], name="accounts_checkpoint_once"),
            models.CheckConstraint(condition=Q(count__gte=1), name="accounts_checkpoint_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.chain.scope} at {self.count}"
