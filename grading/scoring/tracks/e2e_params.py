"""Parameters of `e2e`: weights, the law of latency, what yielding is worth, the scale of naturalness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from grading.scoring.formats.turn_rows import RATING_DECIMALS
from grading.scoring.metrics.turns import MILLISECOND
from grading.scoring.tracks.decimals import decimal_text
from grading.scoring.tracks.pillars_reading import (
    ABOVE_LOWEST,
    Scale,
    read_all,
    read_languages,
    read_scale,
    read_weights,
    scale_json,
    weights_json,
)

if TYPE_CHECKING:
    from grading.scoring.tracks.nvv_t2_judge_reader import Fields

LATENCY, NATURALNESS = "latency", "naturalness"
PARTS = (LATENCY, NATURALNESS)
DEFAULT_WEIGHTS = MappingProxyType({LATENCY: "0.4", NATURALNESS: "0.6"})
DEFAULT_SCALE = Scale(Fraction(1), Fraction(5), ABOVE_LOWEST)
NO_GATE, YIELD_RATE = "none", "yield-rate"
GATES = (NO_GATE, YIELD_RATE)
TIMES = MappingProxyType(
    {"full": 300, "zero": 2_000, "timeout": 10_000, "early": 200, "sound": 500, "yield": 500}
)
_LONGEST_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class TalkParams:
    """Checked parameters.

    `times` are in milliseconds: `full` and `zero` are the knees of the latency's law, `timeout` is
    when a turn counts as unanswered, `early` how much too early still counts as at once, `sound` how
    soon a sound must follow its announcement, `yield` how soon a reply must stop.
    """

    languages: tuple[str, ...]
    weights: Mapping[str, Fraction]
    part: Fraction
    times: Mapping[str, int]
    scale: Scale
    raters_needed: int
    gate: str

    def ns(self, name: str) -> int:
        """Return one of the times in nanoseconds."""
        return self.times[name] * MILLISECOND


def read_params(raw: Mapping[str, Any]) -> TalkParams:
    """Return full parameters; what is not given is the seed's. Raises ParamsInvalid.

    >>> read_params({}).part
    Fraction(19, 20)
    """
    names = ("languages", "weights", "percentile", "times_ms", "scale", "raters_needed", "gate")
    return read_all(raw, names, _read)


def params_json(params: TalkParams) -> dict[str, Any]:
    """Return the canonical form, for the recipe."""
    return {
        "languages": list(params.languages),
        "weights": weights_json(params.weights),
        "percentile": decimal_text(params.part),
        "times_ms": dict(params.times),
        "scale": scale_json(params.scale),
        "raters_needed": params.raters_needed,
        "gate": params.gate,
    }


def _read(fields: Fields, raw: Mapping[str, Any]) -> TalkParams:
    part = fields.number("percentile", 0, 1, "0.95")
    if not part:
        fields.fault("percentile", "must be above 0")
    return TalkParams(
        languages=read_languages(fields, raw.get("languages")),
        weights=read_weights(fields, "weights", PARTS, DEFAULT_WEIGHTS),
        part=part,
        times=MappingProxyType(_times(fields)),
        scale=_scale(fields),
        raters_needed=fields.integer("raters_needed", 1, 1_000, 3),
        gate=fields.choice("gate", GATES, NO_GATE),
    )


def _times(fields: Fields) -> dict[str, int]:
    part = fields.part("times_ms", tuple(TIMES))
    times = {name: part.integer(name, 0, _LONGEST_MS, value) for name, value in TIMES.items()}
    if not times["full"] < times["zero"]:
        part.fault("zero", "must be more than full")
    return times


def _scale(fields: Fields) -> Scale:
    scale = read_scale(fields, "scale") or DEFAULT_SCALE
    bounds = (scale.lowest, scale.highest)
    if any((bound * 10**RATING_DECIMALS).denominator != 1 for bound in bounds):
        fields.fault("scale", f"must have bounds of at most {RATING_DECIMALS} decimals")
    return scale
