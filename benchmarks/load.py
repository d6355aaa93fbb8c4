"""How much an installation on this machine bears: scoring per hour, board pages, mixed traffic.

`python -m benchmarks.load` runs on PostgreSQL and Redis of its own (`--embedded`: on SQLite and
files), prints a table and writes docs/evidence/load.json. `--quick` is for trying the script.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.proofs.servers import Postgres, Redis  # noqa: E402
from tests.security.served import WEB, WORKER, Installation, free_port, installation  # noqa: E402

ROWS = 2_000
RATE = 50
PROMISES = {"per_hour": 1_000, "board_ms": 100.0, "p95_ms": 300.0}


@contextmanager
def prepared(served: bool, rows: int) -> Iterator[Installation]:
    """Make an installation with a challenge of that many rows; nothing runs yet but its servers."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="plaudit-load-")))
        environment = {}
        if served:
            postgres = Postgres(folder / "postgres", free_port())
            postgres.prepare()
            postgres.start()
            stack.callback(postgres.stop)
            redis = Redis(folder, free_port())
            redis.start()
            stack.callback(redis.stop)
            environment = {"DATABASE_URL": postgres.url, "REDIS_URL": redis.url}
        made = installation(folder, WORKER_CONCURRENCY="1", **environment)
        made.commands = "tests.proofs.crowd"
        stack.callback(made.close)
        made.world = made.ask("prepare", str(rows))
        yield made


def scoring(site: Installation, workers: int, count: int) -> dict[str, float]:
    """Return how fast that many worker processes score `count` waiting submissions."""
    before = site.ask("progress")["scored"]
    site.ask("hand_in", str(count))
    with ExitStack() as stack:
        for number in range(workers):
            stack.enter_context(
                site.process(f"worker-{number}", [*WORKER, "-n", f"w{number}@load"])
            )
        while site.ask("progress")["scored"] == before:
            time.sleep(0.1)
        began, first = time.monotonic(), site.ask("progress")["scored"]
        while site.ask("progress")["open"]:
            time.sleep(0.2)
        seconds = time.monotonic() - began
    scored = site.ask("progress")["scored"] - first
    return {
        "workers": workers,
        "scored": scored,
        "seconds": seconds,
        "per_hour": 3600 * scored / seconds,
    }


def board(site: Installation, entrants: int, submissions: int) -> dict[str, Any]:
    """Return server time and queries of the board page with that many rows."""
    made = site.ask("crowd", str(entrants), str(submissions))
    path = f"{site.world['pages']}/board/"
    looked = site.ask("look", path, "30")
    spent = sorted(looked["milliseconds"][1:])
    return {
        "entrants": entrants,
        "submissions": made["submissions"],
        "rebuild_seconds": made["rebuild_seconds"],
        "first_ms": looked["milliseconds"][0],
        "median_ms": statistics.median(spent),
        "p95_ms": spent[int(0.95 * len(spent))],
        "queries": max(looked["queries"]),
        "bytes": looked["bytes"],
    }


@dataclass
class Traffic:
    """Requests at fixed moments, whether or not earlier ones have been answered."""

    site: Installation
    seconds: float
    spent: dict[str, list[float]] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> dict[str, Any]:
        """Send RATE requests a second; return latencies from the planned moment on."""
        chance = random.Random(7)  # noqa: S311  chance, not a secret
        kinds = chance.choices(
            list(MIX), [weight for weight, _ in MIX.values()], k=int(RATE * self.seconds)
        )
        began = time.monotonic() + 0.5
        threads = []
        for number, kind in enumerate(kinds):
            planned = began + number / RATE
            time.sleep(max(0.0, planned - time.monotonic()))
            thread = threading.Thread(target=self._one, args=(kind, number, planned))
            thread.start()
            threads.append(thread)
        for thread in threads:
            thread.join()
        return self._summary()

    def _one(self, kind: str, number: int, planned: float) -> None:
        request = MIX[kind][1](self.site.world, number)
        try:
            status = str(_send(self.site.port, *request))
        except (OSError, http.client.HTTPException) as error:
            status = type(error).__name__
        with self.lock:
            self.spent.setdefault(kind, []).append(1000 * (time.monotonic() - planned))
            self.statuses[status] += 1

    def _summary(self) -> dict[str, Any]:
        everything = sorted(one for spent in self.spent.values() for one in spent)
        return {
            "requests": len(everything),
            "rate": RATE,
            "statuses": dict(self.statuses),
            "median_ms": statistics.median(everything),
            "p95_ms": everything[int(0.95 * len(everything))],
            "p99_ms": everything[int(0.99 * len(everything))],
            "by_kind_p95_ms": {
                kind: sorted(spent)[int(0.95 * len(spent))] for kind, spent in self.spent.items()
            },
        }


Asked = tuple[str, str, dict[str, str], bytes]


def _send(port: int, method: str, path: str, headers: dict[str, str], body: bytes) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body=body or None, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def _page(path: str) -> Callable[[dict[str, Any], int], Asked]:
    return lambda world, _number: ("GET", path.format(**world), {}, b"")


def _as_member(path: str) -> Callable[[dict[str, Any], int], Asked]:
    return lambda world, _number: (
        "GET",
        path.format(**world),
        {"Cookie": f"sessionid={world['session']}"},
        b"",
    )


