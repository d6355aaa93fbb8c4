"""A hundred uploads at once at the deadline, over HTTP, to the real web server."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from benchmarks.asking import Answer, Ask, refusal_of, send, upload_of
from benchmarks.rig import Peaks, finish, web_server, worker
from tests.security.served import Installation

UPLOADS, TEAMS, QUOTA = 100, 10, 3
LEAD_SECONDS = 10
"""From the making of the phase to its end: time to get ready."""
EARLY, LATE = 0.9, 0.05
"""Seconds before the end at which four of five are sent, and after it at which the others are."""


def rush(site: Installation) -> dict[str, Any]:
    """Return what became of the uploads, and every promise that they broke."""
    with web_server(site) as web, Peaks(web=web) as peaks:
        stage = site.ask("rush", str(TEAMS), str(UPLOADS), str(QUOTA), str(LEAD_SECONDS))
        closes = stage["closes_at"]
        sent = _all_at_once(site.port, site.world["api"], stage)
    with worker(site):
        finish(site, "the uploads of the last second to be scored", 300)
    kept = site.ask("rushed")
    found = Counter(
        f"{'after' if late else 'before'} the end: {said.split()[0]}" for late, said, _ in sent
    )
    return {
        "uploads": UPLOADS,
        "answers": dict(sorted(found.items())),
        "slowest_answer_s": max(seconds for _, _, seconds in sent),
        "kept": len(kept),
        "web_mebibytes": peaks.mebibytes["web"],
        "broken": _broken(sent, kept, closes),
    }


Sent = tuple[bool, str, float]
"""Whether it was sent after the end, what was answered, after how many seconds."""


def _all_at_once(port: int, api: str, stage: dict[str, Any]) -> list[Sent]:
    barrier = threading.Barrier(UPLOADS)
    send(port, Ask("/healthz"))

    def one(number: int) -> Sent:
        is_late = number % 5 == 4
        ask = upload_of(
            api, "rush", stage["tokens"][number * TEAMS // UPLOADS], stage["files"][number].encode()
        )
        barrier.wait(timeout=60)
        moment = stage["closes_at"] + (LATE if is_late else -EARLY)
        time.sleep(max(0.0, moment - time.time()))
        began = time.monotonic()
        return is_late, _said(port, ask), time.monotonic() - began

    with ThreadPoolExecutor(UPLOADS) as pool:
        return list(pool.map(one, range(UPLOADS)))


def _said(port: int, ask: Ask) -> str:
    try:
        answer: Answer = send(port, ask)
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__
    if answer.status in {200, 201}:
        return f"received {json.loads(answer.body)['code']}"
    return refusal_of(answer)


def _broken(sent: list[Sent], kept: list[dict[str, Any]], closes: float) -> list[str]:
    """Return what was lost, over quota, decided wrongly at the edge, or answered otherwise."""
    answered = {said.split()[1] for _, said, _ in sent if said.startswith("received ")}
    codes = {one["code"] for one in kept}
    teams = Counter(one["entrant"] for one in kept)
    words = {said.split()[0] for _, said, _ in sent}
    checks = {
        f"lost: {sorted(answered - codes)}": answered <= codes,
        f"kept without an answer: {sorted(codes - answered)}": codes <= answered,
        f"not {QUOTA} of each of {TEAMS} teams: {teams}": (
            sorted(teams.values()) == [QUOTA] * TEAMS
        ),
        "received after the end": all(one["created_at"] < closes for one in kept),
        "sent after the end and not refused": all(
            said == "WINDOW_CLOSED" for late, said, _ in sent if late
        ),
        f"not scored: {[one for one in kept if not one['scored']]}": all(
            one["scored"] for one in kept
        ),
        f"other answers: {words}": words <= {"received", "QUOTA_EXCEEDED", "WINDOW_CLOSED"},
    }
    return [what for what, holds in checks.items() if not holds]
