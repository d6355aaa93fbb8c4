"""The log's page: filters, the verdict, and an export that anybody can verify."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts import triggers
from accounts.chain import GENESIS, link_hash
from accounts.models import AuditEvent, User
from accounts.services import audit
from competition.enums import Role
from competition.models import Competition
from tests.factories.accounts import UserFactory
from tests.factories.competition import NOW, CompetitionFactory, RoleGrantFactory
from tests.site.markup import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def competition() -> Competition:
    made: Competition = CompetitionFactory()
    return made


@pytest.fixture
def auditor(competition: Competition) -> Client:
    client = Client()
    client.force_login(RoleGrantFactory(competition=competition, role=Role.AUDITOR).user)
    return client


def record(competition: Competition, number: int, actor: User | None = None) -> None:
    audit.record(
        scope=competition.audit_scope,
        kind=("thing.done", "thing.undone", "other.done")[number % 3],
        actor=actor,
        target=f"thing:t{number}",
        payload={"=cmd": number},
        now=NOW,
    )


def at(name: str, competition: Competition) -> str:
    return reverse(f"grading:{name}", args=[competition.slug])


def words(client: Client, competition: Competition, **query: str) -> str:
    response = client.get(at("console-log", competition), query)
    assert response.status_code == 200
    return str(read(response.content.decode()).text)


def test_events_are_found_by_kind_person_object_and_day(
    competition: Competition, auditor: Client
) -> None:
    ada = UserFactory(name="Ada L.")
    for number in range(6):
        record(competition, number, ada if number == 4 else None)
    assert "t5" in words(auditor, competition)
    only = words(auditor, competition, actor=ada.code)
    assert "Ada L." in only
    assert ada.email not in only
    assert "t5" not in only
    assert "t3" not in words(auditor, competition, target="t4")
    assert "t2" not in words(auditor, competition, kind="thing.")
    assert "No event fits" in words(auditor, competition, since="2027-01-01")
    assert "t5" in words(auditor, competition, until="2026-12-01")
    assert "t5" in words(auditor, competition, since="no day", until="2026-99-99")


def test_the_chain_is_verified_on_the_page(competition: Competition, auditor: Client) -> None:
    for number in range(3):
        record(competition, number)
    verify = at("log-verify", competition)
    assert "3 events hold" in read(auditor.post(verify).content.decode()).text
    connection.check_constraints()  # PostgreSQL alters no table while checks wait for the commit
    triggers.drop()
    AuditEvent.objects.filter(number=2, kind__contains="done").update(target="thing:forged")
    connection.check_constraints()
    triggers.install()
    text = read(auditor.post(verify).content.decode()).text
    assert "broken at event 2" in text


def test_the_export_is_verified_by_a_stranger(competition: Competition, auditor: Client) -> None:
    for number in range(5):
        record(competition, number)
    response = auditor.get(at("log-export", competition))
    previous = GENESIS
    for number, line in enumerate(b"".join(response).splitlines(), 1):
        event = json.loads(line)
        stored = event.pop("hash")
        assert (event["number"], event["previous"]) == (number, previous)
        assert link_hash(event) == stored
        previous = stored
    assert (number, previous) == audit.head(competition.audit_scope)


def test_csv_is_for_spreadsheets_and_others_see_nothing(
    competition: Competition, auditor: Client
) -> None:
    record(competition, 1)
    text = auditor.get(at("log-csv", competition), {"kind": "thing"}).content.decode()
    assert "thing.undone" in text
    outsider = Client()
    outsider.force_login(UserFactory())
    for name in ("console-log", "log-csv", "log-export"):
        assert outsider.get(at(name, competition)).status_code == 403
        assert Client().get(at(name, competition)).status_code == 302


def test_another_competitions_events_stay_there(competition: Competition, auditor: Client) -> None:
    other = CompetitionFactory()
    record(other, 1)
    assert "No event fits" in words(auditor, competition)


def test_one_event_and_a_whole_name_are_found_and_turned_days_are_remarked(
    competition: Competition, auditor: Client
) -> None:
    person = RoleGrantFactory(competition=competition).user
    for number in range(4):
        record(competition, number, person if number == 1 else None)
    first = AuditEvent.objects.filter(chain__scope=competition.audit_scope).order_by("number")[0]
    found = words(auditor, competition, number=str(first.number))
    assert first.target in found
    assert "thing:t2" not in found
    assert "No event fits." in words(auditor, competition, number="x")
    named = words(auditor, competition, actor=person.name.upper())
    assert "thing:t1" in named
    assert "thing:t2" not in named
    turned = words(auditor, competition, since="2026-12-02", until="2026-12-01")
    assert "later than the last" in turned
    assert "verify_audit --export" in words(auditor, competition)
