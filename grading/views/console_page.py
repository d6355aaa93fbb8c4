"""What the organizer's console shows: figures, queue, workers, failures with advice, quota use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from competition.models import Competition, Entrant, Phase
from competition.templatetags.texts import phase_name
from competition.timeline import aoe_day, day_start
from grading import queries
from grading.charts.bars import share_width
from grading.enums import EvaluationState, FailureCode, QuotaState, SubmissionState
from grading.models import (
    Evaluation,
    QuotaEntry,
    Submission,
    ValidationProblem,
    WorkerHeartbeat,
)
from grading.sentences import meaning
from grading.services import health, status
from grading.services.findings import Finding
from grading.services.heartbeat import ALIVE_FOR
from grading.shown import grouped, seconds

QUEUE_SHOWN = 20
RECENT = timedelta(hours=24)
QUOTA_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Figure:
    """One large number with its unit and a line below."""

    title: str
    value: str
    unit: str
    note: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """One line of the queue."""

    submission: Submission
    state: str
    worker: str
    took: timedelta
    progress: str


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker or beat, and whether it was heard of within a minute."""

    name: str
    kind: str
    ago: timedelta
    is_live: bool


@dataclass(frozen=True, slots=True)
class FailureKind:
    """One reason for which files or runs ended without a score."""

    code: str
    times: int
    ago: timedelta
    advice: str


@dataclass(frozen=True, slots=True)
class QuotaUse:
    """One entrant's use of one phase's quota."""

    team: str
    today: int
    total: int
    is_full_today: bool
    is_full: bool
    width: str


@dataclass(frozen=True, slots=True)
class PhaseQuota:
    """A phase's quota by entrant, the largest use first."""

    phase: Phase
    title: str
    rows: list[QuotaUse]
    more: int


def figures_of(competition: Competition, now: datetime) -> list[Figure]:
    """Return the numbers on top of the console."""
    queue = queries.queue(competition)
    waiting = queue.to_check + queue.to_score
    return [
        _oldest(queue.oldest, now),
        Figure(
            _("In the queue"),
            grouped(waiting + queue.running),
            "",
            _("%(running)s running, %(waiting)s waiting")
            % {"running": queue.running, "waiting": waiting},
        ),
        _scored_today(competition, now),
        _failed_recently(competition, now),
        _last_beat(now),
    ]


def _oldest(since: datetime | None, now: datetime) -> Figure:
    if since is None:
        return Figure(_("Oldest waiting"), "–", "", _("nothing waits"))
    note = _("since %(moment)s UTC") % {"moment": f"{since:%H:%M:%S}"}
    return Figure(_("Oldest waiting"), seconds(now - since), "", note)


def _scored_today(competition: Competition, now: datetime) -> Figure:
    today = Evaluation.objects.filter(
        submission__phase__track__competition=competition,
        state=EvaluationState.SCORED,
        finished_at__gte=day_start(aoe_day(now)),
    )
    times = today.values_list("started_at", "finished_at")
    took = [(end - start).total_seconds() for start, end in times if start and end]
    note = _("in this AoE day")
    if took:
        middle = seconds(timedelta(seconds=median(took)))
        note = _("median %(time)s of scoring") % {"time": middle}
    return Figure(_("Scored today"), grouped(today.count()), "", note)


def _failed_recently(competition: Competition, now: datetime) -> Figure:
    failed = Submission.objects.filter(
        phase__track__competition=competition,
        state=SubmissionState.FAILED,
        ended_at__gte=now - RECENT,
    ).count()
    note = _("nothing to do") if not failed else _("each is listed below")
    return Figure(_("Server failures, 24 h"), grouped(failed), "", note)


def _last_beat(now: datetime) -> Figure:
    last = WorkerHeartbeat.objects.aggregate(at=Max("at"))["at"]
    if last is None:
        return Figure(_("Last beat"), "–", "", _("no worker was heard of yet"))
    return Figure(_("Last beat"), seconds(now - last), "", _("ago"))


