"""What the methodology page of `asr` says; every example is computed by the running code."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from grading.scoring import normalizers
from grading.scoring.methodology import N_, Phrase
from grading.scoring.tracks import asr_params
from grading.scoring.tracks.asr_wer_methodology import COUNTS, FAILED, TRIALS, UNITS, example, order
from grading.scoring.tracks.decimals import decimal_text
from grading.scoring.tracks.pages import intervals, section

if TYPE_CHECKING:
    from grading.scoring.tracks.asr_params import PillarParams
    from grading.scoring.tracks.base import Section

SENDING: tuple[str, ...] = (
    Phrase(N_("One row for each utterance, with utt_id and text. An empty text is a text.")),
    TRIALS,
    FAILED,
)
_EXAMPLE_RATES = (Fraction(1, 10), Fraction(4, 25))


def sections(params: PillarParams) -> list[Section]:
    """Return the sections of the page, in reading order, the normalizer's last."""
    return [
        _score(params),
        _units(params),
        _runs(),
        _order(params),
        _intervals(),
        *normalizers.get(params.normalizer).describe(),
    ]


def _score(params: PillarParams) -> Section:
    weights = {name: decimal_text(weight) for name, weight in params.weights.items()}
    cer, mer = _EXAMPLE_RATES
    shown = 100 * (params.weights["cer"] * (1 - cer) + params.weights["mer"] * (1 - mer))
    return section(
        N_("Score"),
        N_(
            "Two error rates of the whole corpus, each held within 1 before it is weighted: one bad rate cannot eat the credit of the other."
        ),
        COUNTS,
        formula=f"100 · ({weights['cer']} · max(0, 1 − CER) + {weights['mer']} · max(0, 1 − MER))",
        examples=(
            (f"CER {decimal_text(cer)}, MER {decimal_text(mer)}", decimal_text(round(shown, 6))),
        ),
    )


def _units(params: PillarParams) -> Section:
    return section(
        N_("Units"),
        *tuple(UNITS[unit] for unit in asr_params.UNITS),
        examples=tuple(example(unit, params.normalizer) for unit in asr_params.UNITS),
    )


def _runs() -> Section:
    return section(N_("Runs and trials"), TRIALS, FAILED)


def _order(params: PillarParams) -> Section:
    names = (name.upper() for name in params.tie_breaks)
    return section(N_("Order"), order(names))


def _intervals() -> Section:
    return intervals(
        N_(
            "The 95 %% interval comes from %(replicates)d resamples of the utterances; the whole score is computed anew for each. The seed follows from the recipe and the phase, so anyone can repeat the draw."
        ),
        N_(
            "With fewer than two utterances, more than 1 % of resamples without any token, or no spread at all there is no interval. With under 200 utterances it is optimistic."
        ),
    )
