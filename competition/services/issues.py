"""Copies of packs: asked for by a person who accepts the terms, issued, refused, revoked."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.chain import instant
from accounts.models import User
from accounts.services import audit
from competition.enums import EntrantState, IssueState
from competition.models import (
    Competition,
    Entrant,
    EntrantMember,
    EntrantMerge,
    Pack,
    PackIssue,
    TermsAcceptance,
)
from competition.packing.manifest import canonical, sha256
from competition.queries import stands_for
from competition.services import entry
from competition.services.authority import require_organizer, require_reason
from competition.services.errors import IssueRefused, NotAMember, TermsNotAccepted

LIVE = (IssueState.REQUESTED, IssueState.ACTIVE)


def request(*, actor: User, pack: Pack, typed_name: str, now: datetime) -> PackIssue:
    """Ask for a copy of one's own, accepting the terms in force; again gives the copy that there is.

    Where the pack needs no approval the copy is issued at once. Refuses NotVerified, NameInvalid,
    NotAMember without a place in an accepted entrant, IssueRefused for a pack that is not on offer.
    """
    entrant = _entrant_of(actor, pack)
    with audit.audited():
        acceptance = entry.accept_terms(
            actor=actor, competition=pack.competition, typed_name=typed_name, now=now
        )
        Competition.objects.select_for_update().get(pk=pack.competition_id)
        _require_offer(pack)
        issue = _live_of(pack, actor, now)
        if issue is None:
            issue = _new(pack, entrant, acceptance, now)
            _record(actor, issue, "issue.requested", now, terms=acceptance.terms.version)
        if not pack.approve and issue.state == IssueState.REQUESTED:
            _issue(None, issue, now)
    return issue


def issue_to(*, actor: User | None, pack: Pack, person: User, now: datetime) -> PackIssue:
    """Issue a copy to a person who has accepted the terms in force and did not ask; again gives it.

    Refuses NotOrganizer, NotAMember, TermsNotAccepted, IssueRefused for a pack that is not on offer.
    """
    require_organizer(actor, pack.competition)
    entrant = _entrant_of(person, pack)
    acceptance = _acceptance_of(person, pack.competition)
    with audit.audited():
        Competition.objects.select_for_update().get(pk=pack.competition_id)
        _require_offer(pack)
        issue = _live_of(pack, person, now)
        if issue is None:
            issue = _new(pack, entrant, acceptance, now)
            _record(actor, issue, "issue.requested", now, terms=acceptance.terms.version)
        if issue.state == IssueState.REQUESTED:
            _issue(actor, issue, now)
    return issue


def approve(*, actor: User | None, issue: PackIssue, now: datetime) -> PackIssue:
    """Issue a copy that was asked for; again changes nothing. Refuses NotOrganizer, IssueRefused."""
    require_organizer(actor, issue.competition)
    with audit.audited():
        locked = _locked(issue)
        if locked.state == IssueState.ACTIVE:
            return locked
        if locked.state != IssueState.REQUESTED:
            raise IssueRefused(_("This request was answered already."))
        _require_offer(locked.pack)
        _require_place(locked)
        _issue(actor, locked, now)
    return locked


def refuse(*, actor: User | None, issue: PackIssue, reason: str, now: datetime) -> PackIssue:
    """Refuse a copy that was asked for. Refuses NotOrganizer, ReasonMissing, IssueRefused."""
    require_organizer(actor, issue.competition)
    text = require_reason(reason)
    with audit.audited():
        locked = _locked(issue)
        if locked.state != IssueState.REQUESTED:
            raise IssueRefused(_("This request was answered already."))
        locked.state, locked.reason = IssueState.REFUSED, text
        locked.decided_by, locked.decided_at = actor, now
        locked.save(update_fields=["state", "reason", "decided_by", "decided_at"])
        _record(actor, locked, "issue.refused", now)
    return locked


def revoke(*, actor: User | None, issue: PackIssue, reason: str, now: datetime) -> PackIssue:
    """Take a copy back: from now on not a byte of it is served. Again changes nothing.

    Refuses NotOrganizer, ReasonMissing, IssueRefused for a copy that was never issued.
    """
    require_organizer(actor, issue.competition)
    text = require_reason(reason)
    with audit.audited():
        locked = _locked(issue)
        if locked.state == IssueState.REVOKED:
            return locked
        if locked.state not in {IssueState.ACTIVE, IssueState.EXPIRED}:
            raise IssueRefused(_("This copy was never issued."))
        locked.state, locked.reason = IssueState.REVOKED, text
        locked.revoked_by, locked.revoked_at = actor, now
        locked.save(update_fields=["state", "reason", "revoked_by", "revoked_at"])
        _record(actor, locked, "issue.revoked", now)
    return locked


def accepted_by(person: User, competition: Competition) -> TermsAcceptance | None:
    """Return how the person accepted the terms in force, None when they have not."""
    found = TermsAcceptance.objects.filter(
        user=person, terms__competition=competition, terms__version=competition.terms_version
    )
    return found.select_related("terms", "user").first()


def _live_of(pack: Pack, person: User, now: datetime) -> PackIssue | None:
    """Return the person's copy that is asked for or may be downloaded; one past its days makes room.

    Under the lock of the competition, and locked itself: an organizer may be answering it just now.
    """
    live = pack.issues.select_for_update(of=("self",)).filter(person=person, state__in=LIVE)
    issue = live.first()
    if issue is None or issue.state != IssueState.ACTIVE or is_live(issue, now):
        return issue
    issue.state = IssueState.EXPIRED
    issue.save(update_fields=["state"])
    return None


def is_live(issue: PackIssue, now: datetime) -> bool:
    """Return whether the copy may be downloaded now."""
    return issue.state == IssueState.ACTIVE and (
        issue.expires_at is not None and now < issue.expires_at
    )


def stays_in(issue: PackIssue, person_id: int) -> bool:
    """Return whether the person is still in the copy's entrant, or in the one that it went into."""
    places = EntrantMember.objects.filter(
        user=person_id, left_at__isnull=True, entrant__state=EntrantState.ACCEPTED
    )
    return (
        places.filter(entrant=issue.entrant_id).exists()
        or places.filter(entrant__taken_in__merged=issue.entrant_id).exists()
    )


