"""How a track declares what its board shows: columns, views, the scatter of two columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grading.scoring.methodology import N_

SCORE = "score"

ShownAs = Literal["number", "percent", "count", "counted", "text", "flag"]
Place = Literal["table", "part", "panel", "data"]
NUMBERS = frozenset({"number", "percent", "count", "counted"})


@dataclass(frozen=True, slots=True)
class Column:
    """One value of a board row: where it is found, how it is shown, which way is better.

    `key` names it in the components and in the JSON of a part. `shown_as` says how it is written:
    `percent` values are stored as fractions (0.1625) and shown as 16.25; `counted` is a pair
    [k, n]. `digits` are those that are shown. `place` is the table, the table of a part (where
    a board has parts, the whole has no room for it), the panel that says where a row comes from, or
    the data alone. `lower_is_better` is None for what is neither. Label, unit,
    group and meaning are English and are translated by whoever shows them. `language` is the code of
    the language that a column is of: its name belongs before the label.
    """

    key: str
    label: str
    unit: str
    lower_is_better: bool | None
    digits: int = 2
    group: str = ""
    shown_as: ShownAs = "number"
    place: Place = "table"
    meaning: str = ""
    language: str = ""

    @property
    def title(self) -> str:
        """The label, with the code of the column's language before it."""
        return f"{self.language} {self.label}".strip()

    @property
    def kept_decimals(self) -> int:
        """How many decimals of the stored value are seen when it is shown."""
        return self.digits + (2 if self.shown_as == "percent" else 0)


def points(label: str, key: str = SCORE) -> Column:
    """Return a column of points, of which more is better: the score unless a key is given."""
    return Column(key, label, N_("points"), lower_is_better=False)


def percent(
    key: str, label: str, *, lower_is_better: bool, group: str = "", place: Place = "table"
) -> Column:
    """Return a column of a share, stored as a fraction."""
    return Column(key, label, "%", lower_is_better, group=group, shown_as="percent", place=place)


def error_rate(
    key: str, label: str, *, group: str = "", place: Place = "table", language: str = ""
) -> Column:
    """Return a column of an error rate, stored as a fraction."""
    return Column(
        key,
        label,
        "%",
        lower_is_better=True,
        shown_as="percent",
        group=group,
        place=place,
        language=language,
    )


def count(key: str, label: str) -> Column:
    """Return a column of a count, neither good nor bad."""
    return Column(key, label, "", lower_is_better=None, shown_as="count", digits=0)


def counted(key: str, label: str, *, lower_is_better: bool) -> Column:
    """Return a column of k of n."""
    return Column(key, label, "", lower_is_better, shown_as="counted")


def text(key: str, label: str, *, place: Place = "panel") -> Column:
    """Return a column of a text, in the panel unless a place is given."""
    return Column(key, label, "", lower_is_better=None, shown_as="text", place=place)


@dataclass(frozen=True, slots=True)
class View:
    """A part of a board with an order of its own: a language, a corpus, a subtask.

    `key` is lower case, of at most 8 characters, and names the part in `Composed.languages`; without
    a `label` it is the code of a language.
    """

    key: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Scatter:
    """Two numbers of each row drawn against each other.

    `x` and `y` are keys of columns of the board itself; with `y_kinds`, y is the column of the
    competition's first board whose track is of such a kind, joined by entrant.
    """

    x: str
    y: str = SCORE
    y_kinds: tuple[str, ...] = ()
