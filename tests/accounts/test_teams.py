from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail

from accounts.enums import TeamRole
from accounts.models import AuditEvent, Team, TeamInvitation, TeamMembership
from accounts.services import invitations, teams
from accounts.services.errors import (
    AlreadyInTeam,
    EmailInvalid,
    InvitationElsewhere,
    InvitationInvalid,
    LastCaptain,
    NameInvalid,
    NameTaken,
    NotCaptain,
    NotInTeam,
    NotVerified,
    TooManyOpen,
)
from tests.factories.accounts import (
    InvitationFactory,
    MembershipFactory,
    TeamFactory,
    UnverifiedUserFactory,
    UserFactory,
)

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


def create(actor, name="Team Alder", affiliation="") -> Team:
    return teams.create_team(actor=actor, name=name, affiliation=affiliation, now=NOW)


def invite(captain, team, email) -> str:
    return teams.invite(actor=captain, team=team, email=email, now=NOW)[1]


def active(team) -> dict[str, str]:
    places = team.memberships.filter(left_at__isnull=True)
    return dict(places.values_list("user__name", "role"))


def test_whoever_makes_a_team_is_its_captain() -> None:
    user = UserFactory(name="Ada")
    team = create(user, " Team  Alder ", 'Uni "A",\nDept')
    assert (team.name, team.affiliation) == ("Team Alder", 'Uni "A", Dept')
    assert active(team) == {"Ada": TeamRole.CAPTAIN}
    assert AuditEvent.objects.get().kind == "team.created"
    assert "Alder" not in AuditEvent.objects.get().payload


def test_a_team_needs_a_verified_address() -> None:
    with pytest.raises(NotVerified):
        create(UnverifiedUserFactory())
    assert not Team.objects.exists()


@pytest.mark.parametrize("name", ["team alder", "Теаm Аldеr", "TeamAlder", "Team A1der"])
def test_a_name_that_looks_like_another_teams_is_taken(name: str) -> None:
    create(UserFactory())
    with pytest.raises(NameTaken) as caught:
        create(UserFactory(), name)
    assert caught.value.params["field"] == "name"
    assert Team.objects.count() == 1


@pytest.mark.parametrize("name", ["Team\x00A", "\u202eAmaeT", "Team\u200bA", "", "x" * 81])
def test_a_bad_name_is_refused(name: str) -> None:
    with pytest.raises(NameInvalid):
        create(UserFactory(), name)
    assert not Team.objects.exists()


def test_a_captain_renames_also_to_another_spelling_of_the_same_name() -> None:
    captain = UserFactory()
    team = create(captain)
    renamed = teams.rename_team(
        actor=captain, team=team, name="TEAM ALDER", affiliation="X", now=NOW
    )
    assert (renamed.name, renamed.affiliation) == ("TEAM ALDER", "X")
    create(UserFactory(), "Team Birch")
    with pytest.raises(NameTaken):
        teams.rename_team(actor=captain, team=team, name="Team Birch", affiliation="", now=NOW)
    team.refresh_from_db()
    assert team.name == "TEAM ALDER"


def test_only_captains_rename_invite_remove_and_give_roles() -> None:
    captain, member = UserFactory(), UserFactory()
    team = TeamFactory(captain=captain, people=[member])
    invitation = InvitationFactory(team=team, invited_by=captain)
    given = {"actor": member, "team": team, "now": NOW}
    acts = [
        lambda: teams.rename_team(name="Other", affiliation="", **given),
        lambda: teams.invite(email="guest@example.org", **given),
        lambda: teams.remove_member(user=captain, **given),
        lambda: teams.set_role(user=member, role=TeamRole.CAPTAIN, **given),
        lambda: teams.revoke_invitation(actor=member, invitation=invitation, now=NOW),
    ]
    for act in acts:
        with pytest.raises(NotCaptain):
            act()
    assert not AuditEvent.objects.exists()


def test_twenty_teams_are_enough() -> None:
    user = UserFactory()
    for _ in range(teams.TEAMS_LIMIT):
        MembershipFactory(user=user)
    with pytest.raises(TooManyOpen):
        create(user)


def test_an_invited_person_joins_by_the_mailed_link(django_capture_on_commit_callbacks) -> None:
    captain, guest = UserFactory(name="Ada"), UserFactory(name="Ben", email="ben@example.org")
    team = TeamFactory(captain=captain)
    with django_capture_on_commit_callbacks(execute=True):
        secret = invite(captain, team, "Ben@Example.org")
    assert secret in mail.outbox[0].body
    assert secret not in str(TeamInvitation.objects.values().get())
    assert teams.find_invitation(secret=secret, now=NOW).team == team
    place = teams.accept_invitation(actor=guest, secret=secret, now=NOW)
    assert place.team == team
    assert active(team) == {"Ada": "captain", "Ben": "member"}
    with pytest.raises(InvitationInvalid):
        teams.accept_invitation(actor=guest, secret=secret, now=NOW)


