from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from competition.enums import EntrantState
from grading.enums import QuotaState, SubmissionState
from grading.models import QuotaEntry, Submission
from grading.scoring.types import CodeTotal, Problem, Report, Severity
from grading.services import checking
from tests.factories.competition import PhaseFactory
from tests.factories.grading import NOW, SubmissionFactory, jsonl, quota_entry
from tests.grading.views.addresses import of_phase
from tests.site.markup import faults, read

pytestmark = pytest.mark.django_db


def fields(content: bytes = b'{"utt_id": "en_0000", "text_with_nvvs": "x"}\n', **changes):
    upload = SimpleUploadedFile("run.jsonl", content)
    given = {"system": "wav2nvv", "note": "first try", "file": upload, "end": "1"}
    return {"idempotency_key": "k1", **given} | changes


def send(client, arena, **changes):
    client.force_login(arena.captain)
    return client.post(of_phase("submission-create", arena), fields(**changes))


def test_an_upload_becomes_a_submission_and_reserves_a_slot(client, arena):
    response = send(client, arena, content=jsonl(arena.perfect()))
    submission = Submission.objects.get()
    assert (response.status_code, response.url) == (302, submission.get_absolute_url())
    assert (submission.system, submission.note) == ("wav2nvv", "first try")
    assert submission.filename == "run.jsonl"
    assert submission.quota.state == QuotaState.RESERVED


def test_a_script_gets_the_place_of_the_new_submission(client, arena):
    client.force_login(arena.captain)
    response = client.post(
        of_phase("submission-create", arena), fields(), headers={"X-Fragment": "outcome"}
    )
    assert response.status_code == 201
    assert response["Content-Location"] == Submission.objects.get().get_absolute_url()


def test_a_double_click_makes_one_submission(client, arena):
    first, second = send(client, arena), send(client, arena)
    assert first.url == second.url
    assert Submission.objects.count() == 1


def test_the_same_file_again_leads_to_the_first_submission_and_says_so(client, arena):
    first = send(client, arena)
    again = send(client, arena, idempotency_key="k2")
    assert again.url == first.url
    assert "sent this very file before" in client.get(again.url).content.decode()
    assert QuotaEntry.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "code", "status"),
    [
        ({"content": b""}, "EMPTY_FILE", 422),
        ({"file": ""}, "FILE_MISSING", 400),
        ({"end": ""}, "UPLOAD_CUT", 400),
        ({"system": "bell\x07"}, "INVALID_TEXT", 422),
    ],
)
@pytest.mark.parametrize("is_script", [True, False])
def test_a_refused_upload_keeps_what_was_typed(client, arena, changes, code, status, is_script):
    client.force_login(arena.captain)
    headers = {"X-Fragment": "outcome"} if is_script else {}
    response = client.post(of_phase("submission-create", arena), fields(**changes), headers=headers)
    html = response.content.decode()
    assert (response.status_code, Submission.objects.count()) == (status, 0)
    assert code in html
    if not is_script:
        assert faults(html) == []
        assert 'value="first try"' in html
        assert 'value="k1"' not in html


def test_a_file_over_the_limit_is_refused_and_the_form_is_kept(client, arena):
    arena.phase.limits = {"file_bytes": 100}
    arena.phase.save()
    response = send(client, arena, content=b"x" * 300_000)
    html = response.content.decode()
    assert response.status_code == 413
    assert "FILE_TOO_LARGE" in html
    assert "larger than 100 B" in html
    assert 'value="wav2nvv"' in html
    assert Submission.objects.count() == 0


def test_a_missing_system_name_is_told(client, arena):
    response = send(client, arena, system="")
    assert response.status_code == 422
    assert Submission.objects.count() == 0


def test_without_scripts_each_fault_is_told_once(client, arena):
    named = read(send(client, arena, system="").content.decode()).text
    assert named.count("This field is required.") == 1
    assert "Please mend what is marked below." in named
    nothing = read(send(client, arena, file="").content.decode()).text
    assert nothing.count("Choose a file first") == 1


def test_a_script_is_told_the_fault_of_a_field(client, arena):
    client.force_login(arena.captain)
    path, headers = of_phase("submission-create", arena), {"X-Fragment": "outcome"}
    answer = client.post(path, fields(system=""), headers=headers)
    assert "This field is required." in read(answer.content.decode()).text


def test_a_post_without_a_token_is_refused(arena):
    client = Client(enforce_csrf_checks=True)
    client.force_login(arena.captain)
    response = client.post(of_phase("submission-create", arena), fields())
    assert response.status_code == 403
    assert Submission.objects.count() == 0


def test_an_ended_session_leads_to_the_log_in_and_keeps_the_fields(client, arena):
    path = of_phase("submission-create", arena)
    response = client.post(path, fields(), headers={"Referer": f"http://testserver{path}"})
    assert response.status_code == 302
    assert "/login/" in response.url
    client.post(
        response.url, {"username": arena.captain.email, "password": "correct horse battery"}
    )
    assert 'value="first try"' in client.get(path).content.decode()


def test_check_only_shows_the_report_and_makes_no_row(client, arena, monkeypatch):
    problem = Problem("EMPTY_TEXT", Severity.WARNING, line=3, utt_id="en_0000")
    counts = (CodeTotal("EMPTY_TEXT", Severity.WARNING, 1),)
    report = Report((problem,), 1, 0, 16, "jsonl", counts)
    monkeypatch.setattr(checking, "check_only", lambda **_: report)
    client.force_login(arena.captain)
    response = client.post(of_phase("submission-check", arena), fields(system=""))
    html = response.content.decode()
    assert response.status_code == 200
    assert faults(html) == []
    assert "This file would be accepted." in html
    assert "EMPTY_TEXT" in html
    assert (Submission.objects.count(), QuotaEntry.objects.count()) == (0, 0)


