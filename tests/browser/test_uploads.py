"""Large files from the submit page: in parts, over broken lines, after a reload, to a bucket."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from grading import storage
from grading.identity import SINGLE_BYTES
from grading.models import QuotaEntry, Submission, UploadSession
from grading.services import doorbell
from tests.factories.accounts import PASSWORD
from tests.factories.grading import Arena, make_arena

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
SUBMIT = "#upload button[type=submit]:not([data-check])"


@pytest.fixture
def arena(settings, tmp_path, monkeypatch) -> Arena:
    settings.PUBLIC_FILES = tmp_path / "files"
    settings.HIDDEN_FILES = tmp_path / "hidden"
    monkeypatch.setattr(doorbell, "_send", lambda name, row: None)
    return make_arena(now=timezone.now())


@pytest.fixture
def big_file(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    path.write_bytes(os.urandom(SINGLE_BYTES + 1_000_000))
    return path


@pytest.fixture
def page(chromium, live_server, arena):
    """A page of a browser whose requests may fail; the captain is logged in on the submit page."""
    context = chromium.new_context(base_url=live_server.url)
    page = context.new_page()
    page.set_default_timeout(30_000)
    address = f"/competitions/{arena.competition.slug}/tracks/understanding/final/submit/"
    page.goto(f"/accounts/login/?next={address}")
    page.fill("#id_username", arena.captain.email)
    page.fill("#id_password", PASSWORD)
    page.click("main button[type=submit]")
    page.wait_for_url(f"**{address}")
    yield page
    context.close()


def choose(page, path: Path, system: str = "alder") -> None:
    page.set_input_files("#id_file", path)
    page.fill("#id_system", system)
    page.click(SUBMIT)


def sent_parts(page) -> list[str]:
    """Return, filled from now on, the addresses of parts that are sent."""
    seen: list[str] = []
    page.on("request", lambda one: seen.append(one.url) if one.method == "PUT" else None)
    return seen


def assert_arrived(page, path: Path) -> None:
    page.wait_for_url("**/submissions/*/")
    submission = Submission.objects.get()
    with storage.local_copy(submission.storage_key) as stored:
        assert stored.read_bytes() == path.read_bytes()
    assert (submission.system, submission.filename) == ("alder", "run.jsonl")
    assert QuotaEntry.objects.count() == 1


def test_a_large_file_goes_in_parts(place, page, big_file):
    seen = sent_parts(page)
    choose(page, big_file)
    assert_arrived(page, big_file)
    assert len(seen) == 4


def test_a_small_file_goes_at_once(page, tmp_path):
    seen = sent_parts(page)
    (tmp_path / "small.jsonl").write_bytes(b"{}\n")
    choose(page, tmp_path / "small.jsonl")
    page.wait_for_url("**/submissions/*/")
    assert (seen, UploadSession.objects.count()) == ([], 0)


def test_a_broken_line_costs_one_part(page, big_file):
    broken = iter([True, True])
    page.route(
        "**/parts/2/**",
        lambda route: route.abort() if next(broken, False) else route.continue_(),
    )
    seen = sent_parts(page)
    choose(page, big_file)
    assert_arrived(page, big_file)
    assert len(seen) == 6


def test_after_a_reload_the_same_file_goes_on_where_it_was(page, big_file):
    page.route("**/parts/3/**", lambda route: None)
    seen = sent_parts(page)
    choose(page, big_file)
    page.wait_for_selector("[data-sent]:has-text('MiB /')")
    deadline = timezone.now() + timedelta(seconds=30)
    while len(seen) < 3 and timezone.now() < deadline:
        page.wait_for_timeout(50)
    page.reload()
    page.unroute_all(behavior="ignoreErrors")
    assert "is not complete" in page.inner_text("main")
    before = len(seen)
    choose(page, big_file)
    assert_arrived(page, big_file)
    assert len(seen) - before == 2
    assert UploadSession.objects.count() == 1


def test_offline_it_waits_and_goes_on_by_itself(page, big_file):
    page.route("**/parts/2/**", lambda route: route.abort())
    choose(page, big_file)
    page.wait_for_selector("[data-sent]:has-text('again in')")
    page.context.set_offline(True)
    page.wait_for_selector("[data-sent]:has-text('offline')")
    page.unroute_all(behavior="ignoreErrors")
    page.context.set_offline(False)
    assert_arrived(page, big_file)


def test_an_upload_is_given_up_with_and_without_the_script(page, big_file):
    page.route("**/parts/3/**", lambda route: None)
    choose(page, big_file)
    page.wait_for_selector("[data-sent]:has-text('MiB /')")
    page.click("[data-give-up]")
    page.wait_for_selector("text=The upload was given up.")
    page.unroute_all(behavior="ignoreErrors")
    assert UploadSession.objects.get().state == "aborted"
    page.route("**/parts/1/**", lambda route: None)
    choose(page, big_file)
    page.wait_for_selector("[data-sending]:not([hidden])")
    page.wait_for_timeout(500)
    page.click("[data-stop]")
    page.wait_for_selector("text=is kept for 48 hours")
    page.unroute_all(behavior="ignoreErrors")
    page.reload()
    page.click("form.notice button:has-text('Give up')")
    page.wait_for_selector("text=The upload was given up.")
    assert set(UploadSession.objects.values_list("state", flat=True)) == {"aborted"}


def test_a_used_up_quota_is_told_in_words(page, arena, big_file):
    arena.phase.quota_total = 1
    arena.phase.save()
    choose(page, big_file)
    assert_arrived(page, big_file)
    big_file.write_bytes(os.urandom(SINGLE_BYTES + 5))
    page.go_back()
    page.reload()
    assert page.locator(SUBMIT).is_disabled()
