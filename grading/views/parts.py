"""What the parts of a score are called and how they are written: from the columns of its track."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from competition.languages import language_named
from competition.models import Track
from grading import shown
from grading.scoring import registry
from grading.scoring.tracks.columns import SCORE, Column


@dataclass(frozen=True, slots=True)
class PartName:
    """A part's key, its short name, its range, and what it is, where the name does not say so."""

    key: str
    label: str
    unit: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class PartCell:
    """One part's number beside its name; `note` says what sort of number it is."""

    label: str
    text: str
    note: str = ""
    unit: str = ""


def columns_of_track(track: Track) -> tuple[Column, ...]:
    """Return the columns of a track's boards under the settings of its definition."""
    kind = registry.get(track.kind)
    return kind.columns_of(kind.params(track.params))


def parts_of(columns: Iterable[Column]) -> list[PartName]:
    """Return the parts of a score in the order of its columns, the score itself left out."""
    return [
        PartName(one.key, label, words(one.unit), words(one.meaning))
        for one, label in _labeled(columns)
    ]


def _labeled(columns: Iterable[Column]) -> list[tuple[Column, str]]:
    """Return the columns of the table after the score with their names; the group tells twins apart.

    The figure that a board ranks by is its score; it is not told twice.
    """
    every = list(columns)
    ranked = {(one.label, one.group) for one in every if one.key == SCORE}
    table = [one for one in every if one.key != SCORE and one.place in {"table", "part"}]
    found = [one for one in table if (one.label, one.group) not in ranked]
    names = [one.title for one in found]
    return [
        (one, f"{words(one.group)}: {titled(one.label, one.language)}")
        if names.count(one.title) > 1 and one.group
        else (one, titled(one.label, one.language))
        for one in found
    ]


def part_name(columns: Iterable[Column], key: str) -> str:
    """Return the name of a part that a score's points are told by."""
    others = [one for one in columns if one.key != SCORE]
    by_key = (one for one in others if one.key.startswith(key))
    by_label = (one for one in others if one.label.casefold().startswith(key))
    found = next(by_key, None) or next(by_label, None)
    return key if found is None else titled(found.label, found.language)


def part_cells(
    columns: Iterable[Column], numbers: Mapping[str, Any], notes: Mapping[str, str] | None = None
) -> tuple[PartCell, ...]:
    """Return every part of a score; what is missing is a dash."""
    told = notes or {}
    return tuple(
        PartCell(label, written(one, numbers.get(one.key)), told.get(one.key, ""), words(one.unit))
        for one, label in _labeled(columns)
    )


def count_cells(columns: Sequence[Column], numbers: Mapping[str, Any]) -> str:
    """Return the tallies of a part as "12 · 3 · 4"; empty where one of them is not told."""
    found = [numbers.get(one.key) for one in columns]
    if not found or None in found:
        return ""
    return " · ".join(written(one, value) for one, value in zip(columns, found, strict=True))


def written(column: Column, value: Any) -> str:
    """Return a value as its column shows it."""
    return shown.value(value, column.shown_as, column.digits)


def scaled(column: Column, value: Any) -> Any:
    """Return a number in the unit it is shown in, for charts; None stays None."""
    return 100 * value if value is not None and column.shown_as == "percent" else value


def span(column: Column, low: float | None, high: float | None) -> str:
    """Return an interval as the score's column shows it; without one a dash."""
    if low is None or high is None:
        return shown.NONE
    return f"{written(column, low)}–{written(column, high)}"


def signed(column: Column, change: float | None) -> str:
    """Return a change of the score with its sign, as its column shows it."""
    return shown.signed(scaled(column, change), column.digits)


def meanings(parts: Iterable[PartName]) -> str:
    """Return what the letters of shares stand for, in one line; empty where the names say it."""
    told = [part for part in parts if part.meaning and part.unit == _("0–1")]
    return " · ".join(f"{part.label} {part.meaning}" for part in told)


def titled(label: str, language: str) -> str:
    """Return a column's label in the reader's words, the name of its language before it."""
    return f"{language_named(language)} {words(label)}" if language else words(label)


def words(text: str) -> str:
    """Return a text that a track declares in the reader's language."""
    return _(text) if text else ""
