"""Scores thousands of submissions again with real workers, kills one half-way, switches under load.

`python -m tests.proofs.rescoring --submissions 10000` uses a database of its own on the server that
DATABASE_URL names (else SQLite) and Redis database that REDIS_URL names (else files). It ends with 1
when a promise is broken, and writes its figures to the folder that `--evidence` names.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import secrets
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[2]
PER_TEAM = 10
CONTENTS = 40
UTTERANCES = 12
SHORT = {
    "EVALUATION_LEASE_SECONDS": "6",
    "EVALUATION_RENEW_SECONDS": "2",
    "SWEEP_SECONDS": "1",
    "RING_AGAIN_SECONDS": "3",
}
READERS = 4
FRESH = 6
POLL_SECONDS = 0.25
SLOW_POLL_SECONDS = 2.0
READ_PAUSE_SECONDS = 0.05
PATIENCE_SECONDS = 6 * 3600.0


class Broken(Exception):
    """A promise did not hold."""


def expect(held: bool, what: str) -> None:
    """Raise Broken unless it held."""
    if not held:
        raise Broken(what)


@contextmanager
def database() -> Iterator[dict[str, str]]:
    """Yield the settings of an empty database of our own."""
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith("postgres"):
        yield {}
        return
    import psycopg

    server, name = url.rpartition("/")[0], f"proof_{secrets.token_hex(6)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f'create database "{name}"')
        try:
            yield {"DATABASE_URL": f"{server}/{name}"}
        finally:
            admin.execute(f'drop database if exists "{name}" with (force)')


CHILDREN = ["-m", "celery", "-A", "config.celery", "worker"]
IN_PROCESS = ["-m", "tests.proofs.fast_worker"]


@contextmanager
def worker(folder: Path, kind: list[str]) -> Iterator[psutil.Process]:
    """Start a worker as the supervisor does; it is ended afterwards."""
    with (folder / "worker.log").open("ab") as log:
        started = psutil.Popen(
            [sys.executable, *kind],
            cwd=ROOT,
            env=os.environ,
            stdout=log,
            stderr=log,
        )
        try:
            yield started
        finally:
            if started.is_running():
                started.terminate()
                with suppress(psutil.TimeoutExpired, subprocess.TimeoutExpired):
                    started.wait(timeout=30)


class Proof:
    """One run, from the first row to the last comparison."""

    def __init__(self, submissions: int, folder: Path, kind: list[str]) -> None:
        from tests.factories.grading import make_arena

        self.folder, self.kind = folder, kind
        self.figures: dict[str, Any] = {
            "submissions": submissions,
            "utterances_per_language": UTTERANCES,
        }
        self.arena = make_arena(utterances=UTTERANCES, now=datetime.now(UTC), quota_per_day=None)
        self.arena.phase.quota_total = None
        self.arena.phase.save()
        self._fill(submissions)

    def run(self) -> dict[str, Any]:
        """Do all of it; raises Broken."""
        self.propose()
        self.kill_half_way()
        self.finish_with_uploads()
        self.switch_under_load()
        self.compare()
        return self.figures

    def _fill(self, submissions: int) -> None:
        """Make teams with ten scored submissions each, of a few different files."""
        from grading.services import boards, recipes, standings
        from grading.services.keeping.databases import gather_statistics

        live = recipes.live_recipe(self.arena.phase)
        self.files = [
            self.arena.store(self.arena.flawed(1 + n % 9, word=f"w{n}")) for n in range(CONTENTS)
        ]
        self.texts = [self.arena.flawed(1 + n % 9, word=f"w{n}") for n in range(CONTENTS)]
        fresh = [self._evaluated(live, text) for text in self.texts]
        for team in range(-(-submissions // PER_TEAM)):
            count = min(PER_TEAM, submissions - team * PER_TEAM)
            self._fill_team(team, count, live, fresh)
        gather_statistics()
        boards.want_rebuild(phase_id=self.arena.phase.pk, now=datetime.now(UTC))
        began = time.monotonic()
        standings.rebuild(board_id=self.arena.phase.board.pk, now=datetime.now(UTC))
        self.figures["board_rebuilt_seconds"] = round(time.monotonic() - began, 2)

    def _fill_team(self, team: int, count: int, live: Any, fresh: list[Any]) -> None:
        from grading.enums import SubmissionState
        from grading.models import Evaluation, EvaluationTallies, Submission

        now = datetime.now(UTC)
        entrant, captain = self.arena.enter(f"Proof {team:05d}")
        chosen = [(team * 7 + number) % CONTENTS for number in range(count)]
        made = Submission.objects.bulk_create(
            Submission(
                entrant=entrant,
                phase=self.arena.phase,
                uploader=captain,
                number=number + 1,
                system="proof",
                filename="run.jsonl",
                size=self.files[one].size,
                content_id=self.files[one].sha256,
                storage_key=self.files[one].key,
                state=SubmissionState.ACCEPTED,
                created_at=now,
                received_at=now,
                validated_at=now,
            )
            for number, one in enumerate(chosen)
        )
        rows = Evaluation.objects.bulk_create(
            Evaluation(
                submission=submission,
                recipe=live,
                state="scored",
                queued_at=now,
                started_at=now,
                finished_at=now,
                attempt=1,
                **fresh[one][0],
            )
            for submission, one in zip(made, chosen, strict=True)
        )
        EvaluationTallies.objects.bulk_create(
            EvaluationTallies(evaluation=row, data=fresh[one][1], sha256=_sha256(fresh[one][1]))
            for row, one in zip(rows, chosen, strict=True)
        )

    def _evaluated(self, recipe: Any, predictions: dict[str, str]) -> tuple[dict[str, Any], bytes]:
        """Return the columns and tallies of a fresh run in this process: what every digit must equal."""
        from competition.services import references as hidden
        from grading.scoring import evaluate, registry
        from grading.services.evaluations import score_fields

        track = registry.get(recipe.scorer)
        params = track.params(recipe.params)
        found = evaluate.evaluate(
            track=track,
            params=params,
            references=track.references(hidden.read_bytes(recipe.references), params),
            given=predictions,
            phase_code=self.arena.phase.code,
        )
        return score_fields(json.loads(json.dumps(found.as_json()))), found.tallies.to_bytes()

    def propose(self) -> None:
        """Propose references without their first rows, under other weights."""
        from grading.services import rescoring, rescoring_queue
        from tests.factories.rescoring import OTHER_PARAMS, references_bytes

        kept = {i: row for i, row in self.arena.rows.items() if not i.endswith("_0000")}
        began = time.monotonic()
        self.proposal = rescoring.propose(
            actor=None,
            phase=self.arena.phase,
            references=references_bytes(kept),
            params=OTHER_PARAMS,
            reason="The first clips were cut off, and the weights were wrong.",
            now=datetime.now(UTC),
        )
        rescoring_queue.fill(rescoring_id=self.proposal.pk, now=datetime.now(UTC))
        self.figures["proposed_and_queued_seconds"] = round(time.monotonic() - began, 2)
        self.before = self._board()

    def kill_half_way(self) -> None:
        """Kill a worker with SIGKILL, and what it started, once half of the work is done."""
        total = self.figures["submissions"]
        with worker(self.folder, self.kind) as process:
            began = time.monotonic()
            every = min(SLOW_POLL_SECONDS, total / 1000)  # a few are scored within a second
            self._until(lambda: self._progress().done >= total // 2, every=every)
            done, spent = self._progress().done, process.cpu_times()
            self.figures["first_half_per_second"] = round(done / (time.monotonic() - began), 2)
            self.figures["worker_cpu_ms_per_score"] = round(
                1000 * (spent.user + spent.system) / done, 1
            )
            children = process.children(recursive=True)
            os.kill(process.pid, signal.SIGKILL)
            process.wait(timeout=20)
        _, alive = psutil.wait_procs(children, timeout=20)
        expect(not alive, "a scorer's process outlived its worker")
        expect(self._board() == self.before, "the board changed before the switch")
        self.figures["done_at_the_kill"] = self._progress().done
        self.figures["running_at_the_kill"] = self._progress().running

    def finish_with_uploads(self) -> None:
        """Go on with a new worker; uploads sent meanwhile must not wait for the rest."""
        with worker(self.folder, self.kind):
            began = time.monotonic()
            waited = [self._upload(number) for number in range(FRESH)]
            left = self._progress().waiting
            self._until(lambda: self._progress().finished, every=SLOW_POLL_SECONDS)
            self.figures["second_half_seconds"] = round(time.monotonic() - began, 1)
        self.figures["fresh_uploads_scored_in_seconds"] = [round(one, 2) for one in waited]
        self.figures["candidates_waiting_after_them"] = left
        progress = self._progress()
        expect(progress.failed == 0, f"{progress.failed} failed")
        seen = self._board()
        expect(seen["recipe"] == self.before["recipe"], "the recipe changed before the switch")

    def _upload(self, number: int) -> float:
        """Send a file as a new team; return the seconds until its live score."""
        from grading import queries
        from grading.services import intake

        _, captain = self.arena.enter(f"Fresh {number}")
        began = time.monotonic()
        now = datetime.now(UTC)
        submission = intake.receive(
            actor=captain,
            phase=self.arena.phase,
            system="fresh",
            note="",
            filename="run.jsonl",
            stored=self.files[number],
            created_at=now,
            now=now,
        )

        def is_scored() -> bool:
            found = queries.live_evaluation(submission)
            return found is not None and found.state == "scored"

        self._until(is_scored)
        return time.monotonic() - began

    def switch_under_load(self) -> None:
        """Switch while readers poll the board and uploads are scored; every reader sees one board whole."""
        from grading.services import standings
        from grading.services.keeping.databases import gather_statistics

        gather_statistics()  # nobody switches so soon that PostgreSQL would not have done it itself
        standings.rebuild(board_id=self.arena.phase.board.pk, now=datetime.now(UTC))
        old = self._board()
        self.seen: list[tuple[str, str]] = []
        self.reads: list[float] = []
        stop = threading.Event()
        with ThreadPoolExecutor(READERS) as pool, worker(self.folder, self.kind):
            readers = [pool.submit(self._read, stop) for _ in range(READERS)]
            self._until(lambda: len(self.seen) >= READERS)
            began = time.monotonic()
            self._switch()
            self.figures["switch_seconds"] = round(time.monotonic() - began, 2)
            new = self._board()
            count = len(self.seen)
            self._until(lambda: len(self.seen) >= count + 2 * READERS)
            stop.set()
            for reader in readers:
                reader.result(timeout=60)
        expect(old["recipe"] != new["recipe"], "the switch changed nothing")
        whole = {(one["recipe"], one["rows"]) for one in (old, new)}
        expect(set(self.seen) <= whole, "a reader saw a board that is neither the old nor the new")
        self.figures["reads"] = len(self.seen)
        self.figures["read_median_ms"] = round(1000 * statistics.median(self.reads), 1)
        self.figures["read_longest_ms"] = round(1000 * max(self.reads), 1)

    def _switch(self) -> None:
        """Switch with the command that organizers have, in a process of its own."""
        phase = self.arena.phase
        place = [self.arena.competition.slug, self.arena.track.slug, phase.slug]
        command = ["manage.py", "rescore", "switch", *place, "--to", self.proposal.recipe.digest]
        done = subprocess.run(
            [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
        )
        expect(done.returncode == 0, f"the switch was refused: {done.stderr[-400:]}")

    def _read(self, stop: threading.Event) -> None:
        from django.db import connection

        try:
            while not stop.wait(READ_PAUSE_SECONDS):
                began = time.monotonic()
                seen = self._board()
                self.reads.append(time.monotonic() - began)
                self.seen.append((seen["recipe"], seen["rows"]))
        finally:
            connection.close()

    def compare(self) -> None:
        """Compare every digit with a fresh run, and look for what was lost or done twice."""
        from accounts.services import audit
        from grading.models import Evaluation

        wanted = {
            file.sha256: self._evaluated(self.proposal.recipe, text)
            for file, text in zip(self.files, self.texts, strict=True)
        }
        rows = Evaluation.objects.filter(recipe=self.proposal.recipe).select_related(
            "submission", "tallies"
        )
        attempts: dict[int, int] = {}
        for row in rows.iterator(chunk_size=500):
            fields, tallies = wanted[row.submission.content_id]
            for name, value in fields.items():
                expect(getattr(row, name) == value, f"{name} of {row} differs from a fresh run")
            expect(bytes(row.tallies.data) == tallies, f"tallies of {row} differ")
            attempts[row.attempt] = attempts.get(row.attempt, 0) + 1
        self.figures["compared"] = sum(attempts.values())
        self.figures["attempts"] = attempts
        expect(sum(attempts.values()) == self.figures["submissions"] + FRESH, "rows are missing")
        verdict = audit.verify()
        expect(verdict.ok, "the audit log is broken")
        self.figures["events"] = sum(chain.count for chain in verdict.chains)

    def _board(self) -> dict[str, str]:
        from grading import queries

        data = queries.board_object(self.arena.phase, None, datetime.now(UTC))
        rows = data["views"]["final"]["rows"]
        digests = {row["recipe_digest"] for row in rows}
        return {
            "recipe": ",".join({data["recipe"]["digest"], *digests}),
            "rows": _sha256(json.dumps(rows, sort_keys=True).encode()),
        }

    def _progress(self) -> Any:
        from grading.services import rescoring

        return rescoring.progress(self.proposal)

    @staticmethod
    def _until(done: Any, every: float = POLL_SECONDS) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not done():
            expect(time.monotonic() < deadline, "it took too long")
            time.sleep(every)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _keep(folder: Path, figures: dict[str, Any]) -> None:
    commit = subprocess.run(
        ["git", "-c", "safe.directory=*", "describe", "--always", "--dirty"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    folder.mkdir(parents=True, exist_ok=True)
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    file = folder / f"{day}-rescoring-{figures['submissions']}.json"
    file.write_text(json.dumps({"date": day, "commit": commit, **figures}, indent=2) + "\n")


def main() -> int:
    """Return 1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=10_000)
    parser.add_argument("--evidence", type=Path)
    parser.add_argument(
        "--in-process", action="store_true", help="score in the worker's own process: faster"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="plaudit-proof-") as name, database() as settings:
        kept = {"DJANGO_SETTINGS_MODULE": "config.settings.dev", "PLAUDIT_VAR": name}
        if not settings:
            os.environ.pop("DATABASE_URL", None)
        os.environ.update(SHORT | kept | settings)
        figures = _prove(given.submissions, Path(name), in_process=given.in_process)
    figures["database"] = "PostgreSQL" if settings else "SQLite"
    figures["broker"] = "Redis" if os.environ.get("REDIS_URL") else "files"
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    if given.evidence and "broken" not in figures:
        _keep(given.evidence, figures)
    return int("broken" in figures)


def _prove(submissions: int, folder: Path, *, in_process: bool) -> dict[str, Any]:
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connections

    call_command("migrate", verbosity=0)
    # A thousand people who never log in need no slow hash.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    proof = Proof(submissions, folder, IN_PROCESS if in_process else CHILDREN)
    proof.figures["scored_in"] = "the worker" if in_process else "child processes"
    try:
        return proof.run()
    except Broken as broken:
        log = (folder / "worker.log").read_text(errors="replace")[-4000:]
        return {**proof.figures, "broken": str(broken), "log": log}
    finally:
        connections.close_all()


if __name__ == "__main__":
    sys.exit(main())
