"""Where a board's rows come from: the published snapshot, for organizers the current one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from accounts.models import User
from competition.enums import BoardAct, BoardVisibility, EntrantState
from competition.models import Phase
from competition.queries import entrant_of, may_see_board
from competition.timeline import PhaseState, phase_state
from grading import laid_ready, queries
from grading.kept import Kept
from grading.models import Board
from grading.presentation import Sight
from grading.published import current_version
from grading.scoring.tracks.columns import SCORE
from grading.views.board_rows import BoardRow, tinted

ATTEMPTS = 3

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that organizers did to a board, in words."""

    word: str
    at: datetime | None
    reason: str


@dataclass(frozen=True, slots=True)
class BoardSource:
    """A board as one reader may see it; with `hidden_reason` nothing of it is shown.

    `version` tells the rows and the head from all others, whoever reads; None where nothing does.
    """

    rows: tuple[BoardRow, ...] = ()
    head: Json = field(default_factory=dict)
    version: Hashable = None
    mine: str = ""
    is_organizer: bool = False
    may_submit: bool = False
    hidden_reason: str = ""

    @property
    def built_at(self) -> datetime | None:
        """When the rows were computed."""
        text = self.head.get("built_at")
        return parse_datetime(text) if text else None

    @property
    def frozen_from(self) -> datetime | None:
        """Since when the public board is held back, None while it is not."""
        text = self.head.get("frozen_from")
        return parse_datetime(text) if text else None

    @property
    def acts(self) -> list[Act]:
        """What organizers did to the board, newest first."""
        words = dict(BoardAct.choices)
        return [
            Act(str(words[done["act"]]), parse_datetime(done["at"]), done["reason"])
            for done in self.head.get("acts", ())
        ]

    @property
    def corrections(self) -> list[Json]:
        """The corrections of the board, newest first: date, what, from and to which recipe."""
        return list(self.head.get("corrections", ()))

    @property
    def recipe(self) -> Json | None:
        """The recipe that the board is made with: digest, track, version."""
        found: Json | None = self.head.get("recipe")
        return found

    @property
    def is_rounded(self) -> bool:
        """True while numbers are shown with two decimals only."""
        return self.head.get("feedback") == Sight.ROUNDED


@dataclass(frozen=True, slots=True)
class Read:
    """One view of a board as it was read, the same for everybody who may see it."""

    rows: tuple[BoardRow, ...]
    head: Json
    version: Hashable = None


_KEPT: Kept[Read] = Kept(24)


def board_source(user: User | None, phase: Phase, view: str, now: datetime) -> BoardSource:
    """Return the board of a phase for a reader; the same few queries whatever the number of rows.

    A snapshot is turned into rows once and kept in memory until it is rebuilt.
    """
    is_organizer = queries.organizes(user, phase)
    if not may_see_board(user, phase, now):
        return BoardSource(hidden_reason=_hidden_reason(phase), is_organizer=is_organizer)
    entrant = entrant_of(user, phase.track.competition)
    read = _current(phase, user, view, now) if is_organizer else _public(phase, view, now)
    if read.head.get("feedback") == Sight.HIDDEN:
        reason = _("Scores of this phase are shown when it closes.")
        return BoardSource(hidden_reason=reason, head=read.head)
    is_in = entrant is not None and entrant.state == EntrantState.ACCEPTED
    return BoardSource(
        rows=read.rows,
        head=read.head,
        version=read.version,
        mine=entrant.code if entrant else "",
        is_organizer=is_organizer,
        may_submit=is_in and phase_state(phase, now) == PhaseState.OPEN,
    )


def rows_from(data: Json, view: str) -> tuple[BoardRow, ...]:
    """Return the rows of one view of a board's object, in its order."""
    found = data["views"].get(view or queries.FINAL, {}).get("rows", [])
    return tuple(tinted([_row(row, view) for row in found]))


def _hidden_reason(phase: Phase) -> str:
    if phase.hidden_at is not None:
        change = phase.board_changes.filter(act=BoardAct.TAKE_DOWN).first()
        return _("The organizers have taken this board down: %(reason)s") % {
            "reason": change.reason if change else "–"
        }
    if phase.board_visibility == BoardVisibility.ENTRANTS:
        return _("Until the phase closes this board is shown to its entrants only.")
    return _("This board is shown when the phase closes.")


def _public(phase: Phase, view: str, now: datetime) -> Read:
    """Return what everybody sees: the published snapshot."""
    for _attempt in range(ATTEMPTS):
        board = Board.objects.filter(phase=phase).defer("data").first()
        if board is None or board.built_at is None:
            break
        try:
            return _snapshot(phase.code, board.built, board.built_at, view)
        except Board.DoesNotExist:
            continue  # rebuilt between the two reads: the newer one is there
    return _read(queries.board_object(phase, None, now), view)


def _snapshot(phase_code: str, built: int, built_at: datetime, view: str) -> Read:
    """Return a snapshot; number and time of its making are what tells it from others."""

    def make() -> Read:
        data = laid_ready.view_of(phase_code, (built, built_at), view or queries.FINAL)
        if data is None:
            data = Board.objects.values_list("data", flat=True).get(
                phase__code=phase_code, built=built, built_at=built_at
            )
        return _read(data, view, version)

    version = (phase_code, built, built_at, view)
    return _KEPT.get(version, make)


def _current(phase: Phase, user: User | None, view: str, now: datetime) -> Read:
    """Return what organizers see: the rows that a freeze holds back too, and every number."""
    current = current_version(phase, now)
    if current is None:
        return _read(queries.board_object(phase, user, now), view)
    version = ("current", current, view)
    return _KEPT.get(version, lambda: _read(queries.board_object(phase, user, now), view, version))


def _read(data: Json, view: str, version: Hashable = None) -> Read:
    return Read(rows_from(data, view), _head_of(data), version)


def _head_of(data: Json) -> Json:
    return {key: value for key, value in data.items() if key != "views"}


def _row(row: Json, view: str) -> BoardRow:
    entrant = row["entrant"]
    low, high = row["interval"] or (None, None)
    first, last = row["range"] or (None, None)
    return BoardRow(
        code=entrant["code"],
        team=entrant["team"],
        system=row["system"],
        kind=entrant["kind"],
        state=entrant["state"],
        place=row["place"],
        band=row["band"],
        first=first,
        last=last,
        score=row["score"],
        low=low,
        high=high,
        values=_values(row, view),
        difference=row.get("difference") or {},
        withheld_reason=row["withheld_reason"],
        interval_reason=row["interval_reason"],
        corrected_on=row.get("corrected_on") or row["components"].get("corrected_on") or "",
        measured_on=row["components"].get("measured_on") or "",
    )


def _values(row: Json, view: str) -> dict[str, Any]:
    values: dict[str, Any] = {SCORE: row["score"], **row["components"]}
    if not view:
        scores = {name: part.get("score") for name, part in row["languages"].items()}
        values = scores | values
    return values
