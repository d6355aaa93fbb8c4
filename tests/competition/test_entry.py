from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from accounts.models import AuditEvent
from accounts.services import audit
from accounts.services.errors import NameInvalid, NotVerified
from competition.enums import (
    ENTRANT_TRANSITIONS,
    CompetitionState,
    EntrantKind,
    EntrantState,
    MemberRole,
    Role,
)
from competition.models import Entrant, EntrantChange, EntrantMember, TermsAcceptance
from competition.services import entry
from competition.services.errors import (
    AlreadyEntered,
    ConflictOfInterest,
    EntrantOut,
    LastCaptain,
    MembersFixed,
    NotAMember,
    NotCaptain,
    NotInTeam,
    NotOrganizer,
    ReasonMissing,
    RegistrationClosed,
    TermsNotAccepted,
    WrongState,
)
from tests.factories.accounts import (
    MembershipFactory,
    TeamFactory,
    UnverifiedUserFactory,
    UserFactory,
)
from tests.factories.competition import (
    CompetitionFactory,
    EntrantFactory,
    EntrantMemberFactory,
    PhaseFactory,
    RoleGrantFactory,
)

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def competition():
    return PhaseFactory().track.competition


@pytest.fixture
def organizer(competition):
    return RoleGrantFactory(competition=competition).user


def accept(user, competition, name="Ada Alder"):
    return entry.accept_terms(actor=user, competition=competition, typed_name=name, now=NOW)


def register(user, competition, team) -> Entrant:
    return entry.register(actor=user, competition=competition, team=team, now=NOW)


def entered(competition, people=()):
    captain = UserFactory()
    team = TeamFactory(captain=captain, people=people)
    return EntrantFactory(
        competition=competition, team=team, captain=captain, people=people
    ), captain


def members(entrant) -> set:
    return {place.user for place in entrant.members.filter(left_at__isnull=True)}


def test_terms_are_accepted_once_with_a_typed_name(competition) -> None:
    user = UserFactory()
    first = accept(user, competition, " Ada  Alder ")
    assert (first.typed_name, first.accepted_at) == ("Ada Alder", NOW)
    again = entry.accept_terms(
        actor=user, competition=competition, typed_name="X", now=NOW + timedelta(days=1)
    )
    assert again == first
    assert TermsAcceptance.objects.get().typed_name == "Ada Alder"
    event = AuditEvent.objects.get()
    assert (event.kind, event.chain.scope) == ("terms.accepted", competition.audit_scope)
    assert "Ada" not in event.payload


def test_terms_need_a_verified_person_and_a_name(competition) -> None:
    with pytest.raises(NotVerified):
        accept(UnverifiedUserFactory(), competition)
    with pytest.raises(NameInvalid):
        accept(UserFactory(), competition, " ")
    assert not TermsAcceptance.objects.exists()


def test_a_captain_enters_the_whole_team(competition) -> None:
    captain, member, gone = UserFactory(), UserFactory(), UserFactory()
    team = TeamFactory(captain=captain, people=[member])
    MembershipFactory(team=team, user=gone, left_at=NOW)
    accept(captain, competition)
    entrant = register(captain, competition, team)
    assert (entrant.state, entrant.kind, entrant.decided_at) == ("accepted", "official", NOW)
    roles = {place.user: place.role for place in entrant.members.all()}
    assert roles == {captain: MemberRole.CAPTAIN, member: MemberRole.MEMBER}


def test_where_organizers_decide_an_entrant_waits(competition, organizer) -> None:
    competition.accept_automatically = False
    competition.save()
    captain = UserFactory()
    team = TeamFactory(captain=captain)
    accept(captain, competition)
    entrant = register(captain, competition, team)
    assert (entrant.state, entrant.decided_at) == ("pending", None)
    with pytest.raises(NotOrganizer):
        entry.decide_entrant(actor=captain, entrant=entrant, accept=True, now=NOW)
    refused = entry.decide_entrant(
        actor=organizer, entrant=entrant, accept=False, reason="No system", now=NOW
    )
    assert (refused.state, refused.reason, refused.decided_at) == ("refused", "No system", NOW)
    assert entry.decide_entrant(actor=organizer, entrant=entrant, accept=True, now=NOW).state == (
        "accepted"
    )
    steps = EntrantChange.objects.order_by("pk").values_list("old", "new", "reason", "actor")
    assert list(steps) == [
        ("pending", "refused", "No system", organizer.pk),
        ("refused", "accepted", "", organizer.pk),
    ]


