"""The score of a submission as a page shows it: by language, by label, and what moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from competition.templatetags.texts import spoken
from grading.charts.bars import share_width
from grading.charts.forest import Span
from grading.charts.moves import Comparison, Part, Waterfall, compare, draw_waterfall
from grading.shown import NONE, number, signed, span
from grading.views.seen import Seen

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
    f1: str
    mntd: str
    error: str
    error_kind: str
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


def score_text(seen: Seen) -> ScoreText:
    """Return the main figure."""
    reason = _("No interval could be computed.") if seen.low is None else ""
    exact = repr(seen.score) if seen.is_exact and seen.score is not None else ""
    interval = "" if seen.low is None else span(seen.low, seen.high)
    return ScoreText(number(seen.score), interval, reason, exact)


def language_rows(seen: Seen, before: Seen | None) -> list[LanguageRow]:
    """Return one row a language in reverse code order (zh, en), then the mean."""
    rows = [
        _language_row(code, part, before.languages.get(code) if before else None)
        for code, part in sorted(seen.languages.items(), reverse=True)
    ]
    return [*rows, _mean_row(seen, before)]


def _language_row(
    code: str, part: Mapping[str, Any], before: Mapping[str, Any] | None
) -> LanguageRow:
    low, high = part.get("interval") or (None, None)
    return LanguageRow(
        title=f"{spoken(code)} ({code})",
        score=number(part.get("score")),
        interval=span(low, high),
        moved=signed(_change(part, before, "score")),
        f1=number(part.get("f1")),
        mntd=number(part.get("mntd")),
        error=number(part.get("error_rate")),
        error_kind=ERROR_KINDS.get(code, ""),
        counts=_counts(part),
    )


def _mean_row(seen: Seen, before: Seen | None) -> LanguageRow:
    change = None
    if before is not None and before.score is not None and seen.score is not None:
        change = seen.score - before.score
    return LanguageRow(
        title=_("Final (mean)"),
        score=number(seen.score),
        interval=span(seen.low, seen.high),
        moved=signed(change),
        f1=number(seen.components.get("f1")),
        mntd=number(seen.components.get("mntd")),
        error=number(seen.components.get("error_rate")),
        error_kind=_("mean"),
        counts="",
    )


def _change(now: Mapping[str, Any], before: Mapping[str, Any] | None, key: str) -> float | None:
    if before is None or now.get(key) is None or before.get(key) is None:
        return None
    return float(now[key]) - float(before[key])


def _counts(part: Mapping[str, Any]) -> str:
    counts = [part.get(name) for name in ("tp", "fp", "fn")]
    return "" if None in counts else " · ".join(str(count) for count in counts)


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
    return LabelCell(code, number(f1), width, _counts(counts))


def moved(seen: Seen, before: Seen | None, name: str, weights: Mapping[str, float]) -> Moved | None:
    """Return what changed since the best score before this one; None without such a score."""
    if before is None or before.score is None or seen.score is None:
        return None
    points = seen.score - before.score
    parts = _part_changes(seen, before, weights)
    total = Part(_("Final score"), points, signed(points))
    return Moved(
        name=name,
        points=signed(points),
        before=number(before.score),
        now=number(seen.score),
        spoken=_spoken(seen, before),
        chart=compare(_span(before), _span(seen)),
        waterfall=draw_waterfall(parts, total),
        parts_spoken=_parts_spoken([*parts, total]),
        overlap=_overlap(seen, before),
    )


def parts_of(seen: Seen, weights: Mapping[str, float]) -> Waterfall | None:
    """Return the points that each component brings to the final score."""
    if seen.score is None or not seen.parts:
        return None
    parts = [
        Part(_weighted(key, weights), points, number(points)) for key, points in seen.parts.items()
    ]
    return draw_waterfall(parts, Part(_("Final score"), seen.score, number(seen.score)))


def _part_changes(seen: Seen, before: Seen, weights: Mapping[str, float]) -> list[Part]:
    changes = {
        key: points - before.parts[key] for key, points in seen.parts.items() if key in before.parts
    }
    return [
        Part(_weighted(key, weights), change, signed(change)) for key, change in changes.items()
    ]


def _weighted(key: str, weights: Mapping[str, float]) -> str:
    names = {"f1": "F1", "mntd": "mNTD", "error": _("Error")}
    return _("%(name)s, weight %(weight)s") % {"name": names[key], "weight": f"{weights[key]:.2f}"}


def _span(seen: Seen) -> Span:
    return Span(seen.score or 0.0, seen.low, seen.high)


def _spoken(seen: Seen, before: Seen) -> str:
    return _("Score %(before)s before, interval %(was)s; now %(now)s, interval %(is)s") % {
        "before": number(before.score),
        "was": span(before.low, before.high),
        "now": number(seen.score),
        "is": span(seen.low, seen.high),
    }


def _parts_spoken(parts: Sequence[Part]) -> str:
    return ", ".join(f"{part.label} {part.text}" for part in parts)


def _overlap(seen: Seen, before: Seen) -> str:
    if seen.low is None or seen.high is None or before.low is None or before.high is None:
        return ""
    if seen.low > before.high or before.low > seen.high:
        return _("The intervals do not overlap: the change is larger than chance.")
    return _("The intervals overlap: the change may be chance.")
