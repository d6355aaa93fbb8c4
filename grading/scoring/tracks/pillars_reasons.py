"""Why a composed score is withheld, a sentence for each code."""

from __future__ import annotations

from types import MappingProxyType

from grading.scoring.methodology import N_
from grading.scoring.tracks.composed import PILLAR_WITHOUT_INTERVAL

REASONS = MappingProxyType(
    {
        "ASR_NOT_ENTERED": N_("Withheld: ASR was not entered."),
        "LLM_NOT_ENTERED": N_("Withheld: LLM was not entered."),
        "TTS_NOT_ENTERED": N_("Withheld: TTS was not entered."),
        "E2E_NOT_ENTERED": N_("Withheld: E2E was not entered."),
        "ASR_NOT_FINAL": N_("Withheld: ASR is not final."),
        "LLM_NOT_FINAL": N_("Withheld: LLM is not final."),
        "TTS_NOT_FINAL": N_("Withheld: TTS is not final."),
        "E2E_NOT_FINAL": N_("Withheld: E2E is not final."),
        "BASELINE_ALONE": N_("None: the baseline alone was entered, and the core score says it."),
        PILLAR_WITHOUT_INTERVAL: N_("No interval: a pillar has none."),
    }
)
