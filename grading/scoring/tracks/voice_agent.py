"""Track `voice-agent`: what a cascade answers to text and to audio, subtask by subtask."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from grading.scoring import bootstrap
from grading.scoring.formats.arm_scores import (
    ARMS,
    AUDIO,
    EXAMPLE,
    REFERENCE_EXAMPLE,
    TEXT,
    ArmScore,
    ArmScores,
    take_subtask,
)
from grading.scoring.formats.keyed_rows import read_keyed
from grading.scoring.methodology import N_, Phrase
from grading.scoring.tracks import (
    nested_strata,
    voice_agent_compose,
    voice_agent_methodology,
    voice_agent_params,
)
from grading.scoring.tracks.assembled import ByLanguage, require_same, tally_each
from grading.scoring.tracks.base import Checked, Difference, Interval
from grading.scoring.tracks.columns import Column, percent, points
from grading.scoring.tracks.pillars_strata import withheld
from grading.scoring.tracks.voice_agent_compose import GAP, SUBTASK_FAILED, by_cell
from grading.scoring.tracks.voice_agent_tallies import UNIT, AgentTallies, tally_item

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from grading.scoring.formats.item_rows import Taker
    from grading.scoring.tracks.nested_strata import Drawn, Values
    from grading.scoring.tracks.pillars_tables import ItemReferences
    from grading.scoring.tracks.voice_agent_params import AgentParams
    from grading.scoring.types import Limits, Progress

SHARE_UNIT = 10**12
"""Accuracies of items are resampled in parts of 10⁻¹²."""
MESSAGES = MappingProxyType(
    {
        "DUPLICATE_ARM": N_(
            "The item has a second score in the arm {found}: the first is on line {first_line}. Keep one row."
        ),
        "NO_SCORES": N_("The file has no row with a score of an item of this phase."),
        "OTHER_SUBTASK": N_(
            "The row is of the subtask {found}, and the item of {wanted}. Correct the row."
        ),
        "OTHER_SUBTASK.arm": N_(
            "The row is of the subtask {found}, and the item's row on line {first_line} of {wanted}. Correct one of them."
        ),
        "SCORES_MISSING": N_(
            "Items without a score in the arm {arm} ({count} of {of}): {ids}. The system counts as failed there, and its row will be withheld."
        ),
    }
)
MEANINGS = MappingProxyType(
    {
        "DUPLICATE_ARM": N_("An item has two scores in one arm."),
        "NO_SCORES": N_("The file scores nothing of this phase."),
        "OTHER_SUBTASK": N_("A row names another subtask than its item has."),
        "SCORES_MISSING": N_("Some items have no score in an arm, so the row will be withheld."),
    }
)
REASONS = MappingProxyType(
    {SUBTASK_FAILED: N_("Withheld: the system has no score for some items of a subtask.")}
)


_COLUMNS = (
    points(N_("Score")),
    percent(TEXT, N_("Acc (text)"), lower_is_better=False),
    percent(AUDIO, N_("Acc (audio)"), lower_is_better=False),
    percent(GAP, N_("Gap"), lower_is_better=True),
)
_GROUPS = {TEXT: N_("Text arm"), AUDIO: N_("Audio arm")}


@dataclass(frozen=True, slots=True)
class VoiceAgent(ByLanguage):
    """The track as one object; what a competition may set is in its parameters."""

    name: str = "voice-agent"
    version: str = "1.0.0"
    columns: tuple[Column, ...] = _COLUMNS

    checks_against = True
    settings = voice_agent_params
    composing = voice_agent_compose
    page = voice_agent_methodology
    stored = AgentTallies
    reference_example = REFERENCE_EXAMPLE
    messages = MESSAGES
    meanings = MEANINGS
    reasons = REASONS

    def columns_of(self, params: AgentParams) -> tuple[Column, ...]:
        """Return the columns under these parameters: each subtask in each arm at their end.

        The whole board has the languages instead: subtasks of several of them are no one figure.
        """
        subtasks = (
            percent(
                voice_agent_compose.column(arm, name),
                name,
                lower_is_better=False,
                group=_GROUPS[arm],
                place="part",
            )
            for arm in ARMS
            for name in params.subtasks
        )
        return (*_COLUMNS, *subtasks)

    def sample(self, ids: Sequence[str], params: AgentParams) -> str:
        """Return the rows of both arms of some items."""
        subtask = next(iter(params.subtasks), "…")
        row = EXAMPLE.replace('"subtask": "…"', f'"subtask": "{subtask}"')
        rows = [
            row.replace('"…"', f'"{utt_id}"', 1).replace(AUDIO, arm)
            for utt_id in ids
            for arm in ARMS
        ]
        return "\n".join(rows)

    def sending(self, params: AgentParams) -> tuple[str, ...]:
        """Return what is to be known of a row."""
        del params
        return (
            Phrase(
                N_(
                    "Every item has two rows, one for each arm: text (the right text was given) and audio (what recognition heard)."
                )
            ),
            Phrase(N_("subtask is the item's own; a row that names another one is refused.")),
            Phrase(
                N_(
                    "score is in the subtask's own scale. null says that the system failed on the item; the row is then withheld."
                )
            ),
        )

    def take_reference(self, params: AgentParams) -> Taker:
        """Return what takes a row of the references: the item's subtask."""
        return partial(take_subtask, subtasks=tuple(params.subtasks))

    def reference_json(self, value: str) -> str:
        """Return the subtask itself."""
        return value

    def check(
        self,
        source: Path | bytes,
        *,
        ids: Mapping[str, str | None],
        params: AgentParams,
        limits: Limits,
        progress: Progress | None = None,
        filename: str = "",
    ) -> Checked:
        """Read scores against the phase's ids; the predictions are lists of ArmScore by utt_id."""
        rows = ArmScores(params.bounds)
        return _checked(source, rows, ids=ids, limits=limits, progress=progress, filename=filename)

    def check_against(
        self,
        source: Path | bytes,
        *,
        references: ItemReferences,
        params: AgentParams,
        limits: Limits,
        progress: Progress | None = None,
        filename: str = "",
    ) -> Checked:
        """Read scores against the references: each row must name the item's own subtask too."""
        rows = ArmScores(params.bounds, references.values)
        ids = dict(references.language_of)
        return _checked(source, rows, ids=ids, limits=limits, progress=progress, filename=filename)

    def score(
        self,
        references: ItemReferences,
        given: Mapping[str, Sequence[ArmScore]],
        params: AgentParams,
        progress: Progress | None = None,
    ) -> AgentTallies:
        """Return the tallies of checked rows; an item without a row is one that failed."""
        del params
        language_of, values = references.language_of, references.values
        items = tally_each(
            references,
            lambda one: tally_item(one, language_of[one], values[one], given.get(one, ())),
            progress,
        )
        return AgentTallies(items)

    def interval(
        self,
        tallies: AgentTallies,
        params: AgentParams,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> dict[str, Interval]:
        """Return the 95 % interval of `final` and of each language, or the reason for none."""
        composed = self.compose(tallies, params)
        reasons = {name: str(part["withheld_reason"]) for name, part in composed.languages.items()}
        if composed.score is None:
            return withheld(reasons, composed.withheld_reason)
        drawn = _draw([tallies], params, seed, replicates)[0]
        return nested_strata.intervals(drawn, reasons=reasons, sizes=_sizes(tallies, params))

    def replicates(
        self,
        tallies: AgentTallies,
        params: AgentParams,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> bootstrap.Floats | None:
        """Return the score of every replicate, None where the score is withheld."""
        if self.compose(tallies, params).score is None:
            return None
        return _draw([tallies], params, seed, replicates)[0][nested_strata.FINAL].scores

    def paired(
        self,
        leader: AgentTallies,
        others: Sequence[AgentTallies],
        params: AgentParams,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> list[Difference]:
        """Compare others with the leader on the same draws of the same items. Raises ClipsDiffer."""
        systems = [leader, *others]
        require_same(systems, _items, "scored on different items")

        def drawn(places: list[int]) -> list[Drawn]:
            return _draw([systems[place] for place in places], params, seed, replicates)

        scores = [self.compose(one, params).score for one in systems]
        return nested_strata.differences(scores, drawn, _sizes(leader, params))


def _checked(source: Path | bytes, rows: ArmScores, **given: Any) -> Checked:
    report = read_keyed(source, rows, **given)
    return Checked(report, rows.rows if report.accepted else {})


def _items(tallies: AgentTallies) -> list[tuple[str, str, str]]:
    return [(item.utt_id, item.language, item.subtask) for item in tallies.items]


def _sizes(tallies: AgentTallies, params: AgentParams) -> dict[str, int]:
    cells = by_cell(tallies.items, params)
    return nested_strata.fewest(("/".join(cell), len(items)) for cell, items in cells.items())


def _draw(
    systems: Sequence[AgentTallies], params: AgentParams, seed: int, replicates: int
) -> list[Drawn]:
    values = [_values(one, params) for one in systems]
    unit = SHARE_UNIT // 100  # of points, of which an accuracy of 1 has 100
    return nested_strata.draw_means(values, unit=unit, seed=seed, replicates=replicates)


def _values(tallies: AgentTallies, params: AgentParams) -> Values:
    """Return each item's accuracy in the arm that ranks, in parts of 10⁻¹².

    Shares are linear within the scale, so that the mean of shares is the share of the mean.
    """
    found = {}
    for (language, subtask), items in by_cell(tallies.items, params).items():
        scale = params.subtasks[subtask]
        scores = [item.text if params.headline == TEXT else item.audio for item in items]
        found[f"{language}/{subtask}"] = [
            round(scale.share(Fraction(score or 0, UNIT)) * SHARE_UNIT) for score in scores
        ]
    return found


TRACK = VoiceAgent()
