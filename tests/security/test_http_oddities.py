"""Requests that clients do not send, others of the handed kinds, against the real web server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.security.served import Installation, running
from tests.security.wire import exchange, request

pytestmark = pytest.mark.slow

CASES = Path(__file__).resolve().parents[1] / "cases"
STANDING = {
    "connection", "content-security-policy", "cross-origin-opener-policy", "date",
    "permissions-policy", "referrer-policy", "x-frame-options", "x-request-id",
    "content-language",
}  # fmt: skip
"""What every answer of the server has."""
HOST = "Host: 127.0.0.1"
CHUNKED = "Transfer-Encoding: chunked"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with running(tmp_path_factory.mktemp("odd")) as made:
        yield made


def get(*lines: str, first: str = "GET /healthz HTTP/1.1", host: str = HOST) -> bytes:
    given = [first, *([host] if host else []), *lines, "Connection: close", "", ""]
    return "\r\n".join(given).encode("latin-1")


# kind: (request, status; None for a connection that is closed without an answer)
ODD: dict[str, tuple[bytes, int | None]] = {
    "no host": (get(host=""), 400),
    "two hosts": (get("Host: evil.example"), 400),
    "one host twice": (get(HOST), 400),
    "an empty host": (get(host="Host: "), 400),
    "a foreign host": (get(host="Host: evil.example"), 400),
    "a host with a path": (get(host="Host: 127.0.0.1/x"), 400),
    "a host with a name before it": (get(host="Host: a@127.0.0.1"), 400),
    "a host with NUL": (get(host="Host: 127.0.0.1\0"), 400),
    "an absolute address": (get(first="GET http://127.0.0.1/healthz HTTP/1.1"), 200),
    "an authority": (get(first="CONNECT 127.0.0.1:22 HTTP/1.1"), 400),
    "a trace": (get(first="TRACE / HTTP/1.1"), 405),
    "a method of another protocol": (get(first="PROPFIND / HTTP/1.1"), 405),
    "a method in small letters": (get(first="get /healthz HTTP/1.1"), 400),
    "an endless method": (get(first="A" * 5000 + " / HTTP/1.1"), 400),
    "HTTP/0.9": (b"GET /healthz\r\n", None),
    "HTTP/1.2": (get(first="GET /healthz HTTP/1.2"), 400),
    "HTTP/2.0": (get(first="GET /healthz HTTP/2.0"), 400),
    "the preface of HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    "TLS": (bytes.fromhex("16030100a5010000a10303") + bytes(150), 400),
    "empty lines first": (b"\r\n\r\n" + get(), 200),
    "a change to a web socket": (
        get("Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbQ=="),
        200,
    ),
    "a change to HTTP/2": (get("Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"), 200),
    "LF alone": (get().replace(b"\r\n", b"\n"), 400),
    "CR alone": (get().replace(b"\r\n", b"\r"), 400),
    "a header without a colon": (get("NoColon"), 400),
    "a header without a name": (get(": x"), 400),
    "a blank in a name": (get("X A: b"), 400),
    "NUL in a name": (get("X\0A: b"), 400),
    "NUL in a value": (get("X-A: b\0c"), 400),
    "a control character in a value": (get("X-A: b\x01c"), 400),
    "a value over two lines": (get("X-A: b\r\n c"), 400),
    "Latin-1 in a value": (get("X-A: \xe9\xff"), 200),
    "a thousand headers": (get(*(f"X-{n}: a" for n in range(1000))), 200),
    "five thousand headers": (get(*(f"X-{n}: a" for n in range(5000))), 431),
    "an address of 64 kB": (get(first=f"GET /{'a' * 64_000} HTTP/1.1"), 431),
    "an address of a megabyte": (get(first=f"GET /{'a' * 1_000_000} HTTP/1.1"), 431),
    "three thousand parameters": (
        get(first="GET /?" + "&".join(f"a{n}=1" for n in range(3000)) + " HTTP/1.1"),
        200,
    ),
    "NUL in an address": (get(first="GET /%00/ HTTP/1.1"), 404),
    "no UTF-8 in an address": (get(first="GET /competitions/%ff/ HTTP/1.1"), 404),
    "an overlong way up": (get(first="GET /static/%c0%ae%c0%ae/ HTTP/1.1"), 404),
    "a way up": (get(first="GET /static/%2e%2e/%2e%2e/etc/passwd HTTP/1.1"), 404),
    "half an escape": (get(first="GET /%zz/% HTTP/1.1"), 404),
    "a blank in an address": (get(first="GET /a b HTTP/1.1"), 400),
    "another site's address": (get(first="GET //evil.example/ HTTP/1.1"), 404),
    "a surrogate in a question": (get(first="GET /?q=%ed%a0%80 HTTP/1.1"), 200),
    "a body of GET": (get("Content-Length: 5") + b"hello", 200),
    "a body of HEAD": (get("Content-Length: 5", first="HEAD /healthz HTTP/1.1") + b"hello", 200),
    "an endless token": (
        get(f"Authorization: Bearer {'a' * 20_000}", first="GET /api/v1/submissions/ HTTP/1.1"),
        401,
    ),
    "an odd cookie": (get('Cookie: sessionid="\\000"; ; =; a', first="GET / HTTP/1.1"), 200),
    "odd ranges": (
        get("Range: bytes=0-,-1,5-3,99999999999999999999-", first="GET / HTTP/1.1"),
        200,
    ),
    "an odd quality": (
        get("Accept: ;;;q=9,*/*;q=nan", first="GET /api/v1/competitions/ HTTP/1.1"),
        200,
    ),
    "a language from elsewhere": (
        get("Accept-Language: ../../etc,zh-" + "x-" * 2000, first="GET / HTTP/1.1"),
        200,
    ),
}


@pytest.mark.parametrize("kind", ODD)
def test_an_odd_request_is_answered_once_and_shows_nothing(site: Installation, kind: str) -> None:
    raw, status = ODD[kind]
    found = exchange(site, raw, then="close", timeout=30)
    assert [answer.status for answer in found] == [status or 0]
    assert b"Traceback" not in found[0].body
    [other] = exchange(site, request("/healthz", method="GET"))
    assert other.status == 200


def post(site: Installation, *lines: str, version: str = "1.1") -> bytes:
    given = [
        f"POST {site.world['api']}/cases/submissions/ HTTP/{version}",
        HOST,
        f"Authorization: Bearer {site.world['token']}",
        "Content-Type: application/octet-stream",
        *lines,
        "Connection: close",
    ]
    return "\r\n".join([*given, "", ""]).encode()


# kind: (headers, body, HTTP version, status)
BODIES: dict[str, tuple[list[str], bytes, str, int]] = {
    "extensions of chunks": ([CHUNKED], b'1;a=b;c="d"\r\nx\r\n0;end\r\n\r\n', "1.1", 201),
    "a megabyte of extension": (
        [CHUNKED],
        b"1;" + b"a" * (1 << 20) + b"\r\nx\r\n0\r\n\r\n",
        "1.1",
        400,
    ),
    "a trailer": ([CHUNKED], b"1\r\ny\r\n0\r\nX-T: 1\r\n\r\n", "1.1", 201),
    "a length in a trailer": (
        [CHUNKED],
        b"1\r\nx\r\n0\r\nContent-Length: 9\r\n\r\n",
        "1.1",
        400,
    ),
    "a size of many zeros": ([CHUNKED], b"0" * 30 + b"1\r\nz\r\n0\r\n\r\n", "1.1", 201),
    "a size with 0x": ([CHUNKED], b"0x1\r\nx\r\n0\r\n\r\n", "1.1", 400),
    "a size with a plus": ([CHUNKED], b"+1\r\nx\r\n0\r\n\r\n", "1.1", 400),
    "no size": ([CHUNKED], b"\r\nx\r\n0\r\n\r\n", "1.1", 400),
    "chunks with LF alone": ([CHUNKED], b"1\nx\n0\n\n", "1.1", 400),
    "a chunk of exabytes": ([CHUNKED], b"7fffffffffffffff\r\nx", "1.1", 400),
    "chunks over the limit": (
        [CHUNKED],
        (b"100000\r\n" + b"x" * 0x100000 + b"\r\n") * 30 + b"0\r\n\r\n",
        "1.1",
        413,
    ),
    "two codings": (["Transfer-Encoding: gzip", CHUNKED], b"1\r\nx\r\n0\r\n\r\n", "1.1", 400),
    "a coding in quotes": (['Transfer-Encoding: "chunked"'], b"1\r\nx\r\n0\r\n\r\n", "1.1", 400),
    "chunks of HTTP/1.0": ([CHUNKED], b"1\r\nx\r\n0\r\n\r\n", "1.0", 400),
    "an empty length": (["Content-Length: "], b"", "1.1", 400),
    "a length with an exponent": (["Content-Length: 1e1"], b"x" * 10, "1.1", 400),
    "a length beyond 64 bits": (["Content-Length: 18446744073709551617"], b"x", "1.1", 400),
    "no length": ([], b"", "1.1", 422),
    "no length of HTTP/1.0": ([], b"x", "1.0", 422),
    "another token beside": (
        ["Authorization: Bearer other", "Content-Length: 1"],
        b"x",
        "1.1",
        401,
    ),
    "an endless key": ([f"Idempotency-Key: {'a' * 9000}", "Content-Length: 1"], b"x", "1.1", 400),
}


@pytest.mark.parametrize("kind", BODIES)
def test_an_odd_body_is_taken_whole_or_refused(site: Installation, kind: str) -> None:
    lines, body, version, status = BODIES[kind]
    before = len(site.ask("state")["submissions"])
    found = exchange(site, post(site, *lines, version=version) + body, then="close", timeout=30)
    assert [answer.status for answer in found] == [status]
    taken = len(site.ask("state")["submissions"]) - before
    assert taken == (1 if status == 201 else 0)


def test_fifty_requests_at_once_are_answered_in_order(site: Installation) -> None:
    one = get().replace(b"Connection: close\r\n", b"")
    found = exchange(site, one * 49 + get())
    assert [answer.status for answer in found] == [200] * 50


@pytest.mark.parametrize("first", ["garbage", "refused"])
def test_what_follows_a_refusal_is_not_answered(site: Installation, first: str) -> None:
    raw = {"garbage": b"GARBAGE\r\n\r\n", "refused": post(site, "Content-Length: 99999999999")}
    assert len(exchange(site, raw[first] + get())) == 1


def test_nothing_of_all_this_was_an_error_of_the_server(site: Installation) -> None:
    lines = [json.loads(line) for line in site.log("web").splitlines() if line.startswith("{")]
    assert [line for line in lines if line.get("status", 0) >= 500] == []
    errors = [line for line in lines if line["level"] in {"error", "critical"}]
    assert [e for e in errors if not e["logger"].startswith("django.security")] == []


@pytest.fixture(scope="module")
def sound(site: Installation) -> dict[str, str]:
    """A rater's sound: its address, the cookie that opens it, its bytes in hex."""
    return site.ask("listening")


