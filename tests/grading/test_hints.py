"""Hints about accounts of different teams: what is shared, what a crowd shares, and what is judged."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.urls import reverse

from accounts.models import AuditEvent, AuditPrivate, Team, User
from accounts.services import audit
from competition.enums import LinkVerdict, Role
from competition.models import LinkJudgement
from competition.services.errors import NotOrganizer, ReasonMissing
from grading.services import hints
from tests.factories.accounts import UserFactory, seen_together
from tests.factories.competition import RoleGrantFactory
from tests.factories.grading import NOW, Arena, join, make_arena

pytestmark = pytest.mark.django_db


@pytest.fixture
def arena() -> Arena:
    made = make_arena()
    User.objects.update(email="alone@mine.example.net")
    Team.objects.update(affiliation="")
    return made


def enter(arena: Arena, name: str, email: str = "") -> User:
    entrant, captain = arena.enter(name)
    Team.objects.filter(pk=entrant.team_id).update(affiliation="")
    User.objects.filter(pk=captain.pk).update(email=email or f"{captain.code}@{captain.code}.org")
    return captain


def kinds(arena: Arena) -> dict[frozenset[str], list[str]]:
    found = hints.find(arena.competition)
    return {
        frozenset((pair.one.user.code, pair.other.user.code)): pair.kinds for pair in found.pairs
    }


def test_what_people_of_different_teams_share_is_a_hint_the_strongest_first(arena):
    other = enter(arena, "Team Beech", "b@lab.example.edu")
    third = enter(arena, "Team Cedar", "c@lab.example.edu")
    free = [enter(arena, f"Team {n}", f"{n}@gmail.com") for n in range(2)]
    Team.objects.filter(name__in=["Team 0", "Team Beech"]).update(affiliation="Example  University")
    seen_together(arena.captain, other, now=NOW)
    with audit.origin(address="203.0.113.9", user_agent="Another browser"):
        audit.record(kind="x.y", actor=third, target="", payload={}, now=NOW)
    mate = UserFactory(email="d@lab.example.edu")
    join(third.entries.get().entrant, mate)
    seen_together(third, mate, now=NOW, address="198.51.100.1")
    pair = lambda *people: frozenset(person.code for person in people)  # noqa: E731
    assert kinds(arena) == {
        pair(arena.captain, other): ["device", "address"],
        pair(arena.captain, third): ["address"],
        pair(other, third): ["address", "domain"],
        pair(other, mate): ["domain"],
        pair(other, free[0]): ["institution"],
    }
    found = hints.find(arena.competition)
    assert "device" in found.pairs[0].kinds
    shown = str([pair.hints for pair in found.pairs])
    assert "203.0.113.9" not in shown
    assert "example.edu" not in shown


def test_what_a_crowd_shares_is_left_out_and_said_to_be(arena):
    crowd = [
        enter(arena, f"Team {number}") for number in range(hints.CROWD[hints.HintKind.ADDRESS])
    ]
    seen_together(arena.captain, *crowd, now=NOW)
    found = hints.find(arena.competition)
    assert found.pairs == []
    assert {(one.kind.value, one.count) for one in found.crowded} == {("address", 1), ("device", 1)}


def test_what_was_erased_is_no_hint(arena):
    other = enter(arena, "Team Beech")
    seen_together(arena.captain, other, now=NOW)
    assert len(kinds(arena)) == 1
    rows = AuditPrivate.objects.filter(event__actor=other.code).values_list("pk", flat=True)
    AuditPrivate.objects.filter(pk__in=list(rows)).update(address="", user_agent="")
    assert kinds(arena) == {}


def test_a_judgement_is_recorded_with_its_reason_and_stays(arena):
    organizer = RoleGrantFactory(competition=arena.competition).user
    other = enter(arena, "Team Beech")
    seen_together(arena.captain, other, now=NOW)
    (pair,) = hints.find(arena.competition).pairs
    given = {"competition": arena.competition, "pair": pair, "now": NOW}
    with pytest.raises(NotOrganizer):
        hints.judge(actor=other, verdict=LinkVerdict.LINKED, reason="r", **given)
    with pytest.raises(ReasonMissing):
        hints.judge(actor=organizer, verdict=LinkVerdict.LINKED, reason=" ", **given)
    for verdict in (LinkVerdict.DISMISSED, LinkVerdict.LINKED):
        hints.judge(actor=organizer, verdict=verdict, reason=f"{verdict}.", **given)
    (again,) = hints.find(arena.competition).pairs
    assert again.judgement is not None
    assert (again.judgement.verdict, again.judgement.hints) == ("linked", ["device", "address"])
    events = AuditEvent.objects.filter(kind="link.linked")
    assert set(events.values_list("target", flat=True)) == {
        f"person:{arena.captain.code}",
        f"person:{other.code}",
    }
    with pytest.raises(DatabaseError), transaction.atomic():
        LinkJudgement.objects.update(verdict="dismissed")
    with pytest.raises(DatabaseError), transaction.atomic():
        LinkJudgement.objects.all().delete()
    call_command("verify_audit")


def test_auditors_look_and_entrants_never_know(arena, client):
    other = enter(arena, "Team Beech")
    seen_together(arena.captain, other, now=NOW)
    auditor = RoleGrantFactory(competition=arena.competition, role=Role.AUDITOR).user
    listed = reverse("grading:console-links", args=[arena.competition.slug])
    judged = reverse(
        "grading:link-judge", args=[arena.competition.slug, other.code, arena.captain.code]
    )
    client.force_login(auditor)
    page = client.get(listed).content.decode()
    assert other.name in page
    assert "same device" in page
    assert not {arena.captain.email, other.email, "203.0.113.9"} & set(page.split())
    assert "@" not in page.split("<main")[1].split("</main")[0]
    assert client.get(judged).status_code == 403
    client.force_login(other)
    assert client.get(listed).status_code == 403
    organizer = RoleGrantFactory(competition=arena.competition).user
    client.force_login(organizer)
    given = {"verdict": "dismissed", "reason": "One laboratory."}
    assert client.post(judged, given).status_code == 302
    assert LinkJudgement.objects.get().judged_by == organizer
    assert "One laboratory." in client.get(listed).content.decode()
