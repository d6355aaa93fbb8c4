"""What is done to a running installation: every way in which a part of it may go and come back."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TypeVar

import psycopg
import redis

from tests.proofs.disks import frozen, keep_full
from tests.proofs.in_parts import AGAIN_SECONDS, FINISH_SECONDS, InParts, enlarged
from tests.proofs.shop import Setup, Shop

T = TypeVar("T")

EN = "we missed the last train home [sigh] {}"
ROWS = {
    "utt_0002": "[laugh] you should have seen his face",
    "utt_0003": "今天[laugh]真是太好笑了",
    "utt_0004": "please pass the café menu",
}
LONGEST_STEP = 0.4
"""How long after a step of an upload in parts has begun the web server may be killed, in seconds."""
LONGEST_WAIT = 20.0
LONGEST_OUTAGE = 2.0
LONGEST_SILENCE = 14.0
"""Longer than a bucket is waited for in one try."""


class Missed(Exception):
    """Nothing was there to be struck: the blow does not count and is struck again."""


Told = dict[str, int]
Blow = Callable[[Shop, random.Random], Told | None]


def rows(words: object) -> bytes:
    """Return a good file with these words in it: no two are equal."""
    texts = {"utt_0001": EN.format(words), **ROWS}
    lines = (f'{{"utt_id": "{i}", "text_with_nvvs": "{text}"}}\n' for i, text in texts.items())
    return "".join(lines).encode()


def outage(chance: random.Random, longest: float = LONGEST_OUTAGE) -> None:
    """Leave a part out for a while: the outage itself is what is tried."""
    time.sleep(chance.random() * longest)


def kill_worker_while(situation: str) -> Blow:
    """Return the blow that kills the worker while work of its own is in the situation."""

    def blow(shop: Shop, chance: random.Random) -> Told:
        pid = str(shop.running["worker"].pid)
        told: Told = shop.site.ask("strike", situation, pid, str(LONGEST_WAIT))
        shop.kill("worker")
        outage(chance)
        shop.start("worker")
        return told

    return blow


def kill_part(name: str) -> Blow:
    """Return the blow that kills one part at whatever it does."""

    def blow(shop: Shop, chance: random.Random) -> None:
        shop.kill(name)
        outage(chance)
        shop.start(name)

    return blow


def kill_scorer(shop: Shop, chance: random.Random) -> None:
    """SIGKILL the process that reads or scores a file; raises Missed when there was none in time."""
    deadline = time.monotonic() + LONGEST_WAIT
    while not shop.kill_child(chance):
        if time.monotonic() > deadline:
            raise Missed
        time.sleep(0.005)


def kill_everything(shop: Shop, chance: random.Random) -> None:
    """SIGKILL web, worker and beat at once."""
    for name in ("web", "worker", "beat"):
        shop.kill(name)
    outage(chance)
    for name in ("web", "worker", "beat"):
        shop.start(name)


def fill_disk(shop: Shop, chance: random.Random) -> None:
    """Fill the disk to its last byte, and keep it full for a while."""
    keep_full(shop.var, 0.5 + chance.random() * LONGEST_OUTAGE)


def fill_database(shop: Shop, chance: random.Random) -> Told:
    """Fill PostgreSQL's own disk; where that ended it, it is started once there is room again.

    Raises Missed when it had room for everything meanwhile.
    """
    assert shop.postgres is not None
    seconds = 1 + chance.random() * LONGEST_OUTAGE
    filling = threading.Thread(target=keep_full, args=(shop.postgres.folder.parent, seconds))
    filling.start()
    was_refused = _wants_room(shop.postgres.url, time.monotonic() + seconds)
    filling.join()
    stands = shop.postgres.stands()
    if not stands:
        shop.postgres.start()
    shop.postgres.await_ready()
    if not was_refused:
        raise Missed
    return {"PostgreSQL ended by its full disk": int(not stands)}


def _wants_room(url: str, until: float) -> bool:
    """Return whether 20 MB of rows were refused at least once before that moment."""
    while time.monotonic() < until:
        try:
            with psycopg.connect(url, autocommit=True, connect_timeout=5) as connection:
                connection.execute(
                    "CREATE TABLE ballast AS SELECT repeat('x', 1000) FROM generate_series(1, 20000)"
                )
                connection.execute("DROP TABLE ballast")
        except psycopg.Error:
            return True
    return False


def freeze_disk(shop: Shop, chance: random.Random) -> None:
    """Let every write to the disk hang for a while: database, uploads, messages."""
    with frozen(shop.var):
        outage(chance, LONGEST_SILENCE)


def kill_web_in_parts(moment: str) -> Blow:
    """Return the blow that kills the web server while a file comes in parts: at one moment of it."""

    def blow(shop: Shop, chance: random.Random) -> None:
        sent = _large_file(shop)
        begun = _repeated(sent.begin)
        parts = list(begun["parts"])
        kept = {"between parts": chance.randrange(1, len(parts)), "in a part": 1}
        for part in parts[: kept.get(moment, len(parts))]:
            _repeated(lambda part=part: sent.put(part))
        steps = {
            "in a part": lambda: sent.put(parts[1]),
            "in complete": lambda: sent.complete(begun["code"]),
        }
        _die_in(shop, chance, steps.get(moment))
        outage(chance)
        shop.start("web")
        shop.site.wait_until_up()
        shop.received.append(sent.finish())

    return blow


def _die_in(shop: Shop, chance: random.Random, step: Callable[[], object] | None) -> None:
    """Kill the web server, while a step is under way if there is one."""
    asked = threading.Thread(target=step) if step else None
    if asked is not None:
        asked.start()
        time.sleep(chance.random() * LONGEST_STEP)  # the moment is what is tried
    shop.kill("web")
    if asked is not None:
        asked.join()


def _large_file(shop: Shop) -> InParts:
    """Return a file of four parts that nobody has sent."""
    number = len(shop.received) + 1
    tokens = shop.site.world["tokens"]
    data = enlarged(rows(f"in parts {number}"))
    return InParts(shop, tokens[number % len(tokens)], data, f"parts-{number}.jsonl")


def _repeated(step: Callable[[], T]) -> T:
    """Return what a step brings, tried again while there is no answer."""
    deadline = time.monotonic() + FINISH_SECONDS
    while not (told := step()):
        assert time.monotonic() < deadline, f"no answer in {FINISH_SECONDS} s"
        time.sleep(AGAIN_SECONDS)
    return told


def take_files_away(shop: Shop, chance: random.Random) -> None:
    """Put a file where the folder of uploads was; everything that opens one fails meanwhile."""
    files, away = shop.var / "files", shop.var / "files-away"
    files.mkdir(exist_ok=True)
    files.rename(away)
    files.write_text("not a folder")
    time.sleep(0.5 + chance.random() * LONGEST_OUTAGE)
    files.unlink()
    away.rename(files)


def lose_messages(shop: Shop, chance: random.Random) -> None:
    """Delete every message of the broker of files."""
    for message in (shop.var / "broker").rglob("*.msg"):
        message.unlink(missing_ok=True)


def let_bucket_fail(shop: Shop, chance: random.Random) -> None:
    """Let the bucket answer 500 to everything."""
    assert shop.bucket is not None
    shop.bucket.fault(status=500, code="InternalError")
    time.sleep(0.5 + chance.random() * LONGEST_OUTAGE)
    shop.bucket.fault()


def let_bucket_hang(shop: Shop, chance: random.Random) -> None:
    """Stop the bucket's process: it takes connections and answers nothing."""
    assert shop.bucket is not None
    with stopped(shop.bucket.pid):
        outage(chance, LONGEST_SILENCE)


