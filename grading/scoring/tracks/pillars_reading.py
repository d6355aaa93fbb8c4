"""Settings that the tracks of the pillars share: weights, languages, scales of marks."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from grading.scoring.tracks.nvv_t2_judge_reader import Fields, decimal_text
from grading.scoring.types import ParamFault, ParamsInvalid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LANGUAGES = ("en", "id", "ms", "ta", "yue", "zh")
DEFAULT_LANGUAGES = ("yue",)
ABOVE_LOWEST = "above-lowest"
OF_HIGHEST = "of-highest"
MAPPINGS = (ABOVE_LOWEST, OF_HIGHEST)
_BOUND = 1_000

Params = TypeVar("Params")


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale of marks, and how a mark becomes a share of 0 to 1.

    `above-lowest` is (x - lowest) / (highest - lowest): the lowest mark is worth nothing.
    `of-highest` is x / highest, as some boards do it: the lowest mark keeps its part, and what is
    below 0 is worth nothing.
    """

    lowest: Fraction
    highest: Fraction
    mapping: str

    def share(self, mark: Fraction) -> Fraction:
        """Return the share, held within 0 and 1.

        >>> Scale(Fraction(1), Fraction(5), ABOVE_LOWEST).share(Fraction(4))
        Fraction(3, 4)
        >>> Scale(Fraction(1), Fraction(5), OF_HIGHEST).share(Fraction(4))
        Fraction(4, 5)
        """
        zero = self.zero
        return max(Fraction(0), min(Fraction(1), (mark - zero) / (self.highest - zero)))

    @property
    def zero(self) -> Fraction:
        """The mark that is worth nothing."""
        return self.lowest if self.mapping == ABOVE_LOWEST else Fraction(0)

    @property
    def formula(self) -> str:
        """The share as a formula of x."""
        low, high = decimal_text(self.lowest), decimal_text(self.highest)
        if self.mapping == OF_HIGHEST:
            return f"x / {high}"
        sign = f"+ {decimal_text(-self.lowest)}" if self.lowest < 0 else f"− {low}"
        return f"(x {sign}) / {decimal_text(self.highest - self.lowest)}"


def read_all(
    raw: Mapping[str, Any],
    names: Sequence[str],
    read: Callable[[Fields, Mapping[str, Any]], Params],
) -> Params:
    """Return what `read` makes of the settings, checked and as given. Raises ParamsInvalid with every fault."""
    faults: list[ParamFault] = []
    found = read(Fields(raw, names, faults), raw)
    if faults:
        raise ParamsInvalid(tuple(faults))
    return found


def read_weights(
    fields: Fields, name: str, parts: Sequence[str], defaults: Mapping[str, str]
) -> Mapping[str, Fraction]:
    """Return the weight of every part, 0 to 1, adding up to 1 exactly."""
    part = fields.part(name, parts)
    given = fields.has(name)
    weights = {}
    for one in parts:
        if given and not part.has(one):
            part.fault(one, "is missing")
        weights[one] = part.number(one, 0, 1, "0" if given else defaults[one])
    total = sum(weights.values(), Fraction(0))
    if total != 1:
        fields.fault(name, f"must add up to 1, not {decimal_text(total)}")
    return MappingProxyType(weights)


def weights_json(weights: Mapping[str, Fraction]) -> dict[str, str]:
    """Return weights as decimals."""
    return {name: decimal_text(weight) for name, weight in weights.items()}


def read_scale(fields: Fields, name: str) -> Scale | None:
    """Return a scale, None where none is set: there is no scale to guess."""
    if not fields.has(name):
        return None
    part = fields.part(name, ("lowest", "highest", "mapping"))
    for one in ("lowest", "highest", "mapping"):
        if not part.has(one):
            part.fault(one, "is missing")
    lowest = part.number("lowest", -_BOUND, _BOUND)
    highest = part.number("highest", -_BOUND, _BOUND, "1")
    mapping = part.choice("mapping", MAPPINGS, ABOVE_LOWEST)
    scale = Scale(lowest, highest, mapping)
    if lowest >= highest or (mapping == OF_HIGHEST and highest <= 0):
        part.fault("", "must have lowest below highest, and highest above 0 where it divides")
        return Scale(Fraction(0), Fraction(1), ABOVE_LOWEST)
    return scale


def scale_json(scale: Scale | None) -> dict[str, str] | None:
    """Return the canonical form of a scale."""
    if scale is None:
        return None
    return {
        "lowest": decimal_text(scale.lowest),
        "highest": decimal_text(scale.highest),
        "mapping": scale.mapping,
    }


def read_languages(raw: Fields, given: Any) -> tuple[str, ...]:
    """Return the languages, in code order; the score is their mean."""
    if given is None:
        return DEFAULT_LANGUAGES
    is_list = isinstance(given, list | tuple)
    if not is_list or not given or any(one not in LANGUAGES for one in given):
        raw.fault("languages", f"must be a list of some of {', '.join(LANGUAGES)}")
        return DEFAULT_LANGUAGES
    if len(set(given)) != len(given):
        raw.fault("languages", "holds a language twice")
    return tuple(sorted(set(given)))


def without_nulls(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without those that are not set."""
    return {name: value for name, value in settings.items() if value is not None}
