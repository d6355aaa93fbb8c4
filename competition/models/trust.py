from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from competition.enums import LinkVerdict
from competition.models.competition import Competition
from competition.models.entrant import Entrant


class LinkJudgement(models.Model):
    """What an organizer made of hints that two accounts are one person's; the newest one counts.

    `hints` lists the kinds of hints that were shown then. The two people stand in no order.
    """

    competition = models.ForeignKey(
        Competition, on_delete=models.PROTECT, related_name="link_judgements"
    )
    one = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    other = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    verdict = models.CharField(max_length=16, choices=LinkVerdict.choices)
    hints = models.JSONField(default=list)
    reason = models.CharField(max_length=300)
    judged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    judged_at = models.DateTimeField()

    class Meta:
        ordering = ["competition_id", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict__in=LinkVerdict.values), name="competition_link_verdict"
            ),
            models.CheckConstraint(condition=~Q(one=F("other")), name="competition_link_two"),
            models.CheckConstraint(condition=~Q(reason=""), name="competition_link_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.one} and {self.other}: {self.verdict}"


class EntrantMerge(models.Model):
    """An entrant went into another one, for good: what it used counts there, its submissions stay its own.

    Where it had taken others in before, each of them has a row of its own (`is_direct` false), so that
    what counts for an entrant is one step away. `figures` is the arithmetic that was confirmed.
    """

    competition = models.ForeignKey(Competition, on_delete=models.PROTECT, related_name="merges")
    kept = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="taken_in")
    merged = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="went_into")
    is_direct = models.BooleanField(default=True)
    figures = models.JSONField(default=dict)
    reason = models.CharField(max_length=300)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    merged_at = models.DateTimeField()

    class Meta:
        ordering = ["competition_id", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["merged"], condition=Q(is_direct=True), name="competition_merge_once"
            ),
            models.UniqueConstraint(fields=["kept", "merged"], name="competition_merge_pair"),
            models.CheckConstraint(condition=~Q(kept=F("merged")), name="competition_merge_two"),
            models.CheckConstraint(condition=~Q(reason=""), name="competition_merge_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.merged} into {self.kept}"
