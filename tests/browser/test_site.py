from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Team
from tests.factories.accounts import PASSWORD, TeamFactory, UserFactory
from tests.factories.competition import CompetitionFactory, PhaseFactory, TrackFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def log_in(page, user) -> None:
    page.fill("#id_username", user.email)
    page.fill("#id_password", PASSWORD)
    page.click("main button[type=submit]")


@pytest.fixture
def competition():
    made = CompetitionFactory()
    now = timezone.now()
    PhaseFactory(
        track=TrackFactory(competition=made),
        opens_at=now - timedelta(days=1),
        closes_at=now + timedelta(days=2, hours=3, minutes=5),
    )
    return made


@pytest.mark.parametrize("scripts", [True, False])
def test_a_captain_registers_a_team_with_and_without_scripts(open_page, competition, scripts):
    user = UserFactory()
    path = f"/competitions/{competition.slug}/"
    page = open_page(path, java_script_enabled=scripts)
    page.click(".step a:has-text('Log in')")
    log_in(page, user)
    page.click(".step a:has-text('Make a team')")
    page.fill("#id_name", "Team Alder")
    page.click("button:has-text('Make the team')")
    page.goto(path)
    page.click(".step a:has-text('Register a team')")
    page.fill("#id_typed_name", user.name)
    page.check("#id_accept")
    page.click("button:has-text('Accept and register')")
    page.wait_for_selector("text=Your team takes part.")
    assert Team.objects.get().entrants.get().competition == competition


def test_the_clock_runs_by_the_server_s_time_whatever_the_reader_s_clock_says(
    open_page, competition
):
    page = open_page("/accounts/login/")
    page.clock.install(time=timezone.now() - timedelta(days=400))
    page.goto(f"/competitions/{competition.slug}/")
    page.wait_for_selector("time[title]", state="attached")
    assert page.inner_text("[data-days]") == "2"
    page.clock.run_for(timedelta(days=1) // timedelta(milliseconds=1))
    assert page.inner_text("[data-days]") == "1"


def test_an_open_page_counts_seconds_at_the_end_and_then_says_that_it_closed(
    open_page, competition
):
    page = open_page("/accounts/login/")
    page.clock.install(time=timezone.now())
    page.goto(f"/competitions/{competition.slug}/")
    page.wait_for_selector("time[title]", state="attached")
    assert page.locator("[data-seconds]").is_hidden()
    page.clock.fast_forward(timedelta(days=2, hours=2, minutes=30) // timedelta(milliseconds=1))
    page.wait_for_selector("[data-seconds]")
    page.clock.fast_forward(timedelta(minutes=40) // timedelta(milliseconds=1))
    assert page.inner_text(".clock .left") == "Closed"


def test_a_deadline_is_shown_in_the_reader_s_own_zone_too(open_page, competition):
    page = open_page(f"/competitions/{competition.slug}/", timezone_id="Asia/Shanghai", locale="en")
    page.wait_for_selector(".clock [data-local]:has-text('GMT+8')")


def test_leaving_a_team_stays_locked_until_it_is_typed(open_page):
    user = UserFactory()
    team = TeamFactory(captain=user)
    page = open_page(f"/teams/{team.code}/")
    log_in(page, user)
    button = page.locator("[data-locked]")
    assert button.is_disabled()
    page.fill("#leave", "leave")
    assert button.is_enabled()


def test_the_keyboard_alone_skips_to_the_content_and_shows_where_it_is(open_page, competition):
    page = open_page(f"/competitions/{competition.slug}/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_no_page_must_be_scrolled_sideways(open_page, competition, width):
    page = open_page("/", viewport={"width": width, "height": 800})
    for path in ("/", f"/competitions/{competition.slug}/", "/accounts/sign-up/", "/privacy/"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
