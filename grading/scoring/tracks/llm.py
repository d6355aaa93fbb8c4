"""Track `llm`: answers in words marked by a judge, and the fields taken from them, compared exactly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from grading.scoring.formats.answers import (
    EXAMPLE,
    REFERENCE_EXAMPLE,
    take_answer,
    take_reference,
)
from grading.scoring.methodology import N_, Phrase
from grading.scoring.tracks import llm_compose, llm_judge_prompt, llm_methodology, llm_params
from grading.scoring.tracks.base import LANGUAGE_WITHOUT_UTTERANCES, Sent
from grading.scoring.tracks.columns import Column, count, percent, points
from grading.scoring.tracks.llm_compose import JUDGE_MARKS_MISSING, JUDGE_SCALE_NOT_SET
from grading.scoring.tracks.llm_marks import read_marks
from grading.scoring.tracks.llm_tallies import LlmTallies, tally_item
from grading.scoring.tracks.pillars_declared import Stratified

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grading.scoring.formats.answers import AnswerRow
    from grading.scoring.formats.item_rows import Taker
    from grading.scoring.tracks.llm_params import LlmParams
    from grading.scoring.tracks.llm_tallies import ItemTally
    from grading.scoring.tracks.pillars_tables import ItemReferences
    from grading.scoring.types import Limits

LONGEST_REFERENCE = 20_000
REASONS = MappingProxyType(
    {
        JUDGE_SCALE_NOT_SET: N_("Withheld: the scale of the judge's marks is not set."),
        JUDGE_MARKS_MISSING: N_("Withheld: the judge's marks are missing."),
        LANGUAGE_WITHOUT_UTTERANCES: N_("Withheld: a language has no items."),
    }
)


@dataclass(frozen=True, slots=True)
class LlmPillar(Stratified):
    """The track as one object; what a competition may set is in its parameters."""

    name: str = "llm"
    version: str = "1.0.0"
    columns: tuple[Column, ...] = (
        points(N_("Score")),
        percent("judge", N_("Judge"), lower_is_better=False),
        percent("f1", N_("Extraction F1"), lower_is_better=False),
        percent("precision", N_("Precision"), lower_is_better=False),
        percent("recall", N_("Recall"), lower_is_better=False),
    )
    counts: tuple[Column, ...] = (
        count("tp", N_("Values found")),
        count("fp", N_("Values too much")),
        count("fn", N_("Values not found")),
        count("marks_missing", N_("Items without marks")),
    )
    settings = llm_params
    composing = llm_compose
    page = llm_methodology
    stored = LlmTallies
    reasons = REASONS
    example = EXAMPLE
    reference_example = REFERENCE_EXAMPLE
    longest_text = LONGEST_REFERENCE

    @property
    def needs_sent(self) -> bool:
        """Whether a score of marks is also made of what was sent: the fields are."""
        return True

    def is_marked(self, params: LlmParams) -> bool:
        """Return whether the server asks a judge for the marks."""
        return params.definition is not None

    def questions(
        self,
        references: ItemReferences,
        predictions: Mapping[str, AnswerRow],
        params: LlmParams,
    ) -> dict[str, str]:
        """Return what the judge is given of each item: what was asked, wanted and answered."""
        del params
        return {
            utt_id: llm_judge_prompt.question(references.values[utt_id], predictions[utt_id].answer)
            for utt_id in references.ids
        }

    def sample(self, ids: Sequence[str], params: LlmParams) -> str:
        """Return the first lines of what is sent."""
        del params
        return "\n".join(EXAMPLE.replace('"…"', f'"{utt_id}"', 1) for utt_id in ids)

    def sending(self, params: LlmParams) -> tuple[str, ...]:
        """Return what is to be known of a row."""
        marks = (
            Phrase(N_("marks is the list of the judge's marks, or null while there are none."))
            if params.marks_in_rows
            else Phrase(N_("Rows with marks are refused."))
        )
        return (
            Phrase(N_("answer is what the system says, as text.")),
            Phrase(
                N_(
                    "fields is an object of the values taken from it: texts, numbers, true, false, null, or lists of these. An item without fields has {}."
                )
            ),
            marks,
        )

    def take_reference(self, params: LlmParams) -> Taker:
        """Return what takes a row of the references: what is asked, and the right fields."""
        del params
        return partial(take_reference, longest=LONGEST_REFERENCE)

    def take(self, params: LlmParams, limits: Limits) -> Taker:
        """Return what takes a row of a submission, an AnswerRow."""
        return partial(take_answer, longest=limits.text_characters, marks=params.marks_wanted)

    def tally(
        self, utt_id: str, references: ItemReferences, row: AnswerRow | Sent, params: LlmParams
    ) -> ItemTally:
        """Return the tallies of one item, with the marks of its row or a judge's beside it.

        Raises MarksInvalid.
        """
        language, value = references.language_of[utt_id], references.values[utt_id]
        return tally_item(utt_id, language, value, _row(utt_id, row, params), params.replicates)


def _row(utt_id: str, given: AnswerRow | Sent, params: LlmParams) -> AnswerRow:
    """Return a row with its marks: those that it has, or a judge's beside it."""
    if not isinstance(given, Sent):
        return given
    row: AnswerRow = given.row
    return row._replace(marks=read_marks(utt_id, given.marks, params))


TRACK = LlmPillar()
