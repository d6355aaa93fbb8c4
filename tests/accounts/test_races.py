"""Two at once: real threads on PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.db import connections

from accounts.models import LoginFailure, Team, TeamMembership, User
from accounts.refusals import Refusal
from accounts.services import audit, logins, registration, teams
from competition.enums import Role
from competition.models import EntrantMember, RoleGrant
from competition.services import entry, roles
from tests.factories.accounts import PASSWORD, TeamFactory, UserFactory
from tests.factories.competition import PhaseFactory, TermsAcceptanceFactory

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def at_once(acts: list[Callable[[], object]]) -> list[object]:
    """Run every act in a thread of its own, started together; returns results and refusals."""
    start, results = threading.Barrier(len(acts)), [None] * len(acts)

    def run(index: int) -> None:
        start.wait()
        try:
            results[index] = acts[index]()
        except Refusal as refusal:
            results[index] = refusal.code
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_one_name_goes_to_one_of_eight_teams() -> None:
    people = [UserFactory() for _ in range(8)]
    results = at_once(
        [
            lambda user=user: teams.create_team(
                actor=user, name="Team Alder", affiliation="", now=NOW
            )
            for user in people
        ]
    )
    assert results.count("NAME_TAKEN") == 7
    assert Team.objects.count() == 1
    assert TeamMembership.objects.count() == 1
    assert audit.verify().ok


def test_one_invitation_gives_one_place() -> None:
    captain, guest = UserFactory(), UserFactory(email="ben@example.org")
    team = TeamFactory(captain=captain)
    _, secret = teams.invite(actor=captain, team=team, email=guest.email, now=NOW)
    results = at_once(
        [lambda: teams.accept_invitation(actor=guest, secret=secret, now=NOW) for _ in range(6)]
    )
    assert sum(isinstance(result, TeamMembership) for result in results) == 1
    assert team.memberships.filter(user=guest).count() == 1


def test_two_captains_who_leave_at_once_do_not_orphan_the_team() -> None:
    one, other, member = UserFactory(), UserFactory(), UserFactory()
    team = TeamFactory(captain=one, people=[member])
    team.memberships.create(user=other, role="captain", joined_at=NOW)
    results = at_once(
        [
            lambda user=user: teams.leave_team(actor=user, team=team, now=NOW)
            for user in (one, other)
        ]
    )
    assert sorted(map(str, results)) == ["LAST_CAPTAIN", "None"]
    assert team.memberships.filter(role="captain", left_at__isnull=True).count() == 1


def test_one_address_signs_up_once() -> None:
    results = at_once(
        [
            lambda: registration.sign_up(
                email="ada@example.org", name="Ada", password=PASSWORD, language="en", now=NOW
            )
            for _ in range(6)
        ]
    )
    assert results == [None] * 6
    assert User.objects.count() == 1


def test_one_person_enters_with_one_of_two_teams() -> None:
    competition = PhaseFactory().track.competition
    shared = UserFactory()
    captains = [UserFactory(), UserFactory()]
    squads = [TeamFactory(captain=captain, people=[shared]) for captain in captains]
    for captain in captains:
        TermsAcceptanceFactory(terms=competition.terms.get(), user=captain)
    results = at_once(
        [
            lambda captain=captain, team=team: entry.register(
                actor=captain, competition=competition, team=team, now=NOW
            )
            for captain, team in zip(captains, squads, strict=True)
        ]
    )
    assert results.count("ALREADY_ENTERED") == 1
    assert EntrantMember.objects.filter(user=shared).count() == 1
    assert EntrantMember.objects.count() == 2


def test_one_person_competes_or_oversees() -> None:
    competition = PhaseFactory().track.competition
    person = UserFactory()
    team = TeamFactory(captain=person)
    TermsAcceptanceFactory(terms=competition.terms.get(), user=person)
    results = at_once(
        [
            lambda: entry.register(actor=person, competition=competition, team=team, now=NOW),
            lambda: roles.grant(
                actor=None, competition=competition, user=person, role=Role.AUDITOR, now=NOW
            ),
        ]
    )
    assert results.count("CONFLICT_OF_INTEREST") == 1
    assert EntrantMember.objects.count() + RoleGrant.objects.count() == 1


def test_every_failure_is_counted_and_told_once() -> None:
    at_once(
        [
            lambda: logins.note_failure(typed="ada@example.org", address="192.0.2.1", now=NOW)
            for _ in range(8)
        ]
    )
    assert LoginFailure.objects.get().count == 8
    later = NOW.replace(minute=5)
    counts = at_once([lambda: logins.summarize_failures(now=later) for _ in range(4)])
    assert sorted(counts) == [0, 0, 0, 1]
    assert audit.verify().ok
