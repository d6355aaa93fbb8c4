"""The packs page: what is on offer, what became of one's request, and how to ask."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from competition.enums import EntrantState, IssueState, Role
from competition.models import Entrant, PackIssue
from competition.services import entry, issues, packs
from tests.competition.shelf import SECRET, Shelf, make_shelf
from tests.factories.accounts import UserFactory
from tests.factories.competition import NOW, RoleGrantFactory
from tests.site.markup import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def at(name: str, shelf: Shelf, *args: str) -> str:
    return reverse(f"competition:{name}", args=[shelf.competition.slug, *args])


def logged_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def words(shelf: Shelf, person: User) -> str:
    response = logged_in(person).get(at("pack-list", shelf))
    assert response.status_code == 200
    text = read(response.content.decode()).text
    assert SECRET not in response.content.decode()
    return str(text)


def ask(shelf: Shelf, person: User, **fields: str):
    data = {"typed_name": "Ada L.", "accept": "on", **fields}
    return logged_in(person).post(at("pack-request", shelf, shelf.pack.code), data)


def test_a_member_asks_waits_and_downloads(shelf: Shelf) -> None:
    assert "Ask for a copy" in words(shelf, shelf.member)
    assert ask(shelf, shelf.member).status_code == 302
    assert "you need not ask again" in words(shelf, shelf.member)
    issue = PackIssue.objects.get()
    assert (issue.person, issue.acceptance.typed_name) == (shelf.member, "Ada L.")
    issues.approve(actor=None, issue=issue, now=timezone.now())
    assert "Download" in words(shelf, shelf.member)
    assert "No. 1" not in words(shelf, shelf.captain)


def test_without_the_acceptance_nothing_is_asked_for(shelf: Shelf) -> None:
    response = ask(shelf, shelf.member, accept="")
    assert response.status_code == 200
    assert "Without accepting the terms" in response.content.decode()
    assert not PackIssue.objects.exists()


def test_terms_that_were_accepted_are_shown_and_not_asked_for_again(shelf: Shelf) -> None:
    entry.accept_terms(
        actor=shelf.member, competition=shelf.competition, typed_name="Ada L.", now=timezone.now()
    )
    page = at("pack-request", shelf, shelf.pack.code)
    text = logged_in(shelf.member).get(page).content.decode()
    assert "Ada L." in text
    assert "typed_name" not in text
    assert logged_in(shelf.member).post(page).status_code == 302
    assert PackIssue.objects.get().acceptance.typed_name == "Ada L."


def test_refused_revoked_and_expired_copies_say_so(shelf: Shelf) -> None:
    ask(shelf, shelf.member)
    issue = PackIssue.objects.get()
    issues.refuse(actor=None, issue=issue, reason="not this round", now=timezone.now())
    assert "not this round" in words(shelf, shelf.member)
    ask(shelf, shelf.member)
    issue = PackIssue.objects.get(state=IssueState.REQUESTED)
    issues.approve(actor=None, issue=issue, now=timezone.now())
    with time_machine.travel(timezone.now() + timedelta(days=11), tick=False):
        later = words(shelf, shelf.member)
        assert "expired" in later
    issues.revoke(actor=None, issue=issue, reason="was shared", now=timezone.now())
    assert "was shared" in words(shelf, shelf.member)


def test_a_withdrawn_pack_stays_with_those_who_have_it(shelf: Shelf) -> None:
    ask(shelf, shelf.member)
    issues.approve(actor=None, issue=PackIssue.objects.get(), now=timezone.now())
    packs.withdraw(actor=None, pack=shelf.pack, now=timezone.now())
    assert "Download" in words(shelf, shelf.member)
    assert "No pack is on offer now" in words(shelf, shelf.captain)


def test_who_does_not_take_part_is_told_how(shelf: Shelf) -> None:
    outsider = UserFactory()
    assert "Packs are for teams that take part" in words(shelf, outsider)
    assert ask(shelf, outsider).status_code == 403
    assert Client().get(at("pack-list", shelf)).status_code == 302
    Entrant.objects.filter(pk=shelf.entrant.pk).update(state=EntrantState.PENDING)
    assert ask(shelf, shelf.member).status_code == 403
    response = logged_in(shelf.member).get(at("pack-manifest", shelf, shelf.pack.code))
    assert response.status_code == 403


def test_the_manifest_is_what_the_hash_names(shelf: Shelf) -> None:
    response = logged_in(shelf.member).get(at("pack-manifest", shelf, shelf.pack.code))
    assert packs.sha256(response.content) == shelf.pack.sha256
    assert SECRET.encode() not in response.content


def test_overseers_read_what_is_in_a_pack_before_anybody_may_ask_for_it(shelf: Shelf) -> None:
    made = packs.make(
        actor=None,
        competition=shelf.competition,
        name="new",
        content=packs.Content(texts={"README.txt": b"Soon.\n"}),
        terms=packs.Terms(),
        now=NOW,
    )
    for role in (Role.ORGANIZER, Role.AUDITOR):
        overseer = RoleGrantFactory(competition=shelf.competition, role=role).user
        response = logged_in(overseer).get(at("pack-manifest", shelf, made.code))
        assert packs.sha256(response.content) == made.sha256
    assert logged_in(shelf.member).get(at("pack-manifest", shelf, made.code)).status_code == 404


def test_the_data_page_leads_to_the_packs(shelf: Shelf) -> None:
    page = Client().get(at("data", shelf)).content.decode()
    assert at("pack-list", shelf) in page
