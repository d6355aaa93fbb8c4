"""What the console shows of a judge's runs: how far, what it cost, what failed, and why one stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from competition.models import Competition
from grading.enums import (
    AttemptKind,
    AttemptState,
    JudgeFailure,
    JudgeRunState,
    JudgeStop,
)
from grading.models import JudgeAnswer, JudgeAttempt, JudgeRun, Submission
from grading.scoring.tracks.nvv_t2_judge import MICRO, JudgeDefinition
from grading.services.judging_marks import definition_of
from grading.shown import NONE, grouped

STYLES = {
    JudgeRunState.QUEUED: "dash",
    JudgeRunState.RUNNING: "",
    JudgeRunState.STOPPED: "bad",
    JudgeRunState.DONE: "ok",
    JudgeRunState.CANCELLED: "dash",
}
DETAILS = {
    "canary": gettext_lazy("Clip with known marks"),
    "count": gettext_lazy("How many"),
    "error": gettext_lazy("Error"),
    "ids": gettext_lazy("Clips"),
    "marks": gettext_lazy("Marks that changed"),
    "references": gettext_lazy("The references cannot be read"),
    "set": gettext_lazy("Set of clips"),
}
"""What a run's stop may name, in words."""


@dataclass(frozen=True, slots=True)
class FailureCount:
    """How often calls failed in one way."""

    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Spending:
    """One thing that is used up: what is used of what may be."""

    label: str
    used: str
    most: str


@dataclass(frozen=True)
class RunLine:
    """One run as organizers see it."""

    run: JudgeRun

    @property
    def submission(self) -> Submission:
        """Whose items are judged."""
        return self.run.evaluation.submission

    @cached_property
    def definition(self) -> JudgeDefinition | None:
        """The judge."""
        return definition_of(self.run.evaluation)

    @property
    def label(self) -> str:
        """The judge's name, with what it is when it is none."""
        return label_of(self.definition) if self.definition else ""

    @property
    def state(self) -> str:
        """The state in a word."""
        return str(JudgeRunState(self.run.state).label)

    @property
    def style(self) -> str:
        """The badge's style."""
        return STYLES[JudgeRunState(self.run.state)]

    @property
    def is_stopped(self) -> bool:
        """Whether it waits for an organizer."""
        return self.run.state == JudgeRunState.STOPPED

    @property
    def is_moving(self) -> bool:
        """Whether it changes by itself."""
        return self.run.state in {JudgeRunState.QUEUED, JudgeRunState.RUNNING}

    @property
    def why(self) -> str:
        """Why it stopped, empty when it did not."""
        return str(JudgeStop(self.run.stop_reason).label) if self.run.stop_reason else ""

    @property
    def detail(self) -> list[str]:
        """What the stop was about: names of items and numbers, no text of a reference."""
        return [
            str(DETAILS[name]) if value is True else f"{DETAILS[name]}: {_shown(value)}"
            for name, value in self.run.stop_detail.items()
            if name in DETAILS
        ]

    @property
    def cost(self) -> str:
        """What was spent, in the definition's currency."""
        return money(self.run.cost_micro, self.definition)

    @property
    def spendings(self) -> list[Spending]:
        """What is used, beside the budget."""
        run, definition = self.run, self.definition
        audio = Spending(_("Audio"), minutes(run.audio_ms), minutes(run.most_audio_ms))
        is_heard = definition is None or not definition.is_of_words
        return [
            Spending(_("Calls"), grouped(run.calls), _number(run.most_calls)),
            *([audio] if is_heard else []),
            Spending(_("Cost"), self.cost, money(run.most_cost_micro, definition)),
            Spending(_("Input tokens"), grouped(run.input_tokens), NONE),
            Spending(_("Output tokens"), grouped(run.output_tokens), NONE),
        ]

    @property
    def price_note(self) -> str:
        """Where the cost comes from."""
        price = self.definition.price if self.definition else None
        if price is None:
            return _("The definition names no price, so no cost is counted.")
        return _("Counted at the definition's price of %(day)s.") % {"day": price.as_of}

    @cached_property
    def failures(self) -> list[FailureCount]:
        """Failed calls by kind, the most frequent first, and those lost with a worker."""
        attempts = JudgeAttempt.objects.filter(run=self.run)
        failed = attempts.filter(state=AttemptState.FAILED).order_by()
        counts = failed.values_list("failure").annotate(n=Count("pk")).order_by("-n", "failure")
        found = [FailureCount(str(JudgeFailure(kind).label), n) for kind, n in counts]
        lost = attempts.filter(state=AttemptState.LOST).count()
        return found + ([FailureCount(str(AttemptState.LOST.label), lost)] if lost else [])

    @cached_property
    def canaries(self) -> int:
        """How many items with known marks gave theirs so far."""
        answered = JudgeAttempt.objects.filter(run=self.run, kind=AttemptKind.CANARY)
        return answered.filter(state=AttemptState.ANSWERED).count()

    @cached_property
    def models(self) -> list[str]:
        """The models that answered, with their fingerprints: more than one is worth a look."""
        answers = JudgeAnswer.objects.filter(ratings__run=self.run).order_by()
        pairs = answers.values_list("model_answered", "fingerprint").distinct()
        return sorted(" ".join(part for part in pair if part) for pair in pairs)

    def took(self, now: datetime) -> timedelta | None:
        """Return how long it has run, from its first claim."""
        return (self.run.ended_at or now) - self.run.started_at if self.run.started_at else None


def runs_of(competition: Competition) -> QuerySet[JudgeRun]:
    """Return the runs of a competition; the console is what guards them."""
    found: QuerySet[JudgeRun] = JudgeRun.objects.filter(
        evaluation__submission__phase__track__competition=competition
    ).select_related(
        "evaluation__recipe",
        "evaluation__submission__entrant__team",
        "evaluation__submission__phase__track__competition",
    )
    return found


def lines_of(runs: Sequence[JudgeRun]) -> list[RunLine]:
    """Return runs as lines of a table."""
    return [RunLine(run) for run in runs]


def label_of(definition: JudgeDefinition) -> str:
    """Return a judge's name; a stand-in and a recording are always called one."""
    if definition.is_recorded:
        return _("%(label)s (recording)") % {"label": definition.label}
    if definition.is_stand_in:
        return _("%(label)s (stand-in, no judge)") % {"label": definition.label}
    return definition.label


def money(micro: int | None, definition: JudgeDefinition | None) -> str:
    """Return millionths as an amount with its currency; a dash where nothing has a price."""
    price = definition.price if definition else None
    if micro is None or price is None:
        return NONE
    return f"{micro / MICRO:,.4f} {price.currency}"


def minutes(audio_ms: int | None) -> str:
    """Return milliseconds as minutes with one decimal."""
    return NONE if audio_ms is None else _("%(n)s min") % {"n": f"{audio_ms / 60_000:,.1f}"}


def _number(value: int | None) -> str:
    return NONE if value is None else grouped(value)


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