@pytest.mark.slow
def test_check_only_runs_the_scorers_own_check(client, arena):
    client.force_login(arena.captain)
    path = of_phase("submission-check", arena)
    assert "accepted" in client.post(path, fields(content=jsonl(arena.perfect()))).content.decode()
    rejected = client.post(path, fields(content=b"RIFF1234WAVEfmt ")).content.decode()
    assert "WRONG_TRACK" in rejected


def unverified(arena):
    arena.captain.email_verified_at = None
    arena.captain.save()


def unaccepted(arena):
    arena.entrant.state = EntrantState.PENDING
    arena.entrant.save()


def without_terms(arena):
    arena.competition.terms_version = "2"
    arena.competition.save()


def used_up(arena):
    for _ in range(3):
        submission = SubmissionFactory(
            entrant=arena.entrant,
            phase=arena.phase,
            uploader=arena.captain,
            state=SubmissionState.ACCEPTED,
            validated_at=NOW,
        )
        quota_entry(submission, QuotaState.CHARGED)


def left_team(arena):
    arena.entrant.members.update(left_at=NOW)


@pytest.mark.parametrize(
    ("spoil", "says", "leads_to"),
    [
        (unverified, "verify your e-mail address", "/accounts/account/"),
        (unaccepted, "waiting for acceptance", ""),
        (without_terms, "accept the current terms", "/entry/"),
        (used_up, "All 3 submissions of today are used", "/submissions/"),
        (left_team, "not a member", "/register/"),
    ],
)
def test_a_disabled_button_gives_its_reason_and_what_to_do(client, arena, spoil, says, leads_to):
    spoil(arena)
    client.force_login(arena.captain)
    html = client.get(of_phase("submission-create", arena)).content.decode()
    page = read(html)
    assert faults(html) == []
    assert says in page.text
    button = next(e for e in page.all("button") if e.attributes.get("aria-describedby") == "why")
    assert "disabled" in button.attributes
    assert any(leads_to in e.attributes.get("href", "") for e in page.all("a"))
    refused = send(client, arena, content=b"new")
    assert refused.status_code in {403, 429}
    assert says in refused.content.decode()


def test_with_the_quota_used_up_a_check_is_still_possible(client, arena):
    used_up(arena)
    client.force_login(arena.captain)
    page = read(client.get(of_phase("submission-create", arena)).content.decode())
    check = next(e for e in page.all("button") if "data-check" in e.attributes)
    assert "disabled" not in check.attributes
    assert "resets" in page.text


@pytest.mark.parametrize(
    ("at", "says"),
    [
        (timedelta(days=11), "This phase has closed."),
        (timedelta(days=-11), "This phase has not opened yet."),
    ],
)
def test_outside_the_window_the_page_says_so(client, arena, at, says):
    with time_machine.travel(NOW + at, tick=False):
        client.force_login(arena.captain)
        html = client.get(of_phase("submission-create", arena)).content.decode()
        assert says in html
        assert send(client, arena).status_code == 403


def test_an_upload_that_began_in_time_counts_though_it_ended_late(client, arena, settings):
    arena.phase.closes_at = NOW + timedelta(seconds=1)
    arena.phase.save()
    settings.MIDDLEWARE = [
        *(name for name in settings.MIDDLEWARE if "arrival" not in name.lower()),
        "tests.grading.views.arrival.ArrivedAtNoon",
    ]
    with time_machine.travel(NOW + timedelta(minutes=5), tick=False):
        response = send(client, arena)
    assert response.status_code == 302
    submission = Submission.objects.get()
    assert (submission.created_at, submission.received_at) == (NOW, NOW + timedelta(minutes=5))


def test_anonymous_readers_see_what_is_accepted_and_are_asked_to_log_in(client, arena):
    html = client.get(of_phase("submission-create", arena)).content.decode()
    assert faults(html) == []
    assert "You are not logged in." in html
    assert "[throat clearing]" in html
    assert "16 utterances" in html


def test_the_page_takes_the_same_queries_with_one_and_three_slots_used(
    client, arena, django_assert_num_queries
):
    client.force_login(arena.captain)
    path = of_phase("submission-create", arena)
    client.get(path)
    with django_assert_num_queries(20):
        client.get(path)
    used_up(arena)
    with django_assert_num_queries(20):
        client.get(path)


def test_the_page_leads_to_the_other_open_phases_of_the_track(client, arena):
    second, closed = (
        PhaseFactory(
            track=arena.track,
            references=arena.phase.references,
            texts={"en": {"title": title}},
            closes_at=NOW + timedelta(days=days),
        )
        for title, days in (("Second", 1), ("Over", -1))
    )
    client.force_login(arena.captain)
    page = client.get(of_phase("submission-create", arena)).content.decode()
    assert f'/{second.slug}/submit/">Second</a>' in page
    assert f"/{closed.slug}/submit/" not in page
    names = {"slug": arena.competition.slug, "track": arena.track.slug, "phase": closed.slug}
    ended = client.get(reverse("grading:submission-create", kwargs=names)).content.decode()
    assert f'/{second.slug}/submit/">Second</a>' in ended
    assert f'/{arena.phase.slug}/submit/">' in ended


def test_the_page_of_the_only_open_phase_offers_no_choice(client, arena):
    client.force_login(arena.captain)
    assert (
        "Open now:"
        not in read(client.get(of_phase("submission-create", arena)).content.decode()).text
    )
