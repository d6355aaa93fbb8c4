"""People rate in a real browser: by keyboard and by touch, with a broken line, two tabs, a lost log-in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from grading.enums import RatingForm, SessionState, TaskState
from grading.models import Rater, RatingTask
from grading.services.ratings import raters, sessions
from tests.browser.conftest import session_of, until
from tests.factories.accounts import PASSWORD
from tests.factories.listening import listener, make_listening, organizer_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
FORM = "[data-slot=desk] [data-desk]:not([inert])"
LAST_MARK = f"{FORM} [name=E]:checked"
MARKS = ("4", "4", "3", "5", "3")
COLUMNS = ("accuracy", "effect", "naturalness", "quality", "expression")


@pytest.fixture
def listening(settings, tmp_path):
    settings.PUBLIC_FILES, settings.HIDDEN_FILES = tmp_path / "files", tmp_path / "hidden"
    return make_listening(now=timezone.now())


def is_ready(page) -> None:
    page.wait_for_selector("html[data-ready=rating]")


def task_on(page) -> str:
    """Return which clip is on the form."""
    return page.get_attribute(FORM, "data-task")


def moved_on(page, task: str) -> str:
    """Wait until another clip than `task` is on the form; return which."""
    page.wait_for_selector(f'[data-slot=desk] [data-desk]:not([data-task="{task}"]):not([inert])')
    return task_on(page)


def hear(page, key: str = " ") -> None:
    page.keyboard.press(key)
    page.wait_for_selector("[data-heard].ok")


def mark_by_keys(page) -> None:
    """Say of both vocalizations that they were heard, and give the five marks."""
    for key in ("1", "1", *MARKS):
        page.keyboard.press(key)


def rate_by_keys(page) -> None:
    task = task_on(page)
    hear(page)
    mark_by_keys(page)
    page.keyboard.press("Enter")
    moved_on(page, task)


def rate_by_touch(page) -> None:
    task = task_on(page)
    page.tap("[data-play]")
    page.wait_for_selector("[data-heard].ok")
    for name in ("t1", "t2"):
        page.tap(f'{FORM} label:has(> input[name="{name}"][value="heard"])')
    for letter, mark in zip("APNQE", MARKS, strict=True):
        page.tap(f'{FORM} label:has(> input[name="{letter}"][value="{mark}"])')
    page.tap("[data-send]")
    moved_on(page, task)


def answers_of(rater: Rater, wanted: int) -> list[RatingTask]:
    """Return the answered tasks, once there are as many as wanted; each has one answer, as it was given."""
    tasks = list(RatingTask.objects.filter(rater=rater, state=TaskState.ANSWERED))
    assert len(tasks) == wanted
    for task in tasks:
        rating = task.ratings.get()
        assert tuple(str(getattr(rating, name)) for name in COLUMNS) == MARKS
        assert rating.placements == ["heard", "heard"]
        assert rating.plays >= 1
        assert not rating.is_late
    return tasks


def wait_until_sent(page) -> None:
    until(page, "!Object.keys(localStorage).some((name) => name.includes(':answer:'))")


def prepare(page, user, secret: str) -> Rater:
    """Go from the link of an invitation to the first clip."""
    page.goto(f"/rate/invitations/{secret}/")
    page.click("main form button")
    page.check("[name=agree]")
    page.click("main form button")
    page.check("[name=languages][value=en]")
    page.click("main form button")
    page.click("main button[name=language]")
    rater = Rater.objects.get(user=user)
    session = sessions.running(rater=rater)
    page.wait_for_selector("html[data-ready=check]")
    for trial in sessions.trials(session=session):
        page.check(f"[name=trial{trial.number}][value='{trial.quietest}']")
    page.click("#check button[type=submit]")
    for _ in range(2):
        is_ready(page)
        assert page.is_disabled("[data-send]")
        hear(page)
        mark_by_keys(page)
        page.keyboard.press("Enter")
        page.click("text=/^(Next practice clip|To the clips)$/")
    is_ready(page)
    return rater


def told_in(traffic: Path) -> str:
    """Return all that a browser asked for and got: addresses, headers, bodies.

    Without the one page on which raters name the teams that they are close to.
    """
    entries = json.loads(traffic.read_text("utf-8"))["log"]["entries"]
    kept = [one for one in entries if not one["request"]["url"].endswith("/languages/")]
    assert len(kept) > 50
    return json.dumps(kept, ensure_ascii=False)


def come_back_after_closing(page, path: str):
    """Mark a clip, close the page, open another: the marks are there, and are sent from it."""
    task = task_on(page)
    hear(page)
    mark_by_keys(page)
    context = page.context
    page.close()
    page = context.new_page()
    page.goto(path)
    is_ready(page)
    assert task_on(page) == task
    assert page.input_value(LAST_MARK) == MARKS[-1]
    page.click("[data-send]")
    moved_on(page, task)
    wait_until_sent(page)
    return page


def answer_two_offline(page) -> None:
    """Answer the clip on the page and the one fetched ahead without a connection, then come back."""
    with page.expect_response("**/rate/audio/**"):  # the next clip is fetched ahead
        rate_by_keys(page)
    wait_until_sent(page)
    page.wait_for_selector("[data-slot=ahead] template", state="attached")
    page.context.set_offline(True)
    rate_by_keys(page)
    hear(page)
    mark_by_keys(page)
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-kind=waiting]")
    assert page.locator("[data-kind=offline]").is_visible()
    page.context.set_offline(False)
    wait_until_sent(page)
    page.wait_for_selector(FORM)


def rate_in_two_tabs(page, path: str) -> None:
    """Marks given in one tab show in the other, and the answer goes out once."""
    other = page.context.new_page()
    other.goto(path)
    is_ready(other)
    task = task_on(page)
    assert task_on(other) == task
    page.bring_to_front()
    hear(page)
    mark_by_keys(page)
    other.wait_for_selector(LAST_MARK, state="attached")
    page.keyboard.press("Enter")
    assert moved_on(page, task) == moved_on(other, task)
    other.close()


def log_in_again(page, user) -> None:
    """Lose the session with marks on the form, mend it in place, and send them."""
    task = task_on(page)
    hear(page)
    Session.objects.all().delete()
    mark_by_keys(page)
    page.wait_for_selector("[data-login-dialog][open]")
    page.fill("#again-name", user.email)
    page.fill("#again-password", PASSWORD)
    page.click("[data-login-form] button")
    page.wait_for_selector("[data-login-dialog]:not([open])", state="attached")
    assert page.input_value(LAST_MARK) == MARKS[-1]
    page.click("[data-send]")
    moved_on(page, task)


def test_somebody_invited_rates_by_keyboard_and_nothing_is_lost_or_sent_twice(
    open_page, listening, live_server, tmp_path
):
    user = listener()
    _, secret = raters.invite(
        actor=organizer_of(listening),
        protocol=listening.protocol,
        email=user.email,
        now=timezone.now(),
    )
    traffic = tmp_path / "traffic.har"
    page = open_page("/", fails=True, record_har_path=traffic)
    page.context.add_cookies(session_of(user, live_server.url))
    rater = prepare(page, user, secret)
    assert page.is_disabled("[data-send]")
    path = f"/rate/{rater.code}/form/"
    for _ in range(2):
        rate_by_keys(page)
    page = come_back_after_closing(page, path)
    answer_two_offline(page)
    rate_in_two_tabs(page, path)
    log_in_again(page, user)
    for _ in range(2):
        rate_by_keys(page)
    wait_until_sent(page)
    answers_of(rater, 10)
    page.context.close()
    told = told_in(traffic)
    assert "/rate/audio/" in told
    assert [word for word in listening.secrets if word in told] == []


def test_a_sitting_is_rated_by_touch_on_a_phone_to_its_end(open_page, listening, live_server):
    rater = listening.rater(now=timezone.now())
    session = listening.sitting(rater, now=timezone.now())
    session.layout = session.layout[:10]
    session.save()
    page = open_page("/", **PHONE)
    page.context.add_cookies(session_of(rater.user, live_server.url))
    page.goto(f"/rate/{rater.code}/form/")
    is_ready(page)
    assert not page.locator(".keys").is_visible()
    small = page.evaluate(
        "[...document.querySelectorAll('main button, .level, .pick label')]"
        ".filter((node) => node.offsetHeight && node.offsetHeight < 44).map((node) => node.outerHTML)"
    )
    assert small == []
    for _ in range(9):
        rate_by_touch(page)
    page.tap("[data-play]")
    page.wait_for_selector("[data-heard].ok")
    page.tap(f"{FORM} [name=absent]")
    assert page.input_value(f"{FORM} [name=P]:checked") == "0"
    for name, value in (("t1", "missing"), ("t2", "missing"), ("N", "2"), ("Q", "2"), ("E", "2")):
        page.tap(f'{FORM} label:has(> input[name="{name}"][value="{value}"])')
    page.tap("[data-send]")
    page.wait_for_url("**/sittings/**")
    session.refresh_from_db()
    assert session.state == SessionState.FINISHED
    last = RatingTask.objects.filter(rater=rater, ratings__accuracy=0).get().ratings.get()
    assert (last.effect, last.placements) == (0, ["missing", "missing"])
    assert RatingTask.objects.filter(rater=rater, state=TaskState.ANSWERED).count() == 10


def at_the_desk(open_page, listening, live_server):
    """Open the form of somebody who has come to the clips."""
    rater = listening.rater(now=timezone.now())
    listening.sitting(rater, now=timezone.now())
    page = open_page("/")
    page.context.add_cookies(session_of(rater.user, live_server.url))
    page.goto(f"/rate/{rater.code}/form/")
    is_ready(page)
    return page


PLAYED = (
    "(() => { const {played, paused} = document.querySelector('[data-slot=desk] [data-audio]');"
)
SILENT = f"{PLAYED} return paused && played.length === 0; }})()"


def test_nothing_sounds_by_itself_and_all_is_heard_before_one_seeks_or_sends(
    open_page, listening, live_server
):
    page = at_the_desk(open_page, listening, live_server)
    assert page.evaluate(SILENT)
    assert page.is_disabled(f"{FORM} [data-seek]")
    mark_by_keys(page)
    assert page.is_disabled("[data-send]"), "all marks are there, the sound was not heard"
    hear(page)
    assert page.is_enabled(f"{FORM} [data-seek]")
    until(page, "!document.querySelector('[data-send]').disabled")


def test_a_form_with_one_question_offers_no_key_to_another(
    open_page, settings, tmp_path, live_server
):
    settings.PUBLIC_FILES, settings.HIDDEN_FILES = tmp_path / "files", tmp_path / "hidden"
    asked = make_listening(now=timezone.now(), form=RatingForm.MOS, systems=2)
    page = at_the_desk(open_page, asked, live_server)
    told = page.inner_text(".keys")
    assert "1–5" in told
    assert "other question" not in told
    page.keyboard.press("?")
    assert "vocalization" not in page.inner_text("[data-keys-dialog]")