def is_addressed(pack: Pack, entrant_id: int) -> bool:
    """Return whether an entrant may have copies of a pack: with addressees, those alone.

    An entrant that took an addressed one in has its place.
    """
    named = set(pack.addressees.values_list("entrant_id", flat=True))
    return not named or not named.isdisjoint(stands_for(entrant_id))


def candidates(pack: Pack, now: datetime) -> QuerySet[EntrantMember]:
    """Return the members a copy may be issued to, by name: of accepted entrants, without a live copy.

    `has_accepted` on each says whether they have accepted the terms in force; others cannot be given one.
    """
    live = PackIssue.objects.filter(pack=pack, person=OuterRef("user"), state__in=LIVE).exclude(
        expires_at__lte=now
    )
    accepted = TermsAcceptance.objects.filter(
        user=OuterRef("user"),
        terms__competition=pack.competition_id,
        terms__version=pack.competition.terms_version,
    )
    found = EntrantMember.objects.filter(
        ~Exists(live),
        competition=pack.competition_id,
        left_at__isnull=True,
        entrant__state=EntrantState.ACCEPTED,
    )
    named = list(pack.addressees.values_list("entrant_id", flat=True))
    if named:
        heirs = EntrantMerge.objects.filter(merged__in=named).values("kept_id")
        found = found.filter(Q(entrant__in=named) | Q(entrant__in=heirs))
    return (
        found.annotate(has_accepted=Exists(accepted))
        .select_related("user", "entrant__team")
        .order_by("user__name", "user__code")
    )


