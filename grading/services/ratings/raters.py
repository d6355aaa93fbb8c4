"""Raters of a protocol: invitations, languages, declared conflicts. Consent is in `consents`."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.codes import new_code
from accounts.models import User
from accounts.services import audit, mails
from accounts.services.names import accepted_email
from competition.enums import EntrantState, Role
from competition.models import Entrant, RoleGrant
from competition.rules import is_auditor, is_organizer
from competition.services import roles
from competition.services.authority import require_organizer
from grading.enums import ProtocolState, RaterState
from grading.models import DeclaredConflict, Rater, RaterInvitation, RatingProtocol
from grading.services.ratings import conflicts, errors, holding, places
from grading.services.ratings.consents import (
    consent_text,
    give_consent,
    has_consented,
    withdraw,
)

__all__ = [
    "accept",
    "consent_text",
    "declare",
    "entrants_to_declare",
    "find_invitation",
    "give_consent",
    "has_consented",
    "invite",
    "languages_of",
    "place_for",
    "places_of",
    "rater_of",
    "revoke_invitation",
    "set_languages",
    "withdraw",
]

LIFETIME = timedelta(days=30)
OPEN_LIMIT = 2000
PUBLIC_STATES = (EntrantState.ACCEPTED, EntrantState.WITHDRAWN, EntrantState.DISQUALIFIED)


def invite(
    *, actor: User | None, protocol: RatingProtocol, email: str, now: datetime
) -> tuple[RaterInvitation, str]:
    """Mail an invitation that replaces an earlier one to the same address; returns it and its secret.

    Refuses NotOrganizer, EmailInvalid, ProtocolNotOpen (closed), TooManyInvitations.
    """
    require_organizer(actor, places.competition_of(protocol))
    address = accepted_email(email)
    secret = secrets.token_urlsafe(24)
    with audit.audited():
        locked = places.lock_protocol(protocol)
        if locked.state == ProtocolState.CLOSED:
            raise places.not_open()
        waiting = locked.invitations.filter(accepted_at__isnull=True, revoked_at__isnull=True)
        waiting.filter(email=address).update(revoked_at=now)
        if waiting.count() >= OPEN_LIMIT:
            raise errors.TooManyInvitations(
                _("%(limit)s invitations are open. Take some back first.") % {"limit": OPEN_LIMIT}
            )
        invitation = RaterInvitation.objects.create(
            protocol=locked,
            email=address,
            secret_digest=_digest(secret),
            invited_by=actor,
            created_at=now,
            expires_at=now + LIFETIME,
        )
        places.record(
            locked,
            "rater.invited",
            actor,
            now,
            invitation=invitation.code,
            email=audit.keyed_hash(address),
        )
        _mail(invitation, secret)
    return invitation, secret


def revoke_invitation(*, actor: User | None, invitation: RaterInvitation, now: datetime) -> None:
    """Take an invitation back; twice changes nothing. Refuses NotOrganizer."""
    require_organizer(actor, places.competition_of(invitation.protocol))
    with audit.audited():
        rows = RaterInvitation.objects.filter(
            pk=invitation.pk, accepted_at__isnull=True, revoked_at__isnull=True
        )
        if rows.update(revoked_at=now):
            places.record(
                invitation.protocol,
                "rater.invitation_revoked",
                actor,
                now,
                invitation=invitation.code,
            )


def find_invitation(*, secret: str, now: datetime) -> RaterInvitation:
    """Return the open invitation with this secret. Refuses InvitationInvalid."""
    rows = RaterInvitation.objects.select_related(
        "protocol__selection__phase__track__competition"
    ).filter(secret_digest=_digest(secret), revoked_at__isnull=True, expires_at__gt=now)
    invitation = rows.first()
    if invitation is None:
        raise errors.InvitationInvalid(
            _("This invitation does not work (any more). Ask the organizers for a new one.")
        )
    return invitation


def accept(*, actor: User, secret: str, now: datetime) -> Rater:
    """Make the person a rater and return their place; the same person twice gets the same one.

    Refuses InvitationInvalid, InvitationElsewhere, RaterConflict, RaterEnded, ProtocolNotOpen.
    """
    with audit.audited():
        invitation = find_invitation(secret=secret, now=now)
        if invitation.email != actor.email:
            raise errors.InvitationElsewhere(
                _("This invitation was sent to another address than yours. Ask for one to yours.")
            )
        protocol = places.lock_protocol(invitation.protocol)
        if protocol.state == ProtocolState.CLOSED:
            raise places.not_open()
        RaterInvitation.objects.filter(pk=invitation.pk, accepted_at__isnull=True).update(
            accepted_at=now
        )
        return place_for(protocol=protocol, user=actor, now=now)


def place_for(
    *, protocol: RatingProtocol, user: User, now: datetime, is_simulated: bool = False
) -> Rater:
    """Return the person's place in a protocol, made where there is none, and give them the role.

    `is_simulated` marks marks that no human gave. Refuses RaterConflict, RaterEnded.
    """
    competition = places.competition_of(protocol)
    if is_organizer(user, competition) or is_auditor(user, competition):
        raise errors.RaterConflict(
            _("Who oversees the competition knows the systems, and cannot rate them.")
        )
    with audit.audited():
        rater, is_new = Rater.objects.get_or_create(
            protocol=protocol,
            user=user,
            defaults={
                "pseudonym": f"R{new_code()[:8]}",
                "joined_at": now,
                "seen_at": now,
                "is_simulated": is_simulated,
            },
        )
        if rater.state in places.ENDED:
            raise errors.RaterEnded(_("You do not take part in this rating any more."))
        if is_new:
            _grant(protocol, user, now)
            places.record(protocol, "rater.joined", user, now)
    return rater


def rater_of(*, user: User, protocol: RatingProtocol) -> Rater:
    """Return the person's place in a protocol. Refuses RaterUnknown."""
    rater: Rater | None = _own(user).filter(protocol=protocol).first()
    if rater is None:
        raise errors.RaterUnknown(_("You do not rate here."))
    return rater