def test_entering_accepts_the_terms_and_registers_or_does_neither(competition) -> None:
    captain = UserFactory()
    team = TeamFactory(captain=captain)
    enter = {"competition": competition, "team": team, "typed_name": "Ada", "now": NOW}
    with pytest.raises(NotCaptain):
        entry.enter(actor=UserFactory(), **enter)
    assert not TermsAcceptance.objects.exists()
    assert not AuditEvent.objects.exists()
    assert entry.enter(actor=captain, **enter).team == team
    assert TermsAcceptance.objects.get().user == captain


def refused_registration(refusal, user, competition, team) -> None:
    before = (Entrant.objects.count(), EntrantMember.objects.count())
    with pytest.raises(refusal):
        register(user, competition, team)
    assert (Entrant.objects.count(), EntrantMember.objects.count()) == before


def test_registration_refuses_who_may_not_enter(competition) -> None:
    captain, member = UserFactory(), UserFactory()
    team = TeamFactory(captain=captain, people=[member])
    refused_registration(TermsNotAccepted, captain, competition, team)
    accept(captain, competition)
    accept(member, competition)
    refused_registration(NotCaptain, member, competition, team)
    captain.email_verified_at = None
    refused_registration(NotVerified, captain, competition, team)


@pytest.mark.parametrize("state", [CompetitionState.DRAFT, CompetitionState.ARCHIVED])
def test_only_a_published_competition_takes_registrations(competition, state) -> None:
    captain = UserFactory()
    accept(captain, competition)
    competition.state = state
    refused_registration(RegistrationClosed, captain, competition, TeamFactory(captain=captain))


def test_registration_ends_with_the_last_phase(competition) -> None:
    captain = UserFactory()
    accept(captain, competition)
    late = NOW + timedelta(days=10)
    with pytest.raises(RegistrationClosed):
        entry.register(
            actor=captain, competition=competition, team=TeamFactory(captain=captain), now=late
        )


def test_a_team_and_a_person_enter_once(competition) -> None:
    entrant, captain = entered(competition, [UserFactory(name="Ben")])
    accept(captain, competition)
    refused_registration(AlreadyEntered, captain, competition, entrant.team)
    ben = entrant.members.get(role="member").user
    other = UserFactory()
    accept(other, competition)
    team = TeamFactory(captain=other, people=[ben])
    with pytest.raises(AlreadyEntered, match="Ben"):
        register(other, competition, team)
    assert Entrant.objects.count() == 1


@pytest.mark.parametrize("role", [Role.ORGANIZER, Role.AUDITOR])
def test_an_overseer_is_in_no_official_entrant(competition, role) -> None:
    overseer, captain = UserFactory(), UserFactory()
    RoleGrantFactory(competition=competition, user=overseer, role=role)
    accept(captain, competition)
    team = TeamFactory(captain=captain, people=[overseer])
    refused_registration(ConflictOfInterest, captain, competition, team)
    entrant = EntrantFactory(competition=competition, team=team, kind=EntrantKind.BASELINE)
    EntrantMemberFactory(entrant=entrant, user=overseer)
    with pytest.raises(ConflictOfInterest):
        entry.set_kind(actor=None, entrant=entrant, kind=EntrantKind.OFFICIAL, reason="x", now=NOW)
    entrant.refresh_from_db()
    assert entrant.kind == "baseline"


def test_a_withdrawn_team_comes_back_as_the_same_entrant(competition) -> None:
    entrant, captain = entered(competition)
    accept(captain, competition)
    entry.withdraw(actor=captain, entrant=entrant, now=NOW)
    assert members(entrant) == set()
    back = register(captain, competition, entrant.team)
    assert (back.pk, back.state) == (entrant.pk, "accepted")
    assert members(back) == {captain}


def test_people_of_a_charged_entrant_stay_bound_when_it_withdraws(competition) -> None:
    entrant, captain = entered(competition)
    entry.note_charge(entrant_id=entrant.pk, now=NOW)
    entry.withdraw(actor=captain, entrant=entrant, now=NOW)
    assert members(entrant) == {captain}


