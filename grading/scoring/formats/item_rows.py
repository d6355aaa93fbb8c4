"""Reads files of one row for each item: what the tracks of the pillars share.

What is in a row is the track's to say: it takes the fields. Ids, duplicates, unknown and missing
rows, and everything about the form of the file are looked at here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from grading.scoring.formats.archives import open_submission
from grading.scoring.formats.coverage import find_missing, report_missing, warn_of_unknown
from grading.scoring.formats.fields import LANGUAGE, IdReader
from grading.scoring.formats.row_fields import RowFields
from grading.scoring.formats.rows import RowReader
from grading.scoring.report import Collector
from grading.scoring.types import Limits, ReferencesInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from grading.scoring.types import Progress, Report


class Taker(Protocol):
    """Takes the fields of one row; returns what is kept of it, or None after reporting a fault."""

    def __call__(self, fields: RowFields, /) -> Any | None: ...


class Finish(Protocol):
    """Reports what is wrong with rows that are right one by one."""

    def __call__(self, items: Sequence[ReferenceItem], report: Collector, /) -> None: ...


class ReadItems(NamedTuple):
    """The verdict on one file, and what was taken of each item when it was accepted."""

    report: Report
    items: Mapping[str, Any]


class ReferenceItem(NamedTuple):
    """One item of the references: its id, its language in lower case, what was taken of it."""

    utt_id: str
    language: str
    value: Any


def read_items(
    source: Path | bytes,
    *,
    ids: Mapping[str, str | None],
    limits: Limits,
    take: Taker,
    example: str,
    progress: Progress | None = None,
    filename: str = "",
    must_be_whole: bool = True,
) -> ReadItems:
    """Return the verdict on a file of rows and, if it is accepted, what was taken of each item.

    `ids` are the phase's items; rows of others are ignored with a warning, and every one must have
    a row unless `must_be_whole` is False. `example` is how a row looks. Never raises for what is in
    the file. Raises OSError when a path cannot be read.
    """
    report = Collector(limits.listed_problems)
    data = open_submission(source, limits=limits, report=report, filename=filename)
    if data is None:
        return ReadItems(report.report(rows=0, reading=""), {})
    reader = RowReader(
        data, limits=limits, report=report, known=None, progress=progress, example=example
    )
    check = _Check(ids, limits=limits, report=report, take=take, example=example)
    for row in reader:
        reader.last_id = check.take_row(row)
    check.finish(reader, must_be_whole=must_be_whole)
    found = report.report(rows=reader.count, reading=str(reader.reading or ""))
    return ReadItems(found, check.items if found.accepted else {})


class _Check:
    """Looks at the rows of one file, one after the other."""

    def __init__(
        self,
        ids: Mapping[str, str | None],
        *,
        limits: Limits,
        report: Collector,
        take: Taker,
        example: str,
    ) -> None:
        self._known = ids
        self._report = report
        self._take = take
        self._example = example
        self._ids = IdReader(report, limits, example)
        self._nameless = 0
        self.items: dict[str, Any] = {}

    def take_row(self, row: Any) -> str | None:
        """Check one row; return its utt_id if it has one."""
        utt_id = self._ids.take(row)
        self._nameless += utt_id is None
        if utt_id is None or utt_id not in self._known:
            return utt_id
        taken = self._take(RowFields.of_row(row, utt_id, self._report, self._example))
        if taken is not None:
            self.items.setdefault(utt_id, taken)
        return utt_id

    def finish(self, reader: RowReader, *, must_be_whole: bool) -> None:
        """Check what can be said of the whole file only."""
        if not reader.count and reader.complete and not self._report.errors:
            self._report.error("EMPTY_FILE", reason="" if reader.reading == "jsonl" else "list")
            return
        self._ids.finish()
        warn_of_unknown(self._report, self._ids, self._known)
        if reader.complete and must_be_whole:
            missing = find_missing(reader, self._ids.lines, self._known)
            unread = reader.unread + self._nameless
            report_missing(
                self._report, missing, of=len(self._known), unread=unread, are_texts=False
            )


def read_reference_items(
    data: bytes,
    *,
    languages: Sequence[str],
    take: Taker,
    example: str,
    limits: Limits | None = None,
    finish: Finish | None = None,
) -> list[ReferenceItem]:
    """Return the organizer's rows in the order of the file; every language must occur.

    `finish` reports what the track wants of the rows together, once each of them is right.
    Raises ReferencesInvalid with every problem found; no problem quotes what a row says.
    """
    bounds = limits or Limits()
    report = Collector(bounds.listed_problems)
    reader = RowReader(data, limits=bounds, report=report, known=None, example=example)
    ids = IdReader(report, bounds, example)
    found: list[ReferenceItem] = []
    for row in reader:
        reader.last_id = utt_id = ids.take(row)
        fields = RowFields.of_row(row, utt_id, report, example)
        language = _language(fields, languages)
        value = take(fields)
        if utt_id is not None and language is not None and value is not None:
            found.append(ReferenceItem(utt_id, language, value))
    _check_whole(reader, report, found, languages)
    if finish is not None and not report.errors:
        finish(found, report)
    ids.finish()
    verdict = report.report(rows=reader.count, reading=str(reader.reading or ""))
    if not verdict.accepted:
        raise ReferencesInvalid(verdict)
    return found


def _language(fields: RowFields, languages: Sequence[str]) -> str | None:
    if not fields.require(LANGUAGE):
        return None
    written = fields.take_text(LANGUAGE, longest=40)
    language = "" if written is None else written.strip().lower()
    if language in languages:
        return language
    if not fields.is_faulty:
        fields.fault("INVALID_LANGUAGE", LANGUAGE, found=language, languages=list(languages))
    return None


def _check_whole(
    reader: RowReader,
    report: Collector,
    found: Sequence[ReferenceItem],
    languages: Sequence[str],
) -> None:
    if not reader.complete or report.errors:
        return
    if not reader.count:
        report.error("EMPTY_FILE", reason="")
    present = {item.language for item in found}
    for language in languages:
        if language not in present:
            report.error("REFERENCE_LANGUAGE_COVERAGE_ERROR", language=language)
