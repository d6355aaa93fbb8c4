"""Given a file, who has it: an auditor chooses it, the browser hashes it, the page names the people."""

from __future__ import annotations

import hashlib

import pytest
from django.utils import timezone

from competition.enums import Role
from competition.models import PackFile, PackIssue
from competition.services import issues
from tests.browser.conftest import session_of, until
from tests.competition.shelf import make_shelf, sound
from tests.factories.competition import RoleGrantFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HASHED = """async (sizes) => {
  const {Sha256} = await import("/static/hashing.js");
  return sizes.map(([size, step]) => {
    const bytes = Uint8Array.from({length: size}, (_, place) => (place * 31 + 7) % 256);
    const sum = new Sha256();
    for (let at = 0; at < size; at += step) sum.update(bytes.subarray(at, at + step));
    return sum.hex();
  });
}"""


@pytest.fixture
def shelf(settings, tmp_path):
    settings.HIDDEN_FILES, settings.PUBLIC_FILES = tmp_path / "hidden", tmp_path / "public"
    return make_shelf(tmp_path / "clips", approve=False)


def console(open_page, live_server, shelf):
    auditor = RoleGrantFactory(competition=shelf.competition, role=Role.AUDITOR).user
    page = open_page("/")
    page.context.add_cookies(session_of(auditor, live_server.url))
    page.goto(f"/competitions/{shelf.competition.slug}/console/packs/")
    return page


def choose(page, name: str, data: bytes) -> str:
    """Return what the page says of a chosen file, without pressing anything."""
    page.set_input_files("#file", {"name": name, "mimeType": "audio/wav", "buffer": data})
    page.wait_for_url(f"**sha256={hashlib.sha256(data).hexdigest()}**")
    return page.inner_text("section[aria-labelledby=find]")


def test_a_chosen_file_is_looked_up_by_its_hash(open_page, live_server, shelf):
    issue = issues.request(
        actor=shelf.captain, pack=shelf.pack, typed_name="A. Captain", now=timezone.now()
    )
    page = console(open_page, live_server, shelf)
    data = sound(2)
    assert PackFile.objects.filter(sha256=hashlib.sha256(data).hexdigest()).exists()
    said = choose(page, "whatever.wav", data)
    assert "1 copy holds it" in said
    assert shelf.captain.name in said
    assert PackIssue.objects.get().number == issue.number
    said = choose(page, "changed.wav", data[:-1] + b"\x01")
    assert "Nobody: no copy that was issued here holds a file of this hash." in said
    assert shelf.captain.name not in said


def test_what_is_no_hash_is_said(open_page, live_server, shelf):
    page = console(open_page, live_server, shelf)
    page.fill("#sha256", "abc")
    page.click("[data-lookup] button")
    until(page, "location.search.includes('sha256=abc')")
    text = page.inner_text("section[aria-labelledby=find]")
    assert "A SHA-256 has 64 hexadecimal digits." in text


def test_files_of_any_length_have_the_hash_that_everybody_computes(open_page, live_server, shelf):
    page = console(open_page, live_server, shelf)
    lengths = [*range(130), 191, 192, 193, 4095, 4096, 4097, 1_000_003]
    sizes = [
        [size, step] for size in lengths for step in (1_000_003, 61) if size < 5000 or step > 99
    ]
    wanted = [
        hashlib.sha256(bytes((place * 31 + 7) % 256 for place in range(size))).hexdigest()
        for size, _step in sizes
    ]
    assert page.evaluate(HASHED, sizes) == wanted
