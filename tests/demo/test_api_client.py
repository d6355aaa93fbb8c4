from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

import httpx
import pytest

from grading.demo.api_client import Api, Destination, UploadError

FINAL = Destination("nvv-demo", "understanding", "final")
PROBLEM = {"Content-Type": "application/problem+json"}


def api(answer: Callable[[httpx.Request], httpx.Response], *, patience: float = 5.0) -> Api:
    transport = httpx.MockTransport(answer)
    return Api(httpx.Client(transport=transport, base_url="http://server"), patience=patience)


def send(to: Api, content: bytes = b"{}\n") -> str:
    return to.upload("plt_x", FINAL, filename="a.jsonl", system="a", content=content)


def test_an_upload_names_its_phase_its_system_and_a_key_that_follows_from_the_content() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(HTTPStatus.CREATED, json={"code": "s1"})

    assert [send(api(answer), body) for body in (b"1", b"1", b"2")] == ["s1", "s1", "s1"]
    first, again, other = seen
    assert first.url.path == (
        "/api/v1/competitions/nvv-demo/tracks/understanding/phases/final/submissions/"
    )
    assert first.url.params["system"] == "a"
    assert first.headers["Authorization"] == "Bearer plt_x"
    assert first.headers["Idempotency-Key"] == again.headers["Idempotency-Key"]
    assert first.headers["Idempotency-Key"] != other.headers["Idempotency-Key"]


def test_a_busy_or_restarting_server_is_asked_again() -> None:
    answers = iter(
        [
            httpx.Response(HTTPStatus.TOO_MANY_REQUESTS, headers={"Retry-After": "0"}),
            httpx.Response(
                HTTPStatus.CONFLICT,
                headers=PROBLEM | {"Retry-After": "0"},
                json={"code": "REQUEST_STILL_RUNNING"},
            ),
            httpx.Response(HTTPStatus.OK, json={"code": "s2", "stage": "scored"}),
        ]
    )
    assert api(lambda _: next(answers)).stage("plt_x", "s2") == "scored"


def test_a_refusal_ends_the_upload_with_the_servers_own_words() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        body = {"code": "QUOTA_EXCEEDED", "detail": "No upload is left today."}
        return httpx.Response(HTTPStatus.CONFLICT, headers=PROBLEM, json=body)

    with pytest.raises(UploadError, match=r"No upload is left today. \(QUOTA_EXCEEDED\)"):
        send(api(answer))


def test_a_refusal_that_outlasts_the_patience_is_told_at_once() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        body = {"code": "QUOTA_EXCEEDED", "detail": "No upload is left today."}
        headers = PROBLEM | {"Retry-After": "3600"}
        return httpx.Response(HTTPStatus.TOO_MANY_REQUESTS, headers=headers, json=body)

    with pytest.raises(UploadError, match="No upload is left today"):
        send(api(answer))


def test_a_server_that_cannot_be_reached_is_given_up_in_the_end() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with pytest.raises(UploadError, match="cannot be reached"):
        send(api(answer, patience=0.4))
