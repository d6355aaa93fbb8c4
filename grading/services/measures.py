"""The server in numbers for Prometheus: counted from the database, so every web process says the same."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count, QuerySet, Sum

from grading.enums import AttemptState, EvaluationState, ProtocolState, SubmissionKind
from grading.models import (
    Evaluation,
    JudgeAttempt,
    JudgeRun,
    Notice,
    Stimulus,
    Submission,
    WorkerHeartbeat,
)
from grading.services import canary, status, stoppages
from grading.services.canary import CanaryState

RECENT = timedelta(hours=1)
MOST_TIMES = 10_000
QUANTILES = (0.5, 0.9, 0.99)

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One number of a measure, told apart by its labels; `suffix` is for summaries."""

    value: float
    labels: Labels = ()
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """A named number, or several; `kind` is gauge, counter or summary."""

    name: str
    kind: str
    says: str
    samples: tuple[Sample, ...]


def measures(*, now: datetime) -> Iterator[Measure]:
    """Yield every measure of the installation; no name of a person, team or competition is in any."""
    yield from _queues(now)
    yield from _states()
    yield _durations(now)
    yield from _uploads()
    yield from _workers(now)
    yield from _judging()
    yield from _rating(now)
    yield from _canary(now)
    yield _gauge("notices", "Mails by state", _counted(Notice.objects.all(), "state"))
    yield _gauge("disk_free_bytes", "Room left where files are written", _free())


def rendered(found: Iterable[Measure]) -> str:
    """Return measures in Prometheus' text format, version 0.0.4."""
    lines = []
    for measure in found:
        lines += [
            f"# HELP plaudit_{measure.name} {measure.says}.",
            f"# TYPE plaudit_{measure.name} {measure.kind}",
        ]
        lines += [_line(measure.name, sample) for sample in measure.samples]
    return "\n".join(lines) + "\n"


def _line(name: str, sample: Sample) -> str:
    labels = ",".join(f'{key}="{_escaped(value)}"' for key, value in sample.labels)
    shown = f"{{{labels}}}" if labels else ""
    return f"plaudit_{name}{sample.suffix}{shown} {sample.value:.12g}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _gauge(name: str, says: str, samples: Iterable[Sample], kind: str = "gauge") -> Measure:
    return Measure(name, kind, says, tuple(samples))


def _queues(now: datetime) -> Iterator[Measure]:
    found = status.queues()
    depths = [Sample(queue.depth, (("queue", queue.name),)) for queue in found]
    ages = [Sample(queue.age(now).total_seconds(), (("queue", queue.name),)) for queue in found]
    yield _gauge("queue_depth", "What waits, by queue", depths)
    yield _gauge("queue_oldest_seconds", "How long the oldest waits, by queue", ages)


def _states() -> Iterator[Measure]:
    entries = Submission.objects.filter(kind=SubmissionKind.ENTRY)
    failed = entries.exclude(failure_code="")
    yield _gauge("submissions", "Submissions by state", _counted(entries, "state"))
    yield _gauge("evaluations", "Evaluations by state", _counted(Evaluation.objects.all(), "state"))
    yield _gauge(
        "failures", "Submissions that failed on our side, by code", _counted(failed, "failure_code")
    )


def _counted(rows: QuerySet[Any], field: str) -> list[Sample]:
    counts = rows.order_by().values_list(field).annotate(count=Count("pk")).order_by(field)
    label = "code" if field == "failure_code" else field
    return [Sample(count, ((label, value),)) for value, count in counts]


def _durations(now: datetime) -> Measure:
    """Return the seconds from start to end of what was scored within the last hour."""
    times = Evaluation.objects.filter(
        state=EvaluationState.SCORED, finished_at__gte=now - RECENT, started_at__isnull=False
    ).order_by("-finished_at")
    took = sorted(
        (end - start).total_seconds()
        for start, end in times.values_list("started_at", "finished_at")[:MOST_TIMES]
        if start and end
    )
    samples = [
        Sample(took[min(len(took) - 1, int(share * len(took)))], (("quantile", str(share)),))
        for share in (QUANTILES if took else ())
    ]
    samples += [Sample(sum(took), suffix="_sum"), Sample(len(took), suffix="_count")]
    says = "Seconds of scoring, of the last hour"
    return _gauge("evaluation_seconds", says, samples, "summary")


def _uploads() -> Iterator[Measure]:
    entries = Submission.objects.filter(kind=SubmissionKind.ENTRY)
    found = entries.aggregate(count=Count("pk"), size=Sum("size"))
    count, size = [Sample(found["count"])], [Sample(found["size"] or 0)]
    yield _gauge("uploads_total", "Uploads that became submissions", count, "counter")
    yield _gauge("uploads_bytes_total", "Bytes of these uploads", size, "counter")


def _workers(now: datetime) -> Iterator[Measure]:
    beats = list(WorkerHeartbeat.objects.values_list("kind", "at"))
    kinds = ("worker", "beat")
    living = {
        kind: sum(k == kind and now - at <= status.ALIVE_FOR for k, at in beats) for kind in kinds
    }
    last = {kind: max((at for k, at in beats if k == kind), default=None) for kind in kinds}
    yield _gauge(
        "workers",
        "Processes heard of within a minute, by kind",
        [Sample(count, (("kind", kind),)) for kind, count in living.items()],
    )
    yield _gauge(
        "heartbeat_age_seconds",
        "Since the last heartbeat, by kind",
        [Sample((now - at).total_seconds(), (("kind", kind),)) for kind, at in last.items() if at],
    )


def _judging() -> Iterator[Measure]:
    runs = JudgeRun.objects.all()
    failed = JudgeAttempt.objects.filter(state=AttemptState.FAILED)
    kinds = failed.order_by().values_list("failure").annotate(count=Count("pk")).order_by("failure")
    calls = runs.aggregate(calls=Sum("calls"))["calls"] or 0
    failures = [Sample(count, (("kind", kind),)) for kind, count in kinds]
    yield _gauge("judge_runs", "A judge's runs by state", _counted(runs, "state"))
    yield _gauge("judge_calls_total", "Calls to judges", [Sample(calls)], "counter")
    yield _gauge("judge_failures_total", "Failed calls to judges by kind", failures, "counter")


def _rating(now: datetime) -> Iterator[Measure]:
    failed = Stimulus.objects.exclude(prepare_error="").exclude(
        protocol__state=ProtocolState.CLOSED
    )
    late = max((now - stoppages.behind_since(one) for one in stoppages.behind()), default=None)
    yield _gauge(
        "sounds_failed", "Recordings that could not be made ready", [Sample(failed.count())]
    )
    yield _gauge(
        "final_behind_seconds",
        "For how long a final board lacks something, the longest",
        [Sample(late.total_seconds() if late else 0)],
    )


def _canary(now: datetime) -> Iterator[Measure]:
    verdict = canary.look(now=now)
    states = [Sample(verdict.state == state, (("state", state.value),)) for state in CanaryState]
    yield _gauge("canary", "How the last canary ended: 1 at its state", states)
    if verdict.sent_at:
        age = Sample((now - verdict.sent_at).total_seconds())
        yield _gauge("canary_age_seconds", "Since the last canary that ended was sent", [age])
    if verdict.took:
        took = Sample(verdict.took.total_seconds())
        yield _gauge("canary_seconds", "How long it took from upload to score", [took])


def _free() -> list[Sample]:
    folder = Path(settings.PUBLIC_FILES)
    while not folder.exists():
        folder = folder.parent
    return [Sample(shutil.disk_usage(folder).free)]
