"""Which systems of a closed phase people rate: looked at first, then recorded once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import EntrantKind, EntrantState
from competition.models import Phase
from competition.services.authority import require_organizer
from competition.timeline import is_closed
from grading.enums import EvaluationState, SelectionReason, SubmissionKind, SubmissionState
from grading.models import (
    Board,
    Evaluation,
    FinalBoard,
    FinalSelection,
    FinalSystem,
    Recipe,
    Standing,
    Submission,
)
from grading.scoring import registry
from grading.scoring.rating import choosing
from grading.scoring.recipe import canonical_json
from grading.services import doorbell, news, recipes
from grading.services.final import errors

MOST = 12
"""No more systems are rated than this, a reference and an anchor aside."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wish:
    """What an organizer asks for: how many, and the codes of a human reference and a low anchor."""

    n: int = choosing.DEFAULT_N
    limit: int = choosing.DEFAULT_LIMIT
    reference: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One system of a proposal with its public score; a reference may be without one."""

    submission: Submission
    evaluation: Evaluation | None
    reason: SelectionReason
    place: int | None
    score: float | None
    low: float | None
    high: float | None

    def as_json(self) -> Json:
        """Return the line with every digit."""
        return {
            "submission": self.submission.code,
            "entrant": self.submission.entrant.code,
            "reason": self.reason.value,
            "place": self.place,
            "score": self.score,
            "low": self.low,
            "high": self.high,
        }


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would be recorded now, from snapshot `number` of the board.

    `left_out` overlaps the last of the first n but found no room; `unfinished` counts
    submissions that have no score yet.
    """

    phase: Phase
    recipe: Recipe
    number: int
    wish: Wish
    lines: tuple[Line, ...]
    left_out: tuple[Line, ...]
    unfinished: int

    @property
    def digest(self) -> str:
        """The SHA-256 of everything that would be recorded."""
        told = {
            "recipe": self.recipe.digest,
            "number": self.number,
            "n": self.wish.n,
            "limit": self.wish.limit,
            "systems": [line.as_json() for line in self.lines],
        }
        return hashlib.sha256(canonical_json(told)).hexdigest()

    @property
    def rule(self) -> Json:
        """What was decided by, as it is kept with the selection."""
        return {
            "n": self.wish.n,
            "limit": self.wish.limit,
            "recipe_digest": self.recipe.digest,
            "digest": self.digest,
            "left_out": [line.as_json() for line in self.left_out],
            "unfinished": self.unfinished,
        }


def propose(phase: Phase, *, wish: Wish, now: datetime) -> Proposal:
    """Return what would be recorded by this wish; nothing is written.

    Refuses NoFinalHere, PhaseStillOpen, BoardBehind, SelectionInvalid, NothingToSelect,
    SelectionTooLarge.
    """
    _check_phase(phase, now)
    board = Board.objects.filter(phase=phase).first()
    return _propose(phase, board, wish)


def record(
    *, actor: User | None, phase: Phase, wish: Wish, digest: str, now: datetime
) -> FinalSelection:
    """Record the selection that was looked at; `digest` is that of its proposal.

    Once per phase: it is evidence and never changes. The entrants are told. Refuses what
    `propose` does, NotOrganizer, BoardMoved, SelectionStands.
    """
    require_organizer(actor, phase.track.competition)
    _check_phase(phase, now)
    try:
        with audit.audited():
            board = Board.objects.select_for_update().filter(phase=phase).first()
            proposal = _propose(phase, board, wish)
            if proposal.digest != digest:
                raise errors.BoardMoved(_("The board has changed since. Look at it again."))
            return _record(actor, proposal, now)
    except IntegrityError as error:
        raise errors.SelectionStands(
            _("The systems of this phase were selected before.")
        ) from error


def unranked(phase: Phase) -> QuerySet[Submission]:
    """Return what may be a human reference or a low anchor: accepted entries outside the rank."""
    found: QuerySet[Submission] = Submission.objects.filter(
        phase=phase,
        kind=SubmissionKind.ENTRY,
        state=SubmissionState.ACCEPTED,
        entrant__state=EntrantState.ACCEPTED,
        entrant__kind__in=[EntrantKind.UNOFFICIAL, EntrantKind.BASELINE],
    )
    return found.select_related("entrant__team").order_by("entrant__team__name_key", "number")


def _check_phase(phase: Phase, now: datetime) -> None:
    if not registry.get(phase.track.kind).has_final:
        raise errors.NoFinalHere(_("This track is not rated by people."))
    if not is_closed(phase, now):
        raise errors.PhaseStillOpen(_("Systems are selected when the phase has closed."))


def _propose(phase: Phase, board: Board | None, wish: Wish) -> Proposal:
    _check_wish(wish)
    recipe = recipes.live_recipe(phase)
    if board is None or recipe is None or board.built_at is None or board.built < board.wanted:
        raise errors.BoardBehind(_("The board is being computed. Try again in a moment."))
    rows = {row.evaluation.submission.code: row for row in _rows(board)}
    choice = _choose(rows, wish)
    lines = [_line(rows[one.candidate.name], SelectionReason(one.reason)) for one in choice.chosen]
    lines += _unranked_lines(phase, wish, lines, rows)
    return Proposal(
        phase=phase,
        recipe=recipe,
        number=board.built,
        wish=wish,
        lines=tuple(lines),
        left_out=tuple(_line(rows[one.name], SelectionReason.OVERLAP) for one in choice.left_out),
        unfinished=_unfinished(phase, recipe),
    )


