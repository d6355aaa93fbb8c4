"""The submit page after the session has changed or ended elsewhere."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.factories.accounts import PASSWORD
from tests.factories.grading import jsonl, make_arena
from tests.grading.views.addresses import of_phase

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def arena(settings, tmp_path):
    settings.PUBLIC_FILES = tmp_path / "files"
    settings.HIDDEN_FILES = tmp_path / "hidden"
    return make_arena(now=timezone.now())


def log_in(page, user) -> None:
    page.fill("#id_username", user.email)
    page.fill("#id_password", PASSWORD)
    page.click("main button[type=submit]")


def fill(page, arena) -> None:
    page.fill("#id_system", "wav2nvv")
    file = {"name": "run.jsonl", "mimeType": "text/plain", "buffer": jsonl(arena.perfect())}
    page.set_input_files("#id_file", file)


def leave(page) -> None:
    page.context.clear_cookies()


def come_again(page, user) -> None:
    leave(page)
    other = page.context.new_page()
    other.goto("/accounts/login/")
    log_in(other, user)
    other.wait_for_url("**/")
    other.close()


@pytest.mark.parametrize("ends", ["gone", "anew"])
def test_a_session_that_changed_elsewhere_is_told_and_the_form_survives(open_page, arena, ends):
    path = of_phase("submission-create", arena)
    page = open_page(f"/accounts/login/?next={path}", fails=True)
    log_in(page, arena.captain)
    fill(page, arena)
    leave(page) if ends == "gone" else come_again(page, arena.captain)
    page.click("#upload button[type=submit]:not([data-check])")
    page.wait_for_selector("[data-outcome=session]")
    page.click("[data-outcome=session] a")
    if ends == "gone":
        log_in(page, arena.captain)
    page.wait_for_selector("#upload")
    assert page.input_value("#id_system") == "wav2nvv"
    fill(page, arena)
    page.click("#upload button[type=submit]:not([data-check])")
    page.wait_for_url("**/submissions/*/")


def test_the_submit_button_locks_itself_when_the_phase_closes(open_page, arena):
    path = of_phase("submission-create", arena)
    page = open_page(f"/accounts/login/?next={path}")
    log_in(page, arena.captain)
    page.wait_for_selector("#upload")
    page.clock.install()
    page.reload()
    button = page.locator("#upload button[type=submit]:not([data-check])")
    assert button.is_enabled()
    page.clock.fast_forward((arena.phase.closes_at - timezone.now()) // timedelta(milliseconds=1))
    page.clock.run_for(2000)
    assert button.is_disabled()
    assert page.locator("#closed").is_visible()
    assert page.locator("#upload [data-check]").is_enabled()
