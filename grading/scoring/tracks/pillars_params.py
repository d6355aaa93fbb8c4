"""Parameters of `pillars`: which boards, what each weighs, which of them everyone enters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from grading.scoring.tracks.decimals import decimal_text
from grading.scoring.tracks.pillars_reading import read_all

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grading.scoring.tracks.nvv_t2_judge_reader import Fields

PILLARS = ("asr", "llm", "tts", "e2e")
DEFAULT_WEIGHTS = MappingProxyType({"asr": "20", "llm": "25", "tts": "30", "e2e": "25"})
DEFAULT_BASELINE = ("asr", "llm")
HIGHEST_WEIGHT = 1_000
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_SLUG = 60


@dataclass(frozen=True, slots=True)
class PillarParams:
    """Checked parameters.

    `weights` hold the pillars there are, in their order; only their ratios count. `baseline` are
    those that everyone enters and that the core score is made of. `boards` names the track of the
    competition on whose board each pillar's score stands.
    """

    weights: Mapping[str, Fraction]
    baseline: tuple[str, ...]
    boards: Mapping[str, str]


def read_params(raw: Mapping[str, Any]) -> PillarParams:
    """Return full parameters; what is not given is the seed's. Raises ParamsInvalid.

    >>> dict(read_params({}).weights)["tts"]
    Fraction(30, 1)
    """
    return read_all(raw, ("weights", "baseline", "boards"), _read)


def params_json(params: PillarParams) -> dict[str, Any]:
    """Return the canonical form, for the recipe."""
    return {
        "weights": {name: decimal_text(weight) for name, weight in params.weights.items()},
        "baseline": list(params.baseline),
        "boards": dict(params.boards),
    }


def _read(fields: Fields, raw: Mapping[str, Any]) -> PillarParams:
    weights = _weights(fields)
    boards = fields.part("boards", PILLARS)
    return PillarParams(
        weights=MappingProxyType(weights),
        baseline=_baseline(fields, raw.get("baseline", DEFAULT_BASELINE), tuple(weights)),
        boards=MappingProxyType({name: _slug(boards, name) for name in weights}),
    )


def _weights(fields: Fields) -> dict[str, Fraction]:
    given = fields.has("weights")
    part = fields.part("weights", PILLARS)
    weights = {}
    for name in PILLARS:
        if part.has(name) or not given:
            weights[name] = part.number(name, 0, HIGHEST_WEIGHT, DEFAULT_WEIGHTS[name])
            if not weights[name]:
                part.fault(name, "must be more than 0; leave out a pillar that there is not")
    if not weights:
        fields.fault("weights", f"must have some of {', '.join(PILLARS)}")
    return weights


def _baseline(fields: Fields, given: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        return ()  # that there are no pillars is told already
    is_list = isinstance(given, list | tuple) and bool(given)
    if not is_list or any(name not in names for name in given) or len(set(given)) != len(given):
        fields.fault("baseline", f"must be a list of some of {', '.join(names)}, each once")
        return ()
    return tuple(name for name in names if name in given)


def _slug(boards: Fields, name: str) -> str:
    slug = boards.text(name, name, longest=_LONGEST_SLUG)
    if slug and not _SLUG.fullmatch(slug):
        boards.fault(name, "must be the slug of a track")
    return slug
