"""Which utterances of a phase a file has rows for: the unknown ones, and the missing ones."""

from __future__ import annotations

from heapq import nsmallest
from typing import TYPE_CHECKING

from grading.scoring.formats.near_ids import near_misses
from grading.scoring.types import Severity

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from grading.scoring.formats.fields import IdReader
    from grading.scoring.formats.rows import RowReader
    from grading.scoring.report import Collector

SHOWN_IDS = 20
_HINTED_IDS = 10_000


def warn_of_unknown(report: Collector, ids: IdReader, known: Collection[str]) -> None:
    """Warn, once, of rows whose utt_id is none of the phase; say what was probably meant."""
    lines = ids.lines
    unknown = [utt_id for utt_id in lines if utt_id not in known and utt_id not in ids.invalid]
    if unknown:
        report.warning(
            "UNKNOWN_SAMPLES",
            utt_id=unknown[0] if len(unknown) == 1 else None,
            count=len(unknown),
            ids=unknown[:SHOWN_IDS],
            lines=[lines[utt_id] for utt_id in unknown[:SHOWN_IDS]],
            hints=near_misses(unknown[:_HINTED_IDS], known)[:SHOWN_IDS] or None,
        )


def find_missing(reader: RowReader, lines: Mapping[str, int], known: Collection[str]) -> list[str]:
    """Return the utterances without a row; one whose row cannot be read is broken, not missing."""
    return [utt_id for utt_id in known if utt_id not in lines and utt_id not in reader.broken_ids]


def report_missing(
    report: Collector, missing: Sequence[str], *, of: int, unread: int, are_texts: bool = True
) -> None:
    """Report utterances without a row; where rows cannot be told apart, after what they lack.

    `are_texts` False is for rows that hold more than a text, so that an empty text would not do.
    """
    reason = "unread" if unread else None
    if not are_texts:
        reason = "items_unread" if unread else "items"
    if missing:
        report.add(
            "MISSING_SAMPLES",
            Severity.ERROR,
            is_symptom=unread > 0,
            reason=reason,
            unread=unread or None,
            utt_id=missing[0] if len(missing) == 1 else None,
            count=len(missing),
            of=of,
            ids=nsmallest(SHOWN_IDS, missing),
        )
