"""Erasing an account: what the server knows of a person goes, what they did stays under their code."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from accounts.enums import TeamRole
from accounts.models import (
    AuditEvent,
    AuditPrivate,
    Team,
    TeamInvitation,
    TeamMembership,
    User,
)
from accounts.services import audit
from accounts.services.passwords import forget_log_ins

ADDRESS = "erased-{code}@erased.invalid"
"""No mail can ever be sent there (RFC 2606), and no two accounts share one."""


def obstacles(actor: User) -> list[str]:
    """Return, as sentences, what keeps the account for now; the teams are locked in a transaction."""
    found = []
    if actor.is_staff or actor.is_superuser:
        found.append(_("You administer the site. Another administrator takes that from you first."))
    for team in _led(actor):
        places = team.memberships.filter(left_at__isnull=True).exclude(user=actor)
        if places.exists() and not places.filter(role=TeamRole.CAPTAIN).exists():
            found.append(
                _("You are the only captain of %(team)s. Make somebody else captain first.")
                % {"team": team.name}
            )
    return found


def _led(actor: User) -> list[Team]:
    """Return the teams that the person is a captain of, by key."""
    led = actor.memberships.filter(left_at__isnull=True, role=TeamRole.CAPTAIN)
    return list(Team.objects.filter(pk__in=led.values("team_id")).order_by("pk"))


def lock(actor: User) -> User:
    """Return the person's row, locked, and hold the teams they lead; the caller has a transaction."""
    locked = User.objects.select_for_update().get(pk=actor.pk)
    held = Team.objects.select_for_update().filter(pk__in=[team.pk for team in _led(locked)])
    list(held.order_by("pk"))
    return locked


def forget(*, actor: User, now: datetime) -> None:
    """Take everything personal off the account and end it; the caller has a transaction.

    The code stays: it is the pseudonym under which acts, submissions and agreements are kept.
    """
    forget_log_ins(actor)
    TeamInvitation.objects.filter(email=actor.email).delete()
    actor.tokens.all().delete()
    TeamMembership.objects.filter(user=actor, left_at__isnull=True).update(left_at=now)
    mine = AuditEvent.objects.filter(actor=audit.person(actor)).values("pk")
    acts = AuditPrivate.objects.filter(event__in=mine)
    acts.update(address="", user_agent="")
    actor.email = ADDRESS.format(code=actor.code)
    actor.name = actor.code
    actor.language = "en"
    actor.muted_notices = []
    actor.email_verified_at = actor.last_login = None
    actor.is_active = False
    actor.set_unusable_password()
    actor.save()
