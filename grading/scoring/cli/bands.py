"""`bands`: places, bands and rank ranges of rows with scores and intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grading.scoring.cli import inputs
from grading.scoring.ranking import Entry, Ranked, rank
from grading.scoring.text.shown import show

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from grading.scoring.cli.console import Console


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Rank the rows of a file; return the exit code."""
    rows = inputs.read_rows(arguments.rows)
    entries = [_entry(row, lower_is_better=arguments.lower_is_better) for row in rows]
    row_of = {id(entry): row for entry, row in zip(entries, rows, strict=True)}
    ranked = rank(entries, arguments.rule)
    if console.as_json:
        console.result([{**row_of[id(item.entry)], **_standing(item)} for item in ranked])
    else:
        heads = ["name", "place", "band", "range", "score", "95 % interval"]
        console.table(heads, [_cells(item) for item in ranked])
    return 0


def _entry(row: dict[str, Any], *, lower_is_better: bool) -> Entry:
    return Entry(
        name=row["name"],
        score=row["score"],
        low=row.get("low"),
        high=row.get("high"),
        ranked=row.get("ranked", True),
        lower_is_better=lower_is_better,
    )


def _standing(item: Ranked) -> dict[str, Any]:
    return {
        "place": item.place,
        "band": item.band,
        "range": None if item.range is None else list(item.range),
    }


def _cells(item: Ranked) -> list[str]:
    entry = item.entry
    first, last = item.range or (None, None)
    interval = "–" if entry.low is None or entry.high is None else f"{entry.low:g} – {entry.high:g}"
    return [
        show(entry.name, 40),
        _number(item.place),
        _number(item.band),
        "–" if first is None else str(first) if first == last else f"{first}–{last}",
        "withheld" if entry.score is None else f"{entry.score:g}",
        interval,
    ]


def _number(value: int | None) -> str:
    return "–" if value is None else str(value)