def steps_of(name: str, sound: dict[str, str]) -> list[dict[str, Any]]:
    """Return the steps of a handed case; raters come with a cookie where others have a token."""
    text = (CASES / "http" / f"{name}.json").read_text()
    steps = json.loads(text.replace("{AUDIO}", sound["path"]))["steps"]
    for step in steps:
        del step["headers"]["Authorization"]
        step["headers"]["Cookie"] = sound["cookie"]
    return steps


def asked(site: Installation, sound: dict[str, str], method: str = "GET", **more: str):
    headers = {"Cookie": sound["cookie"], **{name.replace("_", "-"): v for name, v in more.items()}}
    return exchange(site, request(sound["path"], method=method, headers=headers))[-1]


def test_a_range_beyond_the_end_is_answered_with_the_size(site, sound) -> None:
    size = len(sound["hex"]) // 2
    found = [
        exchange(site, request(step["target"], method="GET", headers=step["headers"]))[-1]
        for step in steps_of("h-range-beyond", sound)
    ]
    assert [answer.status for answer in found] == [416, 416, 206]
    assert found[0].headers["content-range"] == f"bytes */{size}"
    assert found[1].headers["content-range"] == f"bytes */{size}"
    assert found[2].headers["content-range"] == f"bytes 0-{size - 1}/{size}"
    assert found[2].body.hex() == sound["hex"]


