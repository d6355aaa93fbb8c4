"""`normalize`: lines in, lines out."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import pytest

from grading.scoring.cli.normalize import read_lines
from tests.scoring.cli.commands import Run

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def feed(monkeypatch: pytest.MonkeyPatch):
    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))

    return give


def test_a_line_for_each_line(capsys: Capsys, feed) -> None:
    feed("三百蚊 hello\r\n\nOK，thanks".encode())
    run = Run(capsys, "normalize", "--with", "yue-1")
    assert (run.code, run.out) == (0, "300hello\n\nokthanks\n")


def test_an_object_for_each_line(capsys: Capsys, feed) -> None:
    feed("check 三百\u2028in\n".encode())
    run = Run(capsys, "normalize", "--with", "yue-1", "--json")
    assert [json.loads(line) for line in run.out.splitlines()] == [
        {
            "line": 1,
            "name": "yue-1",
            "version": "1.0.0",
            "text": "check300in",
            "spaced": "check 300 in",
        }
    ]


def test_a_line_that_is_not_utf_8_is_named_and_ends_the_run(capsys: Capsys, feed) -> None:
    feed(b"Twenty first\nab\xff\nthird\n")
    run = Run(capsys, "normalize", "--with", "speko-1")
    assert (run.code, run.out) == (1, "21\n")
    assert "line 2 is not UTF-8: byte 3 of the line" in run.err


def test_an_unknown_normalizer_is_a_usage_error_that_names_them(capsys: Capsys) -> None:
    run = Run(capsys, "normalize", "--with", "yue-9")
    assert run.code == 2
    assert "speko-1" in run.err


def test_lines_are_read_as_they_come() -> None:
    def lines():
        yield b"one\n"
        raise AssertionError("read ahead")

    assert next(read_lines(lines())) == (1, "one")
