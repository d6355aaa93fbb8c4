"""Kills random parts of running installations at random moments while people upload.

`python -m tests.proofs.kills --points 70 --seed 1` strikes so many times at each of three
installations - SQLite and files, the same with a bucket, PostgreSQL and Redis with a bucket - and
ends with 1 when an upload that was answered "received" was lost, scored or charged twice, or not
settled within two minutes after the last part was back. Needs root, for a disk that can be filled.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import repeat
from pathlib import Path
from typing import Any

from scripts.prove import commit
from tests.proofs.blows import Missed, blows_of, deal, rows
from tests.proofs.disks import may_mount
from tests.proofs.shop import Setup, Shop, open_shop

PROMISED_SECONDS = 120
AT_ONCE = 2
TRIES = 12
TRY_AGAIN_SECONDS = 1.0
LONGEST_DELAY = 2.0
SETTLE_EVERY = 10
POLL_SECONDS = 0.25
WEB_KILLED = {"web server", "all three at once"}
OWN_TIMES = {
    "EVALUATION_LEASE_SECONDS": "30",
    "EVALUATION_RENEW_SECONDS": "10",
    "SWEEP_SECONDS": "15",
    "RING_AGAIN_SECONDS": "30",
}
"""What the product waits for where nobody sets it otherwise."""
LIMITS = {
    "EVALUATION_WALL_SECONDS": "6",
    "EVALUATION_CPU_SECONDS": "4",
    "EVALUATION_MEMORY_BYTES": str(400 * 2**20),
}
MISDEEDS = {"hang": "SCORER_TIMEOUT", "spin": "SCORER_TIMEOUT", "eat": "SCORER_MEMORY"}
SETUPS = {
    "embedded": Setup(small_disk=True, freezable=True),
    "embedded-bucket": Setup(bucket=True, small_disk=True),
    "served": Setup(served=True, bucket=True, small_disk=True),
}
Json = dict[str, Any]


@dataclass
class Run:
    """What was done to one installation and what was promised to whom."""

    shop: Shop
    chance: random.Random
    received: list[str] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    blows: Counter[str] = field(default_factory=Counter)
    struck: Counter[str] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    count: int = 0
    under_way: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def point(self, name: str) -> None:
        """Upload a few files and strike once, at a moment that chance decides; again if it missed."""
        for _ in range(TRIES):
            if self._strike(name):
                return
            self.struck[f"missed: {name}"] += 1
        raise AssertionError(f"{name}: nothing to strike in {TRIES} tries")

    def _strike(self, name: str) -> bool:
        threads = [threading.Thread(target=self._upload) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        time.sleep(self.chance.random() * LONGEST_DELAY)  # the moment is what is tried
        if name in WEB_KILLED:
            self._await_upload(threads)
            self.struck["web server killed in an upload"] += self.under_way > 0
        self.struck["uploads under way"] += self.under_way
        try:
            told = blows_of(self.shop.setup)[name][1](self.shop, self.chance)
        except Missed:
            return False
        finally:
            for thread in threads:
                thread.join()
            self.shop.keep_up()
            self.shop.site.wait_until_up()
        self.struck.update({f"struck: {where}": n for where, n in (told or {}).items()})
        self.blows[name] += 1
        return True

    def _await_upload(self, threads: list[threading.Thread]) -> None:
        """Return while a file is being sent, or when all are through."""
        while not self.under_way and any(thread.is_alive() for thread in threads):
            time.sleep(0.005)

    def _upload(self) -> None:
        """Send one file as a careful client does: what got no answer is sent again, with its key."""
        with self.lock:
            self.count += 1
            number, pause = self.count, self.chance.random() * LONGEST_DELAY / 2
            seconds = self.chance.random() * LONGEST_DELAY / 2
        time.sleep(pause)
        key = f"k{number}"
        for again in range(TRIES):
            answer = self._send(number, key, seconds)
            if isinstance(answer, str):
                return
            if answer == HTTPStatus.CONFLICT:
                key = f"k{number}-{again}"  # the request that had the key died before its commit
            time.sleep(TRY_AGAIN_SECONDS)
        with self.lock:
            self.answers["given up"] += 1

    def _send(self, number: int, key: str, seconds: float) -> str | int | None:
        tokens = self.shop.site.world["tokens"]
        with self.lock:
            self.under_way += 1
        answer = self.shop.upload(
            tokens[number % len(tokens)],
            rows(number),
            key,
            filename=f"run-{number}.jsonl",
            seconds=seconds,
        )
        with self.lock:
            self.under_way -= 1
            self.answers["received" if isinstance(answer, str) else str(answer or "none")] += 1
            if isinstance(answer, str):
                self.received.append(answer)
        return answer

    def settle(self) -> Json:
        """Return what there is once everything has ended; raises after the promised time."""
        began = time.monotonic()
        while any((waiting := self.shop.site.ask("waiting")).values()):
            self.shop.keep_up()
            if time.monotonic() - began > PROMISED_SECONDS:
                raise AssertionError(f"not settled after {PROMISED_SECONDS} s: {waiting}")
            time.sleep(POLL_SECONDS)
        self.waits.append(time.monotonic() - began)
        state: Json = self.shop.site.ask("state")
        found = faults_of([*self.received, *self.shop.received], state)
        assert not found, found
        return state

    def misbehave(self) -> dict[str, str]:
        """Let the scorer hang, spin and eat memory; return how each ended. Then score a good file."""
        self.shop.kill("worker")
        self.shop.start("worker", ["-m", "tests.proofs.naughty_worker"], **LIMITS)
        ends = {way: self._end_of(f"{way}.jsonl") for way in MISDEEDS}
        self.shop.kill("worker")
        self.shop.start("worker")
        ends["good"] = self._end_of("good.jsonl")
        wanted = {way: f"failed {code} released" for way, code in MISDEEDS.items()}
        assert ends == {**wanted, "good": "accepted  charged"}, ends
        return ends

    def _end_of(self, filename: str) -> str:
        self.count += 1
        token = self.shop.site.world["tokens"][0]
        code = self.shop.upload(token, rows(self.count), f"k{self.count}", filename=filename)
        assert isinstance(code, str), (filename, code)
        self.received.append(code)
        self.settle()
        told: dict[str, str] = self.shop.site.ask("failure", code)
        return " ".join([told["state"], told["failure"], told["slot"]])


def faults_of(received: list[str], state: Json) -> list[str]:
    """Return every promise that was broken."""
    submissions = {code: now for code, _phase, now in state["submissions"]}
    evaluations: dict[str, list[str]] = {}
    for code, now in state["evaluations"]:
        evaluations.setdefault(code, []).append(now)
    slots: dict[str, list[str]] = {}
    for code, now in state["quota"]:
        slots.setdefault(code, []).append(now)
    found = [f"{code}: lost" for code in received if code not in submissions]
    for code, now in submissions.items():
        ends, held = evaluations.get(code, []), slots.get(code, [])
        found += [f"{code}: {fault}" for fault in _faults(now, ends, held)]
        if now == "failed" and code not in state["reasons"]:
            found.append(f"{code}: failed without a reason")
    if not state["log_holds"]:
        found.append("the audit log does not hold")
    found += [f"{count} times: {event}" for event, count in state["doubled"]]
    names = Counter(state["filenames"])
    found += [f"{count} submissions of {name}" for name, count in names.items() if count > 1]
    return found


def _faults(now: str, ends: list[str], held: list[str]) -> Iterator[str]:
    if len(held) != 1:
        yield f"{len(held)} quota lines"
    elif now == "accepted":
        if ends != ["scored"]:
            yield f"accepted, evaluations {ends}"
        elif held != ["charged"]:
            yield f"scored, {held[0]}"
    elif now != "failed":
        yield now
    elif held != ["released"]:
        yield f"failed, {held[0]}"


def run(
    *,
    folder: Path,
    setup: Setup,
    points: int,
    seed: int,
    is_long: bool = False,
    only: Collection[str] = (),
    **settings: str,
) -> Json:
    """Strike `points` times, in the ways of `only` if it names some; return figures.

    Raises AssertionError for a broken promise.
    """
    began = time.monotonic()
    with open_shop(folder, setup, **settings) as shop:
        done = Run(shop, random.Random(seed))  # noqa: S311  chance, not a secret
        for number, name in enumerate(deal(setup, points, done.chance, only), 1):
            done.point(name)
            if number % SETTLE_EVERY == 0:
                done.settle()
                say(f"{setup.name}: {number} kills, settled in {done.waits[-1]:.1f} s")
        done.settle()
        ends = done.misbehave() if is_long else {}
        return figures(done, done.settle(), ends) | {"seconds": round(time.monotonic() - began)}


def figures(done: Run, state: Json, ends: dict[str, str]) -> Json:
    """Return what was done and seen, for the record."""
    return {
        "kills": sum(done.blows.values()),
        "blows": dict(sorted(done.blows.items())),
        "struck": dict(sorted(done.struck.items())),
        "answers": dict(sorted(done.answers.items())),
        "uploads_received": len({*done.received, *done.shop.received}),
        "uploads_in_parts": len(done.shop.received),
        "submissions": dict(Counter(now for _, _, now in state["submissions"])),
        "evaluations": dict(Counter(now for _, now in state["evaluations"])),
        "failures": state["failures"],
        "attempts": state["attempts"],
        "settled_in_seconds": [round(wait, 1) for wait in done.waits],
        "misbehaving_scorers": ends,
    }


def say(text: str) -> None:
    """Tell whoever runs the proof."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def prove(name: str, seed: int, points: int, only: Collection[str]) -> Json:
    """Strike at one installation; return its figures, with what broke and the last log lines."""
    setup = SETUPS[name]
    say(f"{setup.name}, {points} kills, seed {seed}")
    with tempfile.TemporaryDirectory(prefix="plaudit-kills-") as made:
        folder = Path(made)
        try:
            found = run(
                folder=folder,
                setup=setup,
                points=points,
                seed=seed,
                is_long=not only,
                only=only,
                **OWN_TIMES,
            )
        except Exception:  # what broke at one installation says nothing of the others
            logs = {part: _tail(folder / f"{part}.log") for part in ("web", "worker", "beat")}
            return {"on": setup.name, "broken": traceback.format_exc(), "logs": logs}
    return {"on": setup.name, **found}