def note_of(issue: PackIssue, issued_at: datetime, expires_at: datetime) -> bytes:
    """Return the bytes of ISSUE.json: who was given which pack, on which terms, when."""
    pack, acceptance = issue.pack, issue.acceptance
    return canonical(
        {
            "competition": pack.competition.slug,
            "expires_at": instant(expires_at),
            "issue": issue.code,
            "issued_at": instant(issued_at),
            "manifest_sha256": pack.sha256,
            "number": issue.number,
            "pack": {"name": pack.name, "version": pack.version},
            "recipient": {
                "accepted_as": acceptance.typed_name,
                "code": issue.person.code,
                "team": issue.entrant.team.name,
            },
            "terms": {
                "accepted_at": instant(acceptance.accepted_at),
                "sha256": acceptance.terms.sha256,
                "version": acceptance.terms.version,
            },
        }
    )


def _entrant_of(actor: User, pack: Pack) -> Entrant:
    place = (
        EntrantMember.objects.filter(
            user=actor,
            left_at__isnull=True,
            competition=pack.competition_id,
            entrant__state=EntrantState.ACCEPTED,
        )
        .select_related("entrant")
        .first()
    )
    if place is None:
        raise NotAMember(_("Only members of an accepted entrant can ask for a copy."))
    if not is_addressed(pack, place.entrant_id):
        raise IssueRefused(_("This pack is for other entrants alone."))
    return place.entrant


def _acceptance_of(person: User, competition: Competition) -> TermsAcceptance:
    acceptance = accepted_by(person, competition)
    if acceptance is None:
        raise TermsNotAccepted(
            _("%(name)s has not accepted the terms in force.") % {"name": person.name},
            version=competition.terms_version,
        )
    return acceptance


def _require_offer(pack: Pack) -> None:
    fresh = Pack.objects.get(pk=pack.pk)
    if fresh.offered_at is None or fresh.withdrawn_at is not None:
        raise IssueRefused(_("This pack is not on offer."))


def _require_place(issue: PackIssue) -> None:
    """Raise IssueRefused when the person has left the entrant meanwhile, or the entrant is out."""
    if not stays_in(issue, issue.person_id):
        raise IssueRefused(_("This person is not in an accepted entrant any more."))


def _new(pack: Pack, entrant: Entrant, acceptance: TermsAcceptance, now: datetime) -> PackIssue:
    top = PackIssue.objects.filter(competition=pack.competition_id).aggregate(top=Max("number"))
    return PackIssue.objects.create(
        competition=pack.competition,
        number=(top["top"] or 0) + 1,
        pack=pack,
        entrant=entrant,
        person=acceptance.user,
        acceptance=acceptance,
        requested_at=now,
    )


def _issue(actor: User | None, issue: PackIssue, now: datetime) -> None:
    expires_at = now + timedelta(days=issue.pack.valid_days)
    issue.note = note_of(issue, now, expires_at)
    issue.state, issue.expires_at = IssueState.ACTIVE, expires_at
    issue.decided_by, issue.decided_at = actor, now
    issue.save(update_fields=["note", "state", "expires_at", "decided_by", "decided_at"])
    _record(actor, issue, "issue.issued", now, note=sha256(issue.note), pack=issue.pack.sha256)


def _locked(issue: PackIssue) -> PackIssue:
    rows = PackIssue.objects.select_for_update(of=("self",)).select_related(
        "pack__competition", "competition", "entrant__team", "person", "acceptance__terms"
    )
    return rows.get(pk=issue.pk)


def _record(
    actor: User | None, issue: PackIssue, kind: str, now: datetime, **payload: object
) -> None:
    audit.record(
        scope=issue.competition.audit_scope,
        kind=kind,
        actor=actor,
        target=f"issue:{issue.code}",
        payload={"number": issue.number, "person": audit.person(issue.person), **payload},
        now=now,
    )
