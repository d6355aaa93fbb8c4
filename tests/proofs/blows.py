"""What is done to a running installation: every way in which a part of it may go and come back."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import redis

from tests.proofs.shop import Setup, Shop

LONGEST_WAIT = 20.0
LONGEST_OUTAGE = 2.0
LONGEST_SILENCE = 14.0
"""Longer than a bucket is waited for in one try."""
Told = dict[str, int]
Blow = Callable[[Shop, random.Random], Told | None]


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
    """SIGKILL the process that reads or scores a file."""
    deadline = time.monotonic() + LONGEST_WAIT
    while not shop.kill_child(chance) and time.monotonic() < deadline:
        time.sleep(0.02)


def kill_everything(shop: Shop, chance: random.Random) -> None:
    """SIGKILL web, worker and beat at once."""
    for name in ("web", "worker", "beat"):
        shop.kill(name)
    outage(chance)
    for name in ("web", "worker", "beat"):
        shop.start(name)


def fill_disk(shop: Shop, chance: random.Random) -> None:
    """Fill the disk to its last byte, and keep it full for a while."""
    ballast = shop.var / "ballast"
    deadline = time.monotonic() + 0.5 + chance.random() * LONGEST_OUTAGE
    try:
        with ballast.open("wb", buffering=0) as file:
            while time.monotonic() < deadline:
                _write_until_full(file.fileno())
                time.sleep(0.02)
    finally:
        ballast.unlink()


def _write_until_full(handle: int) -> None:
    for size in (1 << 20, 1 << 12, 1):
        with suppress(OSError):
            while os.write(handle, b"x" * size):
                pass


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
    "beat": (2, kill_part("beat")),
    "all three at once": (3, kill_everything),
}
SMALL_DISK: dict[str, tuple[int, Blow]] = {"disk full": (4, fill_disk)}
ON_DISK: dict[str, tuple[int, Blow]] = {"files out of reach": (3, take_files_away)}
IN_BUCKET: dict[str, tuple[int, Blow]] = {
    "bucket answers 500": (3, let_bucket_fail),
    "bucket hangs": (3, let_bucket_hang),
}
SERVED: dict[str, tuple[int, Blow]] = {
    "Redis killed": (3, kill_redis),
    "Redis emptied": (3, flush_redis),
    "PostgreSQL killed": (4, kill_postgres),
    "PostgreSQL restarted": (3, restart_postgres),
}
EMBEDDED: dict[str, tuple[int, Blow]] = {"messages lost": (3, lose_messages)}


def blows_of(setup: Setup) -> dict[str, tuple[int, Blow]]:
    """Return what can be done to an installation, by name, with how often it is done."""
    return (
        EVERYWHERE
        | (SMALL_DISK if setup.small_disk else {})
        | (IN_BUCKET if setup.bucket else ON_DISK)
        | (SERVED if setup.served else EMBEDDED)
    )


def deal(setup: Setup, points: int, chance: random.Random) -> list[str]:
    """Return the names of that many blows in random order, each as often as its weight says."""
    names: list[str] = []
    while len(names) < points:
        pack = [name for name, (weight, _) in blows_of(setup).items() for _ in range(weight)]
        chance.shuffle(pack)
        names += pack
    return names[:points]
