"""What a submission is called: who may change it, until when, and what is kept."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.models import AuditEvent
from competition.enums import Role
from competition.timeline import grace_end
from grading.models import Board, Renaming, Submission
from grading.services import errors, renaming
from tests.api.conftest import client_of
from tests.factories.accounts import UserFactory
from tests.factories.competition import RoleGrantFactory
from tests.factories.grading import NOW, SubmissionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(arena) -> Submission:
    return SubmissionFactory(
        entrant=arena.entrant,
        phase=arena.phase,
        uploader=arena.captain,
        system="wav2nvv",
        note="first",
    )


def rename(actor, submission, *, system="Whisper tuned", note="second", now=NOW) -> Submission:
    return renaming.rename(actor=actor, submission=submission, system=system, note=note, now=now)


def test_a_new_name_is_kept_with_the_old_one_and_told_to_the_log(arena, sent):
    rename(arena.captain, sent)
    sent.refresh_from_db()
    assert (sent.system, sent.note) == ("Whisper tuned", "second")
    row = sent.renamings.get()
    assert (row.old_system, row.new_system, row.actor) == (
        "wav2nvv",
        "Whisper tuned",
        arena.captain,
    )
    assert (row.old_note, row.new_note, row.at) == ("first", "second", NOW)
    event = AuditEvent.objects.get(kind="submission.renamed")
    assert event.target == f"submission:{sent.code}"
    assert "wav2nvv" not in str(event.payload)
    assert Board.objects.get(phase=arena.phase).wanted == 1


def test_the_same_name_again_changes_nothing(arena, sent):
    rename(arena.captain, sent, system=" wav2nvv ", note="first")
    assert not Renaming.objects.exists()
    assert not AuditEvent.objects.filter(kind="submission.renamed").exists()


def test_after_the_close_only_an_organizer_renames(arena, sent):
    closed = arena.phase.closes_at + timedelta(minutes=1)
    assert closed < grace_end(arena.phase)
    with pytest.raises(errors.PhaseNotOpen):
        rename(arena.captain, sent, now=closed)
    organizer = UserFactory()
    RoleGrantFactory(competition=arena.competition, user=organizer, role=Role.ORGANIZER)
    assert rename(organizer, sent, now=closed).system == "Whisper tuned"


def test_nobody_else_renames(arena, sent):
    with pytest.raises(errors.NotAMember):
        rename(arena.enter("Team Rival")[1], sent)
    assert not Renaming.objects.exists()


@pytest.mark.parametrize("system", ["", "  ", "a\u202eb", "x" * 81])
def test_a_name_that_cannot_be_shown_is_refused(arena, sent, system):
    with pytest.raises(errors.TextInvalid) as refusal:
        rename(arena.captain, sent, system=system)
    assert refusal.value.params["field"] == "system"


def test_a_row_of_a_renaming_never_changes(arena, sent):
    rename(arena.captain, sent)
    for act in (lambda rows: rows.update(old_system="x"), lambda rows: rows.delete()):
        with pytest.raises(IntegrityError), transaction.atomic():
            act(Renaming.objects.all())
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.update(content_id="0" * 64)


def test_the_page_changes_the_name_and_leads_back(client, arena, sent):
    arena.phase.closes_at = NOW + timedelta(days=4000)
    arena.phase.save()
    client.force_login(arena.captain)
    path = reverse("grading:submission-rename", args=[sent.code])
    assert path in client.get(sent.get_absolute_url()).content.decode()
    assert 'value="wav2nvv"' in client.get(path).content.decode()
    refused = client.post(path, {"system": "a\u202eb", "note": ""}).content.decode()
    assert "control or invisible characters" in refused
    response = client.post(path, {"system": "Tuned", "note": ""}, follow=True)
    assert "Tuned" in response.content.decode()
    sent.refresh_from_db()
    assert (sent.system, sent.note) == ("Tuned", "")


def test_after_the_close_the_page_has_no_way_to_rename(client, arena, sent):
    arena.phase.opens_at, arena.phase.closes_at = NOW - timedelta(days=4000), NOW - timedelta(3999)
    arena.phase.save()
    client.force_login(arena.captain)
    path = reverse("grading:submission-rename", args=[sent.code])
    assert path not in client.get(sent.get_absolute_url()).content.decode()
    answer = client.get(path)
    assert answer.status_code == 403
    assert "only an organizer can change the name" in answer.content.decode()


def test_the_api_changes_what_is_sent_and_refuses_what_it_does_not_know(arena, sent):
    arena.phase.closes_at = NOW + timedelta(days=4000)
    arena.phase.save()
    path = reverse("api-v1:submission-detail", args=[sent.code])
    caller = client_of(arena.captain)
    assert client_of(arena.captain, ["read"]).patch(path, {"system": "x"}).status_code == 403
    answer = caller.patch(path, {"system": "Tuned"}, format="json")
    assert (answer.status_code, answer.json()["system"]) == (200, "Tuned")
    assert answer.json()["note"] == "first"
    assert caller.patch(path, {"sytem": "x"}, format="json").status_code in {400, 422}
