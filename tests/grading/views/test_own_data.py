"""A person takes their own data along: all of it, nobody else's, and no secret."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.services import audit, tokens
from grading.models import RaterInvitation
from grading.services import erasure, own_data
from grading.services.ratings import raters
from tests.factories.accounts import PASSWORD, UserFactory
from tests.factories.grading import CANARY, NOW, join, scored, submit
from tests.factories.rating import make_hall

PATH = reverse("grading:own-data-take")


def taken(client, person) -> tuple[dict, str]:
    client.force_login(person)
    answer = client.post(PATH)
    assert answer.status_code == 200
    assert answer["Content-Disposition"] == f'attachment; filename="plaudit-{person.code}.json"'
    assert answer["Cache-Control"] == "no-store"
    return json.loads(answer.content), answer.content.decode()


def test_it_holds_account_team_submissions_and_acts(client, arena):
    with audit.origin(address="192.0.2.4", user_agent="a browser"):
        submission = submit(arena, arena.perfect(), note="our first")
    found, _text = taken(client, arena.captain)
    assert found["format"] == own_data.FORMAT
    assert found["account"]["email"] == arena.captain.email
    (sent,) = found["submissions"]
    assert (sent["code"], sent["note"]) == (submission.code, "our first")
    assert (sent["competition"], sent["phase"]) == (arena.competition.slug, arena.phase.slug)
    assert [row["competition"] for row in found["entrants"]] == [arena.competition.slug]
    assert [row["version"] for row in found["terms"]] == ["1"]
    (act,) = [row for row in found["acts"] if row["target"] == f"submission:{submission.code}"]
    assert (act["address"], act["user_agent"]) == ("192.0.2.4", "a browser")


def test_nothing_of_others_no_secret_and_no_score_is_in_it(client, arena):
    token, secret = tokens.create_token(
        actor=arena.captain, name="server", scopes=["read"], now=NOW
    )
    other, stranger = arena.enter("Strangers")
    colleague = UserFactory()
    join(arena.entrant, colleague)
    hidden = scored(arena, other, stranger, 61.25, system="their system")
    ours = scored(arena, arena.entrant, colleague, 62.5, system="a colleague's")
    found, text = taken(client, arena.captain)
    for never in (
        *(secret, token.digest, arena.captain.password, PASSWORD, CANARY),
        *(stranger.email, stranger.name, stranger.code, colleague.email),
        *(hidden.submission.code, ours.submission.code, "61.25", "62.5"),
    ):
        assert never not in text
    assert [row["name"] for row in found["tokens"]] == ["server"]


def test_that_it_was_taken_stands_in_the_log(client, arena):
    taken(client, arena.captain)
    event = AuditEvent.objects.get(kind="data.taken")
    assert (event.actor, event.target) == (arena.captain.code, f"person:{arena.captain.code}")


def test_the_account_page_offers_it_to_its_owner_alone(client, arena):
    assert client.post(PATH)["Location"].startswith(reverse("accounts:login"))
    client.force_login(arena.captain)
    assert f'action="{PATH}"' in client.get(reverse("accounts:account-detail")).text
    assert client.get(PATH).status_code == 405


@pytest.mark.parametrize("count", [1, 5])
def test_the_number_of_queries_does_not_grow(arena, django_assert_max_num_queries, count):
    for number in range(count):
        scored(arena, arena.entrant, arena.captain, 50.0 + number)
    with django_assert_max_num_queries(30):
        own_data.collect(actor=arena.captain, now=NOW)


@pytest.mark.django_db
def test_a_rater_finds_what_they_rated_and_wrote_and_nothing_of_what_they_heard(client):
    hall = make_hall()
    panelist = hall.rater()
    rater = panelist.rater
    stranger, _captain = hall.arena.enter("Strangers")
    raters.declare(
        actor=panelist.user,
        rater=rater,
        entrants=[stranger],
        now=panelist.now,
    )
    panelist.begin()
    task = panelist.claim().open
    panelist.listen(task)
    panelist.answer(task, note="Too loud.")
    found, text = taken(client, panelist.user)
    assert [row["pseudonym"] for row in found["raters"]] == [rater.pseudonym]
    assert [(row["clip"], row["comment"]) for row in found["ratings"]] == [(task.code, "Too loud.")]
    assert [row["version"] for row in found["consents"]] == [1]
    assert [row["team"] for row in found["conflicts"]] == ["Strangers"]
    pseudonyms = set(hall.protocol.systems.values_list("pseudonym", flat=True))
    for never in (*pseudonyms, task.stimulus.key, task.stimulus.waveform.sha256):
        assert never not in text


@pytest.mark.django_db
@pytest.mark.parametrize("is_verified", [True, False])
def test_invitations_are_told_and_forgotten_where_the_address_is_known_to_be_theirs(is_verified):
    hall = make_hall()
    person = UserFactory(email_verified_at=NOW if is_verified else None)
    raters.invite(actor=hall.organizer, protocol=hall.protocol, email=person.email, now=NOW)
    found = own_data.collect(actor=person, now=NOW)["invitations"]
    assert len(found) == int(is_verified)
    erasure.erase(actor=person, email=person.email, password=PASSWORD, now=NOW)
    assert RaterInvitation.objects.exists() is not is_verified
