"""`plaudit submit` with large files: in parts, going on after a stop, never sending its token along."""

from __future__ import annotations

import json
import os
from datetime import timedelta

import httpx
import pytest
from django.utils import timezone

from accounts.services import tokens
from grading.identity import SINGLE_BYTES, Digests
from grading.models import Submission, UploadSession
from tests.client.program import load
from tests.factories.grading import make_arena
from tests.wsgi import Site

pytestmark = pytest.mark.django_db
client = load()
SERVER = "http://127.0.0.1:8000"


class Line(httpx.BaseTransport):
    """A line to the application that breaks when told to, and remembers what went over it."""

    def __init__(self) -> None:
        self.far = Site()
        self.seen: list[httpx.Request] = []
        self.breaks: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(request)
        if self.breaks and self.breaks[0] in str(request.url):
            self.breaks.pop(0)
            raise httpx.WriteError("broken")
        return self.far.handle_request(request)

    def parts(self) -> list[int]:
        puts = [str(one.url.path) for one in self.seen if one.method == "PUT"]
        return [int(path.rstrip("/").rpartition("/")[2]) for path in puts]


@pytest.fixture
def line(settings, tmp_path, monkeypatch) -> Line:
    settings.PUBLIC_FILES = tmp_path / "files"
    settings.HIDDEN_FILES = tmp_path / "hidden"
    line, http = Line(), httpx.Client
    monkeypatch.setattr(client.httpx, "Client", lambda **how: http(**how, transport=line))
    monkeypatch.setattr(client.time, "sleep", lambda _: None)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return line


@pytest.fixture
def command(line, tmp_path, monkeypatch) -> list[str]:
    arena = make_arena(now=timezone.now())
    _, secret = tokens.create_token(
        actor=arena.captain,
        name="laptop",
        scopes=["read", "submit"],
        now=timezone.now() - timedelta(days=1),
    )
    monkeypatch.setenv("PLAUDIT_SERVER", SERVER)
    monkeypatch.setenv("PLAUDIT_TOKEN", secret)
    file = tmp_path / "run.jsonl"
    file.write_bytes(os.urandom(SINGLE_BYTES + 5))
    place = [
        "--competition",
        arena.competition.slug,
        "--track",
        "understanding",
        "--phase",
        "final",
    ]
    return ["submit", str(file), *place, "--system", "alder", "--no-wait", "--json"]


def identity_of(command: list[str]) -> str:
    digests = Digests()
    with open(command[1], "rb") as file:  # noqa: PTH123
        digests.update(file.read())
    return digests.content_id


def test_a_large_file_is_sent_in_parts_and_the_token_goes_to_no_link(command, line, capsys):
    assert client.main(command) == 0
    submission = Submission.objects.get()
    assert json.loads(capsys.readouterr().out)["code"] == submission.code
    assert submission.content_id == identity_of(command)
    assert line.parts() == [1, 2, 3, 4]
    for request in line.seen:
        assert ("authorization" in request.headers) == (request.method != "PUT")


def test_a_line_that_breaks_costs_a_part_each_time(command, line):
    line.breaks = ["/parts/2/", "/parts/2/", "/complete/", "/parts/4/"]
    line.breaks.sort(key=lambda text: text == "/complete/")
    assert client.main(command) == 0
    assert line.parts() == [1, 2, 2, 2, 3, 4, 4]
    assert Submission.objects.get().content_id == identity_of(command)


def test_a_command_that_was_stopped_goes_on_without_reading_the_file_again(
    command, line, capsys, monkeypatch
):
    line.breaks = ["/parts/3/"] * client.PART_ATTEMPTS
    assert client.main(command) == 1
    assert "kept for 48 hours" in capsys.readouterr().err
    line.seen.clear()
    monkeypatch.setattr(client, "part_hashes", lambda file: pytest.fail("read again"))
    assert client.main(command) == 0
    assert line.parts() == [3, 4]
    assert UploadSession.objects.count() == 1


def test_a_file_that_changed_meanwhile_is_a_new_upload(command, line):
    line.breaks = ["/parts/3/"] * client.PART_ATTEMPTS
    assert client.main(command) == 1
    with open(command[1], "r+b") as file:  # noqa: PTH123
        file.write(b"changed")
    assert client.main(command) == 0
    assert UploadSession.objects.count() == 2
    assert Submission.objects.get().content_id == identity_of(command)


def test_a_used_up_quota_is_told_at_once(command, line, capsys):
    from competition.models import Phase

    Phase.objects.update(quota_total=1)
    assert client.main(command) == 0
    with open(command[1], "ab") as file:  # noqa: PTH123
        file.write(b"more")
    line.seen.clear()
    assert client.main(command) == 1
    assert "QUOTA_EXCEEDED" in capsys.readouterr().err
    assert len(line.seen) == 1


def test_a_file_too_large_for_the_servers_check_is_not_sent(command, line, capsys):
    with open(command[1], "r+b") as file:  # noqa: PTH123
        file.truncate(client.CHECK_BYTES + 1)
    check = ["check", *command[1 : command.index("--system")]]
    assert client.main(check) == 2
    assert "python -m grading.scoring check" in capsys.readouterr().err
    assert line.seen == []
