from __future__ import annotations

from django.db import models


class LoginFailure(models.Model):
    """Failed log-ins of one minute from one address, until they become one audit event."""

    address = models.CharField(max_length=64)
    minute = models.DateTimeField()
    count = models.PositiveIntegerField(default=0)
    typed = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["address", "minute"], name="accounts_failure_once"),
        ]

    def __str__(self) -> str:
        return f"{self.count} failed log-ins"