def queue_of(competition: Competition, now: datetime) -> list[Waiting]:
    """Return what waits and runs, oldest first, at most 20 lines."""
    received = Submission.objects.filter(
        phase__track__competition=competition, state=SubmissionState.RECEIVED
    ).select_related("entrant__team", "phase__track")
    running = Evaluation.objects.filter(
        submission__phase__track__competition=competition,
        state__in=[EvaluationState.WAITING, EvaluationState.QUEUED, EvaluationState.RUNNING],
    ).select_related("submission__entrant__team", "submission__phase__track")
    lines = [_checking(one, now) for one in received.order_by("received_at")[:QUEUE_SHOWN]]
    lines += [_scoring(one, now) for one in running.order_by("queued_at")[:QUEUE_SHOWN]]
    return sorted(lines, key=lambda line: line.took, reverse=True)[:QUEUE_SHOWN]


def _checking(submission: Submission, now: datetime) -> Waiting:
    state = _("checking") if submission.lease_until else _("waiting to be checked")
    return Waiting(submission, state, "", now - submission.received_at, "–")


def _scoring(evaluation: Evaluation, now: datetime) -> Waiting:
    if evaluation.state == EvaluationState.WAITING:
        took = now - evaluation.queued_at
        return Waiting(
            evaluation.submission, _("waiting for marks"), "", took, _progress(evaluation)
        )
    if evaluation.state == EvaluationState.QUEUED:
        took = now - evaluation.queued_at
        return Waiting(evaluation.submission, _("waiting to be scored"), "", took, "–")
    took = now - (evaluation.started_at or evaluation.queued_at)
    return Waiting(
        evaluation.submission, _("scoring"), evaluation.worker, took, _progress(evaluation)
    )


def _progress(evaluation: Evaluation) -> str:
    if not evaluation.progress_total:
        return "–"
    return f"{100 * evaluation.progress_done // evaluation.progress_total} %"


def workers_of(now: datetime) -> list[Worker]:
    """Return every worker that was heard of within a day."""
    return [
        Worker(beat.name, beat.kind, now - beat.at, now - beat.at <= ALIVE_FOR)
        for beat in WorkerHeartbeat.objects.order_by("kind", "name")
    ]


def alarm_of(workers: Sequence[Worker]) -> str:
    """Return what is wrong with the workers in a sentence, empty when they live."""
    silent = [worker for worker in workers if not worker.is_live]
    if not workers or len(silent) == len(workers):
        return _("No worker lives: uploads are kept and wait. Start a worker on this server.")
    if not silent:
        return ""
    names = ", ".join(worker.name for worker in silent)
    return ngettext(
        "%(names)s is silent. What it held goes back to the queue by itself.",
        "%(names)s are silent. What they held goes back to the queue by itself.",
        len(silent),
    ) % {"names": names}


STANDING = ("notices", "disk", "scorer", "judge", "finals", "sounds")
"""The looks that are cheap enough for every load of the console."""


def alarms_of(now: datetime) -> list[Finding]:
    """Return what somebody should look at, beside the workers: what is wrong and what to do."""
    state = status.status(now=now)
    found = [health.queue_finding(state), health.canary_finding(state.canary)]
    found += health.examine(now=now, parts=STANDING)
    return [finding for finding in found if not finding.ok]


def failures_of(competition: Competition, now: datetime) -> list[FailureKind]:
    """Return why files were rejected and runs failed within 24 hours, most frequent first."""
    since = now - RECENT
    return sorted(
        [*_rejections(competition, since, now), *_run_failures(competition, since, now)],
        key=lambda kind: (-kind.times, kind.code),
    )


