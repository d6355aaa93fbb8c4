"""Parameters of `asr`: the language, its normalizer, and the weights of both error rates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grading.scoring import normalizers
from grading.scoring.metrics.error_rates import Unit
from grading.scoring.tracks.asr_counting import Rule
from grading.scoring.tracks.asr_rates import Measure
from grading.scoring.tracks.pillars_reading import read_all, read_weights, weights_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from grading.scoring.tracks.nvv_t2_judge_reader import Fields

UNITS = (Unit.CER, Unit.MER)
DEFAULT_WEIGHTS = {"cer": "0.7", "mer": "0.3"}
_NAMES = ("language", "normalizer", "weights", "tie_breaks")
_LANGUAGE = re.compile(r"[a-z][a-z0-9-]{0,7}")


@dataclass(frozen=True, slots=True)
class PillarParams:
    """Checked parameters; the weights add up to 1 exactly."""

    language: str
    normalizer: str
    weights: Mapping[str, Fraction]
    tie_breaks: tuple[str, ...]

    @property
    def rules(self) -> dict[str, Rule]:
        """How texts are cut."""
        return {self.language: Rule(self.normalizer, UNITS)}

    def measures(self, language: str) -> tuple[Measure, ...]:
        """Return what counts: CER, then MER, both of the whole corpus."""
        del language
        return tuple(Measure(unit) for unit in UNITS)


def read_params(raw: Mapping[str, Any]) -> PillarParams:
    """Return full parameters; what is not given has the source's value. Raises ParamsInvalid."""
    return read_all(raw, _NAMES, _read)


def _read(fields: Fields, raw: Mapping[str, Any]) -> PillarParams:
    language = fields.text("language", "yue", longest=8)
    if not _LANGUAGE.fullmatch(language):
        fields.fault("language", "is no language code: at most 8 small letters")
    weights = read_weights(fields, "weights", tuple(DEFAULT_WEIGHTS), DEFAULT_WEIGHTS)
    return PillarParams(
        language=language,
        normalizer=fields.choice("normalizer", normalizers.names(), "yue-1"),
        weights=weights,
        tie_breaks=_read_tie_breaks(fields, raw.get("tie_breaks", tuple(DEFAULT_WEIGHTS))),
    )


def _read_tie_breaks(fields: Fields, given: Any) -> tuple[str, ...]:
    names = tuple(DEFAULT_WEIGHTS)
    if not isinstance(given, list | tuple) or any(one not in names for one in given):
        fields.fault("tie_breaks", f"must be a list of some of {', '.join(names)}")
        return ()
    if len(set(given)) < len(given):
        fields.fault("tie_breaks", "names one twice")
    return tuple(given)


def params_json(params: PillarParams) -> dict[str, Any]:
    """Return the canonical form that the recipe digest is made of; `read_params` reads it back."""
    return {
        "language": params.language,
        "normalizer": params.normalizer,
        "weights": weights_json(params.weights),
        "tie_breaks": list(params.tie_breaks),
    }
