"""Take pictures of the pages of a running server: each role, theme and width.

    python scripts/screenshots.py --base http://127.0.0.1:8000 --logins var/demo-logins.json --out var/pictures

Needs Chromium and Playwright, and the demo's data and log-ins. A page that answers with an error or
writes to the browser's console is named at the end, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

COMPETITION = "/competitions/nvv-demo/"
PHASE = f"{COMPETITION}tracks/understanding/final/"
CAPTAIN = "juniper.captain@example.org"
ORGANIZER = "organizer@example.org"
OUTSIDER = "outsider@example.org"
LOCALES = {"zh-hans": "zh-CN", "zh-hant": "zh-TW"}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]


@dataclass(frozen=True, slots=True)
class Look:
    """How a round of pictures is taken."""

    base: str
    theme: str
    width: int
    language: str


@dataclass(frozen=True, slots=True)
class Shot:
    """A page to take: whose log-in (empty: nobody's), and the link to follow once it is open."""

    path: str
    person: str = ""
    follow: str = ""
    language: str = ""
    answers: int = 200


SHOTS: dict[str, Shot] = {
    "home": Shot("/"),
    "home-zh": Shot("/", language="zh-hans"),
    "competition": Shot(COMPETITION),
    "competition-zh": Shot(COMPETITION, language="zh-hant"),
    "competition-captain": Shot(COMPETITION, CAPTAIN),
    "competition-outsider": Shot(COMPETITION, OUTSIDER),
    "data": Shot(f"{COMPETITION}data/"),
    "rules": Shot(f"{COMPETITION}rules/"),
    "timeline": Shot(f"{COMPETITION}timeline/"),
    "news": Shot(f"{COMPETITION}announcements/"),
    "register": Shot(f"{COMPETITION}register/", "alder.captain@example.org"),
    "entry": Shot(f"{COMPETITION}entry/", CAPTAIN),
    "board": Shot(f"{PHASE}board/"),
    "board-captain": Shot(f"{PHASE}board/", CAPTAIN),
    "submit": Shot(f"{PHASE}submit/", CAPTAIN),
    "submissions": Shot(f"{COMPETITION}submissions/", CAPTAIN),
    "submission": Shot(f"{COMPETITION}submissions/", CAPTAIN, follow="a[href^='/submissions/']"),
    "methodology": Shot(f"{COMPETITION}tracks/understanding/methodology/"),
    "console": Shot(f"{COMPETITION}console/", ORGANIZER),
    "console-entrants": Shot(f"{COMPETITION}console/entrants/", ORGANIZER),
    "console-deadlines": Shot(f"{COMPETITION}console/deadlines/", ORGANIZER),
    "login": Shot("/accounts/login/"),
    "sign-up": Shot("/accounts/sign-up/"),
    "reset": Shot("/accounts/reset/"),
    "account": Shot("/accounts/account/", CAPTAIN),
    "tokens": Shot("/accounts/tokens/", CAPTAIN),
    "password": Shot("/accounts/account/password/", CAPTAIN),
    "teams": Shot("/teams/", CAPTAIN),
    "teams-empty": Shot("/teams/", OUTSIDER),
    "team": Shot("/teams/", CAPTAIN, follow="table a[href^='/teams/']"),
    "team-new": Shot("/teams/new/", CAPTAIN),
    "outbox": Shot("/outbox/"),
    "privacy": Shot("/privacy/"),
    "questions": Shot(f"{COMPETITION}questions/", CAPTAIN),
    "notices": Shot("/accounts/account/notices/", CAPTAIN),
    "status": Shot("/status/"),
    "receipt": Shot("/receipts/verify/"),
    "not-found": Shot("/nothing-here/", answers=404),
}


def main() -> int:
    """Take the pictures; returns 1 when a page went wrong."""
    options = _options()
    logins = json.loads(options.logins.read_text()) if options.logins.exists() else []
    passwords = {row["email"]: row["password"] for row in logins}
    options.out.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=options.chromium, args=FLAGS)
        for theme in options.themes:
            for width in options.widths:
                wrong += _round(
                    browser, options, passwords, Look(options.base, theme, width, options.language)
                )
        browser.close()
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--base", default="http://127.0.0.1:8000")
    parser.add_argument("--logins", type=Path, default=Path("var/demo-logins.json"))
    parser.add_argument("--out", type=Path, default=Path("var/pictures"))
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(SHOTS))
    parser.add_argument("--themes", type=lambda text: text.split(","), default=["light", "dark"])
    parser.add_argument(
        "--widths", type=lambda text: [int(width) for width in text.split(",")], default=[1280, 390]
    )
    parser.add_argument("--language", default="", help="of every page, like zh-hans")
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    parser.add_argument("--chromium", default=found)
    return parser.parse_args()


def _round(
    browser: Browser, options: argparse.Namespace, passwords: dict[str, str], look: Look
) -> Iterator[str]:
    contexts: dict[str, BrowserContext] = {}
    for name in options.only:
        shot = SHOTS[name]
        key = f"{shot.person}/{look.language or shot.language}"
        if key not in contexts:
            contexts[key] = _context(browser, shot, passwords, look)
        path = options.out / f"{name}-{look.width}-{look.theme}.png"
        yield from (
            f"{name} {look.width} {look.theme}: {fault}"
            for fault in _take(contexts[key], shot, path)
        )
    for context in contexts.values():
        context.close()


def _context(browser: Browser, shot: Shot, passwords: dict[str, str], look: Look) -> BrowserContext:
    context = browser.new_context(
        base_url=look.base,
        viewport={"width": look.width, "height": 900},
        color_scheme="dark" if look.theme == "dark" else "light",
        locale=LOCALES.get(look.language or shot.language, "en"),
    )
    if shot.person in passwords:
        _log_in(context.new_page(), shot.person, passwords[shot.person])
    if language := look.language or shot.language:  # after the log-in, which brings the account's
        cookie = {"name": "django_language", "value": language, "url": look.base}
        context.add_cookies([cookie])  # type: ignore[list-item]
    return context


def _log_in(page: Page, email: str, password: str) -> None:
    page.goto("/accounts/login/")
    page.fill("#id_username", email)
    page.fill("#id_password", password)
    page.click("main button[type=submit]")
    page.wait_for_url(lambda url: "/login/" not in url)
    page.close()


def _take(context: BrowserContext, shot: Shot, path: Path) -> list[str]:
    page = context.new_page()
    faults: list[str] = []
    expected = f"the server responded with a status of {shot.answers}"
    page.on(
        "console",
        lambda message: (
            faults.append(message.text)
            if message.type in {"error", "warning"} and expected not in message.text
            else None
        ),
    )
    page.on("pageerror", lambda error: faults.append(str(error)))
    answer = page.goto(shot.path)
    if shot.follow:
        page.locator(shot.follow).first.click()
        page.wait_for_load_state()
    elif answer is None or answer.status != shot.answers:
        faults.append(f"answered {answer.status if answer else 'nothing'}")
    page.wait_for_timeout(
        200
    )  # module scripts run after the page; a picture has no event to wait on
    faults += _overflow(page)
    page.screenshot(path=path, full_page=True)
    page.close()
    return faults


def _overflow(page: Page) -> list[str]:
    """Name a page that is wider than its window: something must be scrolled sideways."""
    wide = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return [f"{wide} px wider than the window"] if wide > 0 else []


if __name__ == "__main__":
    sys.exit(main())
