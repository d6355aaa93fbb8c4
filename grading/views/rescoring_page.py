"""What the pages of corrections show: progress, who would move, and what stands against the switch."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from django.core.cache import cache
from django.core.paginator import Page, Paginator

from competition.models import Competition, Phase
from competition.templatetags.texts import phase_name
from grading.enums import FailureCode, RescoringState
from grading.models import Board, Evaluation, RescoreCheck, Rescoring
from grading.services import rescore_checks, rescoring, rescoring_moves
from grading.services.rescoring import Progress

PER_PAGE = 50
CONFIRM_DIGITS = 12
PREVIEW_SECONDS = 600

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PhaseLine:
    """One phase in the list of corrections, with its open proposal if there is one."""

    phase: Phase
    title: str
    proposal: Rescoring | None
    progress: Progress | None


@dataclass
class ProposalPage:
    """An open proposal as organizers see it."""

    proposal: Rescoring
    number: str
    now: datetime
    phase: Phase = field(init=False)

    def __post_init__(self) -> None:
        self.phase = self.proposal.phase

    @cached_property
    def progress(self) -> Progress:
        """How far it is."""
        return rescoring.progress(self.proposal)

    @property
    def fingerprint(self) -> str:
        """What changes when something of the page's changing part does."""
        figures = self.progress
        return f"{figures.total}-{figures.done}-{figures.failed}-{figures.running}"

    @property
    def word(self) -> str:
        """What is typed to switch: the first digits of the new recipe."""
        return self.proposal.recipe.digest[:CONFIRM_DIGITS]

    @cached_property
    def preview(self) -> rescoring_moves.Preview:
        """Who would move; kept while neither board nor candidate has changed."""
        board = Board.objects.filter(phase=self.phase).values_list("wanted", flat=True).first()
        key = f"grading.preview.{self.proposal.code}.{board}.{self.fingerprint}"
        kept: rescoring_moves.Preview | None = cache.get(key)
        if kept is None:
            kept = rescoring_moves.preview(proposal=self.proposal, now=self.now)
            cache.set(key, kept, PREVIEW_SECONDS)
        return kept

    @cached_property
    def moves(self) -> Page[rescoring_moves.Move]:
        """One page of moves, biggest first."""
        return Paginator(self.preview.moves, PER_PAGE).get_page(self.number)

    @property
    def failed(self) -> list[tuple[Evaluation, str]]:
        """What failed, with the sentence that says why."""
        return [(one, str(FailureCode(one.failure_code).label)) for one in self.preview.failed]

    @property
    def dropped(self) -> int:
        """How many utterances of the present references the new ones leave out (negative: more)."""
        old: int = sum(self.proposal.replaced.references.counts.values())
        new: int = sum(self.proposal.recipe.references.counts.values())
        return old - new

    @property
    def changes(self) -> list[tuple[str, str, str]]:
        """What differs between the recipes: name, before, after."""
        old, new = _flat(self.proposal.replaced), _flat(self.proposal.recipe)
        return [
            (name, old.get(name, "–"), new.get(name, "–"))
            for name in dict.fromkeys([*old, *new])
            if old.get(name) != new.get(name)
        ]


def lines_of(competition: Competition) -> list[PhaseLine]:
    """Return every phase with its open proposal."""
    phases = Phase.objects.filter(track__competition=competition).select_related("track")
    proposals = {
        one.phase_id: one
        for one in Rescoring.objects.filter(
            phase__track__competition=competition, state=RescoringState.OPEN
        ).select_related("phase__track__competition", "recipe", "proposed_by")
    }
    return [_line(phase, competition, proposals.get(phase.pk)) for phase in phases]


def ended(competition: Competition) -> Any:
    """Return the corrections that were switched to or dropped, the latest first."""
    return (
        Rescoring.objects.filter(phase__track__competition=competition)
        .exclude(state=RescoringState.OPEN)
        .select_related("phase__track", "recipe", "replaced", "ended_by")
        .order_by("-ended_at", "-pk")
    )


def comparison(check: RescoreCheck) -> list[tuple[str, Any, Any, bool]]:
    """Return each number of a finished check: name, stored, found again, whether they are the same."""
    if not check.found:
        return []
    stored = {name: getattr(check.evaluation, name) for name in rescore_checks.COMPARED}
    stored["tallies"] = check.evaluation.tallies.sha256
    found = {**check.found, "tallies": check.found["tallies_sha256"]}
    shown = ("score", "low", "high", "seed", "tallies")
    names = [*shown, *(name for name in check.differences if name not in shown)]
    return [(name, stored[name], found[name], name not in check.differences) for name in names]


def _line(phase: Phase, competition: Competition, proposal: Rescoring | None) -> PhaseLine:
    figures = rescoring.progress(proposal) if proposal is not None else None
    return PhaseLine(phase, str(phase_name(phase, competition)), proposal, figures)


def _flat(recipe: Any) -> dict[str, str]:
    found = {"scorer": f"{recipe.scorer} {recipe.version}"}
    found["references"] = f"{recipe.references} · {recipe.references.sha256[:16]}…"
    for name, value in recipe.params.items():
        parts = value.items() if isinstance(value, dict) else [("", value)]
        for key, part in parts:
            text = ", ".join(map(str, part)) if isinstance(part, list) else str(part)
            found[f"{name}.{key}" if key else name] = text
    return found
