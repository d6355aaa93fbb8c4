"""How far a rating is, for its organizers: by system, language and rater, with what needs a look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median

from django.db.models import Count, Q

from grading.enums import RaterState, SessionState, TaskKind, TaskState
from grading.models import (
    BrokenReport,
    PlanRow,
    PlanSlot,
    RatedSystem,
    Rater,
    Rating,
    RatingProtocol,
    RatingSession,
    RatingTask,
    Stimulus,
)
from grading.services.ratings import places


@dataclass(frozen=True, slots=True)
class Cell:
    """One system in one language: slots that are done, on lease, and all of them."""

    done: int
    leased: int
    total: int


@dataclass(frozen=True, slots=True)
class SystemLine:
    """One system of the progress table, by language."""

    system: RatedSystem
    cells: Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class RaterLine:
    """One rater: what they rated of each system, how long an item takes them, and what is odd."""

    rater: Rater
    answered: int
    late: int
    sessions: int
    left: int
    seconds: float | None
    by_system: Mapping[int, int]
    holds: tuple[str, ...]
    is_gone: bool
    """Holds a plan that others may take over by now."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The progress of a protocol."""

    languages: tuple[str, ...]
    systems: tuple[SystemLine, ...]
    raters: tuple[RaterLine, ...]
    dropped_out: int
    unfit: int
    seconds: float | None
    reports: tuple[Stimulus, ...] = field(default=())

    @property
    def done(self) -> int:
        """How many slots are done."""
        return sum(cell.done for line in self.systems for cell in line.cells.values())

    @property
    def total(self) -> int:
        """How many slots there are."""
        return sum(cell.total for line in self.systems for cell in line.cells.values())


def overview(*, protocol: RatingProtocol, now: datetime) -> Overview:
    """Return how far a protocol is at this moment."""
    systems = tuple(
        protocol.systems.select_related("submission__entrant__team").order_by("pseudonym")
    )
    cells = _cells(protocol, now)
    languages = tuple(sorted({language for _, language in cells}))
    lines = _raters(protocol, now)
    nothing = Cell(0, 0, 0)
    took = [line.seconds for line in lines if line.seconds is not None]
    sessions = Counter(
        RatingSession.objects.filter(rater__protocol=protocol).values_list("state", flat=True)
    )
    return Overview(
        languages=languages,
        systems=tuple(
            SystemLine(
                system,
                {language: cells.get((system.pk, language), nothing) for language in languages},
            )
            for system in systems
        ),
        raters=lines,
        dropped_out=sum(line.is_gone for line in lines),
        unfit=sessions[SessionState.UNFIT],
        seconds=median(took) if took else None,
        reports=_reported(protocol),
    )


def _cells(protocol: RatingProtocol, now: datetime) -> dict[tuple[int, str], Cell]:
    rows = (
        PlanSlot.objects.filter(protocol=protocol, rated_text__dropped_at__isnull=True)
        .order_by()
        .values_list("system", "language")
        .annotate(
            done=Count("pk", filter=Q(done_at__isnull=False)),
            leased=Count("pk", filter=Q(lease_until__gt=now)),
            total=Count("pk"),
        )
    )
    return {
        (system, language): Cell(done, leased, total)
        for system, language, done, leased, total in rows
    }


def _raters(protocol: RatingProtocol, now: datetime) -> tuple[RaterLine, ...]:
    answered = _answered(protocol)
    took = _took(protocol)
    sessions: dict[int, Counter[str]] = {}
    for rater, state in RatingSession.objects.filter(rater__protocol=protocol).values_list(
        "rater", "state"
    ):
        sessions.setdefault(rater, Counter())[state] += 1
    plans = _plans(protocol)
    hold = timedelta(hours=places.settings_of(protocol).hold_hours)
    return tuple(
        RaterLine(
            rater=rater,
            answered=sum(answered.get(rater.pk, Counter()).values()),
            late=rater.late,
            sessions=sum(sessions.get(rater.pk, Counter()).values()),
            left=sessions.get(rater.pk, Counter())[SessionState.LEFT],
            seconds=median(took[rater.pk]) / 1000 if rater.pk in took else None,
            by_system=answered.get(rater.pk, Counter()),
            holds=plans.get(rater.pk, ()),
            is_gone=rater.pk in plans
            and (rater.state != RaterState.ACTIVE or rater.seen_at < now - hold),
        )
        for rater in protocol.raters.annotate(
            late=Count("ratings", filter=Q(ratings__is_late=True))
        )
    )


def _answered(protocol: RatingProtocol) -> dict[int, Counter[int]]:
    rows = (
        RatingTask.objects.filter(
            rater__protocol=protocol,
            kind=TaskKind.SCORED,
            state__in=[TaskState.ANSWERED, TaskState.LATE],
        )
        .order_by()
        .values_list("rater", "stimulus__system")
        .annotate(count=Count("pk"))
    )
    found: dict[int, Counter[int]] = {}
    for rater, system, count in rows:
        found.setdefault(rater, Counter())[system or 0] += count
    return found


def _took(protocol: RatingProtocol) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    rows = Rating.objects.filter(rater__protocol=protocol, revision=0)
    for rater, took in rows.values_list("rater", "took_ms"):
        found.setdefault(rater, []).append(took)
    return found


def _plans(protocol: RatingProtocol) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    rows = PlanRow.objects.filter(protocol=protocol, rater__isnull=False)
    for rater, language in rows.order_by("language").values_list("rater", "language"):
        if rater is not None:
            found[rater] = (*found.get(rater, ()), language)
    return found


def _reported(protocol: RatingProtocol) -> tuple[Stimulus, ...]:
    """Return the sounds on which reports wait for a decision."""
    waiting = BrokenReport.objects.filter(stimulus__protocol=protocol, outcome="")
    rows = Stimulus.objects.filter(pk__in=waiting.values("stimulus")).select_related("system")
    return tuple(rows.annotate(count=Count("reports", filter=Q(reports__outcome=""))))
