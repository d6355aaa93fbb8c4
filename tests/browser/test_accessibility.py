"""axe-core on every page, as every kind of person who sees it differently, light and dark."""

from __future__ import annotations

import shutil
from importlib.resources import files

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.conftest import FLAGS, session_of
from tests.browser.world import ACTS_AND_FILES, PAGES, address, make_world, page_names

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
RUN = """async ([theme, only]) => {
  const options = {resultTypes: ["violations"]};
  if (only) options.runOnly = {type: "rule", values: only};
  const found = await axe.run(document, options);
  const said = (node) => [...node.any, ...node.all, ...node.none].map((check) => check.message);
  return found.violations
    .filter((one) => ["serious", "critical"].includes(one.impact))
    .flatMap((one) => one.nodes.slice(0, 3).map((node) =>
      `${theme}: ${one.id}: ${node.target.join(" ")}: ${said(node).join("; ")}`));
}"""
CUT = """() => {
  const width = document.documentElement.clientWidth;
  const beyond = (node) => {
    const box = node.getBoundingClientRect();
    return box.width > 1 && box.right > width + 1 && !node.closest("pre, .scroll, .hidden, .skip");
  };
  const inner = (node) => beyond(node) && ![...node.children].some(beyond);
  const found = [...document.querySelectorAll("main *, header *, footer *")].filter(inner);
  if (document.documentElement.scrollWidth > width) found.push(document.documentElement);
  return found.slice(0, 3).map((node) =>
    `${node.tagName}.${node.getAttribute("class") || ""} is cut off: ${node.textContent.trim().slice(0, 40)}`);
}"""
IDLE = (
    """() => document.querySelector("[hx-trigger]") && !window.htmx ? ["does not ask again"] : []"""
)
NARROW = 390
LOOKS = (
    ("light", 1280, None),
    ("dark", NARROW, ["color-contrast", "target-size", "link-in-text-block"]),
)
"""Theme, width, and the rules: what depends on colors and sizes is judged in both."""


def test_every_page_is_looked_at_or_known_to_be_none() -> None:
    listed = {name for name, _, _ in PAGES}
    assert page_names() - listed == ACTS_AND_FILES
    assert listed <= page_names()


@pytest.fixture
def visit(live_server, monkeypatch, settings, tmp_path):
    """Return a function that opens a page as somebody, in one browser for all of them."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    settings.PUBLIC_FILES, settings.HIDDEN_FILES = tmp_path / "files", tmp_path / "hidden"
    settings.VAR_DIR, settings.OUTBOX = tmp_path, True
    with sync_playwright() as driver:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        contexts = {}

        def visited(who: str, person, path: str):
            if who not in contexts:
                for left in contexts.values():
                    left.close()  # a page that is left open goes on asking the server
                contexts.clear()
                # a color half-way between two themes is no color of the page
                contexts[who] = browser.new_context(
                    base_url=live_server.url, reduced_motion="reduce", viewport=window(LOOKS[0][1])
                )
                contexts[who].add_cookies(session_of(person, live_server.url))
                contexts[who].new_page()
            page = contexts[who].pages[0]
            answer = page.goto(path)
            return page, answer.status

        yield visited
        browser.close()


def window(width: int) -> dict[str, int]:
    return {"width": width, "height": 900}


def faults_of(page) -> list[str]:
    """Return the serious faults of the page, what a phone cuts off, and whether it stands still."""
    page.evaluate(AXE)
    found = page.evaluate(IDLE)
    begun = page.viewport_size["width"]
    # the look that the page has comes first: to change it costs as much as to judge it
    for theme, width, rules in sorted(LOOKS, key=lambda look: look[1] != begun):
        page.emulate_media(color_scheme=theme)
        if width != page.viewport_size["width"]:
            page.set_viewport_size(window(width))
        found += page.evaluate(RUN, [theme, rules])
        found += page.evaluate(CUT) if width == NARROW else []
    return found


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_no_page_has_a_serious_fault_for_anybody(visit):
    world = make_world()
    faults = []
    visits = [(who, name, thing) for name, thing, viewers in PAGES for who in viewers]
    for who, name, thing in sorted(visits, key=lambda one: one[0]):
        page, status = visit(who, world.people[who], address(world, name, thing))
        found = faults_of(page) if status == 200 else [f"answers {status}"]
        faults += [f"{name} {thing} as {who}: {fault}" for fault in found]
    assert not faults, "\n".join(faults)


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_no_page_of_an_error_has_a_serious_fault(visit):
    world = make_world(with_examples=False)
    console = address(world, "grading:console", "competition")
    acts = address(world, "accounts:logout", "")
    for path, who, wanted in (
        ("/nothing-here/", "anonymous", 404),
        ("/accounts/verify/cut-off/", "unverified", 404),
        (console, "captain", 403),
        (acts, "captain", 405),
    ):
        page, status = visit(who, world.people[who], path)
        assert status == wanted
        assert faults_of(page) == []


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_judge_finds_a_fault_that_was_put_in(visit):
    page, _ = visit("anonymous", None, "/accounts/login/")
    page.evaluate("document.querySelector('label').remove()")
    page.evaluate("document.querySelector('h1').style.minWidth = '500px'")
    found = faults_of(page)
    assert any(": label: " in fault for fault in found)
    assert any("H1. is cut off" in fault for fault in found), found
