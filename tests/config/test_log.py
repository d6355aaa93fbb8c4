from __future__ import annotations

import json
import logging
import sys

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.urls import ResolverMatch

from config.log import REQUEST_ID, JsonFormatter, PlainFormatter, bind_task, release_task
from config.requests import HEADER, RequestLogMiddleware


def record(message: str, *args: object, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("plaudit.x", logging.INFO, __file__, 1, message, args, None)
    vars(made).update(extra)
    return made


def line(made: logging.LogRecord) -> dict[str, object]:
    text = JsonFormatter().format(made)
    assert "\n" not in text
    return json.loads(text)


def test_a_line_says_when_what_and_what_was_added() -> None:
    said = line(record("evaluation.claimed", evaluation=7))
    assert said.pop("at")
    assert said == {
        "level": "info",
        "logger": "plaudit.x",
        "event": "evaluation.claimed",
        "evaluation": 7,
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("token plt_abc-DEF_9 used", "token plt_*** used"),
        ("GET /accounts/reset/s3cr3t/", "GET /accounts/reset/***/"),
        ("GET /accounts/verify/s3cr3t/ done", "GET /accounts/verify/***/ done"),
        ("/invitations/s3cr3t/", "/invitations/***/"),
        ("/rate/audio/s3cr3t/", "/rate/audio/***/"),
        ("/a/?q=private&x=1 done", "/a/?*** done"),
        ("redis://:hunter2@host/0", "redis://***@host/0"),
        ("postgres://me:hunter2@host/db", "postgres://***@host/db"),
        ("Is it so? Yes", "Is it so? Yes"),
    ],
)
def test_secrets_in_a_text_are_not_logged(text: str, shown: str) -> None:
    assert line(record(text))["event"] == shown
    assert line(record("x", where=text))["where"] == shown
    assert shown in PlainFormatter().format(record(text))


@pytest.mark.parametrize(
    "name", ["password", "api_token", "client_secret", "Authorization", "cookie"]
)
def test_a_value_whose_name_says_secret_is_not_logged(name: str) -> None:
    assert line(record("x", **{name: "hunter2"}))[name] == "***"


def test_a_long_text_is_cut_and_no_secret_shows_at_the_cut() -> None:
    assert len(str(line(record("a" * 10_000_000))["event"])) < 2_100
    for before in range(1_900, 2_001, 7):
        assert "hunter2" not in line(record("a" * before + " redis://:hunter2@host/0"))["event"]


def test_an_exception_comes_with_its_frames_and_without_secrets() -> None:
    made = record("pulse.failed")
    try:
        int("plt_abcdef")
    except ValueError:
        made.exc_info = sys.exc_info()
    exception = str(line(made)["exception"])
    assert "test_log.py" in exception
    assert "plt_***" in exception
    assert "abcdef" not in exception


def test_a_task_is_named_while_it_runs() -> None:
    bind_task(task_id="t-1")
    assert line(record("x"))["task_id"] == "t-1"
    release_task()
    assert "task_id" not in line(record("x"))


def answer(request: HttpRequest) -> HttpResponse:
    request.resolver_match = ResolverMatch(answer, (), {"token": "s3cr3t"})
    assert REQUEST_ID.get()
    return HttpResponse(status=204)


def test_a_request_gets_an_id_and_one_line_without_query_or_secret(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, "config.requests"):
        response = RequestLogMiddleware(answer)(RequestFactory().get("/mails/s3cr3t/?q=private"))
    (made,) = caplog.records
    said = line(made)
    assert said["event"] == "request.done"
    assert (said["method"], said["path"], said["status"]) == ("GET", "/mails/***/", 204)
    assert "private" not in json.dumps(said)
    assert len(response.headers[HEADER]) == 16
    assert REQUEST_ID.get() == ""