def test_an_invitation_serves_only_its_address_and_only_once_verified() -> None:
    captain = UserFactory()
    team = TeamFactory(captain=captain)
    secret = invite(captain, team, "ben@example.org")
    with pytest.raises(InvitationElsewhere):
        teams.accept_invitation(actor=UserFactory(), secret=secret, now=NOW)
    guest = UnverifiedUserFactory(email="ben@example.org")
    with pytest.raises(NotVerified):
        teams.accept_invitation(actor=guest, secret=secret, now=NOW)
    assert len(active(team)) == 1


def test_an_expired_revoked_or_unknown_invitation_is_refused() -> None:
    captain, guest = UserFactory(), UserFactory(email="ben@example.org")
    team = TeamFactory(captain=captain)
    invitation, secret = teams.invite(actor=captain, team=team, email=guest.email, now=NOW)
    for moment, text in [(NOW + invitations.LIFETIME, secret), (NOW, "x"), (NOW, "\ud800\x00")]:
        with pytest.raises(InvitationInvalid):
            teams.accept_invitation(actor=guest, secret=text, now=moment)
    teams.revoke_invitation(actor=captain, invitation=invitation, now=NOW)
    teams.revoke_invitation(actor=captain, invitation=invitation, now=NOW + timedelta(hours=1))
    with pytest.raises(InvitationInvalid):
        teams.accept_invitation(actor=guest, secret=secret, now=NOW)
    assert AuditEvent.objects.filter(kind="invitation.revoked").count() == 1


def test_a_second_invitation_replaces_the_first() -> None:
    captain, guest = UserFactory(), UserFactory(email="ben@example.org")
    team = TeamFactory(captain=captain)
    first, second = invite(captain, team, guest.email), invite(captain, team, guest.email)
    with pytest.raises(InvitationInvalid):
        teams.accept_invitation(actor=guest, secret=first, now=NOW)
    teams.accept_invitation(actor=guest, secret=second, now=NOW)


def test_a_member_is_not_invited_again_and_addresses_are_checked() -> None:
    captain = UserFactory()
    team = TeamFactory(captain=captain)
    with pytest.raises(AlreadyInTeam):
        invite(captain, team, captain.email)
    with pytest.raises(EmailInvalid):
        invite(captain, team, "nobody")
    assert not TeamInvitation.objects.exists()


def test_a_person_who_joined_meanwhile_is_in_once() -> None:
    captain, guest = UserFactory(), UserFactory(email="ben@example.org")
    team = TeamFactory(captain=captain)
    secret = invite(captain, team, guest.email)
    MembershipFactory(team=team, user=guest)
    with pytest.raises(AlreadyInTeam):
        teams.accept_invitation(actor=guest, secret=secret, now=NOW)


def test_thirty_open_invitations_are_enough() -> None:
    captain = UserFactory()
    team = TeamFactory(captain=captain)
    for _ in range(invitations.OPEN_LIMIT):
        InvitationFactory(team=team, invited_by=captain)
    with pytest.raises(TooManyOpen):
        invite(captain, team, "ben@example.org")


def test_the_last_captain_stays_while_others_do() -> None:
    captain, member = UserFactory(), UserFactory()
    team = TeamFactory(captain=captain, people=[member])
    with pytest.raises(LastCaptain):
        teams.leave_team(actor=captain, team=team, now=NOW)
    with pytest.raises(LastCaptain):
        teams.set_role(actor=captain, team=team, user=captain, role=TeamRole.MEMBER, now=NOW)
    teams.set_role(actor=captain, team=team, user=member, role=TeamRole.CAPTAIN, now=NOW)
    teams.leave_team(actor=captain, team=team, now=NOW)
    assert active(team) == {member.name: "captain"}
    teams.leave_team(actor=member, team=team, now=NOW)
    assert active(team) == {}
    assert TeamMembership.objects.filter(team=team, left_at=NOW).count() == 2


def test_a_removed_member_may_come_back() -> None:
    captain, member = UserFactory(), UserFactory()
    team = TeamFactory(captain=captain, people=[member])
    teams.remove_member(actor=captain, team=team, user=member, now=NOW)
    with pytest.raises(NotInTeam):
        teams.remove_member(actor=captain, team=team, user=member, now=NOW)
    secret = invite(captain, team, member.email)
    teams.accept_invitation(actor=member, secret=secret, now=NOW)
    assert member.name in active(team)
