"""A board's snapshot: computed without a lock from a numbered state, written if the number still holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.db import connection, transaction
from django.db.models import F, QuerySet

from competition.enums import EntrantKind, EntrantState
from competition.models import Entrant, Phase
from competition.timeline import frozen_since, is_closed
from grading import board_data, corrections, laid_ready
from grading.models import Board, Evaluation, Recipe, Standing
from grading.ordering import view_key
from grading.presentation import columns_of, numbers_of
from grading.scoring import ranking, registry
from grading.services import composing, differences, doorbell, pairing, recipes, selection

REPEATS = 3
BATCH = 500
PUBLIC, CURRENT = "public", "current"
KEY = ("audience", "view", "entrant_id")
SAID = (
    "position",
    "evaluation_id",
    "place",
    "band",
    "range_first",
    "range_last",
    "score",
    "low",
    "high",
    "components",
    "difference",
)
"""What tells a row from others, and what it says."""
LISTED_STATES = {EntrantState.ACCEPTED, EntrantState.DISQUALIFIED, EntrantState.WITHDRAWN}

Json = dict[str, Any]
Listed = dict[str, tuple[Entrant, Evaluation]]
"""Who has a row, and for which evaluation, by the name that sorts equal rows."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything a rebuild writes, and the number of the state it was computed from.

    Without a freeze the rows are the public ones alone: the current ones are the same.
    """

    number: int
    rows: list[Standing]
    data: Json
    frozen_at: datetime | None


def rebuild(*, board_id: int, now: datetime, repeats: int = REPEATS) -> Board:
    """Bring a board up to date; return it. Does nothing when it is. Running twice gives the same rows.

    Scores that arrive meanwhile make it compute again; after so many repeats it writes what it has,
    which is newer than what stands there, and rings again.
    """
    for repeat in range(repeats):
        board = (
            _boards()
            .select_related("phase__track__competition", "phase__references")
            .get(pk=board_id)
        )
        if board.built >= board.wanted and board.built_at is not None:
            return board
        snapshot = take(board, now)
        if write(board_id=board_id, snapshot=snapshot, now=now, is_last=repeat + 1 == repeats):
            break
    composing.note_followers(phase=board.phase, now=now)
    return _laid_ready(board_id, snapshot, now)


def _laid_ready(board_id: int, snapshot: Snapshot, now: datetime) -> Board:
    """Return the board as it stands; the snapshot is laid ready for pages when it stands there."""
    board = _boards().select_related("phase").get(pk=board_id)
    if (board.built, board.built_at) == (snapshot.number, now):
        laid_ready.lay(board.phase.code, (snapshot.number, now), snapshot.data)
    return board


def _boards() -> QuerySet[Board]:
    """Return boards without what they publish, which is large and seldom asked for here."""
    return Board.objects.defer("data")


def take(board: Board, now: datetime) -> Snapshot:
    """Compute the snapshot of the state that the board's number names, or of a newer one."""
    recipe = recipes.live_recipe(board.phase)
    if recipe is None:
        frozen_at = frozen_since(board.phase, now)
        return Snapshot(board.wanted, [], board_data.build(board, None, [], now), frozen_at)
    return take_under(board, recipe, corrections.of_phase(board.phase), now)


def take_under(
    board: Board,
    recipe: Recipe,
    told: Sequence[Json],
    now: datetime,
    *,
    note: Callable[[Evaluation], None] = lambda one: None,
) -> Snapshot:
    """Compute the snapshot as if the recipe were live; `told` are the corrections it names.

    `note` is called with each evaluation before its row is made.
    """
    phase = board.phase
    if registry.get(recipe.scorer).is_composed:
        return Snapshot(board.wanted, [], composing.build(board, recipe, now), None)
    frozen_at = frozen_since(phase, now)
    current = selection.counted(phase, recipe=recipe)
    public = selection.counted(phase, before=frozen_at, recipe=recipe) if frozen_at else current
    for evaluation in (*current.values(), *public.values()):
        note(evaluation)
    rows = _rows(board, recipe, public, PUBLIC, now)
    data = board_data.build(board, recipe, rows, now, corrections=told)
    data["scatter"] = pairing.scatter_of(phase, recipe, rows, now)
    if frozen_at:
        rows += _rows(board, recipe, current, CURRENT, now)
    return Snapshot(board.wanted, rows, data, frozen_at)