@pytest.mark.parametrize("state", [EntrantState.REFUSED, EntrantState.DISQUALIFIED])
def test_a_refused_or_disqualified_team_does_not_come_back_by_itself(competition, state) -> None:
    entrant, captain = entered(competition)
    Entrant.objects.update(state=state, reason="Copied a system")
    accept(captain, competition)
    refused_registration(EntrantOut, captain, competition, entrant.team)


def test_disqualification_needs_an_organizer_and_a_reason(competition, organizer) -> None:
    entrant, captain = entered(competition)
    with pytest.raises(NotOrganizer):
        entry.disqualify(actor=captain, entrant=entrant, reason="x", now=NOW)
    for reason in ("", "  ", "\n"):
        with pytest.raises(ReasonMissing):
            entry.disqualify(actor=organizer, entrant=entrant, reason=reason, now=NOW)
    assert not EntrantChange.objects.exists()
    out = entry.disqualify(actor=organizer, entrant=entrant, reason="Copied a system", now=NOW)
    assert (out.state, out.reason) == ("disqualified", "Copied a system")
    event = AuditEvent.objects.get()
    assert (event.kind, event.target) == ("entrant.state-changed", f"entrant:{entrant.code}")
    assert "Copied" not in event.payload
    assert audit.keyed_hash("Copied a system") in event.payload
    back = entry.reinstate(actor=organizer, entrant=entrant, reason="Appeal", now=NOW)
    assert back.state == "accepted"


ACTS = {
    EntrantState.ACCEPTED: lambda e: entry.decide_entrant(
        actor=None, entrant=e, accept=True, now=NOW
    ),
    EntrantState.REFUSED: lambda e: entry.decide_entrant(
        actor=None, entrant=e, accept=False, now=NOW
    ),
    EntrantState.DISQUALIFIED: lambda e: entry.disqualify(
        actor=None, entrant=e, reason="x", now=NOW
    ),
}


@pytest.mark.parametrize(("old", "new"), list(product(EntrantState, ACTS)))
def test_states_move_as_the_table_says(competition, old, new) -> None:
    entrant = EntrantFactory(competition=competition, state=old, reason="x")
    decided = {EntrantState.WITHDRAWN, EntrantState.DISQUALIFIED}
    if new in ENTRANT_TRANSITIONS[old] and old not in decided:
        assert ACTS[new](entrant).state == new
    else:
        with pytest.raises(WrongState):
            ACTS[new](entrant)
        entrant.refresh_from_db()
        assert entrant.state == old
        assert not EntrantChange.objects.exists()


def test_a_kind_changes_with_a_reason_and_a_history(competition, organizer) -> None:
    entrant, captain = entered(competition)
    change = {"entrant": entrant, "kind": EntrantKind.UNOFFICIAL, "now": NOW}
    with pytest.raises(NotOrganizer):
        entry.set_kind(actor=captain, reason="x", **change)
    with pytest.raises(ReasonMissing):
        entry.set_kind(actor=organizer, reason="", **change)
    entry.set_kind(actor=organizer, reason="No description", **change)
    entry.set_kind(actor=organizer, reason="Again", **change)
    row = EntrantChange.objects.get()
    assert (row.field, row.old, row.new, row.reason) == (
        "kind",
        "official",
        "unofficial",
        "No description",
    )


def test_withdrawing_is_for_captains_and_organizers(competition, organizer) -> None:
    entrant, _captain = entered(competition, [UserFactory()])
    member = entrant.members.get(role="member").user
    for person in (member, UserFactory()):
        with pytest.raises(NotCaptain):
            entry.withdraw(actor=person, entrant=entrant, now=NOW)
    assert entry.withdraw(actor=organizer, entrant=entrant, reason="Asked by mail", now=NOW).state
    with pytest.raises(WrongState):
        entry.withdraw(actor=organizer, entrant=entrant, now=NOW)


def test_a_member_of_the_team_joins_by_a_captain_or_by_themselves(competition) -> None:
    entrant, captain = entered(competition)
    ben, eve = UserFactory(), UserFactory()
    for person in (ben, eve):
        MembershipFactory(team=entrant.team, user=person)
    entry.add_member(actor=captain, entrant=entrant, user=ben, now=NOW)
    entry.add_member(actor=eve, entrant=entrant, user=eve, now=NOW)
    assert members(entrant) == {captain, ben, eve}
    with pytest.raises(AlreadyEntered):
        entry.add_member(actor=captain, entrant=entrant, user=ben, now=NOW)


