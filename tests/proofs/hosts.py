"""Workers on two hosts of their own share PostgreSQL, Redis and the bucket of a third, and no file.

`python -m tests.proofs.hosts` makes three network namespaces joined by a bridge. On the hub run the
servers, the web server and beat; on each other host one worker, with a host name, an empty folder
and no sight of the hub's files. It ends with 1 unless both hosts scored, and unless the one that was
left went on when the other's cable was pulled in the middle of its work. Needs root.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scripts.prove import commit
from tests.fixtures.bucket import serving
from tests.proofs.blows import rows
from tests.proofs.kills import OWN_TIMES, PROMISED_SECONDS, faults_of, say
from tests.proofs.servers import Postgres, Redis
from tests.proofs.shop import BUCKET, Setup, Shop
from tests.security.served import ROOT, WORKER, free_port, installation

HUB, NETWORK = "10.77.0.1", 24
ADDRESSES = {"north": "10.77.0.11", "south": "10.77.0.12"}
UPLOADS = 24
POLL_SECONDS = 0.25
BACK_SECONDS = 240
"""A broken line is tried again ever more rarely, so coming back may take as long as it was away."""
Json = dict[str, Any]


def space(name: str) -> str:
    """Return the name of a host's network namespace."""
    return f"plaudit-{os.environ.get('PLAUDIT_HOSTS', os.getpid())}-{name}"


def ip(*arguments: str) -> None:
    """Run iproute2."""
    subprocess.run(["ip", *arguments], check=True)


@contextmanager
def network() -> Iterator[None]:
    """Make the hub, the two hosts and what joins them; all of it is gone afterwards."""
    names = ["hub", *ADDRESSES]
    with ExitStack() as stack:
        for name in names:
            ip("netns", "add", space(name))
            stack.callback(ip, "netns", "delete", space(name))
            ip("-n", space(name), "link", "set", "lo", "up")
        hub = space("hub")
        ip("-n", hub, "link", "add", "bridge", "type", "bridge")
        ip("-n", hub, "address", "add", f"{HUB}/{NETWORK}", "dev", "bridge")
        ip("-n", hub, "link", "set", "bridge", "up")
        for name, address in ADDRESSES.items():
            peer = ["peer", "name", "eth0", "netns", space(name)]
            ip("-n", hub, "link", "add", name, "type", "veth", *peer)
            ip("-n", hub, "link", "set", name, "master", "bridge", "up")
            ip("-n", space(name), "address", "add", f"{address}/{NETWORK}", "dev", "eth0")
            ip("-n", space(name), "link", "set", "eth0", "up")
        yield


@dataclass
class Host:
    """A machine with a worker and nothing else."""

    name: str
    folder: Path
    hidden: Path
    environment: dict[str, str]
    process: subprocess.Popen[bytes] | None = None

    @property
    def worker(self) -> str:
        """What its worker is called."""
        return f"celery@{self.name}"

    def start(self) -> None:
        """Start the worker in the host's namespaces; an empty disk lies over the hub's folder."""
        script = (
            f"echo {self.name} > /proc/sys/kernel/hostname"
            f' && mount -t tmpfs -o size=1m nothing "{self.hidden}" && exec "$@"'
        )
        inside = ["unshare", "--mount", "--uts", "sh", "-c", script, "sh"]
        with (self.folder / "worker.log").open("ab") as log:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", space(self.name), *inside, sys.executable, *WORKER],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
            )

    def stop(self) -> None:
        """End the worker."""
        assert self.process is not None
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(timeout=10)

    def plug(self, state: str) -> None:
        """Pull the host's cable ("down") or put it in again ("up")."""
        ip("link", "set", self.name, state)

    def files(self) -> dict[str, list[str]]:
        """Return the files of uploads and of references that lie on this machine."""
        return {
            kind: sorted(
                path.name for path in (self.folder / "var" / kind).rglob("*") if path.is_file()
            )
            for kind in ("files", "hidden")
        }


