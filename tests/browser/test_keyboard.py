"""Sign-up, upload and board by the keyboard alone: no pointer, and the focus is always to be seen."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from accounts.models import User
from grading.models import Submission
from tests.browser.conftest import session_of
from tests.factories.grading import jsonl, make_arena, scored

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
]

FOCUS = """() => {
  const node = document.activeElement;
  if (!node || node === document.body) return null;
  const label = node.labels?.[0]?.textContent ?? node.getAttribute("aria-label") ?? node.textContent;
  const shown = [node, ...(node.labels ?? [])].map((one) => getComputedStyle(one));
  const box = node.getBoundingClientRect();
  return {
    name: label.replace(/\\s+/g, " ").trim(),
    tag: node.tagName.toLowerCase(),
    outlined: shown.some((one) => one.outlineStyle !== "none" && parseFloat(one.outlineWidth) >= 2),
    inView: box.bottom > 0 && box.top < innerHeight && box.width > 0,
  };
}"""
MANY = 120


@pytest.fixture
def arena(settings, tmp_path):
    settings.PUBLIC_FILES, settings.HIDDEN_FILES = tmp_path / "files", tmp_path / "hidden"
    now = timezone.now()
    made = make_arena(now=now)
    made.competition.texts = {"en": {"title": "Demo challenge"}}
    made.competition.save()
    scored(made, made.entrant, made.captain, 60.0, number=901, at=now - timedelta(hours=5))
    return made


def reach(page, name: str, tag: str = "") -> None:
    """Press Tab until something with that name has the focus; what is passed shows its focus."""
    passed = []
    for _ in range(MANY):
        page.keyboard.press("Tab")
        held = page.evaluate(FOCUS)
        if held is None:
            continue
        assert held["outlined"], f"the focus on {held['name']!r} is not to be seen"
        assert held["inView"], f"the focus on {held['name']!r} is out of sight"
        if re.fullmatch(name, held["name"]) and tag in ("", held["tag"]):
            return
        passed.append(held["name"])
    raise AssertionError(f"Tab never comes to {name!r}, only to {passed}")


def press(page, name: str, tag: str = "") -> None:
    """Reach a link or button and press Enter."""
    reach(page, name, tag)
    page.keyboard.press("Enter")


def write(page, label: str, text: str) -> None:
    """Reach a field and type."""
    reach(page, label)
    page.keyboard.type(text)


def test_somebody_signs_up_makes_a_team_and_registers_it(open_page, arena):
    page = open_page("/")
    press(page, "Sign up", "a")
    page.wait_for_url("**/sign-up/")
    write(page, "Name", "Robin Example")
    write(page, "E-mail address", "robin@example.org")
    write(page, "Password", "a long and quiet phrase")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sign-up/sent/")
    (sent,) = mail.outbox
    page.goto(re.search(r"https?://[^/\s]+(\S+)", sent.body)[1])
    press(page, "Confirm my address")
    page.wait_for_url("**/login/**")
    write(page, "E-mail address", "robin@example.org")
    write(page, "Password", "a long and quiet phrase")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "login" not in url)
    assert User.objects.get(email="robin@example.org").email_verified_at is not None
    page.goto(f"/competitions/{arena.competition.slug}/")
    press(page, "Make a team", "a")
    page.wait_for_url("**/teams/new/")
    write(page, "Team name", "Team Keys")
    press(page, "Make the team", "button")
    page.wait_for_selector("text=The team is made.")
    page.goto(f"/competitions/{arena.competition.slug}/")
    press(page, "Register a team", "a")
    page.wait_for_url("**/register/")
    write(page, "Your name, typed as a signature", "Robin Example")
    reach(page, "I have read the rules and the terms and accept them.")
    page.keyboard.press("Space")
    press(page, "Accept and register", "button")
    page.wait_for_selector("text=Your team takes part.")


def test_a_file_is_checked_submitted_and_found_on_the_board(
    open_page, arena, tmp_path, live_server
):
    file = tmp_path / "mine.jsonl"
    file.write_bytes(jsonl(arena.flawed(1)))
    page = open_page("/")
    # From here on, Chromium hands its file dialog over; asked for at the press, it may come too late.
    page.on("filechooser", lambda _: None)
    page.context.add_cookies(session_of(arena.captain, live_server.url))
    page.goto(f"/competitions/{arena.competition.slug}/")
    press(page, "Submit", "a")
    page.wait_for_url("**/submit/")
    write(page, r"System name.*", "Keys only")
    reach(page, "File")
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(file)
    press(page, "Check only", "button")
    page.wait_for_selector("text=This file would be accepted.")
    press(page, "Submit", "button")
    page.wait_for_url("**/submissions/*/")
    submission = Submission.objects.get(system="Keys only")
    page.wait_for_selector(".states >> text=Scored")
    assert page.evaluate("document.activeElement === document.body")
    page.goto(f"/competitions/{arena.competition.slug}/tracks/understanding/final/board/")
    reach(page, "All rows", "input")
    page.keyboard.press("ArrowRight")
    reach(page, "Sort by", "select")
    page.keyboard.type("F1")
    press(page, "Show", "button")
    page.wait_for_url("**rows=official**")
    assert "sort=f1" in page.url
    press(page, re.escape(arena.entrant.team.name), "a")
    page.wait_for_url(f"**/entrants/{submission.entrant.code}/")
