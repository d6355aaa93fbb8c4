"""A team's entry into a competition: terms, registration, decisions of the organizers."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError
from django.utils.translation import gettext as _

from accounts.enums import TeamRole
from accounts.models import Team, User
from accounts.services import audit
from accounts.services.membership import place_of as team_place
from accounts.services.membership import require_verified
from accounts.services.names import accepted_name
from competition.enums import (
    ENTRANT_TRANSITIONS,
    CompetitionState,
    EntrantKind,
    EntrantState,
)
from competition.models import Competition, Entrant, EntrantChange, Phase, TermsAcceptance
from competition.queries import current_terms, has_accepted_terms, members_of
from competition.rules import is_organizer
from competition.services.authority import (
    require_captain,
    require_no_interest,
    require_organizer,
    require_reason,
)
from competition.services.errors import (
    AlreadyEntered,
    EntrantOut,
    NotCaptain,
    RegistrationClosed,
    TermsNotAccepted,
    WrongState,
)
from competition.services.members import (
    add_member,
    leave,
    place_people,
    remove_member,
    set_member_role,
)

__all__ = [
    "accept_terms",
    "add_member",
    "decide_entrant",
    "disqualify",
    "enter",
    "leave",
    "note_charge",
    "register",
    "reinstate",
    "remove_member",
    "set_kind",
    "set_member_role",
    "withdraw",
]


def accept_terms(
    *, actor: User, competition: Competition, typed_name: str, now: datetime
) -> TermsAcceptance:
    """Record that the actor accepts the terms in force, with the typed name; twice changes nothing.

    Refuses NotVerified, NameInvalid, RegistrationClosed when there are no terms.
    """
    require_verified(actor)
    name = accepted_name(typed_name, limit=120, field="typed_name")
    terms = current_terms(competition)
    if terms is None:
        raise RegistrationClosed(_("This competition has no terms yet."))
    with audit.audited():
        acceptance, is_new = TermsAcceptance.objects.get_or_create(
            terms=terms, user=actor, defaults={"typed_name": name, "accepted_at": now}
        )
        if is_new:
            audit.record(
                scope=competition.audit_scope,
                kind="terms.accepted",
                actor=actor,
                target=f"terms:{terms.version}",
                payload={"sha256": terms.sha256},
                now=now,
            )
    return acceptance


def enter(
    *, actor: User, competition: Competition, team: Team, typed_name: str, now: datetime
) -> Entrant:
    """Accept the terms and register the team, both or neither; refuses what they refuse."""
    with audit.audited():
        accept_terms(actor=actor, competition=competition, typed_name=typed_name, now=now)
        return register(actor=actor, competition=competition, team=team, now=now)


def register(*, actor: User, competition: Competition, team: Team, now: datetime) -> Entrant:
    """Enter a team with all its people; accepted at once where the competition says so.

    A team that had withdrawn comes back as the same entrant. Refuses NotVerified, NotCaptain,
    RegistrationClosed, TermsNotAccepted, AlreadyEntered, EntrantOut, ConflictOfInterest.
    """
    require_verified(actor)
    _require_team_captain(actor, team)
    _require_open(competition, now)
    if not has_accepted_terms(actor, competition):
        raise TermsNotAccepted(_("Accept the terms of the competition first."))
    with audit.audited():
        entrant = _entrant_row(competition, team, now)
        place_people(
            entrant, list(team.memberships.filter(left_at=None).select_related("user")), now
        )
        _tell("entrant.registered", actor, entrant, now, state=entrant.state)
    return entrant


def decide_entrant(
    *, actor: User | None, entrant: Entrant, accept: bool, now: datetime, reason: str = ""
) -> Entrant:
    """Accept or refuse a waiting entrant, or accept a refused one. Refuses NotOrganizer, WrongState."""
    require_organizer(actor, entrant.competition)
    to = EntrantState.ACCEPTED if accept else EntrantState.REFUSED
    sources = (EntrantState.PENDING, EntrantState.REFUSED)
    return _move(actor, entrant, (sources, to), reason, now)


def withdraw(*, actor: User, entrant: Entrant, now: datetime, reason: str = "") -> Entrant:
    """Take the entrant out at its captain's or an organizer's wish; it stays visible, marked.

    Refuses NotCaptain, WrongState. People of an entrant that was never charged are free to enter
    with another team.
    """
    if not is_organizer(actor, entrant.competition):
        require_captain(actor, entrant)
    with audit.audited():
        sources = (EntrantState.PENDING, EntrantState.ACCEPTED)
        moved = _move(actor, entrant, (sources, EntrantState.WITHDRAWN), reason, now)
        if moved.charged_at is None:
            moved.members.filter(left_at__isnull=True).update(left_at=now)
    return moved


def disqualify(*, actor: User | None, entrant: Entrant, reason: str, now: datetime) -> Entrant:
    """Disqualify an entrant. Refuses NotOrganizer, ReasonMissing, WrongState."""
    require_organizer(actor, entrant.competition)
    text = require_reason(reason)
    step = ((EntrantState.ACCEPTED,), EntrantState.DISQUALIFIED)
    return _move(actor, entrant, step, text, now)


def reinstate(*, actor: User | None, entrant: Entrant, reason: str, now: datetime) -> Entrant:
    """Take a disqualification or a withdrawal back. Refuses NotOrganizer, ReasonMissing, WrongState."""
    require_organizer(actor, entrant.competition)
    text = require_reason(reason)
    sources = (EntrantState.DISQUALIFIED, EntrantState.WITHDRAWN)
    return _move(actor, entrant, (sources, EntrantState.ACCEPTED), text, now)


def set_kind(
    *, actor: User | None, entrant: Entrant, kind: EntrantKind, reason: str, now: datetime
) -> Entrant:
    """Make an entrant official, unofficial or a baseline; the same kind again changes nothing.

    Refuses NotOrganizer, ReasonMissing, ConflictOfInterest.
    """
    require_organizer(actor, entrant.competition)
    text = require_reason(reason)
    with audit.audited():
        locked = _lock(entrant)
        old = EntrantKind(locked.kind)
        if old == kind:
            return locked
        locked.kind = kind
        require_no_interest(locked, [place.user for place in members_of(locked)])
        locked.save(update_fields=["kind"])
        _change(locked, actor, ("kind", old, kind), text, now)
    return locked


def note_charge(*, entrant_id: int, now: datetime) -> None:
    """Note the first charged submission: from now on the entrant's members are fixed."""
    Entrant.objects.filter(pk=entrant_id, charged_at__isnull=True).update(charged_at=now)


