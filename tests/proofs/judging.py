"""Has 1,600 clips judged three times each, with faults injected, while everything is killed in turn.

`python -m tests.proofs.judging` uses a database of its own on the server that DATABASE_URL names (else
SQLite) and a Redis of its own. Two submissions of 800 clips share one endpoint; workers, the judge's
server and Redis are killed as they go. At the end every mark is compared with what the stand-in says of
that clip, and every call that reached it is looked for in the database. Ends with 1 when a promise is
broken; writes its figures to the folder that `--evidence` names.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import wave
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from tests.proofs.installation import ROOT, free_port
from tests.proofs.rescoring import Broken, database, expect
from tests.proofs.servers import Redis, listens

SHORT = {
    "EVALUATION_LEASE_SECONDS": "6",
    "EVALUATION_RENEW_SECONDS": "2",
    "SWEEP_SECONDS": "1",
    "RING_AGAIN_SECONDS": "3",
    "JUDGE_PAUSE_SECONDS": "0.2",
    "JUDGE_SLICE_SECONDS": "15",
    "CANARY_SECONDS": "0",
    "WORKER_NICENESS": "0",
}
LANGUAGES = ("en", "zh")
CONCURRENCY = 8
CALLS_A_MINUTE = 3_600
TIMEOUT_SECONDS = 4
SLOW_SECONDS = 6
AWAY_SECONDS = 2.0
CLIP_FRAMES = 28_000
PATIENCE_SECONDS = 1_800.0
POLL_SECONDS = 0.2


class Machine:
    """Workers, the stand-in and Redis as processes that may be killed and are started again."""

    def __init__(self, folder: Path, faults: str) -> None:
        self.folder, self.faults = folder, faults
        self.port = free_port()
        self.journal = folder / "journal.jsonl"
        self.workers: list[psutil.Popen] = []
        self.judge: psutil.Popen | None = None
        self.kills: list[tuple[str, int]] = []

    def start_judge(self) -> None:
        options = ["--port", str(self.port), "--faults", self.faults, "--jitter"]
        options += ["--slow-seconds", str(SLOW_SECONDS), "--journal", str(self.journal)]
        options += ["--key-file", str(self.folder / "key")]
        self.judge = self._start("judge", ["-m", "grading.judges.standin", *options])
        deadline = time.monotonic() + 60
        while not listens(self.port):
            expect(time.monotonic() < deadline, "the stand-in did not start")
            time.sleep(0.05)

    def start_worker(self, number: int) -> psutil.Popen:
        command = ["-m", "celery", "--quiet", "-A", "config.celery", "worker"]
        command += ["--hostname", f"worker{number}@proof", "--without-gossip", "--without-mingle"]
        return self._start(f"worker{number}", command)

    def stop(self) -> None:
        for process in [*self.workers, *([self.judge] if self.judge else [])]:
            process.kill()
            process.wait(timeout=30)

    def kill_worker(self, number: int) -> None:
        """Kill a worker and start another one in its place."""
        self.workers[number].kill()
        self.workers[number].wait(timeout=30)
        self.workers[number] = self.start_worker(number)

    def kill_judge(self) -> None:
        """Kill the judge's server in mid-answer; it is away for a while."""
        assert self.judge is not None
        self.judge.send_signal(signal.SIGKILL)
        self.judge.wait(timeout=30)
        time.sleep(AWAY_SECONDS)
        self.start_judge()

    def _start(self, name: str, command: list[str]) -> psutil.Popen:
        with (self.folder / f"{name}.log").open("ab") as log:
            return psutil.Popen(
                [sys.executable, *command], cwd=ROOT, env=os.environ, stdout=log, stderr=log
            )


