"""Two sounds are compared in a real browser: both heard, marked and sent by keyboard, kept offline."""

from __future__ import annotations

import json

import pytest
from django.utils import timezone

from grading.enums import RatingForm, TaskState
from grading.models import RatingTask
from tests.browser.conftest import session_of, until
from tests.browser.test_rating import FORM, is_ready, moved_on, task_on, wait_until_sent
from tests.factories.listening import make_listening

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
HEARD = "document.querySelectorAll('[data-slot=desk] [data-heard].ok').length"


def hear_both(page) -> None:
    """Press Space for each of the two sounds; the one that was not heard yet comes next."""
    for count in (1, 2):
        page.keyboard.press(" ")
        until(page, f"{HEARD} === {count}")


def compare(page, key: str) -> str:
    task = task_on(page)
    hear_both(page)
    page.keyboard.press(key)
    page.keyboard.press("Enter")
    return task


def test_pairs_are_compared_by_keyboard_and_one_marked_offline_is_sent_when_the_line_is_back(
    open_page, settings, tmp_path, live_server
):
    settings.PUBLIC_FILES, settings.HIDDEN_FILES = tmp_path / "files", tmp_path / "hidden"
    listening = make_listening(now=timezone.now(), form=RatingForm.COMOS)
    rater = listening.rater(now=timezone.now())
    session = listening.sitting(rater, now=timezone.now())
    session.layout = ["scored", "scored", "null", "scored"]
    session.save()
    traffic = tmp_path / "traffic.har"
    page = open_page("/", fails=True, record_har_path=traffic)
    page.context.add_cookies(session_of(rater.user, live_server.url))
    page.goto(f"/rate/{rater.code}/form/")
    is_ready(page)
    page.keyboard.press("7")
    assert page.input_value(f"{FORM} [name=C]:checked") == "3"
    page.keyboard.press(" ")
    until(page, f"{HEARD} === 1")
    assert page.is_disabled("[data-send]")  # the second was not heard
    page.reload()
    is_ready(page)
    until(page, f"{HEARD} === 1")
    page.keyboard.press(" ")
    until(page, f"{HEARD} === 2")
    task = task_on(page)
    page.keyboard.press("Enter")
    moved_on(page, task)
    wait_until_sent(page)
    page.wait_for_selector("[data-slot=ahead] template", state="attached")
    until(
        page,
        "performance.getEntriesByType('resource').filter(r => r.name.includes('/rate/audio/')).length >= 6",
    )
    page.context.set_offline(True)
    task = compare(page, "2")
    moved_on(page, task)
    assert page.locator("[data-kind=offline]").is_visible()
    page.context.set_offline(False)
    wait_until_sent(page)
    for key in ("4", "1"):
        is_last = key == "1"
        task = compare(page, key)
        if is_last:
            page.wait_for_url("**/sittings/**")
        else:
            moved_on(page, task)
    tasks = RatingTask.objects.filter(rater=rater, state=TaskState.ANSWERED).order_by("position")
    assert [task.ratings.get().shown["C"] for task in tasks] == [3, -2, 0, -3]
    assert all(task.ratings.get().plays >= 1 for task in tasks)
    assert tasks[2].kind == "null"
    page.context.close()
    entries = json.loads(traffic.read_text("utf-8"))["log"]["entries"]
    told = json.dumps(entries, ensure_ascii=False)
    assert "/rate/audio/" in told
    assert [word for word in listening.secrets if word in told] == []