def _entrant_row(competition: Competition, team: Team, now: datetime) -> Entrant:
    state = EntrantState.ACCEPTED if competition.accept_automatically else EntrantState.PENDING
    decided_at = now if state == EntrantState.ACCEPTED else None
    known = Entrant.objects.select_for_update().filter(competition=competition, team=team).first()
    if known is not None:
        return _return(known, state, decided_at)
    try:
        return Entrant.objects.create(
            competition=competition,
            team=team,
            state=state,
            registered_at=now,
            decided_at=decided_at,
        )
    except IntegrityError as error:  # two at once: the constraint let the first one in
        raise _entered() from error


def _return(entrant: Entrant, state: EntrantState, decided_at: datetime | None) -> Entrant:
    if entrant.state in {EntrantState.PENDING, EntrantState.ACCEPTED}:
        raise _entered()
    if entrant.state != EntrantState.WITHDRAWN:
        raise EntrantOut(
            _("This team was refused or disqualified. Write to the organizers."),
            state=entrant.state,
        )
    _require_unmerged(entrant)
    entrant.state, entrant.decided_at, entrant.reason = state, decided_at, ""
    entrant.save(update_fields=["state", "decided_at", "reason"])
    return entrant


def _entered() -> AlreadyEntered:
    return AlreadyEntered(_("This team takes part already."), field="team")


def _move(
    actor: User | None,
    entrant: Entrant,
    step: tuple[tuple[EntrantState, ...], EntrantState],
    reason: str,
    now: datetime,
) -> Entrant:
    sources, to = step
    with audit.audited():
        locked = _lock(entrant)
        old = EntrantState(locked.state)
        if old not in sources or to not in ENTRANT_TRANSITIONS[old]:
            raise WrongState(
                _("This is not possible: the entrant is %(state)s.") % {"state": old.label},
                state=str(old),
            )
        _require_unmerged(locked)
        locked.state, locked.reason, locked.decided_at = to, reason, now
        locked.save(update_fields=["state", "reason", "decided_at"])
        _change(locked, actor, ("state", old, to), reason, now)
    return locked


def _require_unmerged(entrant: Entrant) -> None:
    merge = entrant.went_into.filter(is_direct=True).select_related("kept__team").first()
    if merge is not None:
        raise EntrantOut(
            _("This team went into %(team)s; a merge is not taken back.")
            % {"team": merge.kept.team.name},
            state=entrant.state,
        )


def _change(
    entrant: Entrant, actor: User | None, change: tuple[str, str, str], reason: str, now: datetime
) -> None:
    field, old, new = change
    EntrantChange.objects.create(
        entrant=entrant, field=field, old=old, new=new, reason=reason, actor=actor, at=now
    )
    payload = {"old": str(old), "new": str(new), "reason": audit.keyed_hash(reason)}
    _tell(f"entrant.{field}-changed", actor, entrant, now, **payload)


def _lock(entrant: Entrant) -> Entrant:
    rows = Entrant.objects.select_for_update(of=("self",)).select_related("competition", "team")
    return rows.get(pk=entrant.pk)


def _require_team_captain(actor: User, team: Team) -> None:
    place = team_place(team, actor)
    if place is None or place.role != TeamRole.CAPTAIN:
        raise NotCaptain(_("Only a captain of the team can register it."), field="team")


def _require_open(competition: Competition, now: datetime) -> None:
    phases = Phase.objects.filter(track__competition=competition, closes_at__gt=now)
    if competition.state != CompetitionState.PUBLISHED or not phases.exists():
        raise RegistrationClosed(_("This competition takes no registrations (any more)."))


def _tell(
    kind: str, actor: User | None, entrant: Entrant, now: datetime, **payload: object
) -> None:
    audit.record(
        scope=entrant.competition.audit_scope,
        kind=kind,
        actor=actor,
        target=f"entrant:{entrant.code}",
        payload=payload,
        now=now,
    )
