"""An erased account leaves nothing of the person, and everything that others' results rest on."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib.auth import authenticate
from django.urls import reverse

from accounts.enums import TeamRole
from accounts.models import AuditEvent, AuditPrivate, TeamInvitation, TeamMembership
from accounts.services import audit, registration, tokens
from accounts.services.errors import AccountHeld, AddressDiffers, PasswordWrong
from competition.enums import CompetitionState, MemberRole, Role
from competition.models import EntrantMember, Question, RoleGrant, TermsAcceptance
from grading.enums import RaterState
from grading.models import Notice, Rating
from grading.services import erasure
from grading.services.ratings import exclusions, raters
from tests.factories.accounts import (
    PASSWORD,
    InvitationFactory,
    MembershipFactory,
    TeamFactory,
    UserFactory,
)
from tests.factories.grading import NOW, join, make_arena, scored, submit
from tests.factories.rating import make_hall

PATH = reverse("grading:account-erase")
EMAIL, NAME = "ada.unmistakable@example.org", "Ada Unmistakable"
pytestmark = pytest.mark.django_db


def erase(person, **changes) -> None:
    given = {"email": person.email, "password": PASSWORD, "now": NOW} | changes
    erasure.erase(actor=person, **given)
    person.refresh_from_db()


def where(*words: str) -> set[str]:
    """Return the columns of the whole database in which one of the words stands."""
    found = set()
    for model in apps.get_models():
        for row in model._default_manager.values():
            found |= {
                f"{model._meta.label_lower}.{name}"
                for name, value in row.items()
                if any(word.lower() in str(value).lower() for word in words)
            }
    return found


@pytest.fixture
def ada(arena):
    """A member of a team that has a captain, with something of hers in every place."""
    person = UserFactory(email=EMAIL, name=NAME)
    MembershipFactory(team=arena.entrant.team, user=person)
    join(arena.entrant, person)
    InvitationFactory(email=EMAIL)
    with audit.origin(address="192.0.2.77", user_agent="Ada's browser"):
        tokens.create_token(actor=person, name="Ada's laptop", scopes=["read"], now=NOW)
    Question.objects.create(
        competition=arena.competition, asker=person, text="May we?", asked_at=NOW
    )
    Notice.objects.create(
        recipient=person, kind="scored", subject="submission:x", created_at=NOW, due_at=NOW
    )
    return person


def test_nothing_of_the_person_is_left_but_the_name_under_the_terms(arena, ada):
    sent = scored(arena, arena.entrant, ada, 61.0).submission
    assert "accounts.user.email" in where(EMAIL)
    erase(ada)
    assert where(EMAIL, NAME, "192.0.2.77", "Ada's") == {"competition.termsacceptance.typed_name"}
    assert TermsAcceptance.objects.get(user=ada).typed_name == NAME
    sent.refresh_from_db()
    assert (sent.uploader, sent.entrant, ada.name) == (ada, arena.entrant, ada.code)
    assert Question.objects.get().asker == ada
    assert not TeamInvitation.objects.filter(email=EMAIL).exists()


def test_the_log_still_holds_and_names_the_act_without_its_origin(arena, ada):
    with audit.origin(address="192.0.2.78", user_agent="another browser"):
        submit(arena, arena.perfect())
        erase(ada)
    assert audit.verify().ok
    (event,) = AuditEvent.objects.filter(kind="account.erased")
    assert (event.actor, event.target, event.payload) == (ada.code, f"person:{ada.code}", "{}")
    hers = AuditPrivate.objects.filter(event__actor=ada.code)
    assert set(hers.values_list("address", "user_agent")) == {("", "")}
    others = AuditPrivate.objects.exclude(event__actor=ada.code).values_list("address", flat=True)
    assert "192.0.2.78" in set(others)


def test_places_roles_and_ways_in_end(rf, arena, ada):
    other = make_arena()
    RoleGrant.objects.create(
        competition=other.competition, user=ada, role=Role.AUDITOR, granted_at=NOW
    )
    password = ada.password
    erase(ada)
    assert not TeamMembership.objects.filter(user=ada, left_at__isnull=True).exists()
    assert not EntrantMember.objects.filter(user=ada, left_at__isnull=True).exists()
    assert not RoleGrant.objects.filter(user=ada, revoked_at__isnull=True).exists()
    assert not ada.tokens.exists()
    assert ada.password != password
    assert not ada.is_active
    for address in (EMAIL, ada.email):
        assert authenticate(rf.post("/"), username=address, password=PASSWORD) is None


def test_the_address_may_be_used_for_a_new_account(ada):
    erase(ada)
    registration.sign_up(
        email=EMAIL, name="Someone", password="a longer horse battery", language="en", now=NOW
    )
    again = type(ada).objects.get(email=EMAIL)
    assert again.pk != ada.pk


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"email": "somebody@example.org"}, AddressDiffers),
        ({"email": ""}, AddressDiffers),
        ({"password": "not this one"}, PasswordWrong),
    ],
)
def test_without_the_right_words_nothing_changes(ada, changes, refusal):
    with pytest.raises(refusal):
        erase(ada, **changes)
    ada.refresh_from_db()
    assert (ada.email, ada.is_active, ada.tokens.count()) == (EMAIL, True, 1)


def test_what_others_depend_on_is_settled_first_and_all_of_it_is_told(arena, ada):
    lonely = TeamFactory(name="Team Lonely", captain=ada)
    led = TeamFactory(name="Team Led", captain=ada, people=[UserFactory()])
    EntrantMember.objects.filter(user=ada).update(role=MemberRole.CAPTAIN)
    other = make_arena()
    grant = RoleGrant.objects.create(
        competition=other.competition, user=ada, role=Role.ORGANIZER, granted_at=NOW
    )
    said = erasure.obstacles(actor=ada)
    assert len(said) == 3
    assert lonely.name not in " ".join(said)
    with pytest.raises(AccountHeld) as refused:
        erase(ada)
    assert led.name in refused.value.message
    assert ada.tokens.exists()
    led.memberships.update(role=TeamRole.CAPTAIN)
    arena.entrant.members.update(role=MemberRole.CAPTAIN)
    other.competition.state = CompetitionState.ARCHIVED
    other.competition.save()
    erase(ada)
    grant.refresh_from_db()
    assert grant.revoked_at == NOW


def test_an_administrator_is_not_erased(ada):
    ada.is_staff = True
    ada.save()
    with pytest.raises(AccountHeld):
        erase(ada)


def test_a_rater_withdraws_and_ratings_stay_as_was_agreed():
    hall = make_hall()
    panelist = hall.rater(email=EMAIL, name=NAME)
    erase(panelist.user, now=NOW + timedelta(hours=1))
    panelist.rater.refresh_from_db()
    assert (panelist.rater.user, panelist.rater.state) == (None, RaterState.WITHDRAWN)
    assert where(EMAIL, NAME) == set()
    assert Rating.objects.filter(rater=panelist.rater).count() == 0


@pytest.mark.parametrize("is_excluded", [True, False])
def test_a_rater_who_was_excluded_or_only_invited_is_forgotten_too(is_excluded):
    hall = make_hall()
    address = "ada.unmistakable@listeners.example"
    later = NOW + timedelta(hours=1)
    ask = {"actor": hall.organizer, "protocol": hall.protocol, "now": NOW}
    raters.invite(email=address, **ask)
    if is_excluded:
        panelist = hall.rater(email=address, name=NAME)
        person = panelist.user
        panelist.begin()
        task = panelist.claim().open
        panelist.listen(task)
        panelist.answer(task, note=f"{NAME} was here")
        exclusions.exclude(target=panelist.rater, reason="A test.", **ask | {"now": later})
    else:
        person = UserFactory(email=address, name=NAME)
    erase(person, now=later)
    assert where(address, NAME) == set()


def test_the_page_erases_after_confirmation_and_logs_out(client, ada):
    client.force_login(ada)
    page = client.get(PATH).content.decode()
    assert "Erase for good" in page
    wrong = client.post(PATH, {"email": "x@example.org", "password": PASSWORD})
    assert wrong.status_code == 200
    assert "not the address" in wrong.content.decode()
    done = client.post(PATH, {"email": EMAIL.upper(), "password": PASSWORD})
    assert (done.status_code, done["Location"]) == (302, "/")
    assert client.get(reverse("accounts:account-detail")).status_code == 302
    assert "Your account is erased." in client.get("/").content.decode()


def test_the_page_of_someone_who_is_needed_says_for_what(client, ada):
    TeamFactory(name="Team Led", captain=ada, people=[UserFactory()])
    client.force_login(ada)
    page = client.get(PATH).content.decode()
    assert "only captain of Team Led" in page
    assert "Erase for good" not in page
