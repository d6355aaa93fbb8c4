from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import uvicorn

from config import guard
from config.guard import HEADER_BYTES, Guard, GuardedProtocol, Limits, Pace

CASES = Path(__file__).resolve().parents[1] / "cases"
PATIENCE = 0.5
PACE = Pace(grace=1.5, rate=50)
UPLOAD_LIMIT = 100_000


class ImpatientProtocol(GuardedProtocol):
    patience = PATIENCE


@dataclass
class Recorder:
    """An application that reads the whole body, as Django does before any view runs."""

    bodies: list[bytes] = field(default_factory=list)
    lengths: list[bytes] = field(default_factory=list)
    dropped: int = 0

    async def __call__(self, scope, receive, send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.dropped += 1
                return
            body += message["body"]
            more = message["more_body"]
        self.bodies.append(body)
        self.lengths = [value for name, value in scope["headers"] if name == b"content-length"]
        answer = b"taken"
        headers = [(b"content-length", b"%d" % len(answer))]
        await send({"type": "http.response.start", "status": 201, "headers": headers})
        await send({"type": "http.response.body", "body": answer})


@dataclass
class Site:
    server: uvicorn.Server
    app: Recorder

    @property
    def port(self) -> int:
        return self.server.servers[0].sockets[0].getsockname()[1]

    def settle(self) -> None:
        """Wait until nothing of an earlier test is under way: it would be counted as this one's."""
        state, late = self.server.server_state, time.monotonic() + 20
        while state.connections or state.tasks:
            assert time.monotonic() < late, "a request of an earlier test does not end"
            time.sleep(0.01)

    def connect(self) -> socket.socket:
        opened = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return opened

    def ask(self, raw: bytes) -> bytes:
        with self.connect() as opened:
            opened.sendall(raw)
            return read_all(opened)


def read_all(opened: socket.socket) -> bytes:
    parts = []
    while part := opened.recv(65536):
        parts.append(part)
    return b"".join(parts)


@pytest.fixture(scope="module")
def running() -> Iterator[Site]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guard, "LINGER_SECONDS", 0.4)
        yield from _run()


def _run() -> Iterator[Site]:
    app = Recorder()
    limits = Limits(upload=UPLOAD_LIMIT, other=1_000)
    guarded = Guard(app, limits, patience=PATIENCE, pace=PACE)
    server = uvicorn.Server(
        uvicorn.Config(
            guarded, port=0, http=ImpatientProtocol, ws="none", lifespan="off", log_config=None
        )
    )
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield Site(server, app)
    server.should_exit = True
    thread.join(timeout=10)


@pytest.fixture
def site(running: Site) -> Site:
    running.settle()
    running.app.bodies.clear()
    running.app.dropped = 0
    return running


def request(
    *headers: str, path: str = "/x/submit/", body: bytes = b"", method: str = "POST"
) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: testserver", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def test_a_whole_request_passes_and_carries_its_body(site: Site) -> None:
    answer = site.ask(request("Content-Length: 5", "Connection: close", body=b"hello"))
    assert status(answer) == 201
    assert site.app.bodies == [b"hello"]


def test_a_whole_chunked_request_passes(site: Site) -> None:
    raw = request(
        "Transfer-Encoding: chunked", "Connection: close", body=b"5\r\nhello\r\n0\r\n\r\n"
    )
    assert status(site.ask(raw)) == 201
    assert site.app.bodies == [b"hello"]


def test_a_chunked_body_reaches_the_application_with_its_length(site: Site) -> None:
    body = b"5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n"
    assert (
        status(site.ask(request("Transfer-Encoding: chunked", "Connection: close", body=body)))
        == 201
    )
    assert (site.app.bodies, site.app.lengths) == ([b"hello!"], [b"6"])


def test_a_declared_length_over_the_limit_is_told_to_a_sender_that_gives_up(site: Site) -> None:
    with site.connect() as opened:
        opened.sendall(request(f"Content-Length: {UPLOAD_LIMIT + 1}", body=b"x"))
        opened.shutdown(socket.SHUT_WR)
        answer = read_all(opened)
    assert status(answer) == 413
    assert str(UPLOAD_LIMIT).encode() in answer


def test_two_requests_on_one_connection_are_both_answered(site: Site) -> None:
    first = request("Content-Length: 1", body=b"a")
    second = request("Content-Length: 1", "Connection: close", body=b"b")
    answer = site.ask(first + second)
    assert answer.count(b"201 Created") == 2
    assert site.app.bodies == [b"a", b"b"]


