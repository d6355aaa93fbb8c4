"""The log and the record of downloads at full length: look-ups, a million events verified, sixteen writers.

`python -m tests.proofs.audit` needs PostgreSQL (DATABASE_URL) and makes a database of its own there. It
ends with 1 when a promise is broken, and writes its figures to the folder that `--evidence` names.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import secrets
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil

from tests.proofs.rescoring import ROOT, Broken, database, expect

PACKS, FILES, COPIES = 20, 400, 40
LOOKS = 100
AGAIN = 5
LOOK_MS = 100.0
VERIFY_SECONDS = 30.0
WRITERS, PROCESSES = 16, 4
SHARE = 0.5
SCOPE = "competition:proof"
BEGAN = datetime(2026, 11, 30, tzinfo=UTC)
BATCH = 50_000
ROUNDS = 2


def say(text: str) -> None:
    """Tell how far it is."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Proof:
    """One run over a database of its own."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.figures: dict[str, Any] = {}

    def run(self) -> dict[str, Any]:
        """Do all of it, or the part that was asked for; raises Broken."""
        parts = {"looks": self.look_up, "chain": self.verify, "writers": self.write}
        for name, act in parts.items():
            if self.given.part in ("", name):
                act()
        return self.figures

    def look_up(self) -> None:
        """Given a file's hash, who has it: with as many download events as were asked for."""
        from competition.models import Competition, CopyHash, Download, PackFile, PackIssue
        from competition.services import holders
        from grading.services.keeping.databases import gather_statistics

        fill_shelf(self.given.downloads)
        gather_statistics()
        competition = Competition.objects.get(issues__isnull=False, issues__number=1)
        chance = random.Random(1)  # noqa: S311  which files are asked for
        files = list(PackFile.objects.values_list("sha256", flat=True))
        wholes = list(CopyHash.objects.values_list("sha256", flat=True))
        found: dict[str, list[float]] = {"file": [], "whole zip": [], "nobody's": []}
        holders.holders_of(competition, files[0])  # the first one loads what all share
        best: dict[str, list[float]] = {what: [] for what in found}
        spent = Spent()
        for _ in range(LOOKS):
            asked = {
                "file": chance.choice(files),
                "whole zip": chance.choice(wholes),
                "nobody's": secrets.token_hex(32),
            }
            for what, sha256 in asked.items():
                times = []
                for _again in range(AGAIN):
                    began = time.perf_counter()
                    held = holders.holders_of(competition, sha256)
                    times.append(1000 * (time.perf_counter() - began))
                found[what].append(times[0])
                best[what].append(min(times))
                wanted = {"file": COPIES, "whole zip": 1, "nobody's": 0}[what]
                expect(len(held) == wanted, f"{what}: {len(held)} copies, not {wanted}")
        self.figures["download_events"] = Download.objects.count()
        self.figures["copies"] = PackIssue.objects.count()
        self.figures["files_of_packs"] = len(files)
        self.figures["who_has_it_ms"] = {what: spread(times) for what, times in found.items()}
        self.figures["best_of_five_ms"] = {what: spread(times) for what, times in best.items()}
        say(f"look-ups {self.figures['who_has_it_ms']}")
        cpu = 1000 * spent.seconds() / (LOOKS * AGAIN * len(found))
        self.figures["processor_ms_each"] = round(cpu, 1)
        expect(cpu < LOOK_MS, f"a look-up takes {cpu:.0f} ms of a processor")
        if is_busy():  # then the clock tells of other work on the machine; it stands in the figures
            return
        slowest = max(one["p95"] for one in self.figures["who_has_it_ms"].values())
        expect(slowest < LOOK_MS, f"one look-up in twenty took {slowest:.0f} ms and more")

    def verify(self) -> None:
        """Recompute a chain of as many events as were asked for; then one of them was changed."""
        from django.db import connection

        from accounts import triggers
        from accounts.services import audit
        from accounts.services.exported import verify_lines

        head = fill_chain(self.given.events)
        began, cpu = time.perf_counter(), time.process_time()
        (verdict,) = audit.verify(SCOPE).chains
        seconds = time.perf_counter() - began
        self.figures["events"] = verdict.count
        self.figures["verified_seconds"] = round(seconds, 1)
        spent = time.process_time() - cpu
        self.figures["verified_cpu_seconds"] = round(spent, 1)
        expect(verdict.broken is None, f"the chain does not hold: {verdict.broken}")
        expect((verdict.count, verdict.head) == (self.given.events, head), "another head")
        say(f"{verdict.count} events verified in {seconds:.1f} s")
        began = time.perf_counter()
        export = verify_lines(exported_lines())
        self.figures["export_verified_seconds"] = round(time.perf_counter() - began, 1)
        expect(export.broken is None and export.head == head, "the export does not hold")
        number = self.given.events // 3
        triggers.drop()
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE accounts_auditevent SET target = 'thing:forged' WHERE number = %s", [number]
            )
        triggers.install()
        (spoiled,) = audit.verify(SCOPE).chains
        expect(
            spoiled.broken is not None and spoiled.broken.number == number,
            f"the forged event {number} was not named: {spoiled.broken}",
        )
        self.figures["forged_event_named"] = number
        taken = spent if is_busy() else seconds
        expect(taken < VERIFY_SECONDS, f"{verdict.count} events took {taken:.1f} s")

    def write(self) -> None:
        """Sixteen writers at once, with the chain and without it, by turns; the better of two each."""
        rates: dict[str, list[float]] = {"plain": [], "chained": []}
        for _ in range(ROUNDS):
            for mode, found in rates.items():
                found.append(self._rate(mode))
        best = {mode: max(found) for mode, found in rates.items()}
        self.figures["writers"] = WRITERS
        self.figures["transactions_per_second"] = {
            mode: [round(rate) for rate in found] for mode, found in rates.items()
        }
        self.figures["chained_share"] = round(best["chained"] / best["plain"], 2)
        from accounts.services import audit

        (verdict,) = audit.verify("competition:writers").chains
        expect(verdict.broken is None, f"the writers' chain does not hold: {verdict.broken}")
        self.figures["chained_by_writers"] = verdict.count
        say(f"writers {self.figures['transactions_per_second']}")
        expect(
            self.figures["chained_share"] >= SHARE, f"{self.figures['chained_share']} of the rate"
        )

    def _rate(self, mode: str) -> float:
        command = [sys.executable, "-m", "tests.proofs.audit", "--writer", mode]
        command += ["--seconds", str(self.given.seconds)]
        running = [
            subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for _ in range(PROCESSES)
        ]  # fmt: skip
        for one in running:
            assert one.stdout is not None
            expect(one.stdout.readline() == "ready\n", "a writer did not start")
        for one in running:
            assert one.stdin is not None
            one.stdin.write("go\n")
            one.stdin.flush()
        told = [json.loads(one.communicate()[0]) for one in running]
        return float(sum(one["done"] for one in told) / max(one["seconds"] for one in told))


