"""Packs at full length: 20 GiB streamed with flat memory, any range as in the whole zip, fifty people.

`python -m tests.proofs.packs` makes sparse files, so that a pack of 20 GiB takes little room; the web
server is a real one, and the clients use tokens of their own. DATABASE_URL decides between PostgreSQL (a
database of its own there) and SQLite. It ends with 1 when a promise is broken, and writes its figures to
the folder that `--evidence` names.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.proofs.audit import say, spread, started, written
from tests.proofs.installation import Memory, free_port
from tests.proofs.rescoring import ROOT, Broken, database, expect

GIB = 1 << 30
MIB = 1 << 20
GROWTH = 48 * MIB
"""How much more memory the server may hold while a large pack goes out than before."""
RANGES = 300
PEOPLE, REVOKED = 50, 10
SMALL_FILES, SMALL_BYTES = 40, 200_000
CHUNK = 64 * 1024
PARTS = 8
START_SECONDS = 90


@dataclass
class Person:
    """Somebody with a copy: their token, and what arrived."""

    token: str
    code: str
    whole: bytes = b""
    link: str = ""
    arrived: int = 0
    requests: int = 0
    refused: list[int] = field(default_factory=list)


class Proof:
    """One run: a large pack first, then fifty people with a small one."""

    def __init__(self, given: argparse.Namespace, folder: Path) -> None:
        from django.utils import timezone

        from tests.factories.grading import make_arena

        self.given, self.folder = given, folder
        self.figures: dict[str, Any] = {}
        self.now = timezone.now()
        self.arena = make_arena(now=self.now)
        self.chance = random.Random(1)  # noqa: S311  where lines break
        self.port = free_port()

    def run(self) -> dict[str, Any]:
        """Do all of it; raises Broken."""
        large = self.large_pack()
        with self.web() as server:
            self.stream(server, large)
            self.ranges(large)
            self.fifty()
        return self.figures

    def large_pack(self) -> Person:
        """Make a pack over sparse files, and the hash of its copy from one reading."""
        from competition.models import CopyHash, PackIssue
        from competition.services import zips

        began = time.perf_counter()
        first = self._sparse(0, self.given.gib * GIB // 4)
        rest = self._sparse(1, 3 * self.given.gib * GIB // 4 // (PARTS - 1))
        rows = [first, *(replace(rest, path=f"audio/{n:02d}.bin") for n in range(1, PARTS))]
        person = self._with_copy(self._pack("large", rows))
        self.figures["large_pack_made_seconds"] = round(time.perf_counter() - began, 1)
        began = time.perf_counter()
        before = psutil.Process().memory_info().rss
        zips.hash_due(now=self.now)
        self.figures["hashed_seconds"] = round(time.perf_counter() - began, 1)
        self.figures["hashing_grew_mib"] = round(
            (psutil.Process().memory_info().rss - before) / MIB, 1
        )
        known = CopyHash.objects.get(issue=PackIssue.objects.get(code=person.code))
        self.figures["large_zip_bytes"] = known.size
        say(f"{known.size} bytes, hashed in {self.figures['hashed_seconds']} s")
        return person

    def stream(self, server: psutil.Process, person: Person) -> None:
        """Fetch the whole zip over HTTP into a sparse file; the server's memory stays flat."""
        from competition.models import CopyHash, Download

        link, headers = self._link(person), self._headers(person)
        memory, digest, began = Memory(server.pid), hashlib.sha256(), time.perf_counter()
        target = self.folder / "whole.zip"
        with (
            target.open("wb") as out,
            httpx.stream("GET", link, headers=headers, timeout=120) as got,
        ):
            expect(got.status_code == 200, f"the download was answered {got.status_code}")
            for chunk in got.iter_raw(MIB):
                digest.update(chunk)
                if chunk.count(0) == len(chunk):
                    out.seek(len(chunk), os.SEEK_CUR)
                else:
                    out.write(chunk)
            out.truncate()
        seconds = time.perf_counter() - began
        memory.stop()
        known = CopyHash.objects.get(issue__code=person.code)
        expect(target.stat().st_size == known.size, "the zip has another size")
        expect(digest.hexdigest() == known.sha256, "the zip that came has another hash")
        self._await_ends()
        row = Download.objects.get(issue__code=person.code)
        expect((row.sent, row.end) == (known.size, "whole"), f"recorded: {row.sent}, {row.end}")
        grew = memory.peak - memory.first
        self.figures["streamed_seconds"] = round(seconds, 1)
        self.figures["streamed_mib_per_second"] = round(known.size / MIB / seconds)
        self.figures["server_before_mib"] = round(memory.first / MIB)
        self.figures["server_grew_mib"] = round(grew / MIB, 1)
        self.figures["whole_zip_on_disk_mib"] = round(target.stat().st_blocks * 512 / MIB, 1)
        expect(grew < GROWTH, f"the server grew by {grew / MIB:.0f} MiB")
        with zipfile.ZipFile(target) as archive:
            names = archive.namelist()
            expect(names[-1] == "ISSUE.json", "ISSUE.json is not the last member")
            expect(len(names) == PARTS + 2, f"{len(names)} members")
        say(f"streamed in {seconds:.0f} s, the server grew by {grew / MIB:.1f} MiB")

    def ranges(self, person: Person) -> None:
        """Ask for random ranges; each must hold what the whole zip holds there."""
        link, headers = self._link(person), self._headers(person)
        size, times = self.figures["large_zip_bytes"], []
        with (self.folder / "whole.zip").open("rb") as whole, httpx.Client(timeout=60) as client:
            for _ in range(RANGES):
                first = self._place(size)
                last = min(size - 1, first + self.chance.randrange(1, 200_000))
                began = time.perf_counter()
                got = client.get(link, headers={**headers, "Range": f"bytes={first}-{last}"})
                times.append(1000 * (time.perf_counter() - began))
                expect(got.status_code == 206, f"a range was answered {got.status_code}")
                whole.seek(first)
                same = got.content == whole.read(last - first + 1)
                expect(same, f"bytes {first} to {last} are others than in the whole zip")
        (self.folder / "whole.zip").unlink()
        self.figures["ranges"] = RANGES
        self.figures["range_ms"] = spread(times)
        say(f"{RANGES} ranges as in the whole zip")

    def fifty(self) -> None:
        """Fifty people, lines that break at random points, ten copies revoked half-way."""
        from competition.models import Download, PackIssue
        from competition.services import issues, zips

        rows = [self._random_file(place) for place in range(SMALL_FILES)]
        pack = self._pack("small", rows)
        people = [self._with_copy(pack) for _ in range(PEOPLE)]
        zips.hash_due(now=self.now)
        gone = {person.code for person in self.chance.sample(people, REVOKED)}
        with ThreadPoolExecutor(10) as pool:
            list(pool.map(lambda person: self._fetch(person, breaks=3), people))
            for issue in PackIssue.objects.filter(code__in=gone):
                issues.revoke(
                    actor=None, issue=issue, reason="It was passed on.", now=datetime.now(UTC)
                )
            before = dict(PackIssue.objects.filter(code__in=gone).values_list("code", "sent"))
            list(pool.map(lambda person: self._fetch(person, breaks=2, to_the_end=True), people))
            strangers = [*people[1:], people[0]]
            answers = list(pool.map(self._try_anothers, people, strangers))
        self._await_ends()
        self._check_copies(people, gone, before)
        expect(set(answers) <= {403, 404}, f"a link of another account was answered {set(answers)}")
        denied = Download.objects.filter(end="denied", issue__pack=pack)
        by_reason: dict[str, int] = {}
        for reason in denied.values_list("reason", flat=True):
            by_reason[reason] = by_reason.get(reason, 0) + 1
        expect(by_reason.get("another-person") == PEOPLE, f"attempts noted: {by_reason}")
        expect(by_reason.get("revoked", 0) >= REVOKED, f"attempts noted: {by_reason}")
        self.figures["people"], self.figures["revoked"] = PEOPLE, REVOKED
        self.figures["requests"] = sum(person.requests for person in people)
        self.figures["downloads_recorded"] = Download.objects.filter(issue__pack=pack).count()
        self.figures["denied_recorded"] = by_reason
        self.figures["bytes_arrived"] = sum(person.arrived for person in people)
        sent = PackIssue.objects.filter(pack=pack).values_list("sent", flat=True)
        self.figures["bytes_recorded"] = sum(sent)
        say("fifty people: every byte has a name")

    def _check_copies(self, people: list[Person], gone: set[str], before: dict[str, int]) -> None:
        """Every byte that arrived is recorded under its person's name, and none after a revocation."""
        from accounts.models import AuditEvent
        from competition.models import CopyHash, Download, PackIssue

        for person in people:
            issue = PackIssue.objects.select_related("person").get(code=person.code)
            rows = Download.objects.filter(issue=issue, sent__gt=0)
            expect({row.person_id for row in rows} == {issue.person_id}, "bytes under another name")
            expect(sum(row.sent for row in rows) == issue.sent, "the sums differ")
            expect(person.arrived <= issue.sent, f"{person.arrived} arrived, {issue.sent} recorded")
            begun = AuditEvent.objects.filter(kind="download.begun", target=f"issue:{issue.code}")
            expect(begun.count() == rows.count(), "a download that the log does not know")
            if person.code in gone:
                expect(issue.sent == before[issue.code], "bytes were sent after the revocation")
                expect(410 in person.refused, f"a revoked copy was answered {person.refused}")
            else:
                known = CopyHash.objects.get(issue=issue).sha256
                expect(hashlib.sha256(person.whole).hexdigest() == known, "a zip has another hash")

    def _fetch(self, person: Person, *, breaks: int, to_the_end: bool = False) -> None:
        """Go on with a download; let the line break at random points, then fetch the rest if asked."""
        with httpx.Client(timeout=60, headers=self._headers(person)) as client:
            for turn in range(breaks + to_the_end):
                link = self._link(person, client)
                if link is None:
                    # The link from before the revocation is still in its hour.
                    person.refused.append(client.get(person.link).status_code)
                    return
                person.link = link
                is_last = to_the_end and turn == breaks
                self._part(person, client, link, None if is_last else self.chance.randrange(1, MIB))

    def _part(self, person: Person, client: httpx.Client, link: str, stop: int | None) -> None:
        person.requests += 1
        headers = {"Range": f"bytes={len(person.whole)}-"}
        with client.stream("GET", link, headers=headers) as got:
            if got.status_code != 206:
                if got.status_code != 416:  # there is nothing left to fetch
                    person.refused.append(got.status_code)
                return
            for chunk in got.iter_raw(CHUNK):
                person.whole += chunk
                person.arrived += len(chunk)
                if stop is not None and person.arrived >= stop:
                    return

    def _try_anothers(self, person: Person, other: Person) -> int:
        """Try the link of somebody else's copy with one's own token."""
        link = self._link(other) or f"{self._base}/api/v1/copies/{other.code}/download/?link=x"
        return httpx.get(link, headers=self._headers(person), timeout=60).status_code

    def _await_ends(self) -> None:
        """Wait until the server has closed the record of every line that broke."""
        from competition.models import Download

        deadline = time.monotonic() + 60
        while Download.objects.filter(end="open").exists() and time.monotonic() < deadline:
            time.sleep(0.5)
        expect(not Download.objects.filter(end="open").exists(), "a download is still open")

    def _place(self, size: int) -> int:
        """Return where a range begins: anywhere, or within the last bytes, where the headers are."""
        if self.chance.random() < 0.3:
            return size - self.chance.randrange(1, 5_000)
        return self.chance.randrange(size)

    def _sparse(self, place: int, size: int) -> Any:
        """Put a large file of zeros, with a few bytes of its own, where the vault keeps what it serves."""
        from competition.packing.manifest import PackedFile
        from competition.services import vault
        from competition.services.vault import Area

        mark = f"file {place}".encode()
        path = self.folder / f"sparse{place}"
        with path.open("wb") as out:
            out.write(mark)
            out.truncate(size)
        digest, crc32, zeros = hashlib.sha256(), 0, bytes(16 * MIB)
        left = size
        for chunk in _chunks(mark, zeros, size):
            digest.update(chunk)
            crc32 = zlib.crc32(chunk, crc32)
            left -= len(chunk)
        expect(left == 0, "a sparse file was counted wrong")
        sha256 = digest.hexdigest()
        target = vault._path(vault.key_of(Area.SERVED, sha256))
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
        return PackedFile(f"audio/{place:02d}.bin", size, sha256, crc32)

    def _random_file(self, place: int) -> Any:
        from competition.packing.manifest import PackedFile
        from competition.services import vault
        from competition.services.vault import Area

        kept = vault.store([self.chance.randbytes(SMALL_BYTES)], Area.SERVED)
        return PackedFile(f"audio/{place:02d}.wav", kept.size, kept.sha256, kept.crc32)

    def _pack(self, name: str, rows: list[Any]) -> Any:
        from competition.models import Pack, PackFile
        from competition.packing.manifest import checked, manifest_bytes, sha256
        from competition.services import vault
        from competition.services.vault import Area

        pack = Pack.objects.create(
            competition=self.arena.competition,
            name=name,
            version=1,
            sha256=sha256(manifest_bytes(name, 1, checked(rows))),
            file_count=len(rows),
            content_size=sum(row.size for row in rows),
            approve=False,
            made_at=self.now,
            offered_at=self.now,
        )
        PackFile.objects.bulk_create(
            PackFile(
                pack=pack,
                path=row.path,
                size=row.size,
                sha256=row.sha256,
                crc32=row.crc32,
                storage_key=vault.key_of(Area.SERVED, row.sha256),
            )
            for row in rows
        )
        return pack

    def _with_copy(self, pack: Any) -> Person:
        from accounts.services import tokens
        from competition.services import issues
        from tests.factories.accounts import UserFactory
        from tests.factories.grading import join

        user = UserFactory()
        join(self.arena.entrant, user)
        issue = issues.request(actor=user, pack=pack, typed_name="A Person", now=self.now)
        _, secret = tokens.create_token(actor=user, name="proof", scopes=["read"], now=self.now)
        return Person(secret, issue.code)

    def _link(self, person: Person, client: httpx.Client | None = None) -> Any:
        """Return a fresh link to a person's copy, None when it may not be had any more."""
        get = client.get if client else httpx.get
        got = get(f"{self._base}/api/v1/copies/{person.code}/", headers=self._headers(person))
        expect(got.status_code == 200, f"a copy's page was answered {got.status_code}")
        return got.json()["download"]

    def _headers(self, person: Person) -> dict[str, str]:
        return {"Authorization": f"Bearer {person.token}", "Accept-Encoding": "identity"}

    @property
    def _base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def web(self) -> Iterator[psutil.Process]:
        """Run one process of the web server on our database; it is ended afterwards."""
        environment = {**os.environ, "PLAUDIT_PORT": str(self.port), "WEB_PROCESSES": "1"}
        with (self.folder / "web.log").open("ab") as log:
            command = [sys.executable, "-m", "config.server"]
            server = psutil.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            self._await(server)
            yield server
        finally:
            if server.is_running():
                server.terminate()
                server.wait(timeout=30)

    def _await(self, server: psutil.Process) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and server.is_running():
            try:
                if httpx.get(f"{self._base}/healthz", timeout=5).status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.3)
        raise Broken("the web server did not start")


def _chunks(mark: bytes, zeros: bytes, size: int) -> Iterator[bytes]:
    """Yield the content of a sparse file."""
    yield mark
    left = size - len(mark)
    while left:
        chunk = zeros[: min(left, len(zeros))]
        left -= len(chunk)
        yield chunk


def main() -> int:
    """Return 0 when every promise held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=int, default=20)
    parser.add_argument("--evidence", type=Path, help="keep the figures in this folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="plaudit-packs-") as made, database() as environment:
        folder = Path(made)
        own = {
            "PLAUDIT_VAR": str(folder / "var"),
            "HIDDEN_FILES": str(folder / "var" / "hidden"),
            "PUBLIC_FILES": str(folder / "var" / "files"),
        }

        def act() -> int:
            proof: Proof | None = None
            figures: dict[str, Any] = {}
            try:
                proof = Proof(given, folder)
                proof.run()
            except Broken as broken:
                figures["broken"] = str(broken)
            figures = {**(proof.figures if proof else {}), **figures}
            written("packs", given.evidence, figures)
            return int("broken" in figures)

        return started({**environment, **own}, act)


if __name__ == "__main__":
    sys.exit(main())
