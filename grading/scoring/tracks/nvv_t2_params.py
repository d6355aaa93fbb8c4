"""Parameters of `nvv-t2`: what a competition may set, checked as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from grading.scoring.audio.limits import ClipBounds
from grading.scoring.tracks.decimals import decimal_text
from grading.scoring.tracks.nvv_labels import DEFAULT_LABELS, read_labels
from grading.scoring.tracks.nvv_t2_judge import (
    JudgeDefinition,
    definition_json,
    read_definition,
)
from grading.scoring.tracks.nvv_t2_marks import DIMENSIONS
from grading.scoring.types import ParamFault, ParamsInvalid

LANGUAGES = ("en", "zh")
DEFAULT_WEIGHTS = {"A": "0.30", "P": "0.25", "N": "0.15", "Q": "0.15", "E": "0.15"}
DEFAULT_TIE_BREAKS = ("A", "P", "N")
DEFAULT_JUDGE_WEIGHT = "0.30"
DEFAULT_SECONDS = {"shortest": "0.1", "longest": "60"}
LONGEST_SECONDS = 600
NAMES = ("labels", "weights", "tie_breaks", "judge_weight", "seconds", "languages", "judge")

_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class SpeechParams:
    """Checked parameters: weights exact and adding up to 1, clip lengths in seconds.

    `judge_weight` is the share of the judge's score in a final score; people have the rest.
    `judge` is None where no judge is named: then no marks come by themselves.
    """

    labels: tuple[str, ...]
    weights: Mapping[str, Fraction]
    tie_breaks: tuple[str, ...]
    judge_weight: Fraction
    bounds: ClipBounds
    judge: JudgeDefinition | None = None
    languages: tuple[str, ...] = LANGUAGES

    @property
    def label_set(self) -> frozenset[str]:
        """The labels as the tag scanner wants them."""
        return frozenset(self.labels)


def read_params(raw: Mapping[str, Any]) -> SpeechParams:
    """Return full parameters; what is not given has the challenge's value.

    Raises ParamsInvalid with every fault and its path. Numbers are read as decimals, so that
    weights add up to 1 exactly.

    >>> read_params({"judge_weight": 0.5}).judge_weight
    Fraction(1, 2)
    """
    reader = _Reader()
    reader.refuse_others(raw, NAMES, "")
    params = SpeechParams(
        labels=reader.labels(raw.get("labels", DEFAULT_LABELS)),
        weights=MappingProxyType(reader.weights(raw.get("weights", DEFAULT_WEIGHTS))),
        tie_breaks=reader.tie_breaks(raw.get("tie_breaks", DEFAULT_TIE_BREAKS)),
        judge_weight=reader.share(raw.get("judge_weight", DEFAULT_JUDGE_WEIGHT), "judge_weight"),
        bounds=reader.seconds(raw.get("seconds", DEFAULT_SECONDS)),
        judge=reader.judge(raw.get("judge")),
    )
    reader.languages(raw.get("languages", LANGUAGES))
    if reader.faults:
        raise ParamsInvalid(tuple(reader.faults))
    return params


def params_json(params: SpeechParams) -> dict[str, Any]:
    """Return the canonical form that a recipe digest is made of; `read_params` reads it back."""
    return {
        "labels": list(params.labels),
        "weights": {name: decimal_text(weight) for name, weight in params.weights.items()},
        "tie_breaks": list(params.tie_breaks),
        "judge_weight": decimal_text(params.judge_weight),
        "seconds": {
            "shortest": decimal_text(params.bounds.shortest),
            "longest": decimal_text(params.bounds.longest),
        },
        "languages": list(params.languages),
        "judge": None if params.judge is None else definition_json(params.judge),
    }


class _Reader:
    """Reads values and keeps every fault, so that an organizer sees all of them at once."""

    def __init__(self) -> None:
        self.faults: list[ParamFault] = []

    def fault(self, path: str, message: str) -> None:
        self.faults.append(ParamFault(path, message))

    def refuse_others(self, given: Mapping[str, Any], names: Sequence[str], path: str) -> None:
        for name in sorted(str(name) for name in given if name not in names):
            self.fault(f"{path}{name}", f"is not a parameter; there are {', '.join(names)}")

    def fields(self, value: Any, path: str, names: tuple[str, ...]) -> dict[str, Any]:
        """Return a mapping with exactly these keys; what is missing or too much is a fault."""
        if not isinstance(value, Mapping):
            self.fault(path, f"must have the keys {', '.join(names)}")
            return {}
        self.refuse_others(value, names, f"{path}.")
        for name in names:
            if name not in value:
                self.fault(f"{path}.{name}", "is missing")
        return {name: value[name] for name in names if name in value}

    def number(self, value: Any, path: str, low: int, high: int) -> Fraction:
        found = _decimal(value)
        if found is None or not low <= found <= high or found != round(found, _DECIMALS):
            self.fault(
                path, f"must be a number from {low} to {high} with at most {_DECIMALS} decimals"
            )
            return Fraction(0)
        return Fraction(found)

    def labels(self, value: Any) -> tuple[str, ...]:
        labels, faults = read_labels(value)
        self.faults += faults
        return labels

    def judge(self, value: Any) -> JudgeDefinition | None:
        """Return the judge's definition, None where none is named; its faults lie below `judge`."""
        if value is None:
            return None
        try:
            return read_definition(value)
        except ParamsInvalid as error:
            self.faults += [
                ParamFault("judge" if one.path == "judge" else f"judge.{one.path}", one.message)
                for one in error.faults
            ]
            return None

    def share(self, value: Any, path: str) -> Fraction:
        return self.number(value, path, 0, 1)

    def weights(self, value: Any) -> dict[str, Fraction]:
        before = len(self.faults)
        given = self.fields(value, "weights", DIMENSIONS)
        weights = {name: self.share(part, f"weights.{name}") for name, part in given.items()}
        total = sum(weights.values(), Fraction(0))
        if len(self.faults) == before and total != 1:
            self.fault("weights", f"must add up to 1, not {decimal_text(total)}")
        return weights

    def tie_breaks(self, value: Any) -> tuple[str, ...]:
        names = ", ".join(DIMENSIONS)
        if not _is_list(value):
            self.fault("tie_breaks", f"must be a list of {names}")
            return ()
        for index, item in enumerate(value):
            if item not in DIMENSIONS:
                self.fault(f"tie_breaks[{index}]", f"is not known; there are {names}")
            elif item in value[:index]:
                self.fault(f"tie_breaks[{index}]", f"stands twice: {item}")
        return tuple(item for item in value if item in DIMENSIONS)

    def seconds(self, value: Any) -> ClipBounds:
        before = len(self.faults)
        given = self.fields(value, "seconds", ("shortest", "longest"))
        found = {
            name: self.number(part, f"seconds.{name}", 0, LONGEST_SECONDS)
            for name, part in given.items()
        }
        if len(self.faults) > before:
            return ClipBounds()
        if not 0 < found["shortest"] <= found["longest"]:
            self.fault("seconds", "shortest must be more than 0 and at most longest")
        return ClipBounds(found["shortest"], found["longest"])

    def languages(self, value: Any) -> None:
        if not _is_list(value) or sorted(map(str, value)) != list(LANGUAGES):
            self.fault("languages", f"must be {' and '.join(LANGUAGES)}: the score is their mean")


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _decimal(value: object) -> Decimal | None:
    """Return a finite decimal as it is written, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        number = Decimal(str(value))
    except (InvalidOperation, ValueError):  # ValueError: an integer of thousands of digits
        return None
    return number if number.is_finite() else None
