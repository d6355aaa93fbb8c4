"""What the console's pages of held-out verification show."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from competition.enums import Pool
from competition.models import Competition, DatasetVersion, Phase, Track
from competition.timeline import PhaseState, phase_state
from grading.enums import VerificationWay
from grading.models import HeldOutSet, Verification, VerificationRun
from grading.rules import scores_by_marks
from grading.scoring import registry
from grading.scoring.messages import render
from grading.scoring.tracks.base import Difference
from grading.scoring.tracks.columns import Column
from grading.scoring.types import Problem, Severity
from grading.services.verification import comparing, publishing, sets
from grading.services.verification.comparing import Line
from grading.services.verification.errors import HeldOutInvalid
from grading.verification_forms import EntrantOutputForm, PublishForm, ReleaseForm
from grading.views.lookups import Console

SHOWN_RUNS = 50
SHOWN_PROBLEMS = 5
SHOWN_FAULTS = 100
EXAMPLE = "example_001"
PAIR = 2
"""A row of a transcript: an id and its text."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Run:
    """One output with what is said of its faults: to organizers in words, to auditors their number."""

    run: VerificationRun
    team: str
    problems: list[str]


@dataclass(frozen=True, slots=True)
class Problems:
    """What is wrong with references: code and sentence of each, and how many more there are."""

    told: tuple[tuple[str, str], ...] = ()
    more: int = 0


@dataclass
class VerificationPage:
    """One verification as overseers see it."""

    verification: Verification
    may_act: bool

    @cached_property
    def lines(self) -> list[Line]:
        """The comparison, in the order of the board."""
        return comparing.compare(self.verification)

    @cached_property
    def paired(self) -> list[tuple[Line, Difference, bool | None]]:
        """Each other entrant's difference from the first one on the same held-out clips."""
        found = comparing.from_first(self.verification, self.lines)
        return [
            (one, found[code], comparing.differs(found[code]))
            for one in self.lines
            if (code := one.named.entrant.code) in found
        ]

    @cached_property
    def first_team(self) -> str:
        """The team that paired differences are from."""
        ready = [one for one in self.lines if one.run is not None]
        return str(ready[0].named.entrant.team.name) if ready else ""

    @cached_property
    def runs(self) -> list[Run]:
        """The newest outputs."""
        rows = VerificationRun.objects.filter(named__verification=self.verification)
        found = rows.select_related("named__entrant__team").defer("tallies")
        return [self._run(one) for one in found.order_by("-received_at", "-pk")[:SHOWN_RUNS]]

    @cached_property
    def is_busy(self) -> bool:
        """Whether an output waits or is being scored."""
        rows = VerificationRun.objects.filter(named__verification=self.verification)
        return rows.filter(state__in=publishing.UNDER_WAY).exists()

    @property
    def is_published(self) -> bool:
        """Whether the final standing is public."""
        return getattr(self.verification, "publication", None) is not None

    @property
    def is_released_way(self) -> bool:
        """Whether the entrants upload themselves."""
        return bool(self.verification.way == VerificationWay.RELEASED)

    @property
    def is_outdated(self) -> bool:
        """Whether the phase is scored by another recipe by now."""
        return comparing.is_outdated(self.verification)

    @cached_property
    def missing(self) -> list[str]:
        """The teams without a scored output, or with one under way."""
        codes = set(publishing.missing(self.verification, self.lines))
        return [
            str(one.named.entrant.team.name)
            for one in self.lines
            if one.named.entrant.code in codes
        ]

    @property
    def is_early(self) -> bool:
        """Whether the phase still takes uploads, so that its board may change after a publication."""
        return phase_state(self.verification.phase, timezone.now()) != PhaseState.CLOSED

    @property
    def older(self) -> list[str]:
        """The teams whose newest output is not the one that counts, since it could not be scored."""
        return [
            str(one.named.entrant.team.name)
            for one in self.lines
            if one.run is not None and one.latest != one.run
        ]

    @property
    def has_rotation(self) -> bool:
        """Whether a phase of drawn clips stands for the pool, so that its scores have a column."""
        return bool(self.verification.rotation_id)

    @property
    def all_lower(self) -> bool:
        """Whether every verified entrant is lower than expected: then the set may be the reason."""
        verdicts = {str(one.verdict) for one in self.lines}
        return len(self.lines) > 1 and verdicts == {"lower"}

    @property
    def digest(self) -> str:
        """The hash of what would be published."""
        return comparing.digest(self.lines)

    @property
    def clips(self) -> int:
        """How many clips the set has."""
        return sum(self.verification.held_out.counts.values())

    @property
    def column(self) -> Column:
        """How the score is shown."""
        return comparing.column_of(self.verification.recipe)

    @property
    def fingerprint(self) -> str:
        """What a poll compares: states and progress of all outputs."""
        rows = VerificationRun.objects.filter(named__verification=self.verification)
        states = rows.order_by("pk").values_list("pk", "state", "progress_done", "attempt")
        return "-".join(f"{key}{state[:2]}{done}.{tries}" for key, state, done, tries in states)

    def _run(self, run: VerificationRun) -> Run:
        told = [_told(one) for one in run.problems[:SHOWN_PROBLEMS]] if self.may_act else []
        return Run(run, str(run.named.entrant.team.name), told)


