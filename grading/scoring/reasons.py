"""Why a score or an interval is withheld in any track, a sentence for each code."""

from __future__ import annotations

from types import MappingProxyType

from grading.scoring.bootstrap import (
    DEGENERATE_REPLICATES,
    FEWER_THAN_TWO_CLIPS,
    LANGUAGE_WITHOUT_INTERVAL,
    ZERO_WIDTH,
)
from grading.scoring.methodology import N_
from grading.scoring.tracks.base import LANGUAGE_WITHOUT_UTTERANCES, MARKS_MISSING

REASONS = MappingProxyType(
    {
        FEWER_THAN_TWO_CLIPS: N_("No interval: there are fewer than two utterances."),
        DEGENERATE_REPLICATES: N_("No interval: too many resamples had nothing to divide by."),
        ZERO_WIDTH: N_("No interval: every resample gives the same score."),
        LANGUAGE_WITHOUT_INTERVAL: N_("No interval: a language has none."),
        LANGUAGE_WITHOUT_UTTERANCES: N_("Withheld: a language has no utterances."),
        MARKS_MISSING: N_("Withheld: a clip lacks marks."),
    }
)
"""What holds for every track; a track's own sentence for a code goes before it."""