def _rejections(competition: Competition, since: datetime, now: datetime) -> list[FailureKind]:
    rows = (
        ValidationProblem.objects.filter(
            submission__phase__track__competition=competition,
            submission__state=SubmissionState.REJECTED,
            submission__validated_at__gte=since,
            severity="error",
        )
        .order_by()
        .values("code")
        .annotate(times=Count("submission", distinct=True), last=Max("submission__validated_at"))
    )
    rest = _("Rejected on the participant’s side; no quota spent. Nothing to do.")
    return [
        FailureKind(row["code"], row["times"], now - row["last"], f"{meaning(row['code'])} {rest}")
        for row in rows
    ]


def _run_failures(competition: Competition, since: datetime, now: datetime) -> list[FailureKind]:
    rows = (
        Submission.objects.filter(
            phase__track__competition=competition,
            state=SubmissionState.FAILED,
            ended_at__gte=since,
        )
        .order_by()
        .values("failure_code")
        .annotate(times=Count("pk"), last=Max("ended_at"))
    )
    return [
        FailureKind(
            row["failure_code"],
            row["times"],
            now - row["last"],
            _failure_advice(row["failure_code"]),
        )
        for row in rows
    ]


def _failure_advice(code: str) -> str:
    known = {
        FailureCode.SCORER_TIMEOUT: _(
            "The file took too long. Look at its size; raise the limit if it is honest."
        ),
        FailureCode.SCORER_MEMORY: _(
            "Scoring needed too much memory. Look at the file; raise the limit if it is honest."
        ),
        FailureCode.SCORER_CRASHED: _("The scorer ended with an error: the worker's log has it."),
        FailureCode.WORKER_LOST: _(
            "The worker went away three times. Check memory and disk of its machine."
        ),
        FailureCode.STORAGE_ERROR: _(
            "The stored file could not be read. Check the disk, then ask the team to submit again."
        ),
        FailureCode.RECIPE_OUTDATED: _(
            "The installed scorer makes another recipe than its version says. Install the release again."
        ),
        FailureCode.SECOND_OPINION_DISAGREES: _(
            "Two computations of the edits differ. Do not publish; report it with the submission's code."
        ),
    }
    return str(known.get(FailureCode(code), "")) if code in FailureCode.values else ""


def quota_of(competition: Competition, now: datetime) -> list[PhaseQuota]:
    """Return the use of each phase's quota by entrant, for phases that have one."""
    today = aoe_day(now)
    used = Q(state__in=[QuotaState.RESERVED, QuotaState.CHARGED])
    rows = (
        QuotaEntry.objects.filter(used, phase__track__competition=competition)
        .order_by()
        .values("phase", team=F("entrant__team__name"))
        .annotate(today=Count("pk", filter=Q(aoe_day=today)), total=Count("pk"))
        .order_by("-total", "team")
    )
    by_phase: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        by_phase.setdefault(row["phase"], []).append(dict(row))
    phases = Phase.objects.filter(track__competition=competition).select_related("track")
    return [
        _phase_quota(phase, competition, by_phase[phase.pk])
        for phase in phases
        if phase.pk in by_phase and (phase.quota_per_day or phase.quota_total)
    ]


def _phase_quota(phase: Phase, competition: Competition, rows: list[dict[str, Any]]) -> PhaseQuota:
    shown = [_quota_use(phase, row) for row in rows[:QUOTA_SHOWN]]
    return PhaseQuota(phase, phase_name(phase, competition), shown, max(0, len(rows) - QUOTA_SHOWN))


def _quota_use(phase: Phase, row: dict[str, Any]) -> QuotaUse:
    per_day, total = phase.quota_per_day, phase.quota_total
    whole = total or per_day or 1
    part = row["total"] if total else row["today"]
    return QuotaUse(
        team=row["team"],
        today=row["today"],
        total=row["total"],
        is_full_today=per_day is not None and row["today"] >= per_day,
        is_full=total is not None and row["total"] >= total,
        width=share_width(part, whole),
    )


def waiting_entrants(competition: Competition) -> QuerySet[Entrant]:
    """Return the entrants that wait for a decision, the first to register first."""
    return Entrant.objects.filter(competition=competition, state="pending").order_by(
        "registered_at"
    )
