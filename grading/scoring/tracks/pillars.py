"""Track `pillars`: one board over the pillars of a voice stack, composed of their own boards.

Nothing is uploaded here. Everyone who entered stands in the table of the core score; those that
entered more than the baseline stand once more, among those with the same pillars, by the full score.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grading.scoring.methodology import N_
from grading.scoring.tracks import pillars_methodology, pillars_params
from grading.scoring.tracks.assembled import Assembled
from grading.scoring.tracks.base import NoReferences
from grading.scoring.tracks.columns import Column, points, text
from grading.scoring.tracks.composed import ComposedRow, Pillar, Table
from grading.scoring.tracks.pillars_params import PILLARS, PillarParams
from grading.scoring.tracks.pillars_reasons import REASONS
from grading.scoring.tracks.pillars_scores import (
    Verdict,
    core,
    entered_pillars,
    full,
    table_key,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grading.scoring.tracks.composed import Entered

FINAL = "final"
LABELS = {"asr": N_("ASR"), "llm": N_("LLM"), "tts": N_("TTS"), "e2e": N_("E2E")}
_CORE = points(N_("Core"))
_FULL = points(N_("Full"))
_ENTERED = text("entered", N_("Entered"), place="table")


def _pillar_columns(names: Sequence[str]) -> tuple[Column, ...]:
    return tuple(points(LABELS[name], name) for name in names)


@dataclass(frozen=True, slots=True)
class Pillars(Assembled):
    """The track as one object; what a competition may set is in its parameters."""

    name: str = "pillars"
    version: str = "1.0.0"
    is_composed: bool = True
    columns: tuple[Column, ...] = (_CORE, *_pillar_columns(PILLARS), _ENTERED)

    settings = pillars_params
    page = pillars_methodology
    reasons = REASONS

    def references(self, data: bytes, params: PillarParams) -> NoReferences:
        """Return no references: the pillars have theirs."""
        del data, params
        return NoReferences()

    def columns_of(self, params: PillarParams) -> tuple[Column, ...]:
        """Return the columns of the pillars that there are."""
        return (_CORE, *_pillar_columns(tuple(params.weights)), _ENTERED)

    def pillars(self, params: PillarParams) -> tuple[Pillar, ...]:
        """Return the boards that this one is composed of."""
        return tuple(Pillar(name, params.boards[name]) for name in params.weights)

    def compose_tables(self, entered: Sequence[Entered], params: PillarParams) -> tuple[Table, ...]:
        """Return the table of the core score, then one for each set of pillars beyond the baseline.

        Tables with more pillars come first. A row with fewer or other pillars is never among those
        of another set: a complete stack is not compared with a part of one.
        """
        groups: dict[tuple[str, ...], list[Entered]] = defaultdict(list)
        for one in entered:
            groups[entered_pillars(one.pillars, params)].append(one)
        groups.pop((), None)
        everyone = [one for group in groups.values() for one in group]
        cores = tuple(_row(one, core(one.pillars, params), params) for one in everyone)
        first = Table(FINAL, N_("Core"), self.columns_of(params), cores)
        more = sorted(
            (names for names in groups if set(names) > set(params.baseline)),
            key=lambda names: (-len(names), names),
        )
        return (first, *(_full_table(names, groups[names], params) for names in more))


def _full_table(names: tuple[str, ...], entered: Sequence[Entered], params: PillarParams) -> Table:
    columns = (_FULL, points(N_("Core"), "core"))
    rows = tuple(_row(one, full(one.pillars, params), params) for one in entered)
    label = " + ".join(LABELS[name] for name in names)
    return Table(table_key(names), label, (*columns, *_pillar_columns(names)), rows)


def _row(one: Entered, verdict: Verdict, params: PillarParams) -> ComposedRow:
    names = entered_pillars(one.pillars, params)
    components = {
        **{name: one.pillars[name].score for name in names},
        "core": core(one.pillars, params).stored,
        "entered": " + ".join(name.upper() for name in names),
        "withheld": {
            name: one.pillars[name].withheld_reason
            for name in names
            if one.pillars[name].score is None
        },
    }
    return ComposedRow(
        name=one.name,
        score=verdict.stored,
        withheld_reason=verdict.reason,
        low=verdict.low,
        high=verdict.high,
        interval_reason=verdict.interval_reason,
        components=components,
    )


TRACK = Pillars()