def _api(path: str) -> Callable[[dict[str, Any], int], Asked]:
    return lambda world, _number: (
        "GET",
        path.format(**world),
        {"Authorization": f"Bearer {world['token']}"},
        b"",
    )


def _upload(world: dict[str, Any], number: int) -> Asked:
    headers = {
        "Authorization": f"Bearer {world['token']}",
        "Content-Type": "application/octet-stream",
        "Content-Disposition": "attachment; filename=run.jsonl",
    }
    body = json.dumps({"utt_id": f"en_{number:04d}", "text_with_nvvs": "hello"}).encode()
    return "POST", f"{world['api']}/final/submissions/", headers, body * 50


MIX: dict[str, tuple[int, Callable[[dict[str, Any], int], Asked]]] = {
    "board": (30, _page("{pages}/board/")),
    "home": (10, _page("/")),
    "overview": (10, _page("/competitions/{slug}/")),
    "data.json": (5, _page("{pages}/data.json")),
    "board.csv": (2, _page("{pages}/board.csv")),
    "log-in page": (8, _page("/accounts/login/")),
    "my submissions": (15, _as_member("/competitions/{slug}/submissions/")),
    "submit page": (8, _as_member("{pages}/submit/")),
    "API list": (10, _api("/api/v1/submissions/")),
    "upload": (2, _upload),
}
"""What people ask for, by weight; the uploads are faulty files, so that they use no quota."""


def traffic(site: Installation, seconds: float) -> dict[str, Any]:
    """Return latencies of mixed traffic while a worker runs beside the web server."""
    with ExitStack() as stack:
        stack.enter_context(site.process("web", WEB))
        stack.enter_context(site.process("worker", WORKER))
        site.wait_until_up()
        Traffic(site, 3).run()  # the first requests fill caches
        return Traffic(site, seconds).run()


def run(given: argparse.Namespace) -> dict[str, Any]:
    """Return everything that was measured."""
    count, crowds, seconds = (6, [(20, 60), (40, 120)], 5) if given.quick else (60, SIZES, 60)
    rows = 100 if given.quick else ROWS
    result: dict[str, Any] = {
        "on": "SQLite and files" if given.embedded else "PostgreSQL and Redis"
    }
    with prepared(not given.embedded, rows) as site:
        if "scoring" in given.parts:
            result["scoring"] = [scoring(site, workers, count) for workers in (1, 2, 4)]
    with prepared(not given.embedded, 100) as site:
        if "board" in given.parts:
            result["board"] = [board(site, *size) for size in crowds]
        if "traffic" in given.parts:
            result["traffic"] = traffic(site, seconds)
    return result


SIZES = [(10, 100), (100, 1_000), (1_000, 10_000)]


def verdicts(result: dict[str, Any]) -> list[str]:
    """Return the promises that do not hold."""
    broken = []
    if "scoring" in result:
        best = max(one["per_hour"] for one in result["scoring"][:2])
        if best < PROMISES["per_hour"]:
            broken.append(f"{best:.0f} submissions an hour")
    if "board" in result:
        last, queries = result["board"][-1], {one["queries"] for one in result["board"]}
        if last["median_ms"] > PROMISES["board_ms"]:
            broken.append(f"board page {last['median_ms']:.0f} ms")
        if len(queries) > 1:
            broken.append(f"queries grow: {sorted(queries)}")
    if "traffic" in result and result["traffic"]["p95_ms"] > PROMISES["p95_ms"]:
        broken.append(f"p95 {result['traffic']['p95_ms']:.0f} ms")
    return broken


def show(result: dict[str, Any]) -> None:
    """Print the figures."""
    print(f"{result['on']}, {os.cpu_count()} cores, {datetime.now(UTC):%Y-%m-%d}")
    for one in result.get("scoring", []):
        print(
            f"{one['workers']} workers: {one['scored']} of {ROWS} rows in {one['seconds']:.1f} s, "
            f"{one['per_hour']:.0f} an hour"
        )
    for one in result.get("board", []):
        print(
            f"board, {one['entrants']} entrants, {one['submissions']} submissions: "
            f"{one['median_ms']:.1f} ms (first {one['first_ms']:.0f}), {one['queries']} queries, "
            f"{one['bytes'] / 1000:.0f} kB; rebuilt in {one['rebuild_seconds']:.1f} s"
        )
    if "traffic" in result:
        found = result["traffic"]
        print(
            f"{found['requests']} requests at {found['rate']}/s: median {found['median_ms']:.0f} ms, "
            f"p95 {found['p95_ms']:.0f} ms, p99 {found['p99_ms']:.0f} ms; {found['statuses']}"
        )
        for kind, spent in sorted(found["by_kind_p95_ms"].items()):
            print(f"  {kind}: p95 {spent:.0f} ms")


def main() -> int:
    """Return 0 when every promise held."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--embedded", action="store_true")
    parser.add_argument("--parts", nargs="*", default=["scoring", "board", "traffic"])
    given = parser.parse_args()
    result = run(given)
    show(result)
    if not given.quick:
        path = ROOT / "docs" / "evidence" / "load.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    broken = verdicts(result)
    print("\n".join(f"BROKEN: {one}" for one in broken) or "every promise held")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
