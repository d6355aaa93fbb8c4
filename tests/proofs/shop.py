"""An installation whose parts can be killed and started again while people upload."""

from __future__ import annotations

import http.client
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from tests.fixtures.bucket import BucketServer, serving
from tests.proofs.disks import freezable_disk, small_disk
from tests.proofs.servers import BucketFront, Postgres, Redis
from tests.security.served import ROOT, WEB, WORKER, Installation, free_port, installation

BEAT = ["-m", "celery", "-A", "config.celery", "beat", "--schedule", "beat-schedule"]
PARTS = {"web": WEB, "worker": WORKER, "beat": BEAT}
DISK_MEBIBYTES = 256
DATABASE_MEBIBYTES = 320
SMALL_DATABASE = ("max_wal_size=64MB", "min_wal_size=32MB")
BUCKET = "kills"
ANSWER_SECONDS = 60
PIECES = 8


@dataclass(frozen=True)
class Setup:
    """What an installation runs on; `small_disk` and `freezable` need root."""

    served: bool = False
    bucket: bool = False
    small_disk: bool = False
    freezable: bool = False

    @property
    def name(self) -> str:
        """Say it in words."""
        below = "PostgreSQL and Redis" if self.served else "SQLite and files"
        return f"{below}, uploads {'in a bucket' if self.bucket else 'on disk'}"


@dataclass
class Shop:
    """The running parts of an installation, and codes of what it took beside the usual uploads."""

    setup: Setup
    site: Installation
    postgres: Postgres | None
    redis: Redis | None
    bucket: BucketServer | None
    front: BucketFront | None
    received: list[str] = field(default_factory=list)
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def var(self) -> Path:
        """Where it writes."""
        return Path(self.site.environment["PLAUDIT_VAR"])

    def start(self, name: str, arguments: list[str] | None = None, **environment: str) -> None:
        """Start a part; what it says is kept."""
        with (self.site.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                [sys.executable, *(arguments or PARTS[name])],
                cwd=ROOT,
                env={
                    **self.site.environment,
                    "PLAUDIT_PORT": str(self.site.port),
                    "PYTHONPATH": str(ROOT),
                    **environment,
                },
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self, name: str) -> None:
        """Kill a part; what it had started has to notice by itself."""
        self.running[name].kill()
        self.running[name].wait(timeout=10)

    def kill_child(self, chance: random.Random) -> bool:
        """Kill one child process of the worker, if it has one; return whether it had."""
        try:
            children = psutil.Process(self.running["worker"].pid).children(recursive=True)
            if children:
                chance.choice(children).kill()
        except psutil.NoSuchProcess:
            return False  # it ended by itself in this very moment
        return bool(children)

    def keep_up(self) -> None:
        """Start again what has ended by itself, as the supervisor does."""
        for name, process in list(self.running.items()):
            if process.poll() is not None:
                self.start(name)

    def upload(
        self, token: str, data: bytes, key: str, *, filename: str = "run.jsonl", seconds: float = 0
    ) -> str | int | None:
        """Send a file for so many seconds; return its code when it was answered "received".

        Else the status of the answer, None without one.
        """
        path = f"{self.site.world['api']}/cases/submissions/"
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/octet-stream",
            "Content-Disposition": f"attachment; filename={filename}",
            "Content-Length": str(len(data)),
            "Idempotency-Key": key,
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=ANSWER_SECONDS)
        try:
            connection.request("POST", path, body=_slowly(data, seconds), headers=headers)
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
        if answer.status not in {200, 201}:
            return answer.status
        code: str = json.loads(body)["code"]
        return code

    def end(self) -> None:
        """End every part."""
        for process in self.running.values():
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.running.values():
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(timeout=10)


def _slowly(data: bytes, seconds: float) -> Iterator[bytes]:
    size = -(-len(data) // PIECES)
    for begin in range(0, len(data), size):
        yield data[begin : begin + size]
        time.sleep(seconds / PIECES)  # a slow line is what is tried


@contextmanager
def open_shop(folder: Path, setup: Setup, **environment: str) -> Iterator[Shop]:
    """Run web, worker and beat on servers of their own, or on SQLite and files."""
    with ExitStack() as stack:
        var = _disk(stack, folder / "var", setup)
        postgres = redis = bucket = front = None
        if setup.served:
            postgres = _postgres(stack, folder, setup)
            redis = Redis(folder, free_port())
            redis.start()
            stack.callback(redis.stop)
            environment |= {"DATABASE_URL": postgres.url, "REDIS_URL": redis.url}
        if setup.bucket:
            bucket = stack.enter_context(serving(folder))
            front = BucketFront(folder, free_port(), urlsplit(bucket.url).netloc)
            front.start()
            stack.callback(front.stop)
            environment |= replace(bucket, url=front.url).settings(BUCKET)
        site = installation(folder, **{"PLAUDIT_VAR": str(var), **environment})
        site.commands = "tests.proofs.kills_probe"
        stack.callback(site.close)
        site.world = site.ask("prepare")
        shop = Shop(setup, site, postgres, redis, bucket, front)
        stack.callback(shop.end)
        for name in PARTS:
            shop.start(name)
        site.wait_until_up()
        yield shop


def _disk(stack: ExitStack, folder: Path, setup: Setup) -> Path:
    """Return where an installation writes: on a file system of its own, if it may have one."""
    if setup.freezable:
        return stack.enter_context(freezable_disk(folder, 2 * DISK_MEBIBYTES))
    if setup.small_disk:
        return stack.enter_context(small_disk(folder, DISK_MEBIBYTES))
    return folder


def _postgres(stack: ExitStack, folder: Path, setup: Setup) -> Postgres:
    """Return a running PostgreSQL, on a small disk of its own if there are such."""
    where = folder / "postgres"
    options: tuple[str, ...] = ()
    if setup.small_disk:
        where = stack.enter_context(small_disk(folder / "database", DATABASE_MEBIBYTES)) / "cluster"
        options = SMALL_DATABASE
    # What it says of a full disk must not lie there.
    postgres = Postgres(where, free_port(), options=options, log=folder / "postgres.log")
    postgres.prepare()
    postgres.start()
    stack.callback(lambda: postgres.stands() and postgres.stop())
    return postgres