def test_joining_is_refused_to_outsiders_overseers_and_for_dead_entries(competition) -> None:
    entrant, captain = entered(competition)
    outsider, overseer = UserFactory(), UserFactory()
    RoleGrantFactory(competition=competition, user=overseer, role=Role.AUDITOR)
    MembershipFactory(team=entrant.team, user=overseer)
    with pytest.raises(NotCaptain):
        entry.add_member(actor=outsider, entrant=entrant, user=overseer, now=NOW)
    with pytest.raises(NotInTeam):
        entry.add_member(actor=outsider, entrant=entrant, user=outsider, now=NOW)
    with pytest.raises(ConflictOfInterest):
        entry.add_member(actor=captain, entrant=entrant, user=overseer, now=NOW)
    with pytest.raises(NotVerified):
        entry.add_member(actor=captain, entrant=entrant, user=UnverifiedUserFactory(), now=NOW)
    Entrant.objects.update(state=EntrantState.WITHDRAWN)
    late = MembershipFactory(team=entrant.team).user
    with pytest.raises(EntrantOut):
        entry.add_member(actor=captain, entrant=entrant, user=late, now=NOW)
    assert members(entrant) == {captain}


def test_before_the_first_charge_people_come_and_go(competition) -> None:
    entrant, captain = entered(competition, [UserFactory(), UserFactory()])
    ben, eve = (place.user for place in entrant.members.filter(role="member"))
    with pytest.raises(NotCaptain):
        entry.remove_member(actor=ben, entrant=entrant, user=eve, now=NOW)
    entry.leave(actor=ben, entrant=entrant, now=NOW)
    entry.remove_member(actor=captain, entrant=entrant, user=eve, now=NOW)
    assert members(entrant) == {captain}
    with pytest.raises(NotAMember):
        entry.leave(actor=ben, entrant=entrant, now=NOW)
    entry.leave(actor=captain, entrant=entrant, now=NOW)
    assert members(entrant) == set()


def test_after_the_first_charge_only_an_organizer_takes_people_out(competition, organizer) -> None:
    entrant, captain = entered(competition, [UserFactory()])
    ben = entrant.members.get(role="member").user
    entry.note_charge(entrant_id=entrant.pk, now=NOW)
    entry.note_charge(entrant_id=entrant.pk, now=NOW + timedelta(days=1))
    entrant.refresh_from_db()
    assert entrant.charged_at == NOW
    with pytest.raises(MembersFixed):
        entry.leave(actor=ben, entrant=entrant, now=NOW)
    with pytest.raises(MembersFixed):
        entry.remove_member(actor=captain, entrant=entrant, user=ben, now=NOW)
    with pytest.raises(ReasonMissing):
        entry.remove_member(actor=organizer, entrant=entrant, user=ben, now=NOW)
    assert members(entrant) == {captain, ben}
    entry.remove_member(actor=organizer, entrant=entrant, user=ben, reason="Left", now=NOW)
    assert members(entrant) == {captain}


def test_an_entrant_keeps_a_captain(competition) -> None:
    entrant, captain = entered(competition, [UserFactory()])
    ben = entrant.members.get(role="member").user
    given = {"entrant": entrant, "now": NOW}
    with pytest.raises(LastCaptain):
        entry.leave(actor=captain, **given)
    with pytest.raises(LastCaptain):
        entry.set_member_role(actor=captain, user=captain, role=MemberRole.MEMBER, **given)
    with pytest.raises(NotCaptain):
        entry.set_member_role(actor=ben, user=ben, role=MemberRole.CAPTAIN, **given)
    entry.set_member_role(actor=captain, user=ben, role=MemberRole.CAPTAIN, **given)
    entry.leave(actor=captain, **given)
    assert members(entrant) == {ben}


def test_a_competition_without_terms_takes_nobody() -> None:
    competition = CompetitionFactory()
    competition.terms_version = "none"
    with pytest.raises(RegistrationClosed):
        accept(UserFactory(), competition)
