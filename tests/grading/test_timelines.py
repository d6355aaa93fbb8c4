"""Timelines of entrants and people: everything that concerns them, nothing of others, no address."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.services import audit
from competition.enums import EntrantKind, Role
from competition.services import entry, merging, packs
from grading.services import copies, draws, timelines
from tests.factories.accounts import UserFactory, seen_together
from tests.factories.competition import RoleGrantFactory
from tests.factories.datasets import DatasetClipFactory, DatasetVersionFactory
from tests.factories.grading import NOW, Arena, join, make_arena, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def arena() -> Arena:
    made = make_arena()
    pack = packs.make(
        actor=None,
        competition=made.competition,
        name="dev",
        content=packs.Content(texts={"README.txt": b"Clips.\n"}),
        terms=packs.Terms(approve=False),
        now=NOW,
    )
    packs.offer(actor=None, pack=pack, now=NOW)
    return made


def copy(arena: Arena, person):
    pack = arena.competition.packs.get()
    return copies.request(actor=person, pack=pack, typed_name="A Name", now=NOW)


def kinds(events) -> list[str]:
    return [event.kind for event in events]


def test_an_entrants_timeline_is_its_own_newest_first(arena):
    organizer = RoleGrantFactory(competition=arena.competition).user
    rival, captain = arena.enter("Team Beech")
    submission = submit(arena, arena.flawed(2))
    issue = copy(arena, arena.captain)
    copy(arena, captain)
    for entrant, reason in ((arena.entrant, "They asked."), (rival, "Other reason.")):
        entry.set_kind(
            actor=organizer, entrant=entrant, kind=EntrantKind.UNOFFICIAL, reason=reason, now=NOW
        )
    found = list(timelines.of_entrant(arena.entrant))
    assert [event.number for event in found] == sorted(
        (event.number for event in found), reverse=True
    )
    assert {event.target for event in found} == {
        f"submission:{submission.code}",
        f"issue:{issue.code}",
        f"entrant:{arena.entrant.code}",
    }
    assert {"submission.received", "issue.issued", "entrant.kind-changed"} <= set(kinds(found))
    only = timelines.narrowed(timelines.of_entrant(arena.entrant), "copies")
    assert set(kinds(only)) == {"issue.requested", "issue.issued"}


def test_a_persons_timeline_is_what_they_did_and_what_was_done_about_them(arena):
    organizer = RoleGrantFactory(competition=arena.competition).user
    mate = UserFactory()
    join(arena.entrant, mate)
    arena.entrant.members.filter(user=arena.captain).update(role="captain")
    issue = copy(arena, mate)
    copies.revoke(actor=organizer, issue=issue, reason="Passed on.", now=NOW)
    copy(arena, arena.captain)
    entry.remove_member(
        actor=organizer, entrant=arena.entrant, user=mate, reason="They left.", now=NOW
    )
    found = list(timelines.of_person(arena.competition, mate))
    assert kinds(found) == [
        "entrant.member-removed",
        "issue.revoked",
        "issue.issued",
        "issue.requested",
    ]
    assert mate.code in {event.actor for event in found}


def test_pages_for_auditors_show_reasons_and_draws_and_no_address(arena, client):
    auditor = RoleGrantFactory(competition=arena.competition, role=Role.AUDITOR).user
    organizer = RoleGrantFactory(competition=arena.competition).user
    version = DatasetVersionFactory(dataset__competition=arena.competition)
    for _ in range(3):
        DatasetClipFactory(version=version)
    plan = draws.Plan(n=2, opens_at=NOW, closes_at=NOW + timedelta(days=1))
    window = draws.commit(actor=None, version=version, plan=plan, now=NOW)
    draws.expose(draw=draws.draw(window=window, now=NOW), entrant=arena.entrant, now=NOW)
    entry.disqualify(actor=organizer, entrant=arena.entrant, reason="Two teams.", now=NOW)
    seen_together(arena.captain, now=NOW)
    client.force_login(auditor)
    slug = arena.competition.slug
    of_team = client.get(reverse("grading:entrant-timeline", args=[slug, arena.entrant.code]))
    text = of_team.content.decode()
    assert "Two teams." in text
    assert window.code in text
    assert "standing changed" in text
    of_person = client.get(reverse("grading:person-timeline", args=[slug, arena.captain.code]))
    assert window.code in of_person.content.decode()
    later = NOW + timedelta(hours=1)
    arena.entrant.members.filter(user=arena.captain).update(joined_at=later)
    late = client.get(reverse("grading:person-timeline", args=[slug, arena.captain.code]))
    assert window.code not in late.content.decode()
    people = client.get(reverse("grading:console-people", args=[slug]), {"q": arena.captain.name})
    for page in (of_team, of_person, people):
        main = page.content.decode().split("<main")[1]
        assert page.status_code == 200
        assert arena.captain.email not in main
        assert "203.0.113.9" not in main
    assert arena.captain.name in people.content.decode()
    stranger = reverse("grading:person-timeline", args=[slug, UserFactory().code])
    assert client.get(stranger).status_code == 404
    client.force_login(arena.captain)
    assert client.get(reverse("grading:console-people", args=[slug])).status_code == 403


def test_what_a_team_that_went_in_was_given_stands_on_its_heirs_timeline(arena, client):
    gone, _captain = arena.enter("Team Gone")
    version = DatasetVersionFactory(dataset__competition=arena.competition)
    DatasetClipFactory(version=version)
    plan = draws.Plan(n=1, opens_at=NOW, closes_at=NOW + timedelta(days=1))
    window = draws.commit(actor=None, version=version, plan=plan, now=NOW)
    draws.expose(draw=draws.draw(window=window, now=NOW), entrant=gone, now=NOW)
    client.force_login(RoleGrantFactory(competition=arena.competition, role=Role.AUDITOR).user)
    address = reverse("grading:entrant-timeline", args=[arena.competition.slug, arena.entrant.code])
    assert window.code not in client.get(address).content.decode()
    merging.merge(
        actor=None, kept=arena.entrant, merged=gone, reason="One lab.", figures={}, now=NOW
    )
    assert window.code in client.get(address).content.decode()


def test_a_timeline_costs_as_many_statements_for_a_hundred_events_as_for_one(
    arena, client, django_assert_max_num_queries
):
    organizer = RoleGrantFactory(competition=arena.competition).user
    scope = arena.competition.audit_scope
    for number in range(100):
        audit.record(
            kind="entrant.kind-changed",
            actor=organizer,
            target=f"entrant:{arena.entrant.code}",
            payload={"n": number},
            now=NOW,
            scope=scope,
        )
    client.force_login(organizer)
    page = reverse("grading:entrant-timeline", args=[arena.competition.slug, arena.entrant.code])
    with django_assert_max_num_queries(25):
        assert client.get(page).context["page"].paginator.count == 100
    assert AuditEvent.objects.filter(chain__scope=scope).count() >= 100


def test_the_filtered_log_is_exported_as_json(arena, client):
    client.force_login(RoleGrantFactory(competition=arena.competition).user)
    copy(arena, arena.captain)
    page = reverse("grading:log-json", args=[arena.competition.slug])
    body = client.get(page, {"kind": "issue.", "actor": arena.captain.code}).json()
    assert [event["kind"] for event in body["events"]] == ["issue.requested"]
    assert (body["count"], body["head"]) == audit.head(arena.competition.audit_scope)