def _check_wish(wish: Wish) -> None:
    if not 1 <= wish.n <= wish.limit <= MOST:
        text = _("n is from 1 to the limit, and the limit at most %(most)s.") % {"most": MOST}
        raise errors.SelectionInvalid(text, field="n")
    if wish.reference and wish.reference == wish.anchor:
        raise errors.SelectionInvalid(_("One system cannot be both."), field="anchor")


def _rows(board: Board) -> QuerySet[Standing]:
    """Return the final view's rows with a score as organizers see them, a freeze or not."""
    rows = Standing.objects.filter(board=board, audience="current", view="", score__isnull=False)
    return rows.select_related("evaluation__submission__entrant__team").order_by("position")


def _choose(rows: dict[str, Standing], wish: Wish) -> choosing.Choice:
    candidates = [_candidate(code, row) for code, row in rows.items()]
    try:
        return choosing.choose(candidates, n=wish.n, limit=wish.limit)
    except choosing.ChoiceRefused as refused:
        if not any(one.place for one in candidates):
            raise errors.NothingToSelect(_("No system has a place on the board.")) from refused
        text = _("The first %(n)s and the baselines are more than %(limit)s.")
        values = {"n": wish.n, "limit": wish.limit}
        raise errors.SelectionTooLarge(text % values, **values) from refused


def _candidate(code: str, row: Standing) -> choosing.Candidate:
    entrant = row.evaluation.submission.entrant
    return choosing.Candidate(
        name=code,
        place=row.place,
        score=float(row.score or 0),
        low=row.low,
        high=row.high,
        is_baseline=entrant.kind == EntrantKind.BASELINE and entrant.state == EntrantState.ACCEPTED,
    )


def _line(row: Standing, reason: SelectionReason) -> Line:
    return Line(
        submission=row.evaluation.submission,
        evaluation=row.evaluation,
        reason=reason,
        place=row.place,
        score=row.score,
        low=row.low,
        high=row.high,
    )


def _unranked_lines(
    phase: Phase, wish: Wish, chosen: Iterable[Line], rows: dict[str, Standing]
) -> list[Line]:
    wanted = {SelectionReason.REFERENCE: wish.reference, SelectionReason.ANCHOR: wish.anchor}
    taken = {line.submission.code for line in chosen}
    lines = []
    for reason, code in wanted.items():
        if not code:
            continue
        submission = unranked(phase).filter(code=code).first()
        if submission is None or code in taken:
            text = _("A reference or an anchor is an accepted entry outside the rank.")
            raise errors.SelectionInvalid(text, field=reason.value)
        lines.append(_unranked_line(submission, reason, rows.get(code)))
    return lines


def _unranked_line(submission: Submission, reason: SelectionReason, row: Standing | None) -> Line:
    return Line(
        submission=submission,
        evaluation=None if row is None else row.evaluation,
        reason=reason,
        place=None,
        score=None if row is None else row.score,
        low=None if row is None else row.low,
        high=None if row is None else row.high,
    )


def _unfinished(phase: Phase, recipe: Recipe) -> int:
    """Return how many accepted entries have no score yet under the recipe, nor failed."""
    return Evaluation.objects.filter(
        submission__phase=phase,
        submission__kind=SubmissionKind.ENTRY,
        submission__state=SubmissionState.ACCEPTED,
        recipe=recipe,
        state__in=[EvaluationState.WAITING, EvaluationState.QUEUED, EvaluationState.RUNNING],
    ).count()


def _record(actor: User | None, proposal: Proposal, now: datetime) -> FinalSelection:
    phase = proposal.phase
    selection = FinalSelection.objects.create(
        phase=phase,
        recipe=proposal.recipe,
        board_number=proposal.number,
        n=proposal.wish.n,
        limit=proposal.wish.limit,
        rule=proposal.rule,
        recorded_at=now,
        actor=actor,
    )
    FinalSystem.objects.bulk_create(
        [_system(selection, place, line) for place, line in enumerate(proposal.lines, 1)]
    )
    board = FinalBoard.objects.create(phase=phase, wanted=1, rung_at=now)
    doorbell.ring(doorbell.FINAL, board.pk)
    news.systems_selected(selection=selection, now=now)
    audit.record(
        scope=phase.track.competition.audit_scope,
        kind="final.selected",
        actor=actor,
        target=f"phase:{phase.code}",
        payload={
            "selection": selection.code,
            "board": proposal.number,
            "digest": proposal.digest,
            "systems": [line.submission.code for line in proposal.lines],
        },
        now=now,
    )
    return selection


def _system(selection: FinalSelection, position: int, line: Line) -> FinalSystem:
    return FinalSystem(
        selection=selection,
        position=position,
        submission=line.submission,
        evaluation=line.evaluation,
        reason=line.reason,
        place=line.place,
        score=line.score,
        low=line.low,
        high=line.high,
    )