def _tail(path: Path) -> list[str]:
    return path.read_text(errors="replace").splitlines()[-40:] if path.exists() else []


def main() -> int:
    """Return 0 when every promise held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=70, help="kills at each installation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=3, help="installations beside each other")
    parser.add_argument(
        "--on", choices=list(SETUPS), action="append", help="only this installation"
    )
    parser.add_argument("--blow", action="append", help="only this kind of kill, by name")
    parser.add_argument("--evidence", type=Path, help="keep the figures in this folder")
    given = parser.parse_args()
    if not may_mount():
        say("This proof needs root: it mounts a small file system and fills it. Run it with sudo.")
        return 2
    now = datetime.now(UTC)
    chosen = given.on or list(SETUPS)
    seeds = [given.seed + number for number in range(len(chosen))]
    with ThreadPoolExecutor(given.at_once) as pool:
        found = list(pool.map(prove, chosen, seeds, repeat(given.points), repeat(given.blow or ())))
    told = {"date": f"{now:%Y-%m-%d}", "commit": commit(), "seed": given.seed, "runs": found}
    told["kills"] = sum(one.get("kills", 0) for one in found)
    say(json.dumps(told, indent=2))
    is_broken = any("broken" in one for one in found)
    if given.evidence and not is_broken:
        path = given.evidence / f"{now:%Y-%m-%d}-kills-{told['kills']}.json"
        path.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return int(is_broken)


if __name__ == "__main__":
    sys.exit(main())
