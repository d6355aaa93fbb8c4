"""Phases to which organizers alone send: for the entrants, who send nothing."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.utils import timezone

from competition.enums import EntrantState, Role, Senders
from competition.models import Entrant, Phase, RoleGrant
from grading.models import QuotaEntry, Submission
from grading.services import checking, errors, file_sets, intake, upload_sessions
from tests.api.conftest import client_of
from tests.factories.accounts import UserFactory
from tests.factories.grading import Arena, enter, jsonl, make_arena
from tests.grading.views.addresses import of_phase

pytestmark = pytest.mark.django_db
RAW = {"content_type": "application/octet-stream"}


@pytest.fixture
def arena(db, settings, tmp_path) -> Arena:
    settings.PUBLIC_FILES = tmp_path / "files"
    settings.HIDDEN_FILES = tmp_path / "hidden"
    return make_arena(now=timezone.now(), senders=Senders.ORGANIZERS)


@pytest.fixture
def organizer(arena):
    user = UserFactory()
    RoleGrant.objects.create(
        competition=arena.competition,
        user=user,
        role=Role.ORGANIZER,
        granted_at=timezone.now(),
    )
    return user


@pytest.fixture
def place(arena) -> str:
    slug = arena.competition.slug
    return f"/api/v1/competitions/{slug}/tracks/understanding/phases/final/"


def post(client, place: str, arena: Arena, query: str = "", **headers):
    return client.post(place + query, data=jsonl(arena.perfect()), **RAW, **headers)


def told(response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


@pytest.mark.parametrize("what", ["submissions/?system=a", "check/"])
def test_an_entrant_is_refused_with_a_code_before_a_byte_is_kept(arena, place, what):
    api = client_of(arena.captain)
    assert told(post(api, place, arena, what)) == (403, "ORGANIZERS_SEND")
    named = f"submissions/?system=a&entrant={arena.entrant.code}"
    assert told(post(api, place, arena, named)) == (403, "ORGANIZERS_SEND")
    assert not Submission.objects.exists()
    assert not QuotaEntry.objects.exists()


def test_an_organizer_sends_for_an_entrant_which_sees_it_as_its_own(arena, organizer, place):
    api = client_of(organizer)
    query = f"submissions/?system=a&entrant={arena.entrant.code}"
    response = post(api, place, arena, query)
    assert response.status_code == 201, response.content
    assert response.json()["by_organizer"] is True
    submission = Submission.objects.get()
    assert (submission.entrant, submission.uploader) == (arena.entrant, organizer)
    assert submission.by_organizer
    assert submission.quota.entrant == arena.entrant
    seen = client_of(arena.captain).get(place + "submissions/").json()["results"]
    assert [one["code"] for one in seen] == [submission.code]
    assert post(api, place, arena, query).status_code == 200  # the same file again


@pytest.mark.parametrize("code", ["", "nobody", "x" * 200, "a%00b", "%F0%9F%92%A5", "a' OR 1=1"])
def test_a_name_that_is_no_entrant_of_the_competition_is_refused(arena, organizer, place, code):
    query = f"submissions/?system=a&entrant={code}"
    assert told(post(client_of(organizer), place, arena, query)) == (422, "ENTRANT_UNNAMED")
    other = make_arena(now=timezone.now())
    query = f"submissions/?system=a&entrant={other.entrant.code}"
    assert told(post(client_of(organizer), place, arena, query)) == (422, "ENTRANT_UNNAMED")
    assert not Submission.objects.exists()


def test_an_entrant_that_is_not_accepted_is_sent_nothing_for(arena, organizer, place):
    Entrant.objects.filter(pk=arena.entrant.pk).update(state=EntrantState.PENDING)
    query = f"submissions/?system=a&entrant={arena.entrant.code}"
    assert told(post(client_of(organizer), place, arena, query)) == (403, "ENTRANT_NOT_ACCEPTED")


def test_an_idempotency_key_is_of_one_entrant(arena, organizer, place):
    other, _captain = enter(arena.competition)
    api = client_of(organizer)
    codes = {
        post(
            api,
            place,
            arena,
            f"submissions/?system=a&entrant={one.code}",
            HTTP_IDEMPOTENCY_KEY="k",
        ).json()["code"]
        for one in (arena.entrant, other)
    }
    assert len(codes) == 2
    assert {one.entrant for one in Submission.objects.all()} == {arena.entrant, other}


def test_no_entrant_is_named_where_entrants_send(arena, organizer, place):
    Phase.objects.update(senders=Senders.ENTRANTS)
    query = f"submissions/?system=a&entrant={arena.entrant.code}"
    for user in (arena.captain, organizer):
        assert told(post(client_of(user), place, arena, query)) == (422, "ENTRANT_UNNAMED")


def test_files_in_pieces_are_refused_to_both(arena, organizer):
    now = timezone.now()
    named = upload_sessions.Named(
        filename="a", system="a", note="", size=2**25, part_hashes=("0" * 64,) * 7
    )
    for user, refusal in ((arena.captain, errors.OrganizersSend), (organizer, errors.SentWhole)):
        with pytest.raises(refusal):
            upload_sessions.begin(
                actor=user, phase=arena.phase, named=named, created_at=now, now=now
            )
        with pytest.raises(refusal):
            file_sets.begin(
                actor=user, phase=arena.phase, system="a", note="", created_at=now, now=now
            )


def test_the_page_tells_an_entrant_why_and_lets_an_organizer_choose(client, arena, organizer):
    address = of_phase("submission-create", arena)
    client.force_login(arena.captain)
    page = client.get(address).content.decode()
    assert "the organizers measure every system themselves" in page
    assert 'name="entrant"' not in page
    file = {"file": SimpleUploadedFile("a.jsonl", jsonl(arena.perfect())), "end": "1"}
    refused = client.post(address, {"system": "a", **file})
    assert refused.status_code == 403
    assert "the organizers measure every system themselves" in refused.content.decode()
    client.force_login(organizer)
    page = client.get(address).content.decode()
    assert f'<option value="{arena.entrant.code}">' in page
    assert "disabled aria-describedby" not in page
    file["file"] = SimpleUploadedFile("a.jsonl", jsonl(arena.perfect()))
    sent = client.post(address, {"system": "a", "entrant": arena.entrant.code, **file})
    assert sent.status_code == 302
    assert Submission.objects.get().by_organizer


def test_organizers_check_and_entrants_do_not(arena, organizer):
    now = timezone.now()
    checking.admit(actor=organizer, phase=arena.phase, now=now)
    with pytest.raises(errors.OrganizersSend):
        checking.admit(actor=arena.captain, phase=arena.phase, now=now)
    with pytest.raises(errors.OrganizersSend):
        intake.admit(actor=arena.captain, phase=arena.phase, now=now)


def test_the_database_refuses_what_no_organizer_sent(arena, organizer, place):
    query = f"submissions/?system=a&entrant={arena.entrant.code}"
    assert post(client_of(organizer), place, arena, query).status_code == 201
    row = Submission.objects.get()
    row.pk, row.code, row.number, row.by_organizer = None, "other", 2, False
    with pytest.raises(IntegrityError, match="organizers_send"), transaction.atomic():
        row.save(force_insert=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.update(by_organizer=False)
    with pytest.raises(IntegrityError), transaction.atomic():
        Phase.objects.filter(pk=arena.phase.pk).update(senders="everybody")