def test_a_sender_that_has_nothing_more_to_say_still_gets_its_answer(site: Site) -> None:
    with site.connect() as opened:
        opened.sendall(request("Content-Length: 5", body=b"hello"))
        opened.shutdown(socket.SHUT_WR)
        assert status(read_all(opened)) == 201


@pytest.mark.parametrize("sent", [0, 1, 4])
def test_a_cut_body_is_answered_400_and_reaches_no_application(site: Site, sent: int) -> None:
    with site.connect() as opened:
        opened.sendall(request("Content-Length: 5", body=b"hello"[:sent]))
        opened.shutdown(socket.SHUT_WR)
        assert status(read_all(opened)) == 400
    assert site.app.bodies == []


def test_a_cut_chunked_body_reaches_no_application(site: Site) -> None:
    with site.connect() as opened:
        opened.sendall(request("Transfer-Encoding: chunked", body=b"5\r\nhello\r\n"))
        opened.shutdown(socket.SHUT_WR)
        assert status(read_all(opened)) == 400
    assert site.app.bodies == []


def test_a_connection_that_vanishes_in_the_middle_reaches_no_application(site: Site) -> None:
    opened = site.connect()
    opened.sendall(request("Content-Length: 5", body=b"hel"))
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    opened.close()
    assert status(site.ask(request("Content-Length: 1", "Connection: close", body=b"x"))) == 201
    assert site.app.bodies == [b"x"]


def test_a_stalled_body_is_answered_408_while_others_are_served(site: Site) -> None:
    with site.connect() as opened:
        opened.sendall(request("Content-Length: 5", body=b"he"))
        assert status(site.ask(request("Content-Length: 1", "Connection: close", body=b"x"))) == 201
        answer = read_all(opened)
    assert status(answer) == 408
    assert site.app.bodies == [b"x"]


@pytest.mark.parametrize("sent", [b"", b"POST /x/submit/ HTTP/1.1\r\nHost: t"])
def test_stalled_headers_are_answered_408(site: Site, sent: bytes) -> None:
    began = time.monotonic()
    assert status(site.ask(sent)) == 408
    assert time.monotonic() - began < 5


def test_a_slow_body_that_keeps_coming_passes(site: Site) -> None:
    with site.connect() as opened:
        opened.sendall(request("Content-Length: 4", "Connection: close"))
        for byte in b"slow":
            time.sleep(PATIENCE / 2)
            opened.sendall(bytes([byte]))
        assert status(read_all(opened)) == 201
    assert site.app.bodies == [b"slow"]


def send_slowly(opened: socket.socket, piece: bytes, pieces: int) -> int:
    """Send so many pieces, one every 0.2 s; return how many were sent before the other end closed."""
    for number in range(pieces):
        time.sleep(0.2)  # the slowness is what is tried
        try:
            opened.sendall(piece)
        except OSError:
            return number
    return pieces


@pytest.mark.parametrize(
    ("framing", "byte"),
    [("Content-Length: 900", b"x"), ("Transfer-Encoding: chunked", b"1\r\nx\r\n")],
)
def test_a_body_that_drips_without_end_is_answered_408(
    site: Site, framing: str, byte: bytes
) -> None:
    began = time.monotonic()
    with site.connect() as opened:
        opened.sendall(request(framing))
        assert send_slowly(opened, byte, 60) < 60
        assert time.monotonic() - began < 6
        assert status(site.ask(request("Content-Length: 1", "Connection: close", body=b"y"))) == 201
    assert site.app.bodies == [b"y"]
    assert site.app.dropped == 1


def test_the_refusal_of_a_body_that_drips_says_so(site: Site) -> None:
    with site.connect() as opened:
        opened.sendall(request("Content-Length: 900", path="/api/v1/x/submissions/"))
        send_slowly(opened, b"x", 9)
        answer = read_all(opened)
    assert status(answer) == 408
    assert b"REQUEST_TOO_SLOW" in answer


def test_a_body_on_a_slow_line_passes(site: Site) -> None:
    with site.connect() as opened:
        opened.sendall(request("Content-Length: 400", "Connection: close"))
        assert send_slowly(opened, b"x" * 25, 16) == 16
        assert status(read_all(opened)) == 201
    assert site.app.bodies == [b"x" * 400]


