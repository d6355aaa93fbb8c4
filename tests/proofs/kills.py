"""Kills random parts of a running installation at random moments while people upload.

`python -m tests.proofs.kills --points 200 --seed 1` prints a table and ends with 1 when an upload
that was answered "received" was lost, scored or charged twice, or not settled within two minutes
after the last part was back. `--served` runs on PostgreSQL and Redis of its own.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.proofs.shop import Shop, open_shop

PROMISED_SECONDS = 120
AT_ONCE = 3
LONGEST_DELAY = 3.0
LONGEST_OUTAGE = 2.0
BATCH = 10
POLL_SECONDS = 0.5
EN = "we missed the last train home [sigh] {}"
ROWS = {
    "utt_0002": "[laugh] you should have seen his face",
    "utt_0003": "今天[laugh]真是太好笑了",
    "utt_0004": "please pass the café menu",
}


def predictions(number: int) -> bytes:
    """Return a good file that no other upload equals."""
    texts = {"utt_0001": EN.format(number), **ROWS}
    lines = (f'{{"utt_id": "{i}", "text_with_nvvs": "{text}"}}\n' for i, text in texts.items())
    return "".join(lines).encode()


def out_for_a_while(shop: Shop, chance: random.Random, name: str) -> None:
    """Kill a part, leave it out for a moment, start it again."""
    shop.kill(name)
    time.sleep(chance.random() * LONGEST_OUTAGE)  # the outage itself is what is tried
    shop.start(name)


def kill_worker(shop: Shop, chance: random.Random) -> None:
    """SIGKILL the worker and the scorer it runs."""
    out_for_a_while(shop, chance, "worker")


def kill_web(shop: Shop, chance: random.Random) -> None:
    """SIGKILL the web server in the middle of uploads."""
    out_for_a_while(shop, chance, "web")


def kill_beat(shop: Shop, chance: random.Random) -> None:
    """SIGKILL beat."""
    out_for_a_while(shop, chance, "beat")


def kill_scorer(shop: Shop, chance: random.Random) -> None:
    """SIGKILL the process that reads or scores a file."""
    deadline = time.monotonic() + LONGEST_DELAY
    while not shop.kill_child(chance) and time.monotonic() < deadline:
        time.sleep(0.02)


def kill_everything(shop: Shop, chance: random.Random) -> None:
    """SIGKILL web, worker and beat at once."""
    for name in ("web", "worker", "beat"):
        shop.kill(name)
    time.sleep(chance.random() * LONGEST_OUTAGE)
    for name in ("web", "worker", "beat"):
        shop.start(name)


def lose_redis(shop: Shop, chance: random.Random) -> None:
    """SIGKILL Redis; it comes back empty."""
    assert shop.redis is not None
    shop.redis.kill()
    time.sleep(chance.random() * LONGEST_OUTAGE)
    shop.redis.start()


def restart_postgres(shop: Shop, chance: random.Random) -> None:
    """SIGKILL PostgreSQL and all its processes, then start it again."""
    assert shop.postgres is not None
    shop.postgres.kill()
    time.sleep(chance.random() * LONGEST_OUTAGE)
    shop.postgres.start()


def lose_messages(shop: Shop, chance: random.Random) -> None:
    """Delete every message of the broker of files."""
    for message in (shop.site.folder / "broker").rglob("*.msg"):
        message.unlink(missing_ok=True)


def break_storage(shop: Shop, chance: random.Random) -> None:
    """Put a file where the folder of uploads was; everything that opens one fails meanwhile."""
    files, away = shop.site.folder / "files", shop.site.folder / "files-away"
    files.mkdir(exist_ok=True)
    files.rename(away)
    files.write_text("not a folder")
    time.sleep(0.5 + chance.random() * LONGEST_OUTAGE)
    files.unlink()
    away.rename(files)


Blow = Callable[[Shop, random.Random], None]
EVERYWHERE: dict[str, tuple[int, Blow]] = {
    "worker": (6, kill_worker),
    "scorer": (4, kill_scorer),
    "web": (4, kill_web),
    "beat": (1, kill_beat),
    "everything": (2, kill_everything),
    "storage": (2, break_storage),
}
SERVED: dict[str, tuple[int, Blow]] = {"redis": (3, lose_redis), "postgres": (3, restart_postgres)}
EMBEDDED: dict[str, tuple[int, Blow]] = {"messages": (2, lose_messages)}


@dataclass
class Run:
    """What was done and what was promised to whom."""

    shop: Shop
    chance: random.Random
    received: list[str] = field(default_factory=list)
    refused: int = 0
    blows: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    count: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def point(self, blows: dict[str, tuple[int, Blow]]) -> None:
        """Upload a few files and strike once, at a moment that chance decides."""
        threads = [threading.Thread(target=self._upload) for _ in range(AT_ONCE)]
        name = self.chance.choices(list(blows), [weight for weight, _ in blows.values()])[0]
        for thread in threads:
            thread.start()
        time.sleep(self.chance.random() * LONGEST_DELAY)  # the moment is what is tried
        blows[name][1](self.shop, self.chance)
        self.blows[name] += 1
        for thread in threads:
            thread.join()
        self.shop.keep_up()
        self.shop.site.wait_until_up()

    def _upload(self) -> None:
        with self.lock:
            self.count += 1
            number, pause = self.count, self.chance.random() * LONGEST_DELAY
        time.sleep(pause)
        tokens = self.shop.site.world["tokens"]
        code = self.shop.upload(tokens[number % len(tokens)], predictions(number), f"k{number}")
        with self.lock:
            if code is None:
                self.refused += 1
            else:
                self.received.append(code)

    def settle(self) -> dict[str, Any]:
        """Return the state once everything received has ended; raises after the promised time."""
        began = time.monotonic()
        while True:
            self.shop.keep_up()
            state: dict[str, Any] = self.shop.site.ask("state")
            waiting = [one for one in state["submissions"] if one[2] == "received"]
            waiting += [one for one in state["evaluations"] if one[1] in {"queued", "running"}]
            if not waiting:
                self.waits.append(time.monotonic() - began)
                return state
            if time.monotonic() - began > PROMISED_SECONDS:
                raise AssertionError(f"not settled after {PROMISED_SECONDS} s: {waiting[:5]}")
            time.sleep(POLL_SECONDS)


def faults_of(received: list[str], state: dict[str, Any]) -> list[str]:
    """Return every promise that was broken."""
    submissions = {code: now for code, _phase, now in state["submissions"]}
    evaluations: dict[str, list[str]] = {}
    for code, now in state["evaluations"]:
        evaluations.setdefault(code, []).append(now)
    quota = Counter(code for code, _ in state["quota"])
    charged = dict(state["quota"])
    found = [f"{code}: lost" for code in received if code not in submissions]
    for code, now in submissions.items():
        ends = evaluations.get(code, [])
        if quota[code] != 1:
            found.append(f"{code}: {quota[code]} quota lines")
        if now == "accepted" and (ends not in (["scored"], ["failed"])):
            found.append(f"{code}: accepted, evaluations {ends}")
        elif now == "accepted" and ends == ["scored"] and charged[code] != "charged":
            found.append(f"{code}: scored, {charged[code]}")
        elif (now == "failed" or ends == ["failed"]) and charged[code] != "released":
            found.append(f"{code}: failed, {charged[code]}")
        elif now == "failed" and code not in state["reasons"]:
            found.append(f"{code}: failed without a reason")
        elif now not in {"accepted", "failed"}:
            found.append(f"{code}: {now}")
    if not state["log_holds"]:
        found.append("the audit log does not hold")
    found += [f"{count} times: {event}" for event, count in state["doubled"]]
    return found


def run(*, folder: Path, points: int, seed: int, served: bool, **environment: str) -> Run:
    """Strike `points` times; return what happened. Raises AssertionError for a broken promise."""
    blows = EVERYWHERE | (SERVED if served else EMBEDDED)
    with open_shop(folder, served=served, **environment) as shop:
        done = Run(shop, random.Random(seed))  # noqa: S311  chance, not a secret
        for number in range(points):
            done.point(blows)
            if number % BATCH == BATCH - 1:
                done.settle()
                say(f"{number + 1} kills, settled in {done.waits[-1]:.1f} s")
        state = done.settle()
        found = faults_of(done.received, state)
        assert not found, (seed, found)
        done.ends = Counter(
            [now for _, now in state["evaluations"]]
            + [now for _, _, now in state["submissions"] if now != "accepted"]
        )
        return done


def say(text: str) -> None:
    """Tell whoever runs the proof."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Return 0 when every promise held."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--served", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="plaudit-kills-") as name:
        folder = Path(name)
        try:
            done = run(folder=folder, points=given.points, seed=given.seed, served=given.served)
        except AssertionError as broken:
            say(f"BROKEN: {broken}")
            for log in ("web", "worker"):
                path = folder / f"{log}.log"
                text = path.read_text(errors="replace") if path.exists() else ""
                lines = text.splitlines()[-40:]
                say("\n".join([f"--- {log}", *lines]))
            return 1
    say(f"{'PostgreSQL and Redis' if given.served else 'SQLite and files'}, seed {given.seed}")
    say(f"{sum(done.blows.values())} kills: {dict(sorted(done.blows.items()))}")
    say(f"{len(done.received)} uploads received, {done.refused} not; ends: {dict(done.ends)}")
    say(
        f"all settled after each {BATCH} kills in at most {max(done.waits):.1f} s; none lost or doubled"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
