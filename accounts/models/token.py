from __future__ import annotations

from django.db import models

from accounts.codes import new_code
from accounts.models.user import User


class ApiToken(models.Model):
    """A person's key to the API: shown once, stored as SHA-256, scoped, revocable."""

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"token {self.prefix}…"
