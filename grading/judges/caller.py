"""Calls an endpoint of an OpenAI-compatible protocol and reads what it says, bounded in size and time.

The key stays in the client: it is in no exception that leaves here, it goes to no other address
than the one given (redirects are refused, proxies of the environment are not used), and the client
neither retries nor logs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

import httpx2
import openai

from grading.enums import JudgeFailure
from grading.judges import wire
from grading.judges.base import CallFailed
from grading.judges.patience import asked_for

CONNECT_SECONDS = 10.0
LARGEST_BODY = 2 * 1024 * 1024
TOO_MANY = 429
SERVER_ERRORS = 500
REFUSALS = frozenset({401, 402, 403, 404, 405, 407, 410})
TIMED_OUT = 408
REDIRECTS = range(300, 400)
NO_KEY = "none"


class _Bounded(httpx2.SyncByteStream):
    """A body that ends with an error where it is too large, or is not whole in time."""

    def __init__(self, inner: httpx2.SyncByteStream, seconds: float) -> None:
        self._inner = inner
        self._until = time.monotonic() + seconds

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for piece in self._inner:
            size += len(piece)
            if size > LARGEST_BODY or time.monotonic() > self._until:
                raise httpx2.ReadError("the body is too large, or too slow")
            yield piece

    def close(self) -> None:
        """Let go of the connection."""
        self._inner.close()


class _Transport(httpx2.HTTPTransport):
    """Bounds what comes with an error: the client reads that whole, before anybody can look at it."""

    def __init__(self, *, seconds: float, limits: httpx2.Limits) -> None:
        super().__init__(trust_env=False, limits=limits)
        self._seconds = seconds

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the response; with an error its body is bounded, and never unpacked."""
        response = super().handle_request(request)
        if response.is_error and isinstance(response.stream, httpx2.SyncByteStream):
            response.headers.pop("Content-Encoding", None)
            response.stream = _Bounded(response.stream, self._seconds)
        return response


class Caller:
    """One endpoint; connections are shared by the threads that call."""

    def __init__(
        self, *, base_url: str, api_key: str, timeout_seconds: float, connections: int
    ) -> None:
        self._seconds = timeout_seconds
        self.client = openai.OpenAI(
            api_key=api_key or NO_KEY,
            base_url=base_url,
            max_retries=0,
            http_client=httpx2.Client(
                follow_redirects=False,
                trust_env=False,
                timeout=httpx2.Timeout(timeout_seconds, connect=CONNECT_SECONDS),
                transport=_Transport(
                    seconds=timeout_seconds,
                    limits=httpx2.Limits(max_connections=connections + 1),
                ),
            ),
        )

    def read(self, begin: Callable[[], AbstractContextManager[Any]]) -> bytes:
        """Return the body of the streamed response that `begin` opens.

        Raises CallFailed, which names what happened and nothing else.
        """
        # What is raised from here on holds the request with its headers: nothing of it goes on.
        try:
            return self._pieces(begin, time.monotonic())
        except openai.APIStatusError as error:
            failed = _of_status(error.status_code, error.response)
        except openai.APITimeoutError as error:
            failed = _of_timeout(error.__cause__)
        except openai.APIConnectionError as error:
            failed = _of_connection(error.__cause__)
        except httpx2.TimeoutException:
            failed = CallFailed(JudgeFailure.TIMED_OUT)
        except (httpx2.HTTPError, openai.OpenAIError):
            failed = CallFailed(JudgeFailure.CUT_OFF)
        raise failed from None

    def _pieces(self, begin: Callable[[], AbstractContextManager[Any]], began: float) -> bytes:
        with begin() as response:
            pieces: list[bytes] = []
            size = 0
            for piece in response.iter_bytes():
                size += len(piece)
                pieces.append(piece)
                if size > LARGEST_BODY:
                    raise CallFailed(JudgeFailure.MALFORMED)
                if time.monotonic() - began > self._seconds:
                    raise CallFailed(JudgeFailure.TIMED_OUT)
        return b"".join(pieces)

    def close(self) -> None:
        """Close the connections."""
        self.client.close()


def _of_status(status: int, response: httpx2.Response) -> CallFailed:
    raw = response.text[: wire.LONGEST_KEPT] if response.is_closed else ""
    retry_after = asked_for(response.headers, datetime.now(UTC))
    failure = JudgeFailure.REJECTED
    if status == TOO_MANY:
        failure = JudgeFailure.RATE_LIMITED
    elif status >= SERVER_ERRORS:
        failure = JudgeFailure.SERVER_ERROR
    elif status in REFUSALS or status in REDIRECTS:
        failure = JudgeFailure.REFUSED
    elif status == TIMED_OUT:
        failure = JudgeFailure.TIMED_OUT
    return CallFailed(failure, http_status=status, retry_after=retry_after, raw=raw)


def _of_timeout(cause: BaseException | None) -> CallFailed:
    if isinstance(cause, httpx2.ConnectTimeout | httpx2.PoolTimeout):
        return CallFailed(JudgeFailure.UNREACHABLE, was_sent=False)
    return CallFailed(JudgeFailure.TIMED_OUT)


def _of_connection(cause: BaseException | None) -> CallFailed:
    if isinstance(cause, httpx2.ConnectError | httpx2.UnsupportedProtocol):
        return CallFailed(JudgeFailure.UNREACHABLE, was_sent=False)
    return CallFailed(JudgeFailure.CUT_OFF)
