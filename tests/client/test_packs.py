"""`plaudit packs`: list, ask, get with a broken line, verify."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import httpx
import pytest
from django.utils import timezone

from accounts.services import tokens
from competition.models import Download
from competition.services import zips
from tests.client.program import load
from tests.competition.shelf import Shelf, make_shelf
from tests.wsgi import Site

pytestmark = pytest.mark.django_db
client = load()


class Broken(Site):
    """The site behind a line that breaks after so many bytes of a download, as often as told."""

    def __init__(self) -> None:
        super().__init__()
        self.breaks: list[int] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = super().handle_request(request)
        if not self.breaks or "/download/" not in request.url.path:
            return answer
        cut = self.breaks.pop(0)
        return httpx.Response(
            answer.status_code, headers=answer.headers, stream=Cut(answer.content[:cut])
        )


class Cut(httpx.SyncByteStream):
    def __init__(self, content: bytes) -> None:
        self._content = content

    def __iter__(self):
        yield self._content
        raise httpx.ReadError("cut")


@pytest.fixture
def site() -> Broken:
    return Broken()


@pytest.fixture
def shelf(tmp_path, monkeypatch, site) -> Shelf:
    zips._prefixes.clear()
    http = httpx.Client
    monkeypatch.setattr(client.httpx, "Client", lambda **how: http(**how, transport=site))
    monkeypatch.setattr(client.time, "sleep", lambda _seconds: None)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    made = make_shelf(tmp_path / "data", approve=False)
    _, secret = tokens.create_token(
        actor=made.member, name="laptop", scopes=["read", "submit"], now=timezone.now()
    )
    monkeypatch.setenv("PLAUDIT_SERVER", "http://127.0.0.1:8000")
    monkeypatch.setenv("PLAUDIT_TOKEN", secret)
    return made


def run(*words: str) -> int:
    return client.main(["packs", *words])


def test_a_copy_is_asked_for_by_name_downloaded_over_a_broken_line_and_verified(
    shelf, site, capsys
):
    slug = shelf.competition.slug
    assert run("list", slug) == 0
    assert "dev v1  not asked for" in capsys.readouterr().out
    assert run("get", slug, "dev") == client.NOT_ACCEPTED
    assert run("ask", slug, "dev", "--name", "A Member") == 0
    assert "Terms 1 accepted as A Member; copy 1: issued" in capsys.readouterr().out
    zips.hash_due(now=timezone.now())
    site.breaks = [1000, 0, 3000]
    assert run("get", slug, "dev:1") == 0
    told = capsys.readouterr()
    assert "Going on at byte 1000 of" in told.err
    assert "4 files" not in told.err
    file = Path("dev-v1-issue1.zip")
    assert f"Saved as {file}: 5 files" in told.out
    whole = file.read_bytes()
    row = Download.objects.order_by("-sent").first()
    assert row is not None
    assert run("get", slug, "dev") == client.USAGE  # it is there already
    assert run("verify", str(file), "--manifest", shelf.pack.sha256) == 0
    assert "copy 1, issued to A Member" in capsys.readouterr().out
    assert json.loads(zipfile.ZipFile(file).read("ISSUE.json"))["number"] == 1
    assert not list(Path().glob("*.part"))
    assert len(whole) == client.Api(client.load_account()).get(f"/competitions/{slug}/packs/")[
        "packs"
    ][0]["copy"]["size"]  # fmt: skip


def test_without_a_terminal_the_terms_are_not_accepted_silently(shelf, capsys):
    assert run("ask", shelf.competition.slug, "dev") == client.USAGE
    assert "--name" in capsys.readouterr().err
    assert run("ask", shelf.competition.slug, "other", "--name", "N") == client.NOT_ACCEPTED


def test_a_changed_zip_is_named_by_file(shelf, tmp_path, capsys):
    slug = shelf.competition.slug
    run("ask", slug, "dev", "--name", "A Member")
    assert run("get", slug, "dev", "--out", "got.zip") == 0
    changed = tmp_path / "changed.zip"
    with zipfile.ZipFile("got.zip") as old, zipfile.ZipFile(changed, "w") as new:
        for member in old.infolist():
            data = old.read(member)
            if member.filename == "audio/yue/dev_2.wav":
                data = data[:-1] + b"!"
            if member.filename != "README.txt":
                new.writestr(member, data)
        new.writestr("more.txt", b"x")
    capsys.readouterr()
    assert run("verify", str(changed)) == client.NOT_ACCEPTED
    assert capsys.readouterr().out.splitlines() == [
        "README.txt: is missing",
        "more.txt: is not in the manifest",
        "audio/yue/dev_2.wav: has other bytes than the manifest says",
    ]
    assert run("verify", "got.zip", "--manifest", "0" * 64) == client.NOT_ACCEPTED
    whole = Path("got.zip").read_bytes()
    Path("cut.zip").write_bytes(whole[:-40])
    assert run("verify", "cut.zip") == client.NOT_ACCEPTED
