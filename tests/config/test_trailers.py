"""What stands behind a body in chunks: read past, and taken for nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from config.guard import GuardedProtocol

TRAILERS = {
    b"authorization": b"Bearer plt_x",
    b"host": b"elsewhere.example",
    b"x-forwarded-proto": b"https",
    b"x-forwarded-for": b"10.0.0.1",
    b"cookie": b"sessionid=x",
    b"content-type": b"application/json",
    b"idempotency-key": b"k",
    b"expect": b"100-continue",
}


class Line(asyncio.Transport):
    """The other end of a connection; what is sent to it is dropped."""

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 1) if name in {"peername", "sockname"} else default

    def write(self, data: Any) -> None:
        pass

    def write_eof(self) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        pass

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


async def heard(*parts: bytes) -> list[list[tuple[bytes, bytes]]]:
    """Return the headers of each request that the bytes hold, as they stand when its body is read."""
    found: list[list[tuple[bytes, bytes]]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        message: dict[str, Any] = {"more_body": True}
        while message.get("more_body"):
            message = await receive()
        if message["type"] == "http.disconnect":
            return
        found.append(list(scope["headers"]))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    config = uvicorn.Config(app, http=GuardedProtocol, ws="none", lifespan="off", log_config=None)
    config.load()
    protocol = GuardedProtocol(config=config, server_state=ServerState(), app_state={})
    protocol.connection_made(Line())
    for part in parts:
        protocol.data_received(part)
        await asyncio.sleep(0)
    while protocol.server_state.tasks:
        await asyncio.wait(protocol.server_state.tasks)
    protocol.connection_lost(None)
    return found


HEAD = b"POST /x/submit/ HTTP/1.1\r\nHost: site\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunked(name: bytes, value: bytes) -> bytes:
    return HEAD + b"5\r\nhello\r\n0\r\n" + name + b": " + value + b"\r\n\r\n"


GIVEN = [(b"host", b"site"), (b"transfer-encoding", b"chunked")]
NEXT = b"GET /x/ HTTP/1.1\r\nHost: site\r\nX-Mine: 1\r\n\r\n"


@pytest.mark.parametrize("name", TRAILERS)
def test_it_is_no_header(name: bytes) -> None:
    assert asyncio.run(heard(chunked(name, TRAILERS[name]))) == [GIVEN]


@pytest.mark.parametrize("name", TRAILERS)
def test_it_is_no_header_when_it_comes_byte_by_byte(name: bytes) -> None:
    raw = chunked(name, TRAILERS[name])
    assert asyncio.run(heard(*(raw[at : at + 1] for at in range(len(raw))))) == [GIVEN]


def test_the_next_request_has_its_own_headers() -> None:
    found = asyncio.run(heard(chunked(b"x-a", b"b"), NEXT))
    assert found == [GIVEN, [(b"host", b"site"), (b"x-mine", b"1")]]


LONG = HEAD + b"5\r\nhello\r\n0\r\nX-A: " + b"a" * 100_000 + b"\r\n\r\n"


@pytest.mark.parametrize("size", [len(LONG), 65_536, 1_000])
def test_a_long_one_is_refused_however_it_is_cut(size: int) -> None:
    parts = [LONG[at : at + size] for at in range(0, len(LONG), size)]
    assert asyncio.run(heard(*parts)) == []
