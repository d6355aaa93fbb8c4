"""A real browser against a live server; all of it needs Chromium."""

from __future__ import annotations

import shutil
import time

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


def session_of(person, url: str) -> list[dict[str, str]]:
    """Return the cookies of somebody who is logged in."""
    if person is None:
        return []
    client = Client()
    client.force_login(person)
    value = client.cookies[settings.SESSION_COOKIE_NAME].value
    return [{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": url}]


def until(page, expression: str) -> None:
    """Wait until an expression holds in the page.

    Asked again from outside: Playwright's own waiting evaluates text inside, where the site's
    policy forbids it once the page has loaded.
    """
    late = time.monotonic() + 10
    while not page.evaluate(expression):
        assert time.monotonic() < late, f"does not come true: {expression}"
        page.wait_for_timeout(50)


@pytest.fixture
def chromium(monkeypatch):
    """A browser for one test: Playwright's event loop must not outlive it, others need theirs."""
    # While the loop runs in this thread, the test's own statements are synchronous all the same.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, live_server):
    """Return a function that opens a page; what it writes to the console fails the test.

    With `fails` the server is meant to refuse something, which browsers write there too.
    """
    contexts, complaints = [], []

    def opened(path: str, *, fails: bool = False, **options: object):
        context = chromium.new_context(base_url=live_server.url, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on(
            "console",
            lambda message: (
                complaints.append(message.text)
                if message.type in {"error", "warning"}
                and not (fails and message.text.startswith("Failed to load resource"))
                else None
            ),
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
