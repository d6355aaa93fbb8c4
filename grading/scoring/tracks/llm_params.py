"""Parameters of `llm`: what the judge's marks and the extraction weigh, and the scale of the marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from grading.scoring.formats.answers import MARK_DECIMALS, MOST_MARKS, MarksWanted
from grading.scoring.tracks import llm_judge_prompt
from grading.scoring.tracks.nvv_t2_judge import JudgeDefinition, definition_json, read_definition
from grading.scoring.tracks.pillars_reading import (
    Scale,
    read_all,
    read_languages,
    read_scale,
    read_weights,
    scale_json,
    weights_json,
    without_nulls,
)
from grading.scoring.types import ParamsInvalid

if TYPE_CHECKING:
    from grading.scoring.tracks.nvv_t2_judge_reader import Fields

JUDGE, EXTRACTION = "judge", "extraction"
PARTS = (JUDGE, EXTRACTION)
DEFAULT_WEIGHTS = MappingProxyType({JUDGE: "0.5", EXTRACTION: "0.5"})
NAMES = ("languages", "weights", "scale", "marks_in_rows", "replicates", "judge")
_LONGEST_LABEL = 80


@dataclass(frozen=True, slots=True)
class LlmParams:
    """Checked parameters: weights exact and adding up to 1.

    `scale` None says that nobody set what a mark is worth: then the judge's part is withheld.
    `marks_in_rows`: marks are taken from the rows that are sent; only where organizers send them.
    `judge` names who gave those; as a definition it is the judge that the server asks for marks.
    """

    languages: tuple[str, ...]
    weights: Mapping[str, Fraction]
    scale: Scale | None
    marks_in_rows: bool
    replicates: int
    judge: str | JudgeDefinition

    @property
    def definition(self) -> JudgeDefinition | None:
        """The judge that the server asks, None where it asks none."""
        return self.judge if isinstance(self.judge, JudgeDefinition) else None

    @property
    def judge_name(self) -> str:
        """What the judge is called, empty where nobody said."""
        return self.judge.label if isinstance(self.judge, JudgeDefinition) else self.judge

    @property
    def marks_wanted(self) -> MarksWanted | None:
        """Which marks a row may have; None where it may have none."""
        if self.scale is None or not self.marks_in_rows:
            return None
        return MarksWanted(self.scale.lowest, self.scale.highest, self.replicates)


def read_params(raw: Mapping[str, Any]) -> LlmParams:
    """Return full parameters. Raises ParamsInvalid with every fault and its path.

    >>> read_params({}).scale is None
    True
    """
    return read_all(raw, NAMES, _read)


def params_json(params: LlmParams) -> dict[str, Any]:
    """Return the canonical form, for the recipe."""
    return without_nulls(
        {
            "languages": list(params.languages),
            "weights": weights_json(params.weights),
            "scale": scale_json(params.scale),
            "marks_in_rows": params.marks_in_rows,
            "replicates": params.replicates,
            "judge": definition_json(params.definition) if params.definition else params.judge,
        }
    )


def _read(fields: Fields, raw: Mapping[str, Any]) -> LlmParams:
    scale = read_scale(fields, "scale")
    if scale is not None and any(
        (bound * 10**MARK_DECIMALS).denominator != 1 for bound in (scale.lowest, scale.highest)
    ):
        fields.fault("scale", f"must have bounds of at most {MARK_DECIMALS} decimals")
    if scale is not None and scale.lowest < scale.zero:
        fields.fault("scale", "must not go below 0 where a mark is divided by the highest")
    marks_in_rows = fields.flag("marks_in_rows")
    is_asked = isinstance(raw.get("judge"), Mapping)
    if (marks_in_rows or is_asked) and scale is None:
        fields.fault("scale", "is missing: what is a mark of the judge worth?")
    if marks_in_rows and is_asked:
        fields.fault("marks_in_rows", "must be false where the server asks a judge")
    judge = _definition(fields, raw["judge"], scale) if is_asked else _label(fields)
    return LlmParams(
        languages=read_languages(fields, raw.get("languages")),
        weights=read_weights(fields, "weights", PARTS, DEFAULT_WEIGHTS),
        scale=scale,
        marks_in_rows=marks_in_rows,
        replicates=_replicates(fields, judge),
        judge=judge,
    )


def _label(fields: Fields) -> str:
    return fields.text("judge", "", longest=_LONGEST_LABEL)


def _definition(
    fields: Fields, given: Mapping[str, Any], scale: Scale | None
) -> JudgeDefinition | str:
    """Return the judge that the server asks; its faults lie below `judge`."""
    if scale is None:
        return ""
    try:
        return read_definition(given, llm_judge_prompt.of_definition(scale))
    except ParamsInvalid as error:
        for one in error.faults:
            fields.fault("judge" if one.path == "judge" else f"judge.{one.path}", one.message)
    return ""


def _replicates(fields: Fields, judge: JudgeDefinition | str) -> int:
    """Return how many marks an item must have; a judge's definition says it itself."""
    usual = 1 if isinstance(judge, str) else judge.replicates
    given = fields.integer("replicates", 1, MOST_MARKS, usual)
    if not isinstance(judge, str) and given != judge.replicates:
        fields.fault("replicates", "must be the judge's, or left out")
    return given
