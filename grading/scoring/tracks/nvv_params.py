"""Parameters of `nvv-t1`: what a competition may set, checked as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from grading.scoring.tracks.nvv_labels import DEFAULT_LABELS, read_labels
from grading.scoring.types import ParamFault, ParamsInvalid

LANGUAGES = ("en", "zh")
DEFAULT_COLLARS = {"en": 2, "zh": 5}
DEFAULT_WEIGHTS = {"f1": "0.70", "mntd": "0.20", "error": "0.10"}
MAX_COLLAR = 1_000
WEIGHT_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class NvvParams:
    """Checked parameters: labels folded and sorted, weights exact and adding up to 1."""

    labels: tuple[str, ...]
    collars: Mapping[str, int]
    weights: Mapping[str, Fraction]
    tie_breaks: tuple[str, ...]
    languages: tuple[str, ...] = LANGUAGES

    @property
    def label_set(self) -> frozenset[str]:
        """The labels as the tag scanner wants them."""
        return frozenset(self.labels)


class _Faults:
    """Collects every fault, so that an organizer sees all of them at once."""

    def __init__(self) -> None:
        self.found: list[ParamFault] = []

    def add(self, path: str, message: str) -> None:
        self.found.append(ParamFault(path, message))


def read_params(raw: Mapping[str, Any]) -> NvvParams:
    """Return full parameters; what is not given has the challenge's value.

    Raises ParamsInvalid with every fault and its path. Weights are read as decimals, so that
    0.7, 0.2 and 0.1 add up to 1 exactly; write them as numbers or as text.
    """
    faults = _Faults()
    known = {"labels", "collars", "weights", "tie_breaks", "languages"}
    for name in sorted(str(name) for name in raw if name not in known):
        faults.add(name, f"is not a parameter; there are {', '.join(sorted(known))}")
    params = NvvParams(
        labels=_read_labels(raw.get("labels", DEFAULT_LABELS), faults),
        collars=_read_collars(raw.get("collars", DEFAULT_COLLARS), faults),
        weights=_read_weights(raw.get("weights", DEFAULT_WEIGHTS), faults),
        tie_breaks=_read_tie_breaks(raw.get("tie_breaks", tuple(DEFAULT_WEIGHTS)), faults),
        languages=_read_languages(raw.get("languages", LANGUAGES), faults),
    )
    if faults.found:
        raise ParamsInvalid(tuple(faults.found))
    return params


def params_json(params: NvvParams) -> dict[str, Any]:
    """Return the canonical form that the recipe digest is made of; `read_params` reads it back."""
    return {
        "labels": list(params.labels),
        "collars": dict(params.collars),
        "weights": {name: decimal_text(weight) for name, weight in params.weights.items()},
        "tie_breaks": list(params.tie_breaks),
        "languages": list(params.languages),
    }


def decimal_text(value: Fraction) -> str:
    """Return the shortest decimal text of a fraction that came from a decimal.

    >>> decimal_text(Fraction("0.70"))
    '0.7'
    """
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    return f"{Decimal(int(value * 10**digits)).scaleb(-digits):f}"


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _read_labels(value: Any, faults: _Faults) -> tuple[str, ...]:
    labels, found = read_labels(value)
    faults.found += found
    return labels


def _read_map(
    value: Any, path: str, keys: tuple[str, ...], faults: _Faults
) -> dict[str, Any] | None:
    """Return a mapping that has exactly the wanted keys, or None after noting what is wrong."""
    if not isinstance(value, Mapping):
        faults.add(path, f"must have the keys {', '.join(keys)}")
        return None
    for key in sorted(str(key) for key in value if key not in keys):
        faults.add(f"{path}.{key}", f"is not known; there are {', '.join(keys)}")
    for key in keys:
        if key not in value:
            faults.add(f"{path}.{key}", "is missing")
    return {key: value[key] for key in keys if key in value}


def _read_collars(value: Any, faults: _Faults) -> dict[str, int]:
    collars = _read_map(value, "collars", LANGUAGES, faults) or {}
    for language, collar in collars.items():
        whole = isinstance(collar, int) and not isinstance(collar, bool)
        if not whole or not 0 <= collar <= MAX_COLLAR:
            faults.add(f"collars.{language}", f"must be a whole number from 0 to {MAX_COLLAR}")
    return collars


def _read_weights(value: Any, faults: _Faults) -> dict[str, Fraction]:
    names = tuple(DEFAULT_WEIGHTS)
    given = _read_map(value, "weights", names, faults)
    if given is None:
        return {}
    weights = {name: _read_weight(text, f"weights.{name}", faults) for name, text in given.items()}
    exact = [weight for weight in weights.values() if weight is not None]
    if len(exact) == len(names) and sum(exact) != 1:
        faults.add("weights", f"must add up to 1, not {decimal_text(sum(exact, Fraction(0)))}")
    return {name: weight for name, weight in weights.items() if weight is not None}


def _read_weight(value: Any, path: str, faults: _Faults) -> Fraction | None:
    number = _decimal(value)
    if number is None or not 0 <= number <= 1 or number != round(number, WEIGHT_DECIMALS):
        faults.add(path, f"must be a number from 0 to 1 with at most {WEIGHT_DECIMALS} decimals")
        return None
    return Fraction(number)


def _decimal(value: object) -> Decimal | None:
    """Return a finite decimal as it is written, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        number = Decimal(str(value))
    except (InvalidOperation, ValueError):  # ValueError: an integer of thousands of digits
        return None
    return number if number.is_finite() else None


def _read_tie_breaks(value: Any, faults: _Faults) -> tuple[str, ...]:
    names = tuple(DEFAULT_WEIGHTS)
    if not _is_list(value):
        faults.add("tie_breaks", f"must be a list of {', '.join(names)}")
        return ()
    for index, item in enumerate(value):
        if item not in names:
            faults.add(f"tie_breaks[{index}]", f"is not known; there are {', '.join(names)}")
        elif item in value[:index]:
            faults.add(f"tie_breaks[{index}]", f"stands twice: {item}")
    return tuple(item for item in value if item in names)


def _read_languages(value: Any, faults: _Faults) -> tuple[str, ...]:
    if not _is_list(value) or sorted(map(str, value)) != list(LANGUAGES):
        faults.add("languages", f"must be {' and '.join(LANGUAGES)}: the score is their mean")
    return LANGUAGES
