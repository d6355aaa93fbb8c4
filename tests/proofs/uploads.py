"""Proof: a large upload over a line that keeps breaking arrives whole, and the server's memory is flat.

`python -m tests.proofs.uploads [--mebibytes 2048]` does it on local disk and with a bucket, with the
real server and the participants' client, and prints a table. The proxy cuts every connection that
carries data after a random 2 to 12 MiB, or after two seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import uuid
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from grading.identity import Digests
from tests.fixtures.bucket import serving
from tests.fixtures.cutting_proxy import CuttingProxy, cutting
from tests.proofs.installation import Installation, Memory

MIB = 1024 * 1024
LEAST_CUT, MOST_CUT, CUT_SECONDS = 2 * MIB, 12 * MIB, 2.0
FLAT_BYTES = 64 * MIB
"""By how much the web server may grow, whatever the size of the upload."""


@dataclass
class Outcome:
    """What one upload came to; sizes in bytes."""

    place: str
    size: int
    seconds: float
    cuts: int
    carried: int
    grown: int
    peak: int
    content_held: bool
    sha256_held: bool
    state: str

    @property
    def held(self) -> bool:
        return self.content_held and self.sha256_held and self.grown < FLAT_BYTES and self.cuts > 0

    def row(self) -> str:
        verdict = "held" if self.held else "FAILED"
        return (
            f"{self.place:<7} {self.size / MIB:>6.0f} MiB  {self.seconds:>6.0f} s  "
            f"{self.cuts:>5} cuts  {self.carried / MIB:>6.0f} MiB carried  server "
            f"{self.peak / MIB:>4.0f} MiB at most, grown by {self.grown / MIB:>4.1f}  "
            f"content {self.content_held}  sha256 {self.sha256_held}  {self.state}  {verdict}"
        )


def write_file(path: Path, size: int) -> Digests:
    """Write a file of random bytes; return its digests."""
    digests = Digests()
    with path.open("wb") as target:
        while digests.size < size:
            chunk = os.urandom(min(MIB, size - digests.size))
            target.write(chunk)
            digests.update(chunk)
    return digests


def installed(
    stack: ExitStack, folder: Path, place: str
) -> tuple[Installation, list[CuttingProxy]]:
    """Return an installation whose client reaches the bucket, and last the server, over proxies."""
    environment, proxies = {}, []
    if place == "bucket":
        (folder / "bucket").mkdir()
        server = stack.enter_context(serving(folder / "bucket"))
        address = urlsplit(server.url)
        to_bucket = stack.enter_context(cut((address.hostname or "", address.port or 0)))
        proxies.append(to_bucket)
        environment = server.settings(f"proof-{uuid.uuid4().hex[:12]}")
        environment["S3_PUBLIC_URL"] = f"http://127.0.0.1:{to_bucket.port}"
    installation = Installation(folder, environment)
    proxies.append(stack.enter_context(cut(("127.0.0.1", installation.port))))
    return installation, proxies


def cut(target: tuple[str, int]) -> AbstractContextManager[CuttingProxy]:
    """Return a proxy to `target` that cuts."""
    return cutting(target, least=LEAST_CUT, most=MOST_CUT, seconds=CUT_SECONDS)


def prove(place: str, size: int, folder: Path) -> Outcome:
    """Upload a file of `size` bytes; return what it came to."""
    digests = write_file(folder / "run.jsonl", size)
    with ExitStack() as stack:
        installation, proxies = installed(stack, folder, place)
        installation.prepare()
        with installation.web() as web:
            memory = Memory(web.pid)
            began = time.monotonic()
            with installation.client(folder / "run.jsonl", proxies[-1].port) as client:
                out, err = client.communicate(timeout=3000)
            seconds = time.monotonic() - began
            memory.stop()
        assert client.returncode == 0, err
        found = installation.ask("validate")
    (submission,) = found["submissions"]
    assert json.loads(out)["code"] == submission["code"]
    assert (found["log_holds"], submission["size"]) == (True, size)
    return Outcome(
        place=place,
        size=size,
        seconds=seconds,
        cuts=sum(proxy.cuts for proxy in proxies),
        carried=sum(proxy.carried for proxy in proxies),
        grown=memory.peak - memory.first,
        peak=memory.peak,
        content_held=submission["content_id"] == digests.content_id,
        sha256_held=submission["sha256"] == digests.sha256,
        state=" ".join(found["states"][0]).strip(),
    )


def main() -> int:
    """Return 1 when something did not hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mebibytes", type=int, default=2048)
    parser.add_argument("--place", choices=["disk", "bucket"], action="append")
    arguments = parser.parse_args()
    held = True
    for place in arguments.place or ["disk", "bucket"]:
        with tempfile.TemporaryDirectory(prefix="plaudit-proof-") as folder:
            outcome = prove(place, arguments.mebibytes * MIB, Path(folder))
        sys.stdout.write(outcome.row() + "\n")
        sys.stdout.flush()
        held = held and outcome.held
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
