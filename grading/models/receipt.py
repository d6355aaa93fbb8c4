from __future__ import annotations

from django.db import models
from django.db.models import F, Q


class ReceiptKey(models.Model):
    """The public half of a key that signs or signed receipts, and when its signatures count.

    `server` is the site whose key it is: this one's address, or that of the site it was imported
    from. The private half is never in the database.
    """

    key_id = models.CharField(max_length=16, unique=True)
    public_key = models.CharField(max_length=64, unique=True)
    server = models.CharField(max_length=200)
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["valid_from", "key_id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(valid_until__isnull=True) | Q(valid_until__gte=F("valid_from")),
                name="grading_receipt_key_window",
            ),
        ]

    def __str__(self) -> str:
        return f"receipt key {self.key_id}"
