"""Track `tts`: speech that a system made, by opinion, likeness, a recognizer that listens back, stability."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from grading.scoring.formats.speech_rows import (
    EXAMPLE,
    REFERENCE_EXAMPLE,
    take_reference,
    take_row,
)
from grading.scoring.methodology import N_, Phrase
from grading.scoring.metrics import error_rates
from grading.scoring.tracks import tts_compose, tts_methodology, tts_params
from grading.scoring.tracks.base import LANGUAGE_WITHOUT_UTTERANCES
from grading.scoring.tracks.columns import (
    Column,
    count,
    counted,
    error_rate,
    percent,
    points,
)
from grading.scoring.tracks.pillars_declared import Stratified
from grading.scoring.tracks.tts_compose import (
    LOOP_BACK_NOT_SET,
    PILLAR_WEIGHTS_NOT_SET,
    STABILITY_MISSING,
    missing,
    not_set,
)
from grading.scoring.tracks.tts_params import COMOS, LOOP_BACK, MOS, SIMILARITY, STABILITY
from grading.scoring.tracks.tts_tallies import SpeechPillarTallies, tally_clip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grading.scoring.formats.item_rows import Taker
    from grading.scoring.formats.speech_rows import SpeechRow
    from grading.scoring.tracks.pillars_tables import ItemReferences
    from grading.scoring.tracks.tts_params import SpeechPillarParams
    from grading.scoring.tracks.tts_tallies import ClipTally
    from grading.scoring.types import Limits

LONGEST_TEXT = 20_000
REASONS = MappingProxyType(
    {
        PILLAR_WEIGHTS_NOT_SET: N_("Withheld: what the parts weigh is not set."),
        not_set(MOS): N_("Withheld: the scale of MOS is not set."),
        not_set(COMOS): N_("Withheld: the scale of CoMOS is not set."),
        not_set(SIMILARITY): N_("Withheld: the scale of similarity is not set."),
        LOOP_BACK_NOT_SET: N_("Withheld: no recognizer is named that listens back."),
        missing(MOS): N_("Withheld: MOS is missing, or a clip has too few ratings."),
        missing(COMOS): N_("Withheld: CoMOS is missing, or a clip has too few ratings."),
        missing(SIMILARITY): N_("Withheld: similarity is missing."),
        missing(LOOP_BACK): N_("Withheld: transcripts of the loop-back are missing."),
        STABILITY_MISSING: N_("Withheld: whether clips repeat is missing."),
        LANGUAGE_WITHOUT_UTTERANCES: N_("Withheld: a language has no clips."),
    }
)


@dataclass(frozen=True, slots=True)
class SpeechPillar(Stratified):
    """The track as one object; what a competition may set is in its parameters."""

    name: str = "tts"
    version: str = "1.0.0"
    columns: tuple[Column, ...] = (
        points(N_("Score")),
        Column(MOS, N_("MOS"), "", lower_is_better=False),
        Column(COMOS, N_("CoMOS"), "", lower_is_better=False),
        Column(SIMILARITY, N_("SIM"), "", lower_is_better=False, digits=3),
        error_rate("loop_back_error", N_("Loop-back error")),
        percent(STABILITY, N_("Stable"), lower_is_better=False),
        counted("failed", N_("Failed"), lower_is_better=True),
        counted("repeated", N_("Repeated"), lower_is_better=True),
    )
    counts: tuple[Column, ...] = (
        count("edits", N_("Edits")),
        count("reference_length", N_("Length of the texts")),
        count("mos_ratings", N_("Ratings, MOS")),
        count("comos_ratings", N_("Ratings, CoMOS")),
    )
    settings = tts_params
    composing = tts_compose
    page = tts_methodology
    stored = SpeechPillarTallies
    reasons = REASONS
    example = EXAMPLE
    reference_example = REFERENCE_EXAMPLE
    longest_text = LONGEST_TEXT

    def sample(self, ids: Sequence[str], params: SpeechPillarParams) -> str:
        """Return the first lines of what is sent: a clip without measurements, which may follow."""
        del params
        row = '{"utt_id": "…", "failed": false, "repeated": false}'
        return "\n".join(row.replace("…", utt_id) for utt_id in ids)

    def sending(self, params: SpeechPillarParams) -> tuple[str, ...]:
        """Return what is to be known of a row."""
        del params
        return (
            Phrase(
                N_(
                    "A row holds what the organizers measured of one clip; what was not measured is null or left out."
                )
            ),
            Phrase(
                N_(
                    "failed says that nothing came that could be measured; such a row has no other values. repeated says that the system said something again."
                )
            ),
            Phrase(
                N_(
                    "transcript is what the named recognizer heard. mos and comos are lists of people's ratings. similarity is one number."
                )
            ),
        )

    def take_reference(self, params: SpeechPillarParams) -> Taker:
        """Return what takes a row of the references: a text to be spoken."""
        leaves_nothing = partial(_leaves_nothing, params)
        return partial(take_reference, longest=LONGEST_TEXT, leaves_nothing=leaves_nothing)

    def take(self, params: SpeechPillarParams, limits: Limits) -> Taker:
        """Return what takes a row of a submission, a SpeechRow."""
        return partial(take_row, longest=limits.text_characters, scales=params.scales)

    def tally(
        self, utt_id: str, references: ItemReferences, row: SpeechRow, params: SpeechPillarParams
    ) -> ClipTally:
        """Return the tallies of one clip."""
        language, text = references.language_of[utt_id], references.values[utt_id].text
        rules = {} if params.loop_back is None else params.loop_back.rules
        return tally_clip(utt_id, language, text, row, rules.get(language))


def _leaves_nothing(params: SpeechPillarParams, text: str) -> bool:
    """Tell whether no rule that listens back leaves anything of this text to compare."""
    rules = () if params.loop_back is None else params.loop_back.rules.values()
    return bool(rules) and not any(
        error_rates.tokens(text, rule.unit, rule.of_text) for rule in rules
    )


TRACK = SpeechPillar()
