"""An installation whose parts can be killed and started again while people upload."""

from __future__ import annotations

import http.client
import json
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.proofs.servers import Postgres, Redis
from tests.security.served import ROOT, WEB, WORKER, Installation, free_port, installation

BEAT = ["-m", "celery", "-A", "config.celery", "beat", "--schedule", "beat-schedule"]
PARTS = {"web": WEB, "worker": WORKER, "beat": BEAT}
BOUNDARY = "a-boundary"


@dataclass
class Shop:
    """The running parts of an installation."""

    site: Installation
    postgres: Postgres | None
    redis: Redis | None
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str) -> None:
        """Start a part; what it says is kept."""
        with (self.site.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                [sys.executable, *PARTS[name]],
                cwd=ROOT,
                env={
                    **self.site.environment,
                    "PLAUDIT_PORT": str(self.site.port),
                    "PYTHONPATH": str(ROOT),
                },
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self, name: str) -> None:
        """Kill a part and whatever it had started."""
        process = self.running[name]
        for one in [*psutil.Process(process.pid).children(recursive=True)]:
            _signal(one)
        process.kill()
        process.wait(timeout=10)

    def kill_child(self, chance: random.Random) -> bool:
        """Kill one child process of the worker, if it has one; return whether it had."""
        children = psutil.Process(self.running["worker"].pid).children(recursive=True)
        if children:
            _signal(chance.choice(children))
        return bool(children)

    def keep_up(self) -> None:
        """Start again what has ended by itself, as the supervisor does."""
        for name, process in list(self.running.items()):
            if process.poll() is not None:
                self.start(name)

    def upload(self, token: str, data: bytes, key: str) -> str | None:
        """Return the code of the submission when the upload was answered "received", else None."""
        path = f"{self.site.world['api']}/cases/submissions/"
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/octet-stream",
            "Content-Disposition": "attachment; filename=run.jsonl",
            "Idempotency-Key": key,
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=30)
        try:
            connection.request("POST", path, body=data, headers=headers)
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
        if answer.status not in {200, 201}:
            return None
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


def _signal(process: psutil.Process) -> None:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return  # it ended by itself in this very moment


@contextmanager
def open_shop(folder: Path, *, served: bool, **environment: str) -> Iterator[Shop]:
    """Run web, worker and beat: on PostgreSQL and Redis of their own, or on SQLite and files."""
    with ExitStack() as stack:
        postgres = redis = None
        if served:
            postgres = Postgres(folder / "postgres", free_port())
            postgres.prepare()
            postgres.start()
            stack.callback(postgres.stop)
            redis = Redis(folder, free_port())
            redis.start()
            stack.callback(redis.stop)
            environment |= {"DATABASE_URL": postgres.url, "REDIS_URL": redis.url}
        site = installation(folder, **environment)
        stack.callback(site.close)
        site.world = site.ask("prepare")
        shop = Shop(site, postgres, redis)
        stack.callback(shop.end)
        for name in PARTS:
            shop.start(name)
        site.wait_until_up()
        yield shop
