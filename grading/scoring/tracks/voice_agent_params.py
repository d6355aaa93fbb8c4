"""Parameters of `voice-agent`: languages, subtasks with their scales, and the arm that ranks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from grading.scoring.formats.arm_scores import ARMS, AUDIO
from grading.scoring.tracks.language_codes import DEFAULT_LANGUAGES, read_languages
from grading.scoring.tracks.nvv_t2_judge_reader import Fields
from grading.scoring.tracks.pillars_reading import (
    OF_HIGHEST,
    Scale,
    read_scale,
    scale_json,
)
from grading.scoring.types import ParamFault, ParamsInvalid

if TYPE_CHECKING:
    from grading.scoring.formats.arm_scores import Bounds

SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        "accuracy": Scale(Fraction(0), Fraction(1), OF_HIGHEST),
        "gpt_1to5": Scale(Fraction(1), Fraction(5), OF_HIGHEST),
        "ifeval": Scale(Fraction(0), Fraction(100), OF_HIGHEST),
    }
)
"""Scales that have a name; all of them divide by the highest score."""
DEFAULT_SUBTASKS = MappingProxyType({"accuracy": "accuracy"})
MOST_SUBTASKS = 40
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_NAMES = ("languages", "subtasks", "headline")


@dataclass(frozen=True, slots=True)
class AgentParams:
    """Checked parameters: subtasks in the order of their names, each with its scale."""

    languages: tuple[str, ...]
    subtasks: Mapping[str, Scale]
    headline: str

    @property
    def bounds(self) -> Bounds:
        """The lowest and the highest score of each subtask."""
        return {name: (scale.lowest, scale.highest) for name, scale in self.subtasks.items()}


def read_params(raw: Mapping[str, Any]) -> AgentParams:
    """Return full parameters. Raises ParamsInvalid with every fault and its path.

    A scale is a name (accuracy, gpt_1to5, ifeval) or lowest, highest and mapping.

    >>> read_params({"subtasks": {"chat": "gpt_1to5"}}).subtasks["chat"].share(Fraction(4))
    Fraction(4, 5)
    """
    faults: list[ParamFault] = []
    fields = Fields(raw, _NAMES, faults)
    params = AgentParams(
        languages=read_languages(fields, raw.get("languages"), DEFAULT_LANGUAGES),
        subtasks=_subtasks(fields, raw.get("subtasks", DEFAULT_SUBTASKS), faults),
        headline=fields.choice("headline", ARMS, AUDIO),
    )
    if faults:
        raise ParamsInvalid(tuple(faults))
    return params


def params_json(params: AgentParams) -> dict[str, Any]:
    """Return the canonical form, for the recipe; a named scale is written out."""
    return {
        "languages": list(params.languages),
        "subtasks": {name: scale_json(scale) for name, scale in params.subtasks.items()},
        "headline": params.headline,
    }


def _subtasks(fields: Fields, given: object, faults: list[ParamFault]) -> Mapping[str, Scale]:
    if not isinstance(given, Mapping) or not 1 <= len(given) <= MOST_SUBTASKS:
        fields.fault("subtasks", f"must name 1 to {MOST_SUBTASKS} subtasks, each with its scale")
        return MappingProxyType({})
    found = {}
    for name in sorted(map(str, given)):
        if not _NAME.fullmatch(name):
            fields.fault(f"subtasks.{name}", "must be lower-case letters, digits, - and _")
            continue
        scale = _scale(name, given.get(name), faults)
        if scale is not None:
            found[name] = scale
    return MappingProxyType(found)


def _scale(name: str, given: object, faults: list[ParamFault]) -> Scale | None:
    if isinstance(given, Mapping):
        found = read_scale(Fields({name: given}, (name,), faults, "subtasks"), name)
        if found is not None and found.lowest < found.zero:
            # A score below the zero is worth nothing: a mean of shares would not be the share of the mean.
            message = "must not go below 0 where a score is divided by the highest"
            faults.append(ParamFault(f"subtasks.{name}", message))
        return found
    scale = SCALES.get(given) if isinstance(given, str) else None
    if scale is None:
        message = f"must be {', '.join(SCALES)}, or have lowest, highest and mapping"
        faults.append(ParamFault(f"subtasks.{name}", message))
    return scale