@pytest.mark.parametrize(
    ("received", "seconds", "kept"),
    [
        (0, 60, True),
        (1, 60.1, False),
        (5 * 2**20, 5_000, True),  # a part on a line of 8 kbit/s
        (5 * 2**20, 5_400, False),
        (64 * 2**20, 60_000, True),
    ],
)
def test_the_usual_pace_lets_slow_lines_pass(received: int, seconds: float, kept: bool) -> None:
    assert Pace().is_kept(received, seconds) is kept


@pytest.mark.parametrize(
    ("path", "limit"), [("/x/submit/", UPLOAD_LIMIT), ("/x/", 1_000), ("/api/v1/x/submissions/", UPLOAD_LIMIT)]
)  # fmt: skip
def test_a_declared_length_over_the_limit_is_refused_before_reading(
    site: Site, path: str, limit: int
) -> None:
    answer = site.ask(request(f"Content-Length: {limit + 1}", path=path))
    assert status(answer) == 413
    assert str(limit).encode() in answer
    assert site.app.bodies == []


@pytest.mark.parametrize(
    ("headers", "says"),
    [
        (("Accept: text/html,*/*",), "Here the server takes at most 97.7 KiB in one request."),
        (("Accept: text/html", "Accept-Language: zh-CN,zh;q=0.9"), "97.7 KiB"),
        (("Accept: text/html", "Cookie: django_language=zh-hans; sid=x"), "97.7 KiB"),
    ],
)
def test_a_browser_is_shown_a_page_about_a_body_over_the_limit(
    site: Site, headers: tuple[str, ...], says: str
) -> None:
    too_long = f"Content-Length: {UPLOAD_LIMIT + 1}"
    answer = site.ask(request(too_long, *headers, path="/x/submit/check/")).decode()
    assert status(answer.encode()) == 413
    assert "text/html" in answer
    assert says in answer
    assert 'href="/x/submit/"' in answer
    assert ('lang="zh-hans"' in answer) is (len(headers) > 1)
    assert site.app.bodies == []


def test_the_api_answers_a_browser_too_with_a_problem_document(site: Site) -> None:
    sent = (f"Content-Length: {UPLOAD_LIMIT + 1}", "Accept: text/html")
    answer = site.ask(request(*sent, path="/api/v1/x/submissions/"))
    assert b"application/problem+json" in answer


def test_a_body_of_exactly_the_limit_passes(site: Site) -> None:
    raw = request("Content-Length: 1000", "Connection: close", path="/x/", body=b"x" * 1000)
    assert status(site.ask(raw)) == 201


def test_a_refused_sender_that_goes_on_sending_still_reads_the_answer(site: Site) -> None:
    raw = request(f"Content-Length: {UPLOAD_LIMIT + 1}", body=b"x" * (UPLOAD_LIMIT + 1))
    assert status(site.ask(raw)) == 413


def test_a_chunked_body_over_the_limit_is_refused(site: Site) -> None:
    chunk = b"400\r\n" + b"x" * 1024 + b"\r\n"
    raw = request("Transfer-Encoding: chunked", path="/x/", body=chunk + b"0\r\n\r\n")
    assert status(site.ask(raw)) == 413
    assert site.app.bodies == []