class Spent:
    """Processor time of this process and of the one that serves it in a database on this machine."""

    def __init__(self) -> None:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("select pg_backend_pid()")
            self._server = psutil.Process(cursor.fetchone()[0])
        self._begun = self._now()

    def seconds(self) -> float:
        """Return how much was spent since the beginning."""
        return self._now() - self._begun

    def _now(self) -> float:
        theirs = self._server.cpu_times()
        return time.process_time() + theirs.user + theirs.system


def is_busy() -> bool:
    """Return whether the machine has more to do than it has processors."""
    return psutil.getloadavg()[0] > (os.cpu_count() or 1)


def write_beside_others(mode: str, seconds: float) -> None:
    """Be one process of writers: append until the time is over, then print how many."""
    done = [0] * (WRITERS // PROCESSES)
    act = _chained if mode == "chained" else _plain
    act(-1)
    say("ready")
    sys.stdin.readline()
    began = time.monotonic()

    def one(place: int) -> None:
        from django.db import connection

        while time.monotonic() < began + seconds:
            act(done[place])
            done[place] += 1
        connection.close()

    threads = [threading.Thread(target=one, args=[place]) for place in range(len(done))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    say(json.dumps({"done": sum(done), "seconds": time.monotonic() - began}))


def _chained(number: int) -> None:
    """An act as services do it: a row of the act's own, and its event at the end of the chain."""
    from accounts.services import audit

    with audit.audited():
        _act(number)
        audit.record(
            scope="competition:writers",
            kind="proof.written",
            actor=None,
            target=f"thing:{number}",
            payload={"number": number},
            now=datetime.now(UTC),
            address="203.0.113.9",
            user_agent="A browser",
        )


def _plain(number: int) -> None:
    """The same rows in the same transaction, in no chain: no head is locked, nothing is hashed."""
    from django.db import transaction

    from accounts.models import AuditChain, AuditEvent, AuditPrivate

    with transaction.atomic():
        _act(number)
        chain, _ = AuditChain.objects.get_or_create(scope="competition:unchained")
        event = AuditEvent.objects.create(
            chain=chain,
            number=secrets.randbits(60) + 1,
            kind="proof.written",
            target=f"thing:{number}",
            payload='{"number":%d}' % number,  # noqa: UP031  braces
            at=datetime.now(UTC),
            previous="0" * 64,
            hash=secrets.token_hex(32),
        )
        AuditPrivate.objects.create(event=event, address="203.0.113.9", user_agent="A browser")


def _act(number: int) -> None:
    from accounts.models import LoginFailure

    LoginFailure.objects.create(
        address=f"{os.getpid()}-{threading.get_ident()}-{number}"[:64],
        minute=datetime.now(UTC),
    )


def fill_shelf(downloads: int) -> None:
    """Make packs, copies with hashes, and so many downloads of them."""
    from competition.enums import IssueState
    from competition.models import CopyHash, PackFile, PackIssue
    from tests.factories.competition import (
        CompetitionFactory,
        EntrantFactory,
        TermsAcceptanceFactory,
    )
    from tests.factories.datasets import PackFactory

    competition = CompetitionFactory()
    entrant = EntrantFactory(competition=competition)
    terms = competition.terms.get()
    accepted = [TermsAcceptanceFactory(terms=terms) for _ in range(COPIES)]
    for place in range(PACKS):
        pack = PackFactory(competition=competition)
        hashes = [secrets.token_hex(32) for _ in range(FILES)]
        PackFile.objects.bulk_create(
            PackFile(
                pack=pack,
                path=f"audio/{file:04d}.wav",
                size=10,
                sha256=sha256,
                crc32=1,
                storage_key=f"vault/served/{sha256[:2]}/{sha256}",
            )
            for file, sha256 in enumerate(hashes)
        )
        issues = PackIssue.objects.bulk_create(
            PackIssue(
                competition=competition,
                pack=pack,
                entrant=entrant,
                person=acceptance.user,
                acceptance=acceptance,
                number=place * COPIES + number,
                state=IssueState.ACTIVE,
                requested_at=BEGAN,
                decided_at=BEGAN,
                expires_at=BEGAN + timedelta(days=30),
                note=b"{}\n",
            )
            for number, acceptance in enumerate(accepted, start=1)
        )
        CopyHash.objects.bulk_create(
            CopyHash(
                issue=issue,
                sha256=secrets.token_hex(32),
                note_sha256=secrets.token_hex(32),
                size=10,
                hashed_at=BEGAN,
            )
            for issue in issues
        )
    _fill_downloads(downloads)


def _fill_downloads(count: int) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO competition_download (issue_id, person_id, began_at, last_at, low, high,"
            ' sent, requests, "end", reason)'
            " SELECT i.id, i.person_id, i.decided_at + n * interval '1 second',"
            " i.decided_at + n * interval '1 second', 0, 10, 10, 1, 'whole', ''"
            " FROM competition_packissue i, generate_series(1, %s) n",
            [-(-count // (PACKS * COPIES))],
        )


def fill_chain(count: int) -> str:
    """Write a chain of so many events as the service would, in bulk; return its head."""
    from django.db import connection

    from accounts.chain import GENESIS, canonical_json, instant, link_hash
    from accounts.models import AuditChain

    chain = AuditChain.objects.create(scope=SCOPE)
    previous = GENESIS
    names = "chain_id, number, kind, actor, target, payload, at, previous, hash"
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY accounts_auditevent ({names}) FROM STDIN") as copy,
    ):
        for number in range(1, count + 1):
            at = BEGAN + timedelta(seconds=number)
            link = {
                "scope": SCOPE,
                "number": number,
                "kind": "download.begun",
                "actor": f"person{number % 997:06d}",
                "target": f"issue:{number % 800:010d}",
                "payload": canonical_json({"first": number, "number": number % 800}),
                "at": instant(at),
                "previous": previous,
            }
            previous = link_hash(link)
            stored = {**link, "at": at}
            del stored["scope"]
            copy.write_row([chain.pk, *stored.values(), previous])
    AuditChain.objects.filter(pk=chain.pk).update(count=count, head=previous)
    return previous


def exported_lines() -> Iterator[bytes]:
    """Yield the chain as the log's page exports it."""
    from accounts.models import AuditEvent
    from grading.views.log_page import record

    events = AuditEvent.objects.filter(chain__scope=SCOPE).order_by("number")
    for event in events.iterator(chunk_size=2000):
        yield json.dumps({"scope": SCOPE, **record(event)}, sort_keys=True).encode() + b"\n"


def spread(times: list[float]) -> dict[str, float]:
    """Return median, 95th percentile and longest of some times."""
    ordered = sorted(times)
    return {
        "median": round(statistics.median(ordered), 1),
        "p95": round(ordered[int(0.95 * len(ordered))], 1),
        "longest": round(ordered[-1], 1),
    }


def started(environment: dict[str, str], act: Callable[[], int]) -> int:
    """Set Django up on a database of our own, and do something with it."""
    os.environ.update(environment)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    return act()


def written(name: str, folder: Path | None, figures: dict[str, Any]) -> None:
    """Print the figures, and keep them where they are wanted, with date and commit."""
    from scripts.prove import commit

    now = datetime.now(UTC)
    told = {
        "date": f"{now:%Y-%m-%d}",
        "commit": commit(),
        "load_average": [round(one, 1) for one in psutil.getloadavg()],
        "processors": os.cpu_count(),
        **figures,
    }
    say(json.dumps(told, indent=2))
    if folder is not None and "broken" not in figures:
        path = folder / f"{now:%Y-%m-%d}-{name}.json"
        path.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def main() -> int:
    """Return 0 when every promise held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--downloads", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=10.0, help="each turn of the writers")
    parser.add_argument("--part", default="", choices=["looks", "chain", "writers"])
    parser.add_argument("--writer", default="", help=argparse.SUPPRESS)
    parser.add_argument("--evidence", type=Path, help="keep the figures in this folder")
    given = parser.parse_args()
    if given.writer:
        return _as_writer(given)
    if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        say("This proof needs PostgreSQL: set DATABASE_URL.")
        return 2

    def act() -> int:
        proof = Proof(given)
        try:
            proof.run()
        except Broken as broken:
            proof.figures["broken"] = str(broken)
        name = f"audit-{given.part}" if given.part else "audit"
        written(name, given.evidence, proof.figures)
        return int("broken" in proof.figures)

    with database() as environment:
        return started(environment, act)


def _as_writer(given: argparse.Namespace) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    import django

    django.setup()
    write_beside_others(given.writer, given.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
