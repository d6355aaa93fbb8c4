"""What the client does when the server says no: whether it waits, and what it tells."""

from __future__ import annotations

import os
import subprocess
import sys

import httpx
import pytest

from tests.architecture.sources import ROOT
from tests.client.program import load

client = load()
PHASE = ["--competition", "c", "--track", "t", "--phase", "p"]


@pytest.fixture
def waits(monkeypatch, tmp_path) -> list[float]:
    """The pauses that the client makes, not waited for; it is logged in."""
    monkeypatch.setenv("PLAUDIT_SERVER", "https://challenge.example.org")
    monkeypatch.setenv("PLAUDIT_TOKEN", "secret")
    made: list[float] = []
    monkeypatch.setattr(client.time, "sleep", made.append)
    return made


@pytest.fixture
def answers(monkeypatch):
    """Return a function that has the server give one answer again and again."""

    def given(status: int, code: str, after: str | None) -> list[str]:
        asked: list[str] = []

        def answer(request: httpx.Request) -> httpx.Response:
            asked.append(request.url.path)
            request.read()
            headers = {"Retry-After": after} if after else {}
            body = {"detail": "The server's own words.", "code": code}
            return httpx.Response(status, json=body, headers=headers)

        real = httpx.Client
        monkeypatch.setattr(
            client.httpx,
            "Client",
            lambda **more: real(**more, transport=httpx.MockTransport(answer)),
        )
        return asked

    return given


@pytest.mark.parametrize(
    ("code", "after", "times"),
    [
        ("TOO_MANY_CHECKS", "541", 1),
        ("QUOTA_EXCEEDED", "40000", 1),
        ("QUOTA_EXCEEDED", None, 1),
        ("THROTTLED", "31", 1),
        ("THROTTLED", "30", client.ATTEMPTS),
        ("THROTTLED", None, client.ATTEMPTS),
    ],
)
def test_a_limit_that_lasts_ends_the_command_at_once(
    waits, answers, tmp_path, capsys, code, after, times
):
    asked = answers(429, code, after)
    file = tmp_path / "run.jsonl"
    file.write_text("{}")
    assert client.main(["check", str(file), *PHASE]) == 1
    assert len(asked) == times
    assert len(waits) == times - 1
    assert all(seconds <= 30 for seconds in waits)
    assert f"The server's own words. ({code})" in capsys.readouterr().err


@pytest.mark.parametrize("status", [408, 502, 503, 504])
def test_what_may_go_well_a_little_later_is_tried_again(waits, answers, tmp_path, status):
    asked = answers(status, "REQUEST_TOO_SLOW", None)
    file = tmp_path / "run.jsonl"
    file.write_text("{}")
    assert client.main(["check", str(file), *PHASE]) == 1
    assert len(asked) == client.ATTEMPTS


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["submit", "--help"]])
def test_help_and_version_need_nothing_installed(tmp_path, words):
    (tmp_path / "httpx.py").write_text("raise ModuleNotFoundError('httpx')")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, str(ROOT / "plaudit")]
    told = subprocess.run(
        [*command, *words], env=environment, capture_output=True, text=True, check=False
    )
    assert (told.returncode, told.stderr) == (0, "")
    asked = subprocess.run(
        [*command, "status"],
        env=environment | {"PLAUDIT_SERVER": "https://x", "PLAUDIT_TOKEN": "t"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (asked.returncode, asked.stderr) == (
        2,
        "plaudit needs httpx: run `python3 -m pip install httpx`, then try again.\n",
    )