@dataclass(frozen=True, slots=True)
class Forms:
    """What an organizer may do on the page; None is what cannot be done now."""

    output: EntrantOutputForm | None = None
    release: ReleaseForm | None = None
    publish: PublishForm | None = None

    @classmethod
    def of(
        cls,
        page: VerificationPage,
        *,
        output: EntrantOutputForm | None = None,
        release: ReleaseForm | None = None,
        publish: PublishForm | None = None,
    ) -> Forms:
        """Return the forms of the page; those that are given have been filled in."""
        if not page.may_act or page.is_published:
            return cls()
        verification = page.verification
        if page.is_released_way:
            if verification.released_at is None:
                release = release or ReleaseForm()
        else:
            output = output or EntrantOutputForm(
                entrants=verification.entrants.select_related("entrant__team")
            )
        if not page.missing:
            publish = publish or PublishForm(initial={"digest": page.digest})
        return cls(output, release, publish)


def page_of(verification: Verification, place: Console) -> VerificationPage:
    """Return a verification as the overseer sees it."""
    return VerificationPage(verification, place.may_act)


def sets_of(competition: Competition) -> QuerySet[HeldOutSet]:
    """Return the competition's held-out sets, newest first."""
    rows = HeldOutSet.objects.filter(track__competition=competition)
    return rows.select_related("track", "version__dataset").order_by("-made_at", "-pk")


def verifications_of(competition: Competition) -> QuerySet[Verification]:
    """Return the competition's verifications, newest first, with how many entrants each has."""
    rows = Verification.objects.filter(phase__track__competition=competition)
    found: QuerySet[Verification] = rows.select_related(
        "phase__track__competition", "held_out", "publication"
    ).annotate(entrant_count=Count("entrants"))
    return found.order_by("-begun_at", "-pk")


def phases_of(competition: Competition) -> list[Phase]:
    """Return the phases of tracks that have held-out sets."""
    phases = Phase.objects.filter(track__competition=competition).select_related(
        "track__competition"
    )
    return list(phases.filter(track__held_out_sets__isnull=False).distinct())


def problems_of(refusal: HeldOutInvalid) -> Problems:
    """Return the problems of a file in words, for the organizer who gave it."""
    found, total = sets.problems_of(refusal)
    told = tuple((one.code, render(one, gettext)) for one in found[:SHOWN_FAULTS])
    return Problems(told, total - len(told))


def examples_of(competition: Competition) -> list[tuple[Track, str]]:
    """Return a row of references for each track whose rows are texts: as it is sent, with its language."""
    found = []
    for track in competition.tracks.all():
        scorer = registry.get(track.kind)
        if not scores_by_marks(track) and (row := _example(scorer, track)):
            found.append((track, row))
    return found


def kept_back_in(competition: Competition) -> list[str]:
    """Return the dataset versions that hold clips which are held out now."""
    rows = DatasetVersion.objects.filter(
        dataset__competition=competition, clips__audio__pool=Pool.HELD_OUT
    ).select_related("dataset")
    return [f"{one.dataset.title} v{one.number}" for one in rows.distinct()]


def left_out_of(competition: Competition) -> list[Track]:
    """Return the tracks that have no held-out sets, because their scores are made of marks (decision 0338)."""
    return [one for one in competition.tracks.all() if registry.get(one.kind).needs_marks]


def _example(scorer: Any, track: Track) -> str:
    params = scorer.params(track.params)
    first = scorer.sample([EXAMPLE], params).split("\n", 1)[0]
    row: Json = json.loads(first) if first.startswith("{") else {}
    text = next((key for key in row if key.startswith("text")), None)
    languages = sorted(getattr(params, "languages", ()))
    if text is None or len(row) != PAIR or not languages:
        return ""
    whole = {"utt_id": row["utt_id"], "language": languages[0], text: row[text]}
    return json.dumps(whole, ensure_ascii=False)


def _told(problem: dict[str, Any]) -> str:
    found = Problem(**{**problem, "severity": Severity(problem["severity"])})
    return render(found, gettext)