def test_a_malformed_range_is_ignored(site, sound) -> None:
    for step in steps_of("h-range-malformed", sound):
        answer = exchange(site, request(step["target"], method="GET", headers=step["headers"]))[-1]
        assert answer.status == 200, step
        assert answer.body.hex() == sound["hex"]


def test_a_player_that_resumes_gets_every_byte_once(site, sound) -> None:
    data, step = bytes.fromhex(sound["hex"]), 5_000
    whole = asked(site, sound)
    assert (whole.status, whole.headers["accept-ranges"]) == (200, "bytes")
    parts = []
    for first in range(0, len(data), step):
        part = asked(
            site, sound, Range=f"bytes={first}-{first + step - 1}", If_Range=whole.headers["etag"]
        )
        assert part.status == 206
        parts.append(part.body)
    assert b"".join(parts) == data
    assert asked(site, sound, Range="bytes=0-9", If_Range='"another"').status == 200
    assert asked(site, sound, If_None_Match=whole.headers["etag"]).status == 304


def test_head_tells_the_length_and_sends_nothing(site, sound) -> None:
    answer = asked(site, sound, method="HEAD", Range="bytes=0-9")
    assert (answer.status, answer.body) == (200, b"")
    assert int(answer.headers["content-length"]) == len(sound["hex"]) // 2


def test_a_sound_says_nothing_of_where_it_is_from(site, sound) -> None:
    answer = asked(site, sound)
    told = {name: text for name, text in answer.headers.items() if name not in STANDING}
    assert told == {
        "content-type": "audio/wav",
        "content-length": str(len(sound["hex"]) // 2),
        "content-disposition": "inline",
        "accept-ranges": "bytes",
        "cache-control": "private, max-age=1800",
        "etag": answer.headers["etag"],
        "vary": "Cookie, Accept-Language",
        "x-content-type-options": "nosniff",
    }
    assert exchange(site, request(sound["path"], method="GET"))[-1].status == 401
