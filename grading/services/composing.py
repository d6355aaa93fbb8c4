"""Boards whose rows are made of the rows of other boards of their competition, and how they follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from competition.enums import BoardVisibility, EntrantKind, EntrantState
from competition.models import Entrant, Phase
from competition.timeline import frozen_since, is_closed
from grading import board_data
from grading.enums import SubmissionKind, SubmissionState
from grading.kept import Kept
from grading.models import Board, Evaluation, EvaluationTallies, Recipe, Submission
from grading.presentation import Composite, Sight, shown_composite, sight_of
from grading.scoring import ranking, registry
from grading.scoring.reasons import REASONS
from grading.scoring.tracks.composed import ComposedRow, Entered, Pillar, PillarScore, Table
from grading.services import boards, pairing, selection

LISTED_STATES = {EntrantState.ACCEPTED, EntrantState.DISQUALIFIED, EntrantState.WITHDRAWN}
FINAL = "final"

Json = dict[str, Any]
WAITING, FAILED = "SCORING", "SCORING_FAILED"
"""Why a pillar that was entered has no score yet."""
ENTERED_STATES = {
    SubmissionState.RECEIVED: WAITING,
    SubmissionState.ACCEPTED: WAITING,
    SubmissionState.FAILED: FAILED,
}


@dataclass(frozen=True, slots=True)
class _Counted:
    """The phase of a pillar, what counts there, and who has entered it without a score so far."""

    phase: Phase
    rows: Mapping[Entrant, Evaluation]
    waiting: Mapping[Entrant, str]

    def of(self, code: str) -> Evaluation | None:
        """Return what counts of an entrant, None where nothing does."""
        return next((one for entrant, one in self.rows.items() if entrant.code == code), None)

    def why_waiting(self, code: str) -> str:
        """Return why an entrant that has entered has no score, empty where it has not entered."""
        return next((why for entrant, why in self.waiting.items() if entrant.code == code), "")


Counted = Mapping[str, _Counted]

_REPLICATES: Kept[Any] = Kept(512)
"""Scores of replicates by evaluation, 80 kB each: an evaluation's never change."""


@dataclass(frozen=True, slots=True)
class _Composition:
    """What a composed board is made of at a moment."""

    recipe: Recipe
    counted: Counted
    entrants: Mapping[str, Entrant]
    tables: Sequence[Table]
    sight: Sight


def note_followers(*, phase: Phase, now: datetime) -> None:
    """Have the boards rebuilt that are made of this one's rows, or draw a column of it."""
    if phase.track.kind not in registry.composed():
        _want_rebuilds([*_composed_beside(phase), *pairing.followers(phase)], now)


def note_entry(*, phase: Phase, now: datetime) -> None:
    """Have the boards rebuilt that are made of this one's rows: somebody may enter it, or not after all.

    From then on their rows wait for its score; without this they would show one without it until the sweep.
    """
    _want_rebuilds(_composed_beside(phase), now)


def _composed_beside(phase: Phase) -> list[int]:
    composed = Phase.objects.filter(
        track__competition=phase.track.competition_id, track__kind__in=registry.composed()
    )
    return list(composed.order_by("pk").values_list("pk", flat=True))


def _want_rebuilds(phase_ids: Iterable[int], now: datetime) -> None:
    for pk in phase_ids:
        with transaction.atomic():
            boards.want_rebuild(phase_id=pk, now=now)


def behind() -> list[int]:
    """Return the phases whose composed board was built before one of its pillars, or before a file
    came that makes somebody enter one: for the sweep."""
    pillars = [name for name in registry.names() if name not in registry.composed()]
    late = Board.objects.filter(
        phase__track__kind__in=registry.composed(),
        wanted=F("built"),
        phase__track__competition__tracks__kind__in=pillars,
        phase__track__competition__tracks__phases__board__built_at__gt=F("built_at"),
    )
    sent = Board.objects.filter(
        Exists(
            Submission.objects.filter(
                phase__track__competition=OuterRef("phase__track__competition"),
                received_at__gt=OuterRef("built_at"),
            )
        ),
        phase__track__kind__in=registry.composed(),
        wanted=F("built"),
    )
    found = (*late.values_list("phase_id", flat=True), *sent.values_list("phase_id", flat=True))
    return sorted(set(found))


def build(board: Board, recipe: Recipe, now: datetime) -> Json:
    """Return the object of a composed board as everybody may see it, ranked table by table."""
    made = _composition(board.phase, recipe, now)
    head = board_data.head(board, recipe, made.sight, now)
    reasons = {**REASONS, **registry.get(recipe.scorer).reasons}
    shown = made.tables if made.sight != Sight.HIDDEN else made.tables[:1]
    return {
        **head,
        "tabs": _tabs(shown),
        "view_columns": {table.key: board_data.told(table.columns) for table in shown},
        "reasons": {code: text for code, text in reasons.items() if code in _codes(made)},
        "pillars": [_pillar(key, one.phase) for key, one in made.counted.items()],
        "views": {table.key: _view(table, made, board.phase) for table in shown},
    }


def _codes(made: _Composition) -> set[str]:
    """Return every code that says why a row has no score or no interval, none while nothing shows."""
    rows = (
        [row for table in made.tables for row in table.rows] if made.sight != Sight.HIDDEN else []
    )
    return {code for row in rows for code in (row.withheld_reason, row.interval_reason) if code}


def _tabs(tables: Sequence[Table]) -> list[Json]:
    if len(tables) < 2:  # noqa: PLR2004  one table needs no tabs
        return []
    return [{"key": "" if one.key == FINAL else one.key, "label": one.label} for one in tables]


