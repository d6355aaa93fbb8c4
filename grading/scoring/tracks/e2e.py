"""Track `e2e`: a conversation, from the rows of its traces: how quick, how natural, does it yield."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from grading.scoring import bootstrap
from grading.scoring.formats.turn_rows import (
    EXAMPLE,
    REFERENCE_EXAMPLE,
    check_together,
    take_reference,
    take_row,
)
from grading.scoring.methodology import N_, Phrase
from grading.scoring.tracks import e2e_compose, e2e_methodology, e2e_params
from grading.scoring.tracks.assembled import OfItems, require_same
from grading.scoring.tracks.base import Difference, Interval
from grading.scoring.tracks.columns import Column, count, counted, points
from grading.scoring.tracks.decimals import COMPARED_DECIMALS
from grading.scoring.tracks.e2e_compose import (
    BARGE_IN_NOT_MEASURED,
    GATE_WITHOUT_INTERVAL,
    NATURALNESS_NOT_RATED,
    TURN_NOT_MEASURED,
    YIELD_NOT_TESTED,
)
from grading.scoring.tracks.e2e_tallies import TalkTallies, tally_item
from grading.scoring.tracks.pillars_strata import delta, difference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grading.scoring.formats.item_rows import ReferenceItem, Taker
    from grading.scoring.formats.turn_rows import DialogueRow, TurnRow
    from grading.scoring.report import Collector
    from grading.scoring.tracks.base import Composed
    from grading.scoring.tracks.e2e_params import TalkParams
    from grading.scoring.tracks.e2e_tallies import TalkTally
    from grading.scoring.tracks.pillars_tables import ItemReferences
    from grading.scoring.types import Limits

REASONS = MappingProxyType(
    {
        TURN_NOT_MEASURED: N_("Withheld: a turn was not measured."),
        BARGE_IN_NOT_MEASURED: N_("Withheld: a barge-in was not measured."),
        NATURALNESS_NOT_RATED: N_("Withheld: naturalness is not rated yet."),
        YIELD_NOT_TESTED: N_("Withheld: no barge-in was tested."),
        GATE_WITHOUT_INTERVAL: N_("No interval: the share of yields is not drawn anew."),
    }
)
_YIELDED = N_("Yielded")
_UNANSWERED = N_("Unanswered")


@dataclass(frozen=True, slots=True)
class Conversation(OfItems):
    """The track as one object; what a competition may set is in its parameters."""

    name: str = "e2e"
    version: str = "1.0.0"
    columns: tuple[Column, ...] = (
        points(N_("Score")),
        points(N_("Latency"), "latency"),
        points(N_("Naturalness"), "naturalness"),
        Column("p95_ms", N_("p95"), "ms", lower_is_better=True, digits=0),
        counted("yielded", _YIELDED, lower_is_better=False),
        counted("unanswered", _UNANSWERED, lower_is_better=True),
    )
    counts: tuple[Column, ...] = (
        count("overlaps", N_("Overlaps")),
        count("premature", N_("Premature")),
        count("late_sound", N_("Late sound")),
        count("ratings", N_("Ratings")),
    )
    checks_against = True
    settings = e2e_params
    composing = e2e_compose
    page = e2e_methodology
    stored = TalkTallies
    reasons = REASONS
    example = EXAMPLE
    reference_example = REFERENCE_EXAMPLE

    def sample(self, ids: Sequence[str], params: TalkParams) -> str:
        """Return the first lines of what is sent."""
        del params
        return "\n".join(EXAMPLE.replace('"…"', f'"{utt_id}"') for utt_id in ids)

    def sending(self, params: TalkParams) -> tuple[str, ...]:
        """Return what is to be known of a row."""
        del params
        return (
            Phrase(
                N_(
                    "Rows are made from the traces of the organizers' client: times in whole nanoseconds from the end of our utterance, negative before it."
                )
            ),
            Phrase(
                N_(
                    "replies lists every reply to the turn with announced_ns, sound_ns (its first sound) and audible_ns (the first that can be heard), null where there is none; an unanswered turn has []."
                )
            ),
            Phrase(
                N_(
                    "barge_in, in a turn that is talked over, has began_ns, stop_announced_ns, last_sound_ns and played_until_ns."
                )
            ),
            Phrase(
                N_(
                    "The row of a dialogue has naturalness, the list of its ratings, or null until it is rated."
                )
            ),
        )

    def take_reference(self, params: TalkParams) -> Taker:
        """Return what takes a row of the references: a turn or a dialogue of a scenario."""
        del params
        return take_reference

    def check_references(self, items: Sequence[ReferenceItem], report: Collector) -> None:
        """Report a language without a turn whose latency counts, or without a dialogue to rate."""
        check_together(items, report)

    def take(self, params: TalkParams, limits: Limits) -> Taker:
        """Return what takes a row of a submission, a TurnRow or a DialogueRow."""
        del limits
        return _taker(params, None)

    def take_against(self, params: TalkParams, limits: Limits, references: ItemReferences) -> Taker:
        """Return the same, for rows that must be of what their id is: a turn or a dialogue."""
        del limits
        return _taker(params, {key: value.kind for key, value in references.values.items()})

    def tally(
        self,
        utt_id: str,
        references: ItemReferences,
        row: TurnRow | DialogueRow,
        params: TalkParams,
    ) -> TalkTally:
        """Return the tallies of one turn or dialogue."""
        language, value = references.language_of[utt_id], references.values[utt_id]
        return tally_item(utt_id, language, value, row, params)

    def points(
        self, languages: Mapping[str, Mapping[str, Any]], params: TalkParams
    ) -> dict[str, float]:
        """Return what each part brings to the score, in points."""
        return e2e_compose.points(languages, params)

    def interval(
        self,
        tallies: TalkTallies,
        params: TalkParams,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> dict[str, Interval]:
        """Return the 95 % interval of `final` and of each language, or the reason for none."""
        reasons = e2e_compose.why_no_interval(tallies, params)
        if any(reasons.values()):
            why = next(filter(None, reasons.values()))
            none = {name: Interval(None, None, one or why) for name, one in reasons.items()}
            return {**none, "final": Interval(None, None, why)}
        (parts,) = e2e_compose.replicates([tallies], params, seed=seed, count=replicates)
        found = {
            name: e2e_compose.interval(values, len(tallies.scored(name)))
            for name, values in parts.items()
        }
        whole = e2e_compose.interval(e2e_compose.final(parts), len(tallies.items))
        return {**found, "final": whole}

    def replicates(
        self,
        tallies: TalkTallies,
        params: TalkParams,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> bootstrap.Floats | None:
        """Return the score of every replicate, None where there is no interval."""
        if any(e2e_compose.why_no_interval(tallies, params).values()):
            return None
        (parts,) = e2e_compose.replicates([tallies], params, seed=seed, count=replicates)
        return e2e_compose.final(parts)

    def paired(
        self,
        leader: TalkTallies,
        others: Sequence[TalkTallies],
        params: TalkParams,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> list[Difference]:
        """Compare others with the leader on the same draws of the same turns. Raises ClipsDiffer."""
        systems = [leader, *others]
        require_same(systems, _turns, "measured on different turns")
        scores = [self.compose(one, params).score for one in systems]
        told = [not any(e2e_compose.why_no_interval(one, params).values()) for one in systems]
        if not told[0]:
            return [Difference(delta(one, scores[0]), None, None, None) for one in scores[1:]]
        known = [one for one, is_told in zip(systems, told, strict=True) if is_told]
        parts = e2e_compose.replicates(known, params, seed=seed, count=replicates)
        drawn = map(e2e_compose.final, parts)
        base = next(drawn)
        return [
            difference(delta(score, scores[0]), next(drawn) - base if is_told else None)
            for score, is_told in zip(scores[1:], told[1:], strict=True)
        ]

    def order_key(self, composed: Composed, params: TalkParams) -> tuple[float, ...]:
        """Return a key that sorts the best first: the score, then the share of yields.

        Where nothing was tested the share counts as 0. Withheld scores are last and equal.
        """
        del params
        if composed.score is None:
            return (1.0,)
        yielded, tested = composed.components.get("yielded") or (0, 0)
        share = yielded / tested if tested else 0.0
        return (0.0, -round(composed.score, COMPARED_DECIMALS), -round(share, COMPARED_DECIMALS))


def _taker(params: TalkParams, kinds: Mapping[str, str] | None) -> Taker:
    scale = params.scale
    return partial(take_row, lowest=scale.lowest, highest=scale.highest, kinds=kinds)


def _turns(tallies: TalkTallies) -> list[tuple[str, str, str, int]]:
    return [(item.utt_id, item.language, item.kind, item.scored) for item in tallies.items]


TRACK = Conversation()
