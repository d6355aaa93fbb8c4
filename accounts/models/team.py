from __future__ import annotations

from typing import Self, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.codes import new_code
from accounts.enums import TeamRole
from accounts.models.user import User

ModelT_co = TypeVar("ModelT_co", bound=Model, covariant=True)


class TeamQuerySet(QuerySet[ModelT_co]):
    """Teams; their pages are for their members. Boards show names through the entrants."""

    def visible_to(self, user: User | AnonymousUser | None) -> Self:
        """Return the teams that the person is in; administrators see all."""
        if not isinstance(user, User) or not user.is_active:
            return self.none()
        return self.all() if user.is_superuser else self.of(user)

    def of(self, user: User) -> Self:
        """Return the teams that the person is in."""
        places = user.memberships.filter(left_at__isnull=True)
        return self.filter(pk__in=places.values("team_id"))


class Team(models.Model):
    """People who enter competitions together. `name_key` is the name folded so that look-alikes collide."""

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    name = models.CharField(_("team name"), max_length=80)
    name_key = models.CharField(max_length=200, unique=True, editable=False)
    affiliation = models.CharField(_("affiliation"), max_length=160, blank=True)
    created_at = models.DateTimeField()
    members = models.ManyToManyField(User, through="TeamMembership", related_name="teams")

    objects = TeamQuerySet.as_manager()

    class Meta:
        ordering = ["name_key"]

    def __str__(self) -> str:
        return self.name


class TeamMembership(models.Model):
    """A person's place in a team; leaving sets `left_at`, the row stays."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=16, choices=TeamRole.choices, default=TeamRole.MEMBER)
    joined_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(role__in=TeamRole.values), name="accounts_membership_role"
            ),
            models.UniqueConstraint(
                fields=["team", "user"],
                condition=Q(left_at__isnull=True),
                name="accounts_membership_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class TeamInvitation(models.Model):
    """An invitation by e-mail; only the digest of its secret is stored."""

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField(max_length=254)
    secret_digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=models.F("created_at")),
                name="accounts_invitation_window",
            ),
            models.CheckConstraint(
                condition=Q(accepted_at__isnull=True, accepted_by__isnull=True)
                | Q(accepted_at__isnull=False, accepted_by__isnull=False),
                name="accounts_invitation_accepted",
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.code}"