def _pillar(key: str, phase: Phase) -> Json:
    return {
        "key": key,
        "track": phase.track.slug,
        "phase": phase.slug,
        "phase_code": phase.code,
        "kind": phase.track.kind,
    }


def _composition(phase: Phase, recipe: Recipe, now: datetime) -> _Composition:
    track, params = registry.get(recipe.scorer), recipe.read_params
    pillars = track.pillars(params)
    counted = {one.key: _counted(found, now) for one, found in _phases(phase, pillars)}
    entrants = {
        entrant.code: entrant
        for one in counted.values()
        for entrant in (*one.rows, *one.waiting)
        if entrant.state in LISTED_STATES
    }
    entered = [_entered(code, counted) for code in sorted(entrants)]
    seen = [_sight(one.phase, now) for one in counted.values()]
    order = [Sight.EXACT, Sight.ROUNDED, Sight.HIDDEN]
    sight = max([sight_of(phase, now=now, is_organizer=False), *seen], key=order.index)
    return _Composition(recipe, counted, entrants, track.compose_tables(entered, params), sight)


def _phases(phase: Phase, pillars: Sequence[Pillar]) -> list[tuple[Pillar, Phase]]:
    """Return each pillar with its phase: the one of the same name, else its track's last."""
    found = Phase.objects.filter(
        track__competition=phase.track.competition_id,
        track__slug__in=[one.track for one in pillars],
    ).select_related("track")
    by_track: dict[str, list[Phase]] = {}
    for one in found.order_by("position", "pk"):
        by_track.setdefault(one.track.slug, []).append(one)
    return [
        (pillar, next((one for one in of_it if one.slug == phase.slug), of_it[-1]))
        for pillar in pillars
        if (of_it := by_track.get(pillar.track))
    ]


def _counted(phase: Phase, now: datetime) -> _Counted:
    """Return what counts in a pillar's phase as its board shows it, and who waits for a score."""
    frozen_at = frozen_since(phase, now)
    rows = selection.counted(phase, before=frozen_at)
    sent = Submission.objects.filter(
        phase=phase, kind=SubmissionKind.ENTRY, state__in=ENTERED_STATES
    ).select_related("entrant__team")
    waiting: dict[Entrant, str] = {}
    for one in sent.filter(received_at__lt=frozen_at) if frozen_at else sent:
        if one.entrant not in rows and waiting.get(one.entrant) != WAITING:
            waiting[one.entrant] = ENTERED_STATES[SubmissionState(one.state)]
    return _Counted(phase, rows, waiting)


def _sight(phase: Phase, now: datetime) -> Sight:
    """Return what everybody sees of a pillar: nothing where its board is not public."""
    is_public = phase.board_visibility == BoardVisibility.PUBLIC or is_closed(phase, now)
    if phase.hidden_at is not None or not is_public:
        return Sight.HIDDEN
    return sight_of(phase, now=now, is_organizer=False)


def _entered(code: str, counted: Counted) -> Entered:
    """Return the pillars that an entrant has entered: whoever has sent a file there has."""
    scores = {}
    for key, one in counted.items():
        found = one.of(code)
        if found is not None:
            scores[key] = _score(found)
        elif why := one.why_waiting(code):
            scores[key] = PillarScore(None, why)
    return Entered(code, scores)


def _score(evaluation: Evaluation) -> PillarScore:
    return PillarScore(
        score=evaluation.score,
        withheld_reason=evaluation.withheld_reason,
        low=evaluation.low,
        high=evaluation.high,
        replicates=None if evaluation.low is None else replicates_of(evaluation),
    )


def replicates_of(evaluation: Evaluation) -> Any:
    """Return the score of every replicate of an evaluation's own interval, None where it has none."""

    def make() -> Any:
        track = registry.get(evaluation.recipe.scorer)
        stored = EvaluationTallies.objects.filter(evaluation=evaluation).first()
        if stored is None:
            return None
        tallies = track.tallies(bytes(stored.data))
        return track.replicates(tallies, evaluation.recipe.read_params, seed=int(evaluation.seed))

    return _REPLICATES.get((evaluation.pk, evaluation.finished_at), make)


def _view(table: Table, made: _Composition, phase: Phase) -> Json:
    if made.sight == Sight.HIDDEN:
        return {"ranked": 0, "rows": []}
    by_name = {row.name: row for row in table.rows}
    entries = [_entry(row, made.entrants[row.name], table) for row in table.rows]
    ranked = ranking.rank(entries, cast("ranking.Rule", phase.band_rule))
    rows = [
        _row(position, row, by_name[_code(row.entry.name)], made, table)
        for position, row in enumerate(ranked, 1)
    ]
    return {"ranked": sum(row.place is not None for row in ranked), "rows": rows}


def _code(name: str) -> str:
    return name.rsplit(" ", 1)[-1]


def _entry(row: ComposedRow, entrant: Entrant, table: Table) -> ranking.Entry:
    """Return what is ranked: who is out keeps a line, without a number or a place."""
    has_score = entrant.state == EntrantState.ACCEPTED and row.score is not None
    return ranking.Entry(
        name=f"{entrant.team.name_key} {entrant.code}",
        score=row.score if has_score else None,
        low=row.low if has_score else None,
        high=row.high if has_score else None,
        ranked=has_score and entrant.kind == EntrantKind.OFFICIAL,
        lower_is_better=bool(table.columns[0].lower_is_better),
    )


def _row(
    position: int, ranked: ranking.Ranked, row: ComposedRow, made: _Composition, table: Table
) -> Json:
    entrant = made.entrants[row.name]
    found = {key: one.of(entrant.code) for key, one in made.counted.items()}
    used = {key: one for key, one in found.items() if one is not None}
    composite = Composite(position, ranked, row, entrant, used, made.recipe)
    return shown_composite(composite, table.columns, made.sight)