@dataclass
class Proof:
    """The hub's installation and the hosts."""

    shop: Shop
    hosts: list[Host]
    count: int = 0

    def run(self) -> Json:
        """Return what was seen. Raises AssertionError for a broken promise."""
        found: Json = {"together": self.share()}
        found["files_on_the_hosts"] = {host.name: host.files() for host in self.hosts}
        for host in self.hosts:
            kept = host.files()
            assert kept["files"] == [], kept
            assert kept["hidden"], kept
        found["cable_pulled"] = self.cut_one_off()
        found["together_again"] = self.share()
        state: Json = self.shop.site.ask("state")
        broken = faults_of(self.received, state)
        assert not broken, broken
        found["submissions"] = len(state["submissions"])
        return found

    def __post_init__(self) -> None:
        self.received: list[str] = []

    def share(self) -> Json:
        """Let both hosts score a pile of uploads; return who scored how many."""
        before = self.scored()
        began = time.monotonic()
        self.upload(UPLOADS)
        self.settle()
        after = self.scored()
        by_host = {
            one.name: after.get(one.worker, 0) - before.get(one.worker, 0) for one in self.hosts
        }
        assert all(by_host.values()), by_host
        assert sum(by_host.values()) == UPLOADS, by_host
        return {"scored_by": by_host, "seconds": round(time.monotonic() - began, 1)}

    def cut_one_off(self) -> Json:
        """Pull the first host's cable while it scores; the other does its work, too."""
        host, before = self.hosts[0], self.scored()
        self.upload(UPLOADS // 2)
        self.wait(lambda: host.worker in self.shop.site.ask("scorers")["running"], PROMISED_SECONDS)
        host.plug("down")
        cut = time.monotonic()
        self.settle()
        settled, after = time.monotonic() - cut, self.scored()
        host.plug("up")
        back = time.time()
        self.wait(lambda: self.heard_of().get(host.worker, 0) > back, BACK_SECONDS)
        return {
            "host": host.name,
            "uploads": UPLOADS // 2,
            "scored_by": {
                one.name: after.get(one.worker, 0) - before.get(one.worker, 0) for one in self.hosts
            },
            "settled_after_seconds": round(settled, 1),
            "heard_of_again_after_seconds": round(time.time() - back, 1),
        }

    def heard_of(self) -> dict[str, float]:
        """Return when each worker was last heard of."""
        told: dict[str, float] = self.shop.site.ask("heard of")
        return told

    def scored(self) -> dict[str, int]:
        """Return how many each worker has scored."""
        told: dict[str, int] = self.shop.site.ask("scorers")["scored"]
        return told

    def upload(self, count: int) -> None:
        """Send that many files at once."""
        threads = [
            threading.Thread(target=self._send, args=(self.count + n,)) for n in range(count)
        ]
        self.count += count
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(self.received) == self.count, (len(self.received), self.count)

    def _send(self, number: int) -> None:
        tokens = self.shop.site.world["tokens"]
        code = self.shop.upload(
            tokens[number % len(tokens)],
            rows(number),
            f"k{number}",
            filename=f"run-{number}.jsonl",
        )
        if isinstance(code, str):
            self.received.append(code)

    def settle(self) -> None:
        """Return once nothing waits any more."""
        self.wait(lambda: not any(self.shop.site.ask("waiting").values()), PROMISED_SECONDS)

    def wait(self, condition: Callable[[], bool], seconds: float) -> None:
        """Return once the condition holds; raises AssertionError when time is up."""
        deadline = time.monotonic() + seconds
        while not condition():
            left = self.shop.site.ask("waiting"), self.shop.site.ask("scorers")
            assert time.monotonic() < deadline, f"not after {seconds} s: {left}"
            time.sleep(POLL_SECONDS)


@contextmanager
def cluster(folder: Path) -> Iterator[Proof]:
    """Run the hub and a worker on each host. Runs inside the hub's network namespace."""
    hub = folder / "hub"
    hub.mkdir()
    with ExitStack() as stack:
        postgres = Postgres(hub / "postgres", free_port(), HUB)
        postgres.prepare()
        postgres.start()
        stack.callback(postgres.stop)
        redis = Redis(hub, free_port(), HUB)
        redis.start()
        stack.callback(redis.stop)
        bucket = stack.enter_context(serving(hub, HUB))
        shared = {
            "DATABASE_URL": postgres.url,
            "REDIS_URL": redis.url,
            "SECRET_KEY": "the-same-on-every-machine-" + "x" * 40,
            "WORKER_CONCURRENCY": "1",
            **OWN_TIMES,
            **bucket.settings(BUCKET),
        }
        site = installation(hub, **{"PLAUDIT_VAR": str(hub / "var"), **shared})
        site.commands = "tests.proofs.kills_probe"
        stack.callback(site.close)
        site.world = site.ask("prepare")
        shop = Shop(Setup(served=True, bucket=True), site, postgres, redis, bucket, front=None)
        stack.callback(shop.end)
        for name in ("web", "beat"):
            shop.start(name)
        site.wait_until_up()
        proof = Proof(shop, [])
        for name in ADDRESSES:
            own = folder / name
            own.mkdir()
            host = Host(name, own, hub, {**site.environment, "PLAUDIT_VAR": str(own / "var")})
            host.start()
            stack.callback(host.stop)
            proof.hosts.append(host)
        names = {host.worker for host in proof.hosts}
        proof.wait(lambda: names <= set(proof.heard_of()), PROMISED_SECONDS)
        yield proof


def prove() -> Json:
    """Return what was seen, with what broke and the last log lines of each part."""
    with tempfile.TemporaryDirectory(prefix="plaudit-hosts-") as made:
        folder = Path(made)
        try:
            with cluster(folder) as proof:
                return proof.run()
        except AssertionError as broken:
            logs = {
                path.parent.name + "/" + path.name: path.read_text(errors="replace")[-3000:]
                for path in folder.glob("*/*.log")
            }
            return {"broken": str(broken), "logs": logs}


def enter_hub(arguments: list[str]) -> int:
    """Run this proof again inside the hub's namespace; return its exit status."""
    with network():
        command = ["ip", "netns", "exec", space("hub"), sys.executable, "-m", "tests.proofs.hosts"]
        environment = os.environ | {"PLAUDIT_HOSTS": str(os.getpid())}
        return subprocess.run(
            [*command, *arguments], cwd=ROOT, env=environment, check=False
        ).returncode


def main() -> int:
    """Return 0 when every promise held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evidence", type=Path, help="keep the figures in this folder")
    given = parser.parse_args()
    if os.geteuid() != 0:
        say("This proof needs root and iproute2: it makes network namespaces. Run it with sudo.")
        return 2
    if "PLAUDIT_HOSTS" not in os.environ:
        return enter_hub(sys.argv[1:])
    now = datetime.now(UTC)
    found = {"date": f"{now:%Y-%m-%d}", "commit": commit(), **prove()}
    say(json.dumps(found, indent=2))
    if given.evidence and "broken" not in found:
        path = given.evidence / f"{now:%Y-%m-%d}-hosts.json"
        path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return int("broken" in found)


if __name__ == "__main__":
    sys.exit(main())
