"""Track `asr-wer`: word, character or mixed error rates by language and corpus; lower is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grading.scoring.methodology import N_
from grading.scoring.tracks import asr_wer_compose as composing
from grading.scoring.tracks import asr_wer_methodology
from grading.scoring.tracks import asr_wer_params as settings
from grading.scoring.tracks.asr_rates import CORPUS
from grading.scoring.tracks.asr_track import Recognition, order
from grading.scoring.tracks.columns import SCORE, Column, View, count, error_rate

if TYPE_CHECKING:
    from grading.scoring.tracks.asr_wer_params import ErrorParams
    from grading.scoring.tracks.base import Composed

TEXT_CHARACTERS = 200_000
"""A transcript may be that of a whole meeting."""

NAMES: dict[str, str] = {"wer": N_("WER"), "cer": N_("CER"), "mer": N_("MER")}
_SCORE = error_rate(SCORE, N_("Error rate"))


@dataclass(frozen=True, slots=True)
class ErrorRates(Recognition):
    """The track as one object; what a competition may set is in its parameters."""

    name: str = "asr-wer"
    version: str = "1.0.0"
    columns: tuple[Column, ...] = (_SCORE,)
    counts: tuple[Column, ...] = (
        count("edits", N_("Edits")),
        count("reference_length", N_("Reference tokens")),
    )
    settings = settings
    composing = composing
    page = asr_wer_methodology
    longest_text = TEXT_CHARACTERS

    def codes(self, params: ErrorParams) -> tuple[str, ...]:
        """Return the languages, in code order."""
        return tuple(params.languages)

    def corpora(self, params: ErrorParams) -> tuple[str, ...]:
        """Return the corpora."""
        return tuple(params.corpora)

    def columns_of(self, params: ErrorParams) -> tuple[Column, ...]:
        """Return the score, each language and corpus where there are several, and what stands beside."""
        label = NAMES[params.unit] if params.unit is not None else _SCORE.label
        found = [error_rate(SCORE, label)]
        if len(params.languages) > 1:
            found += [
                error_rate(code, NAMES[rule.unit], group=N_("Languages"), language=code)
                for code, rule in params.languages.items()
            ]
        found += [
            error_rate(
                settings.beside_key(code, unit), NAMES[unit], group=N_("Beside"), language=code
            )
            for code, rule in params.languages.items()
            for unit in rule.beside
        ]
        if len(params.corpora) > 1:
            found += [
                error_rate(key, label, group=N_("Corpora")) for key, label in params.corpora.items()
            ]
        return (*found, *_beside(params))

    def views(self, params: ErrorParams) -> tuple[View, ...]:
        """Return languages and corpora, where there are several of them."""
        codes = params.languages if len(params.languages) > 1 else ()
        names = params.corpora if len(params.corpora) > 1 else {}
        return (
            *(View(code) for code in codes),
            *(View(key, label) for key, label in names.items()),
        )

    def sending(self, params: ErrorParams) -> tuple[str, ...]:
        """Return what is to be known of what is sent."""
        return asr_wer_methodology.sending(params)

    def order_key(self, composed: Composed, params: ErrorParams) -> tuple[float, ...]:
        """Return a key that sorts the lowest rate first, then by the tie-breaks, at 9 decimals."""
        if composed.score is None:
            return (1.0,)
        others = [composed.components.get(name) for name in params.tie_breaks]
        return order(composed.score, *(float("inf") if one is None else one for one in others))


def _beside(params: ErrorParams) -> list[Column]:
    """Return the columns of what is never ranked by, or only in a tie."""
    several = len(params.languages) + len(params.corpora) > 1
    found = []
    if params.unit is not None and several and params.overall != settings.POOLED:
        found.append(error_rate(settings.POOLED, N_("Pooled")))
    if params.rate == CORPUS:
        label = N_("Mean of utterances")
        found.append(error_rate(composing.MEAN_OF_UTTERANCES, label, place="data"))
    else:
        found.append(error_rate(composing.CORPUS_LEVEL, N_("Corpus level")))
    return found


TRACK = ErrorRates()
