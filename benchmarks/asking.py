"""Requests as people and programs send them, and mixed traffic at a fixed rate."""

from __future__ import annotations

import http.client
import json
import random
import re
import statistics
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from tests.security.served import Installation

PATIENCE_SECONDS = 30
NOT_MODIFIED = 304
World = Mapping[str, Any]


@dataclass(frozen=True)
class Ask:
    """One request."""

    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    method: str = "GET"
    body: bytes = b""


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    etag: str
    body: bytes


def send(port: int, ask: Ask) -> Answer:
    """Send one request over a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        connection.request(ask.method, ask.path, body=ask.body or None, headers=dict(ask.headers))
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers.get("ETag", ""), answer.read())
    finally:
        connection.close()


def page(path: str) -> Callable[[World, int], Ask]:
    """Return a request of nobody in particular."""
    return lambda world, _number: Ask(path.format(**world))


def as_person(path: str, session: str = "session") -> Callable[[World, int], Ask]:
    """Return a request of somebody who is logged in."""
    return lambda world, _: Ask(path.format(**world), {"Cookie": f"sessionid={world[session]}"})


def by_token(path: str) -> Callable[[World, int], Ask]:
    """Return a request of a program."""
    return lambda world, _: Ask(path.format(**world), bearer(world["token"]))


def bearer(token: str) -> dict[str, str]:
    """Return the header that shows a token."""
    return {"Authorization": f"Bearer {token}"}


def upload_of(api: str, phase: str, token: str, body: bytes) -> Ask:
    """Return the upload of a small file over the API."""
    headers = {
        **bearer(token),
        "Content-Type": "application/octet-stream",
        "Content-Disposition": "attachment; filename=run.jsonl",
    }
    return Ask(f"{api}/{phase}/submissions/?system=load", headers, "POST", body)


def _small_upload(world: World, number: int) -> Ask:
    """Return a small file: every fifth is complete and gets scored, the others have faults.

    Teams take turns: one alone would soon meet the limit of rejected files.
    """
    body = world["file"].replace("wrong", f"wrong{number}").encode()
    if number % 5:
        body = body[: body.index(b"\n", len(body) // 2) + 1]
    tokens = world["tokens"]
    return upload_of(world["api"], "final", tokens[number % len(tokens)], body)


MIX: dict[str, tuple[int, Callable[[World, int], Ask]]] = {
    "board": (20, page("{pages}/board/")),
    "open board asks again": (20, page("{poll}")),
    "data.json": (4, page("{pages}/data.json")),
    "data.json again": (6, page("{pages}/data.json?")),
    "board.csv": (2, page("{pages}/board.csv")),
    "home": (8, page("/")),
    "overview": (8, page("/competitions/{slug}/")),
    "log-in page": (4, page("/accounts/login/")),
    "my submissions": (8, as_person("/competitions/{slug}/submissions/")),
    "a submission": (6, as_person("/submissions/{code}/")),
    "submit page": (4, as_person("{pages}/submit/")),
    "API list": (8, by_token("/api/v1/submissions/")),
    "upload": (2, _small_upload),
}
"""What people ask for, by weight in a hundred."""
ASKED_AGAIN = {"open board asks again", "data.json again"}
"""What shows the tag of the answer before, and gets 304 while nothing has changed."""


def with_poll(site: Installation) -> dict[str, Any]:
    """Return the world with what an open board page asks every two seconds."""
    path = f"{site.world['pages']}/board/"
    html = send(site.port, Ask(path)).body.decode()
    found = re.search(r'data-poll hx-get="([^"]+)"', html)
    if found is None:
        raise LookupError(f"The page {path} does not ask again; it begins: {html[:400]}")
    return {**site.world, "poll": path + unescape(found[1])}


class Traffic:
    """Requests at fixed moments, whether or not earlier ones have been answered."""

    def __init__(self, port: int, world: World, rate: int, seconds: float) -> None:
        chance = random.Random(7)  # noqa: S311  chance, not a secret
        weights = [weight for weight, _ in MIX.values()]
        self.kinds = chance.choices(list(MIX), weights, k=int(rate * seconds))
        self.port, self.world, self.rate = port, world, rate
        self.spent: dict[str, list[float]] = defaultdict(list)
        self.late: list[float] = []
        self.statuses: Counter[str] = Counter()
        self.tags: dict[str, str] = {}
        self.lock = threading.Lock()

    def run(self) -> dict[str, Any]:
        """Send them all; return latencies from the planned moments on, in milliseconds."""
        began = time.monotonic() + 0.5
        threads = []
        for number, kind in enumerate(self.kinds):
            planned = began + number / self.rate
            time.sleep(max(0.0, planned - time.monotonic()))
            self.late.append(1000 * (time.monotonic() - planned))
            threads.append(threading.Thread(target=self._one, args=(kind, number, planned)))
            threads[-1].start()
        for thread in threads:
            thread.join(timeout=2 * PATIENCE_SECONDS)
        return self._summary()

    def _one(self, kind: str, number: int, planned: float) -> None:
        ask = MIX[kind][1](self.world, number)
        if kind in ASKED_AGAIN and kind in self.tags:
            ask = Ask(ask.path, {**ask.headers, "If-None-Match": self.tags[kind]})
        try:
            answer = send(self.port, ask)
            status = str(answer.status)
            if answer.etag:
                self.tags[kind] = answer.etag
        except (OSError, http.client.HTTPException) as error:
            status = type(error).__name__
        with self.lock:
            self.spent[kind].append(1000 * (time.monotonic() - planned))
            self.statuses[f"{kind}: {status}"] += 1

    def _summary(self) -> dict[str, Any]:
        everything = [one for spent in self.spent.values() for one in spent]
        return {
            "planned": len(self.kinds),
            "answered": len(everything),
            "rate": self.rate,
            "statuses": dict(sorted(self.statuses.items())),
            "failed": self._failed(),
            "median_ms": statistics.median(everything),
            "p95_ms": share(everything, 0.95),
            "p99_ms": share(everything, 0.99),
            "sent_late_p95_ms": share(self.late, 0.95),
            "by_kind_p95_ms": {kind: share(spent, 0.95) for kind, spent in self.spent.items()},
        }

    def _failed(self) -> int:
        """Return how many answers were no success: every one counts against the promise."""
        good = re.compile(r": (200|201|304)$")
        return sum(n for status, n in self.statuses.items() if not good.search(status))


def share(numbers: list[float], part: float) -> float:
    """Return the number that this part of them does not exceed."""
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def refusal_of(answer: Answer) -> str:
    """Return "received", or the code that a refusal names."""
    if answer.status in {200, 201}:
        return "received"
    try:
        return str(json.loads(answer.body)["code"])
    except (ValueError, KeyError):
        return f"HTTP {answer.status}"
