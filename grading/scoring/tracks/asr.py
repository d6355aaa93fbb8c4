"""Track `asr`: the recognition pillar, 100 · (0.7 · max(0, 1 − CER) + 0.3 · max(0, 1 − MER))."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grading.scoring.methodology import N_
from grading.scoring.tracks import asr_compose, asr_methodology, asr_params
from grading.scoring.tracks.asr_track import Recognition, order
from grading.scoring.tracks.columns import Column, count, error_rate, points

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grading.scoring.tracks.asr_params import PillarParams
    from grading.scoring.tracks.base import Composed


@dataclass(frozen=True, slots=True)
class RecognitionPillar(Recognition):
    """The track as one object; what a competition may set is in its parameters."""

    name: str = "asr"
    version: str = "1.0.0"
    columns: tuple[Column, ...] = (
        points(N_("ASR")),
        error_rate("cer", N_("CER")),
        error_rate("mer", N_("MER")),
    )
    counts: tuple[Column, ...] = (
        count("cer_edits", N_("Edits, CER")),
        count("cer_reference_length", N_("Characters")),
        count("mer_edits", N_("Edits, MER")),
        count("mer_reference_length", N_("Mixed tokens")),
    )
    settings = asr_params
    composing = asr_compose
    page = asr_methodology
    longest_text = 20_000

    def codes(self, params: PillarParams) -> tuple[str, ...]:
        """Return the one language."""
        return (params.language,)

    def sending(self, params: PillarParams) -> tuple[str, ...]:
        """Return what is to be known of what is sent."""
        del params
        return asr_methodology.SENDING

    def points(
        self, languages: Mapping[str, Mapping[str, Any]], params: PillarParams
    ) -> dict[str, float]:
        """Return what each rate brings to the score, in points: together the score."""
        return asr_compose.points(languages, params)

    def order_key(self, composed: Composed, params: PillarParams) -> tuple[float, ...]:
        """Return a key that sorts the best first: score, then the tie-breaks, at 9 decimals."""
        if composed.score is None:
            return (1.0,)
        return order(-composed.score, *(composed.components[name] for name in params.tie_breaks))


TRACK = RecognitionPillar()