def write(*, board_id: int, snapshot: Snapshot, now: datetime, is_last: bool = True) -> bool:
    """Replace the board's rows in one transaction; return False when it must be computed again.

    Never replaces rows by older ones: a snapshot whose number was overtaken is dropped.
    """
    with transaction.atomic():
        board = _boards().select_for_update().get(pk=board_id)
        if board.wanted != snapshot.number and not is_last:
            return False
        if board.built > snapshot.number:
            return True
        replace(board, snapshot, now)
        if Board.objects.filter(pk=board_id, wanted__gt=F("built")).update(rung_at=now):
            doorbell.ring(doorbell.REBUILD, board_id)
    return True


def replace(board: Board, snapshot: Snapshot, now: datetime) -> None:
    """Put a snapshot in the place of what the board shows; the caller holds the board's row.

    Only rows that differ are written: a score among a thousand entrants seldom moves all of them.
    """
    if (board.frozen_at is None) != (snapshot.frozen_at is None):
        # Only while nothing is frozen do the current rows repeat the public ones.
        Standing.objects.filter(board=board).delete()
    made = Standing.objects.bulk_create(_make_room(board, snapshot), batch_size=BATCH)
    if not snapshot.frozen_at:
        _repeat_for_current(made)
    board.built = snapshot.number
    board.built_at = now
    board.data = snapshot.data
    board.frozen_at = snapshot.frozen_at
    board.save(update_fields=["wanted", "built", "built_at", "data", "frozen_at"])


def _make_room(board: Board, snapshot: Snapshot) -> list[Standing]:
    """Delete the stored rows that the snapshot has otherwise or not at all; return what is missing."""
    rows = Standing.objects.filter(board=board)
    if not snapshot.frozen_at:
        rows = rows.filter(audience=PUBLIC)
    stored = {row[: len(KEY)]: row[len(KEY) :] for row in rows.values_list(*KEY, *SAID)}
    wanted = {_values(row, KEY): row for row in snapshot.rows}
    same = {key for key, row in wanted.items() if stored.get(key) == _values(row, SAID)}
    stale: dict[tuple[str, str], list[int]] = {}
    for audience, view, entrant_id in stored.keys() - same:
        stale.setdefault((audience, view), []).append(entrant_id)
    for (audience, view), entrants in stale.items():
        out = Standing.objects.filter(board=board, view=view, entrant__in=entrants)
        (out.filter(audience=audience) if snapshot.frozen_at else out).delete()
    return [row for key, row in wanted.items() if key not in same]


def _values(row: Standing, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in names)


def _repeat_for_current(rows: Sequence[Standing]) -> None:
    """Store public rows once more as the current ones, without sending them a second time."""
    fields = [one for one in Standing._meta.concrete_fields if not one.primary_key]
    quoted = {one.name: connection.ops.quote_name(str(one.column)) for one in fields}
    taken = ["%s" if name == "audience" else column for name, column in quoted.items()]
    table = connection.ops.quote_name(Standing._meta.db_table)
    sql = (
        f"INSERT INTO {table} ({', '.join(quoted.values())})"  # noqa: S608  names of our own columns
        f" SELECT {', '.join(taken)} FROM {table} WHERE id IN "
    )
    with connection.cursor() as cursor:
        for begin in range(0, len(rows), BATCH):
            keys = [row.pk for row in rows[begin : begin + BATCH]]
            cursor.execute(f"{sql}({', '.join(['%s'] * len(keys))})", [CURRENT, *keys])