class Proof:
    """One run, from the first clip to the last comparison."""

    def __init__(self, machine: Machine, redis: Redis | None, clips: int, replicates: int) -> None:
        self.machine, self.redis, self.replicates = machine, redis, replicates
        self.per_submission = clips // 2
        self.figures: dict[str, Any] = {"clips": clips, "replicates": replicates}
        self.clips: dict[tuple[int, str], bytes] = {}

    def run(self) -> dict[str, Any]:
        """Do all of it; raises Broken."""
        began = time.monotonic()
        self.fill()
        self.figures["seconds_to_prepare"] = round(time.monotonic() - began, 1)
        began = time.monotonic()
        self.judge_under_kills()
        self.figures["seconds_to_judge"] = round(time.monotonic() - began, 1)
        self.compare_marks()
        self.count_calls()
        self.judge_again()
        self.search_for_secrets()
        return self.figures

    def fill(self) -> None:
        """Make the phase, two submissions with clips of their own, and ring for them."""
        from tests.factories.judging import JUDGE, judged_arena, waiting
        from tests.factories.speech import TEXTS

        ids = tuple(
            f"gen_{LANGUAGES[number % 2]}_{number:04d}" for number in range(self.per_submission)
        )
        now = datetime.now(UTC)
        limits = {"calls_per_minute": CALLS_A_MINUTE, "concurrency": CONCURRENCY}
        changes = {"timeout_seconds": TIMEOUT_SECONDS, "replicates": self.replicates}
        self.arena = judged_arena(ids, now=now, **JUDGE | changes | {"limits": limits})
        self.texts = {utt_id: TEXTS[language] for utt_id, (language, _) in self.arena.rows.items()}
        self.evaluations = [
            waiting(self.arena, self._clips_of(number, ids), now=now) for number in range(2)
        ]

    def judge_under_kills(self) -> None:
        """Let two workers judge; kill each part twice on the way."""
        self.machine.workers = [self.machine.start_worker(number) for number in range(2)]
        needed = 2 * self.per_submission * self.replicates
        plan = self._plan()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (done := self._done()) < needed or not self._are_scored():
            expect(time.monotonic() < deadline, f"{done} of {needed} marks in {PATIENCE_SECONDS} s")
            self._expect_going_on()
            if plan and done >= plan[0][0] * needed:
                _, name, kill = plan.pop(0)
                self._kill(name, kill, done)
            time.sleep(POLL_SECONDS)
        expect(not plan, "not everything was killed")

    def compare_marks(self) -> None:
        """Every mark is what the stand-in says of that clip, and there are no others."""
        from grading.judges.standin import marks_of as said
        from grading.models import JudgeAnswer, JudgeRating
        from grading.services.judging_marks import marks_of

        compared = 0
        for number, evaluation in enumerate(self.evaluations):
            found = marks_of(evaluation)
            expect(set(found) == set(self.texts), "utterances without all marks")
            for utt_id, text in self.texts.items():
                wav = self.clips[number, utt_id]
                for replicate in range(self.replicates):
                    marks = said(wav, text, replicate + 1, jitter=True)
                    right = [marks[name] for name in "APNQE"]
                    if 0 in right[:2]:
                        right[:2] = [0.0, 0.0]
                    expect(found[utt_id][replicate] == right, f"marks of {utt_id} {replicate}")
                    compared += 1
        expect(JudgeAnswer.objects.count() == compared, "answers that nobody asked for")
        expect(JudgeRating.objects.count() == compared, "ratings that nobody asked for")
        self.figures["marks_compared"] = compared
        self.figures["different_marks"] = len(set(JudgeAnswer.objects.values_list(
            "mark_a", "mark_p", "mark_n", "mark_q", "mark_e")))  # fmt: skip

    def count_calls(self) -> None:
        """No paid call is lost, none is repeated but those that were in flight at a kill."""
        from django.db.models import Sum

        from grading.models import JudgeAttempt, JudgeRun

        lines = [json.loads(line) for line in self.machine.journal.read_text().splitlines()]
        by_question: dict[str, list[str]] = defaultdict(list)
        for line in lines:
            by_question[line["asked"]].append(line["fault"])
        repeated = sum(
            len(faults) - 1 - faults.index("") for faults in by_question.values() if "" in faults
        )
        written = JudgeAttempt.objects.filter(was_sent=True).count()
        counted = JudgeRun.objects.aggregate(calls=Sum("calls"))["calls"]
        lost = JudgeAttempt.objects.filter(state="lost").count()
        injected = Counter(line["fault"] for line in lines if line["fault"])
        failed = JudgeAttempt.objects.filter(state="failed").values_list("failure", flat=True)
        kinds = Counter(failed)
        # What broke off or came too late beyond what was injected was in flight at a kill, or the
        # machine was too busy to answer in time: paid for and asked again, as it must be.
        cut = max(kinds["cut-off"] - injected["cut"], 0)
        late = max(kinds["timed-out"] - injected["slow"], 0)
        worst = max(_in_any_minute([line["at"] for line in lines]), default=0)
        self.figures |= {
            "calls_received_by_the_judge": len(lines),
            "calls_written_by_the_server": written,
            "faults_injected": dict(injected),
            "calls_repeated_after_a_right_answer": repeated,
            "calls_in_flight_when_a_worker_was_killed": lost,
            "calls_cut_when_the_judge_was_killed": cut,
            "calls_answered_too_late": late,
            "most_calls_in_a_minute": worst,
            "calls_in_flight_at_most": _most_at_once(),
            "failed_by_kind": dict(kinds),
        }
        expect(
            len(lines) <= written == counted, "a call that reached the judge is not written down"
        )
        expect(repeated <= lost + cut + late, f"{repeated} repeated, {lost + cut + late} lost")
        expect(cut <= 2 * CONCURRENCY, f"{cut} calls cut by two kills")
        expect(lost <= 2 * CONCURRENCY, f"{lost} calls lost with two workers")
        expect(worst <= CALLS_A_MINUTE + CONCURRENCY, f"{worst} calls in a minute")
        expect(
            self.figures["calls_in_flight_at_most"] <= CONCURRENCY,
            f"{_most_at_once()} calls at once",
        )
        expect(not JudgeAttempt.objects.filter(state="in-flight").exists(), "calls left in flight")

    def judge_again(self) -> None:
        """A third submission with the clips of the first costs nothing."""
        from django.utils import timezone

        from grading.models import JudgeRun
        from grading.services import judging
        from tests.factories.judging import waiting

        clips = {utt_id: self.clips[0, utt_id] for utt_id in self.texts}
        evaluation = waiting(self.arena, clips, now=timezone.now())
        judging.run(evaluation_id=evaluation.pk, worker="proof", clock=timezone.now)
        runs = JudgeRun.objects.filter(evaluation=evaluation)
        self._await(lambda: runs.filter(state="done").exists())  # a worker may have been faster
        run = runs.get()
        expect((run.state, run.calls) == ("done", 0), f"{run.calls} calls for known clips")
        self.figures["calls_for_known_clips"] = run.calls

    def search_for_secrets(self) -> None:
        """The key, texts and storage keys are in no log; the key is in no row of the judge's."""
        from accounts.models import AuditEvent
        from grading.models import JudgeAnswer, JudgeAttempt, JudgeGate, JudgeRun, Waveform

        key = os.environ["JUDGE_API_KEY"]
        logs = b"".join(path.read_bytes() for path in self.machine.folder.glob("*.log"))
        models = (AuditEvent, JudgeAnswer, JudgeAttempt, JudgeGate, JudgeRun)
        rows = "".join(str(list(model.objects.values())) for model in models)
        path = Waveform.objects.values_list("storage_key", flat=True)[0]
        expect(key.encode() not in logs and key not in rows, "the key was written down")
        expect(path.encode() not in logs, "a clip's path stands in a log")
        for text in set(self.texts.values()):
            expect(text.encode() not in logs, "a text stands in a log")
        self.figures["bytes_of_logs_searched"] = len(logs)
        self.figures["characters_of_rows_searched"] = len(rows)

    def _clips_of(self, number: int, ids: tuple[str, ...]) -> dict[str, bytes]:
        """Return a clip of its own for each utterance: one of 24, told apart by its last samples."""
        from tests.factories.judging import clip

        found = {}
        for index, utt_id in enumerate(ids):
            mark = (1 + number * len(ids) + index).to_bytes(2, "little")
            found[utt_id] = _shortened(clip(index + 5 * number)) + mark
            self.clips[number, utt_id] = found[utt_id]
        return found

    def _plan(self) -> list[tuple[float, str, Callable[[], None]]]:
        machine = self.machine
        return [
            (0.05, "worker", lambda: machine.kill_worker(0)),
            (0.2, "judge", machine.kill_judge),
            (0.35, "redis", self._kill_redis),
            (0.5, "worker", lambda: machine.kill_worker(1)),
            (0.65, "judge", machine.kill_judge),
            (0.8, "redis", self._kill_redis),
        ]

    def _kill_redis(self) -> None:
        if self.redis is None:
            return
        self.redis.kill()
        time.sleep(AWAY_SECONDS)
        self.redis.start()

    def _kill(self, what: str, kill: Callable[[], None], done: int) -> None:
        kill()
        self.machine.kills.append((what, done))
        self.figures["kills"] = self.machine.kills

    def _done(self) -> int:
        from grading.models import JudgeRating

        return JudgeRating.objects.count()

    def _are_scored(self) -> bool:
        from grading.models import Evaluation

        ids = [one.pk for one in self.evaluations]
        return Evaluation.objects.filter(pk__in=ids, state="scored").count() == len(ids)

    def _expect_going_on(self) -> None:
        """No run stopped, no worker ended by itself."""
        from grading.models import JudgeRun

        ended = [one for one in self.machine.workers if one.poll() is not None]
        expect(not ended, "a worker ended by itself")
        stopped = JudgeRun.objects.filter(state="stopped").values_list("stop_reason", "stop_detail")
        expect(not stopped, f"a run stopped: {list(stopped)}")

    def _await(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 120
        while not condition():
            expect(time.monotonic() < deadline, "it did not come")
            time.sleep(POLL_SECONDS)


def _shortened(wav: bytes) -> bytes:
    """Return the first two seconds or so of a clip as a file that lacks its last sample."""
    with wave.open(io.BytesIO(wav)) as file:
        samples = file.readframes(CLIP_FRAMES - 1)
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(samples + b"\0\0")
    return out.getvalue()[:-2]


def _in_any_minute(times: list[float]) -> list[int]:
    """Return, for each call, how many began within the minute that it begins."""
    ordered, found, end = sorted(times), [], 0
    for start, at in enumerate(ordered):
        while end < len(ordered) and ordered[end] < at + 60:
            end += 1
        found.append(end - start)
    return found


def _most_at_once() -> int:
    """Return how many calls were in flight at the same moment; those of killed workers ended with them."""
    from grading.models import JudgeAttempt

    rows = JudgeAttempt.objects.exclude(state="lost").values_list("started_at", "ended_at")
    moments = sorted([(start, 1) for start, _ in rows] + [(end, -1) for _, end in rows])
    most = now = 0
    for _, step in moments:
        now += step
        most = max(most, now)
    return most


def main() -> int:
    """Return 1 when a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clips", type=int, default=1600)
    parser.add_argument("--replicates", type=int, default=3)
    parser.add_argument("--faults", default="0.1")
    parser.add_argument("--evidence", type=Path)
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="judging-")))
        machine = Machine(folder, given.faults)
        redis = _redis(folder, stack)
        _environment(folder, machine, redis, stack.enter_context(database()))
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connections

        stack.callback(connections.close_all)
        stack.callback(machine.stop)
        call_command("migrate", verbosity=0)
        machine.start_judge()
        try:
            figures = Proof(machine, redis, given.clips, given.replicates).run()
        except Broken as broken:
            sys.stdout.write(f"BROKEN: {broken}\n")
            for log in sorted(folder.glob("*.log")):
                sys.stdout.write(f"-- {log.name}\n{log.read_text(errors='replace')[-3000:]}\n")
            return 1
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    if given.evidence:
        _keep(given.evidence, figures)
    return 0


def _redis(folder: Path, stack: ExitStack) -> Redis | None:
    if not os.environ.get("REDIS_URL"):
        return None
    redis = Redis(folder, free_port())
    redis.start()
    stack.callback(redis.stop)
    return redis


def _environment(folder: Path, machine: Machine, redis: Redis | None, own: dict[str, str]) -> None:
    key = f"key-{secrets.token_hex(12)}"
    (folder / "key").write_text(key, encoding="utf-8")
    os.environ |= {
        **SHORT,
        **own,
        **({"REDIS_URL": redis.url} if redis else {}),
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "PLAUDIT_VAR": str(folder / "var"),
        "JUDGE_BASE_URL": f"http://127.0.0.1:{machine.port}/v1",
        "JUDGE_API_KEY": key,
    }


def _keep(folder: Path, figures: dict[str, Any]) -> None:
    described = subprocess.run(
        ["git", "-c", "safe.directory=*", "describe", "--always", "--dirty"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    now = datetime.now(UTC)
    servers = [name for name in ("DATABASE_URL", "REDIS_URL") if os.environ.get(name)]
    where = {
        "date": f"{now:%Y-%m-%d}",
        "commit": described.stdout.strip(),
        "cores": os.cpu_count(),
        "servers": servers,
    }
    path = folder / f"{now:%Y-%m-%d}-judging-{figures['clips']}.json"
    path.write_text(json.dumps(where | figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
