"""A form whose session has ended: the page says so itself, and what was typed is kept."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.grading.views.addresses import of_phase
from tests.site.markup import read

pytestmark = pytest.mark.django_db
SCRIPT = {"X-Fragment": "outcome"}


def typed() -> dict[str, object]:
    upload = SimpleUploadedFile("run.jsonl", b"{}")
    return {"system": "wav2nvv", "note": "mine", "idempotency_key": "k", "file": upload, "end": "1"}


@pytest.mark.parametrize("name", ["submission-create", "submission-check", "upload-create"])
def test_a_script_is_told_in_words_that_the_session_has_ended(client, arena, name):
    page = of_phase("submission-create", arena)
    response = client.post(of_phase(name, arena), typed(), headers=SCRIPT | {"Referer": page})
    assert (response.status_code, response["X-Fragment"]) == (401, "session")
    html = response.content.decode()
    assert "Your session has ended." in html
    assert f'href="/accounts/login/?next={page}"' in html
    assert "what you typed is kept" in html


def test_what_was_typed_stands_in_the_form_after_the_log_in(client, arena):
    page = of_phase("submission-create", arena)
    client.post(page, typed(), headers=SCRIPT)
    client.force_login(arena.captain)
    shown = read(client.get(page).content.decode())
    assert any(field.attributes.get("value") == "wav2nvv" for field in shown.all("input"))


@pytest.mark.parametrize("name", ["submission-create", "submission-check", "upload-create"])
def test_a_script_with_the_token_of_an_older_session_is_told_to_load_anew(arena, name):
    client = Client(enforce_csrf_checks=True)
    client.force_login(arena.captain)
    page = of_phase("submission-create", arena)
    response = client.post(of_phase(name, arena), typed(), headers=SCRIPT | {"Referer": page})
    assert (response.status_code, response["X-Fragment"]) == (403, "session")
    html = response.content.decode()
    assert "You logged in again since this page was opened." in html
    assert f'href="{page}"' in html


def test_a_script_without_any_cookie_is_told_to_log_in(arena):
    client = Client(enforce_csrf_checks=True)
    response = client.post(of_phase("submission-create", arena), typed(), headers=SCRIPT)
    assert (response.status_code, response["X-Fragment"]) == (403, "session")
    assert "Your session has ended." in response.content.decode()


def test_a_polling_page_says_at_the_log_in_that_the_session_had_ended(client, arena):
    page = of_phase("submission-create", arena)
    response = client.get("/submissions/none/?seen=1", headers={"HX-Request": "1", "Referer": page})
    assert response["HX-Redirect"].startswith("/accounts/login/")
    shown = client.get(response["HX-Redirect"]).content.decode()
    assert "Your session had ended. Log in to go on." in shown