def final_rows(phase: Phase, counted: Mapping[Entrant, Evaluation]) -> list[Standing]:
    """Return the unsaved rows of the final view for what counts, without paired differences."""
    listed = _listed(counted)
    return [row for row, _ranked in _ranked_rows(Board(phase=phase), listed, CURRENT, "")]


def views_of(recipe: Recipe) -> tuple[str, ...]:
    """Return the board's views: "" for the final score, then each of its parts."""
    parts = registry.get(recipe.scorer).views(recipe.read_params)
    return ("", *(part.key for part in parts))


def _rows(
    board: Board,
    recipe: Recipe,
    counted: dict[Entrant, Evaluation],
    audience: str,
    now: datetime,
) -> list[Standing]:
    listed = _listed(counted)
    rows: list[Standing] = []
    for view in views_of(recipe):
        made = _ranked_rows(board, listed, audience, view)
        ranked = [row for _standing_row, row in made]
        found = _differences(board.phase, recipe, ranked, listed, now) if not view else {}
        for standing, row in made:
            standing.difference = found.get(row.entry.name, {})
            rows.append(standing)
    return rows


def _listed(counted: Mapping[Entrant, Evaluation]) -> Listed:
    return {
        _name(entrant): (entrant, one) for entrant, one in counted.items() if _is_listed(entrant)
    }


def _ranked_rows(
    board: Board, listed: Listed, audience: str, view: str
) -> list[tuple[Standing, ranking.Ranked]]:
    """Return one view's rows in order, each with the line of the ranking that it was made of."""
    entries = [_entry(entrant, one, view) for entrant, one in listed.values()]
    ranked = ranking.rank(entries, cast("ranking.Rule", board.phase.band_rule))
    rows = []
    for position, row in enumerate(ranked, 1):
        entrant, evaluation = listed[row.entry.name]
        standing = _standing(board, audience, view, position, row)
        standing.entrant, standing.evaluation = entrant, evaluation
        standing.components = dict(numbers_of(evaluation, view).components)
        rows.append((standing, row))
    return rows


def _name(entrant: Entrant) -> str:
    """Return a name that sorts equal rows by team, and tells teams apart."""
    return f"{entrant.team.name_key} {entrant.code}"


def _is_listed(entrant: Entrant) -> bool:
    return entrant.state in LISTED_STATES


def _entry(entrant: Entrant, evaluation: Evaluation, view: str) -> ranking.Entry:
    """Return what is ranked: who is out keeps a line, without a number or a place."""
    numbers = numbers_of(evaluation, view)
    is_in = entrant.state == EntrantState.ACCEPTED
    has_score = is_in and numbers.score is not None
    return ranking.Entry(
        name=_name(entrant),
        score=numbers.score if has_score else None,
        low=numbers.low if has_score else None,
        high=numbers.high if has_score else None,
        key=view_key(evaluation, view) if has_score else None,
        ranked=has_score and entrant.kind == EntrantKind.OFFICIAL,
        lower_is_better=bool(columns_of(evaluation.recipe)[0].lower_is_better),
    )


def _standing(
    board: Board, audience: str, view: str, position: int, row: ranking.Ranked
) -> Standing:
    first, last = row.range or (None, None)
    return Standing(
        board=board,
        audience=audience,
        view=view,
        position=position,
        place=row.place,
        band=row.band,
        range_first=first,
        range_last=last,
        score=row.entry.score,
        low=row.entry.low,
        high=row.entry.high,
    )


def _differences(
    phase: Phase,
    recipe: Recipe,
    ranked: Sequence[ranking.Ranked],
    listed: Listed,
    now: datetime,
) -> dict[str, Json]:
    """Return the paired difference from the leader by entrant: the top 50, at the end all."""
    placed = [row.entry.name for row in ranked if row.place is not None]
    compared = placed if is_closed(phase, now) else placed[: differences.COMPARED]
    evaluations = {name: listed[name][1] for name in compared}
    return differences.from_leader(evaluations, recipe)
