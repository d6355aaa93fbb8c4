"""The score of a submission as a page shows it: by language, by label, and what moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from competition.languages import language_named
from grading.charts.bars import share_width
from grading.charts.forest import Span
from grading.charts.moves import Comparison, Part, Waterfall, compare, draw_waterfall
from grading.scoring.tracks.columns import Column
from grading.shown import NONE, number
from grading.views.parts import (
    PartCell,
    count_cells,
    part_cells,
    part_name,
    scaled,
    signed,
    span,
    words,
    written,
)
from grading.views.reasons import interval_reason
from grading.views.seen import Seen

LABEL_COUNTS = ("tp", "fp", "fn")
ERROR_KINDS = {"zh": "CER", "en": "WER"}


@dataclass(frozen=True, slots=True)
class ScoreText:
    """The main figure with its interval, or why there is none."""

    text: str
    interval: str
    interval_reason: str
    exact: str


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """One language, or the mean of both."""

    title: str
    score: str
    interval: str
    moved: str
    parts: tuple[PartCell, ...]
    counts: str


@dataclass(frozen=True, slots=True)
class LabelCell:
    """One label in one language."""

    language: str
    f1: str
    width: str
    counts: str


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One label over all languages."""

    label: str
    cells: tuple[LabelCell, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """This score against the entrant's best one before it."""

    name: str
    points: str
    before: str
    now: str
    spoken: str
    chart: Comparison
    waterfall: Waterfall
    parts_spoken: str
    overlap: str


@dataclass(frozen=True, slots=True)
class Ways:
    """How a track's numbers are called and written."""

    columns: Sequence[Column]
    counts: Sequence[Column]
    overall: str
    names: Mapping[str, str]
    """What the parts are called that are no languages, by key."""

    @property
    def head(self) -> Column:
        """The score's own column."""
        return self.columns[0]


def score_text(seen: Seen, ways: Ways, scorer: str) -> ScoreText:
    """Return the main figure."""
    reason = interval_reason(scorer, seen.interval_reason) if seen.low is None else ""
    exact = repr(seen.score) if seen.is_exact and seen.score is not None else ""
    interval = "" if seen.low is None else span(ways.head, seen.low, seen.high)
    return ScoreText(written(ways.head, seen.score), interval, reason, exact)


def language_rows(seen: Seen, before: Seen | None, ways: Ways) -> list[LanguageRow]:
    """Return one row a part in reverse code order (zh, en), then the whole."""
    rows = [
        _language_row(code, part, before.languages.get(code) if before else None, ways)
        for code, part in sorted(seen.languages.items(), reverse=True)
    ]
    return [*rows, _mean_row(seen, before, ways)]


def _language_row(
    code: str, part: Mapping[str, Any], before: Mapping[str, Any] | None, ways: Ways
) -> LanguageRow:
    low, high = part.get("interval") or (None, None)
    name = words(ways.names.get(code, "")) or language_named(code)
    return LanguageRow(
        title=code if name == code else f"{name} ({code})",
        score=written(ways.head, part.get("score")),
        interval=span(ways.head, low, high),
        moved=signed(ways.head, _change(part, before, "score")),
        parts=part_cells(ways.columns, part, {"error_rate": ERROR_KINDS.get(code, "")}),
        counts=count_cells(ways.counts, part),
    )


def _mean_row(seen: Seen, before: Seen | None, ways: Ways) -> LanguageRow:
    change = None
    if before is not None and before.score is not None and seen.score is not None:
        change = seen.score - before.score
    return LanguageRow(
        title=_("Final (mean)") if seen.languages else words(ways.overall),
        score=written(ways.head, seen.score),
        interval=span(ways.head, seen.low, seen.high),
        moved=signed(ways.head, change),
        parts=part_cells(ways.columns, seen.components, {"error_rate": _("mean")}),
        counts="",
    )


def _change(now: Mapping[str, Any], before: Mapping[str, Any] | None, key: str) -> float | None:
    if before is None or now.get(key) is None or before.get(key) is None:
        return None
    return float(now[key]) - float(before[key])


def label_rows(seen: Seen) -> list[LabelRow]:
    """Return one row a label with its counts in each language; empty while counts are withheld."""
    if not seen.has_counts:
        return []
    languages = sorted(seen.languages.items(), reverse=True)
    names = sorted({name for _code, part in languages for name in part.get("labels") or {}})
    return [
        LabelRow(name, tuple(_label_cell(code, part, name) for code, part in languages))
        for name in names
    ]


def _label_cell(code: str, part: Mapping[str, Any], label: str) -> LabelCell:
    counts = (part.get("labels") or {}).get(label)
    if not counts:
        return LabelCell(code, NONE, "", NONE)
    f1 = counts.get("f1")
    width = "" if f1 is None else share_width(f1, 1)
    return LabelCell(code, number(f1), width, " · ".join(str(counts[one]) for one in LABEL_COUNTS))


def moved(
    seen: Seen, before: Seen | None, name: str, weights: Mapping[str, float], ways: Ways
) -> Moved | None:
    """Return what changed since the best score before this one; None without such a score."""
    if before is None or before.score is None or seen.score is None:
        return None
    points = seen.score - before.score
    parts = _part_changes(seen, before, weights, ways)
    total = Part(words(ways.head.label), scaled(ways.head, points), signed(ways.head, points))
    return Moved(
        name=name,
        points=signed(ways.head, points),
        before=written(ways.head, before.score),
        now=written(ways.head, seen.score),
        spoken=_spoken(seen, before, ways.head),
        chart=compare(_span(before, ways.head), _span(seen, ways.head)),
        waterfall=draw_waterfall(parts, total),
        parts_spoken=_parts_spoken([*parts, total]),
        overlap=_overlap(seen, before),
    )


def parts_of(seen: Seen, weights: Mapping[str, float], ways: Ways) -> Waterfall | None:
    """Return the points that each component brings to the final score."""
    if seen.score is None or not seen.parts:
        return None
    head = ways.head
    parts = [
        Part(_weighted(key, weights, ways), scaled(head, points), written(head, points))
        for key, points in seen.parts.items()
    ]
    whole = Part(words(head.label), scaled(head, seen.score), written(head, seen.score))
    return draw_waterfall(parts, whole)


def _part_changes(seen: Seen, before: Seen, weights: Mapping[str, float], ways: Ways) -> list[Part]:
    changes = {
        key: points - before.parts[key] for key, points in seen.parts.items() if key in before.parts
    }
    return [
        Part(_weighted(key, weights, ways), scaled(ways.head, change), signed(ways.head, change))
        for key, change in changes.items()
    ]


def _weighted(key: str, weights: Mapping[str, float], ways: Ways) -> str:
    name = part_name(ways.columns, key)
    if key not in weights:
        return name
    return _("%(name)s, weight %(weight)s") % {"name": name, "weight": f"{weights[key]:.2f}"}


def _span(seen: Seen, head: Column) -> Span:
    return Span(*(scaled(head, value) for value in (seen.score or 0.0, seen.low, seen.high)))


def _spoken(seen: Seen, before: Seen, head: Column) -> str:
    return _("Score %(before)s before, interval %(was)s; now %(now)s, interval %(is)s") % {
        "before": written(head, before.score),
        "was": span(head, before.low, before.high),
        "now": written(head, seen.score),
        "is": span(head, seen.low, seen.high),
    }


def _parts_spoken(parts: Sequence[Part]) -> str:
    return ", ".join(f"{part.label} {part.text}" for part in parts)


def _overlap(seen: Seen, before: Seen) -> str:
    if seen.low is None or seen.high is None or before.low is None or before.high is None:
        return ""
    if seen.low > before.high or before.low > seen.high:
        return _("The intervals do not overlap: the change is larger than chance.")
    return _("The intervals overlap: the change may be chance.")
