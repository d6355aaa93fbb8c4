"""Parameters of `tts`: what each part weighs, the scales, the recognizer that listens back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from grading.scoring import normalizers
from grading.scoring.formats.speech_rows import MARK_DECIMALS
from grading.scoring.metrics.error_rates import Normalizer, Unit
from grading.scoring.tracks.pillars_reading import (
    LANGUAGES,
    Scale,
    read_all,
    read_languages,
    read_scale,
    read_weights,
    scale_json,
    weights_json,
    without_nulls,
)

if TYPE_CHECKING:
    from grading.scoring.tracks.nvv_t2_judge_reader import Fields

MOS, COMOS, SIMILARITY, LOOP_BACK, STABILITY = (
    "mos",
    "comos",
    "similarity",
    "loop_back",
    "stability",
)
PARTS = (MOS, COMOS, SIMILARITY, LOOP_BACK, STABILITY)
SCALED = (MOS, COMOS, SIMILARITY)
NAMES = ("languages", "weights", "scales", "loop_back", "raters_needed", "measured_by")
_LONGEST_LABEL = 120


@dataclass(frozen=True, slots=True)
class ListeningRule:
    """How a language's transcripts are compared with the texts: through what, and counted in what."""

    normalizer: str
    unit: Unit

    @property
    def of_text(self) -> Normalizer:
        """The normalizer itself."""
        return normalizers.get(self.normalizer)


@dataclass(frozen=True, slots=True)
class LoopBack:
    """The recognizer that listens back, by name and version, and a rule for each language."""

    recognizer: str
    rules: Mapping[str, ListeningRule]


@dataclass(frozen=True, slots=True)
class SpeechPillarParams:
    """Checked parameters.

    `weights` None says that nobody set what the parts weigh: then there is no score. The same with
    a scale of a part that weighs, and with `loop_back`.
    """

    languages: tuple[str, ...]
    weights: Mapping[str, Fraction] | None
    scales: Mapping[str, Scale | None]
    loop_back: LoopBack | None
    raters_needed: int
    measured_by: Mapping[str, str]

    def weight(self, part: str) -> Fraction:
        """Return what a part weighs, 0 where nobody set it."""
        return Fraction(0) if self.weights is None else self.weights[part]


def read_params(raw: Mapping[str, Any]) -> SpeechPillarParams:
    """Return full parameters. Raises ParamsInvalid with every fault and its path.

    >>> read_params({}).weights is None
    True
    """
    return read_all(raw, NAMES, _read)


def params_json(params: SpeechPillarParams) -> dict[str, Any]:
    """Return the canonical form, for the recipe."""
    scales = {name: scale_json(scale) for name, scale in params.scales.items()}
    return without_nulls(
        {
            "languages": list(params.languages),
            "weights": None if params.weights is None else weights_json(params.weights),
            "scales": without_nulls(scales) or None,
            "loop_back": _loop_back_json(params.loop_back),
            "raters_needed": params.raters_needed,
            "measured_by": dict(params.measured_by) or None,
        }
    )


def _loop_back_json(loop_back: LoopBack | None) -> dict[str, Any] | None:
    if loop_back is None:
        return None
    rules = {
        name: {"normalizer": rule.normalizer, "unit": str(rule.unit)}
        for name, rule in loop_back.rules.items()
    }
    return {"recognizer": loop_back.recognizer, "languages": rules}


def _read(fields: Fields, raw: Mapping[str, Any]) -> SpeechPillarParams:
    languages = read_languages(fields, raw.get("languages"))
    by = fields.part("measured_by", SCALED)
    given = fields.has("weights")
    return SpeechPillarParams(
        languages=languages,
        weights=read_weights(fields, "weights", PARTS, {}) if given else None,
        scales=MappingProxyType(_scales(fields)),
        loop_back=_loop_back(fields, languages),
        raters_needed=fields.integer("raters_needed", 1, 1_000, 3),
        measured_by=MappingProxyType(
            {name: by.text(name, longest=_LONGEST_LABEL) for name in SCALED if by.has(name)}
        ),
    )


def _scales(fields: Fields) -> dict[str, Scale | None]:
    part = fields.part("scales", SCALED)
    scales = {name: read_scale(part, name) for name in SCALED}
    for name in (MOS, COMOS):
        scale = scales[name]
        bounds = () if scale is None else (scale.lowest, scale.highest)
        if any((bound * 10**MARK_DECIMALS).denominator != 1 for bound in bounds):
            part.fault(name, f"must have bounds of at most {MARK_DECIMALS} decimals")
    return scales


def _loop_back(fields: Fields, languages: tuple[str, ...]) -> LoopBack | None:
    if not fields.has("loop_back"):
        return None
    part = fields.part("loop_back", ("recognizer", "languages"))
    by_language = part.part("languages", LANGUAGES)
    rules = {}
    for name in languages:
        if not by_language.has(name):
            by_language.fault(name, "is missing")
        rules[name] = _rule(by_language.part(name, ("normalizer", "unit")))
    return LoopBack(part.text("recognizer", longest=_LONGEST_LABEL), MappingProxyType(rules))


def _rule(part: Fields) -> ListeningRule:
    known = normalizers.names()
    if not part.has("normalizer"):
        part.fault("normalizer", f"is missing; there are {', '.join(known)}")
    name = part.choice("normalizer", known, known[0])
    return ListeningRule(name, Unit(part.choice("unit", tuple(map(str, Unit)), str(Unit.CER))))