def places_of(*, user: User) -> list[Rater]:
    """Return the person's places, the newest first, each with its protocol and competition."""
    return list(_own(user).order_by("-joined_at", "-pk"))


def languages_of(protocol: RatingProtocol) -> list[str]:
    """Return the languages that are rated in a protocol, sorted."""
    rows = protocol.texts.filter(dropped_at__isnull=True).order_by("language")
    return list(rows.values_list("language", flat=True).distinct())


def set_languages(*, actor: User, rater: Rater, languages: Sequence[str], now: datetime) -> Rater:
    """Keep which languages the rater can judge. Refuses RaterUnknown, RaterEnded, LanguagesInvalid."""
    chosen = sorted(set(languages))
    with audit.audited():
        locked = places.lock_rater(rater.pk, actor)
        known = languages_of(locked.protocol)
        if not chosen or any(language not in known for language in chosen):
            raise errors.LanguagesInvalid(
                _("Choose the languages that you can judge."), field="languages"
            )
        Rater.objects.filter(pk=locked.pk).update(languages=chosen, seen_at=now)
    rater.refresh_from_db()
    return rater


def entrants_to_declare(*, protocol: RatingProtocol) -> QuerySet[Entrant]:
    """Return every entrant of the competition that is public, whether it is rated or not."""
    competition = places.competition_of(protocol)
    return (
        Entrant.objects.filter(competition=competition, state__in=PUBLIC_STATES)
        .select_related("team")
        .order_by("team__name_key")
    )


def declare(*, actor: User, rater: Rater, entrants: Iterable[Entrant], now: datetime) -> None:
    """Keep which entrants the rater is close to; it replaces what was declared before.

    Refuses RaterUnknown, RaterEnded, EntrantUnknown.
    """
    wanted = {entrant.pk for entrant in entrants}
    with audit.audited():
        locked = places.lock_rater(rater.pk, actor)
        known = set(entrants_to_declare(protocol=locked.protocol).values_list("pk", flat=True))
        if not wanted <= known:
            raise errors.EntrantUnknown(_("This team does not take part."))
        locked.conflicts.exclude(entrant__in=wanted).delete()
        for entrant_id in sorted(wanted):
            DeclaredConflict.objects.get_or_create(
                rater=locked, entrant_id=entrant_id, defaults={"declared_at": now}
            )
        holding.leave_conflicts(locked, conflicts.systems_of(locked))


def _own(user: User) -> QuerySet[Rater]:
    found: QuerySet[Rater] = Rater.objects.visible_to(user).select_related(
        "protocol__selection__phase__track__competition"
    )
    return found.exclude(state=RaterState.WITHDRAWN)


def _grant(protocol: RatingProtocol, user: User, now: datetime) -> None:
    competition = places.competition_of(protocol)
    held = RoleGrant.objects.filter(
        competition=competition, user=user, role=Role.RATER, revoked_at__isnull=True
    )
    if not held.exists():
        roles.grant(actor=None, competition=competition, user=user, role=Role.RATER, now=now)


def _mail(invitation: RaterInvitation, secret: str) -> None:
    known = User.objects.filter(email=invitation.email).first()
    site: str = settings.SITE_URL
    mails.send(
        to=invitation.email,
        language=known.language if known else settings.LANGUAGE_CODE,
        template="grading/mail/rater",
        context={
            "competition": places.competition_of(invitation.protocol),
            "link": site.rstrip("/") + reverse("grading:rate-invitation", args=[secret]),
            "days": LIFETIME.days,
        },
    )


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