@pytest.mark.parametrize(
    "headers",
    [
        ("Content-Length: 5", "Transfer-Encoding: chunked"),
        ("Content-Length: 5", "Content-Length: 6"),
        ("Content-Length: -1",),
        ("Content-Length: 5x",),
        ("Content-Length: 99999999999999999999999999",),
        ("Transfer-Encoding: gzip", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: gzip, chunked",),
        ("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
    ],
)
def test_an_ambiguous_length_is_refused(site: Site, headers: tuple[str, ...]) -> None:
    assert status(site.ask(request(*headers, body=b"5\r\nhello\r\n0\r\n\r\n"))) == 400
    assert site.app.bodies == []


def test_chunks_are_of_http_1_1(site: Site) -> None:
    raw = request("Transfer-Encoding: chunked", body=b"5\r\nhello\r\n0\r\n\r\n")
    assert status(site.ask(raw.replace(b"HTTP/1.1", b"HTTP/1.0"))) == 400
    assert site.app.bodies == []


def test_blanks_around_a_length_are_none_of_it(site: Site) -> None:
    assert (
        status(site.ask(request("Content-Length: 5 ", "Connection: close", body=b"hello"))) == 201
    )


def test_chunks_that_say_more_than_they_carry_are_refused(site: Site) -> None:
    raw = request("Transfer-Encoding: chunked")
    answer = site.ask(raw + b"1;" + b"a" * 40 * HEADER_BYTES + b"\r\nx\r\n0\r\n\r\n")
    assert status(answer) == 400
    assert b"far more around them" in answer
    assert site.app.bodies == []


def test_chunks_of_one_byte_pass(site: Site) -> None:
    body = b"1\r\nx\r\n" * 50_000 + b"0\r\n\r\n"
    raw = request("Transfer-Encoding: chunked", "Connection: close", body=body)
    assert status(site.ask(raw)) == 201
    assert site.app.bodies == [b"x" * 50_000]


HOSTS = {"none": b"", "two": b"Host: a\r\nHost: b\r\n", "one twice": b"Host: a\r\nHost: a\r\n"}


@pytest.mark.parametrize("kind", HOSTS)
def test_a_request_names_one_host(site: Site, kind: str) -> None:
    raw = request("Connection: close", method="GET").replace(b"Host: testserver\r\n", HOSTS[kind])
    assert status(site.ask(raw)) == 400
    assert site.app.bodies == []


def test_http_1_0_needs_no_host(site: Site) -> None:
    assert status(site.ask(b"GET /x/ HTTP/1.0\r\n\r\n")) == 201


def test_another_version_is_refused(site: Site) -> None:
    raw = request("Connection: close", method="GET").replace(b"HTTP/1.1", b"HTTP/2.0")
    assert status(site.ask(raw)) == 400


@pytest.mark.parametrize("method", ["TRACE", "PROPFIND", "SEARCH"])
def test_a_method_that_nothing_has_is_refused(site: Site, method: str) -> None:
    answer = site.ask(request("Connection: close", method=method))
    assert status(answer) == 405
    assert b"allow: DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT\r\n" in answer
    assert site.app.bodies == []


def test_an_address_over_32_kib_is_refused(site: Site) -> None:
    raw = request("Connection: close", method="GET", path="/" + "a" * HEADER_BYTES)
    assert status(site.ask(raw)) == 431
    raw = request("Connection: close", method="GET", path="/?q=" + "a" * HEADER_BYTES)
    assert status(site.ask(raw)) == 431


@pytest.mark.parametrize("size", [HEADER_BYTES, 2 * HEADER_BYTES, 20 * HEADER_BYTES])
def test_headers_over_32_kib_are_refused(site: Site, size: int) -> None:
    answer = site.ask(request("X-Big: " + "a" * size, method="GET"))
    assert status(answer) == 431
    assert len(answer) < 1_000


def test_headers_without_an_end_are_refused(site: Site) -> None:
    raw = request("X-Big: " + "a" * 2 * HEADER_BYTES, method="GET").rstrip()
    assert status(site.ask(raw)) == 431


def test_what_is_not_http_is_refused(site: Site) -> None:
    assert status(site.ask(b"\x16\x03\x01\x02\x00\r\n\r\n")) == 400


def test_a_refusal_of_the_api_is_a_problem_document(site: Site) -> None:
    answer = site.ask(request("Content-Length: 1001", path="/api/v1/teams/"))
    head, body = answer.split(b"\r\n\r\n", 1)
    assert b"content-type: application/problem+json" in head
    assert json.loads(body)["code"] == "BODY_TOO_LARGE"


def raw_case(name: str) -> tuple[dict, bytes]:
    """Return the first step of a handed case and the bytes a client would send for it."""
    step = json.loads((CASES / "http" / f"{name}.json").read_text())["steps"][0]
    body = (CASES / step["body_file"]).read_bytes() if "body_file" in step else b""
    headers = {"Content-Length": str(len(body))} | step["headers"]
    if "Transfer-Encoding" in headers and "Content-Length" not in step["headers"]:
        del headers["Content-Length"]
    body = body[: step.get("send_bytes")]
    target = re.sub(r"{\w+}", "/x/submissions/", step["target"])
    lines = [f"{key}: {value}" for key, value in headers.items()]
    return step, request(*lines, path=target, body=body, method=step["method"])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("h-cut-before-end-boundary", 400),
        ("h-cut-raw-body", 400),
        ("h-cut-json-padded", 400),
        ("h-stall", 408),
        ("h-length-and-chunked", 400),
        ("h-length-huge", 413),
        ("h-header-64k", 431),
    ],
)
def test_a_handed_case_is_refused_and_reaches_no_application(
    site: Site, name: str, expected: int
) -> None:
    step, raw = raw_case(name)
    with site.connect() as opened:
        opened.sendall(raw)
        if step.get("then") == "close":
            opened.shutdown(socket.SHUT_WR)
        assert status(read_all(opened)) == expected
    assert site.app.bodies == []