def kill_bucket(shop: Shop, chance: random.Random) -> None:
    """SIGKILL the process by way of which the bucket is reached; what it had acknowledged is kept."""
    assert shop.front is not None
    shop.front.kill()
    outage(chance, LONGEST_SILENCE / 2)
    shop.front.start()


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Stop a process while inside."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def kill_redis(shop: Shop, chance: random.Random) -> None:
    """SIGKILL Redis; it comes back empty."""
    assert shop.redis is not None
    shop.redis.kill()
    outage(chance)
    shop.redis.start()


def flush_redis(shop: Shop, chance: random.Random) -> None:
    """Empty Redis while everything runs."""
    assert shop.redis is not None
    with redis.Redis.from_url(shop.redis.url) as client:
        client.flushall()


def kill_postgres(shop: Shop, chance: random.Random) -> None:
    """SIGKILL PostgreSQL and all its processes, then start it again."""
    assert shop.postgres is not None
    shop.postgres.kill()
    outage(chance)
    shop.postgres.start()


def restart_postgres(shop: Shop, chance: random.Random) -> None:
    """Restart PostgreSQL as an administrator does."""
    assert shop.postgres is not None
    shop.postgres.stop()
    shop.postgres.start()


EVERYWHERE: dict[str, tuple[int, Blow]] = {
    "worker in validation": (5, kill_worker_while("validating")),
    "worker in scoring": (5, kill_worker_while("scoring")),
    "worker between them": (5, kill_worker_while("between")),
    "worker at any moment": (3, kill_part("worker")),
    "scorer's process": (4, kill_scorer),
    "web server": (6, kill_part("web")),
    "web server between parts": (1, kill_web_in_parts("between parts")),
    "web server in a part": (1, kill_web_in_parts("in a part")),
    "web server in complete": (2, kill_web_in_parts("in complete")),
    "beat": (2, kill_part("beat")),
    "all three at once": (3, kill_everything),
}
SMALL_DISK: dict[str, tuple[int, Blow]] = {"disk full": (4, fill_disk)}
ON_DISK: dict[str, tuple[int, Blow]] = {"files out of reach": (3, take_files_away)}
IN_BUCKET: dict[str, tuple[int, Blow]] = {
    "bucket answers 500": (3, let_bucket_fail),
    "bucket hangs": (3, let_bucket_hang),
    "bucket killed": (4, kill_bucket),
}
SERVED: dict[str, tuple[int, Blow]] = {
    "Redis killed": (3, kill_redis),
    "Redis emptied": (3, flush_redis),
    "PostgreSQL killed": (4, kill_postgres),
    "PostgreSQL restarted": (3, restart_postgres),
}
SMALL_DATABASE: dict[str, tuple[int, Blow]] = {"PostgreSQL's disk full": (3, fill_database)}
FREEZABLE: dict[str, tuple[int, Blow]] = {"disk hangs": (3, freeze_disk)}
EMBEDDED: dict[str, tuple[int, Blow]] = {"messages lost": (3, lose_messages)}


def blows_of(setup: Setup) -> dict[str, tuple[int, Blow]]:
    """Return what can be done to an installation, by name, with how often it is done."""
    return (
        EVERYWHERE
        | (SMALL_DISK if setup.small_disk else {})
        | (IN_BUCKET if setup.bucket else ON_DISK)
        | (SERVED if setup.served else EMBEDDED)
        | (SMALL_DATABASE if setup.served and setup.small_disk else {})
        | (FREEZABLE if setup.freezable else {})
    )


def deal(setup: Setup, points: int, chance: random.Random, only: Collection[str] = ()) -> list[str]:
    """Return the names of that many blows in random order, each as often as its weight says.

    With `only`, of these alone; raises ValueError where the installation has none of them.
    """
    names: list[str] = []
    ways = {name: way for name, way in blows_of(setup).items() if name in only or not only}
    if not ways:
        raise ValueError(f"none of {', '.join(only)} can be done to {setup.name}")
    while len(names) < points:
        pack = [name for name, (weight, _) in ways.items() for _ in range(weight)]
        chance.shuffle(pack)
        names += pack
    return names[:points]
