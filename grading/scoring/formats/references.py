"""Reads the organizer's references of Track 1; what they say is in no message."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from grading.scoring.formats.fields import LANGUAGE, IdReader, take_string, take_text
from grading.scoring.formats.rows import RowReader
from grading.scoring.report import Collector
from grading.scoring.text.nvv1 import has_units
from grading.scoring.text.tags import scan
from grading.scoring.types import Limits, ReferencesInvalid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grading.scoring.formats.rows import Row
    from grading.scoring.text.tags import Scan

LANGUAGES = ("en", "zh")


class ReferenceRow(NamedTuple):
    """One utterance: its id, its language in lower case, its transcript with tags."""

    utt_id: str
    language: str
    text: str


def read_references(
    data: bytes,
    *,
    labels: frozenset[str],
    languages: Sequence[str] = LANGUAGES,
    limits: Limits | None = None,
) -> list[ReferenceRow]:
    """Return the references in the order of the file.

    Every language must occur, with units or tags and with at least one event; every reference has
    a text with right tags. Raises ReferencesInvalid with every problem found; no problem quotes
    a text.
    """
    bounds = limits or Limits()
    report = Collector(bounds.listed_problems)
    reader = RowReader(data, limits=bounds, report=report, known=None)
    check = _Check(labels=labels, languages=languages, limits=bounds, report=report)
    for row in reader:
        reader.last_id = check.take(row)
    check.finish(reader)
    found = report.report(rows=reader.count, reading=str(reader.reading or ""))
    if not found.accepted:
        raise ReferencesInvalid(found)
    return check.rows


class _Check:
    """Looks at the references one by one and counts what each language has."""

    def __init__(
        self,
        *,
        labels: frozenset[str],
        languages: Sequence[str],
        limits: Limits,
        report: Collector,
    ) -> None:
        self._labels = labels
        self._languages = languages
        self._limits = limits
        self._report = report
        self._ids = IdReader(report, limits)
        self._utterances: Counter[str] = Counter()
        self._units: Counter[str] = Counter()
        self._events: Counter[str] = Counter()
        self.rows: list[ReferenceRow] = []

    def take(self, row: Row) -> str | None:
        """Check one reference; return its utt_id if it has one."""
        utt_id = self._ids.take(row)
        text = take_text(row, self._report, utt_id)
        language = self._language(row, utt_id)
        if language is not None:
            self._utterances[language] += 1
        if utt_id is not None and language is not None and text is not None:
            self._check_text(row.piece.line, utt_id, language, text)
            self.rows.append(ReferenceRow(utt_id, language, text))
        return utt_id

    def _language(self, row: Row, utt_id: str | None) -> str | None:
        written = take_string(row, LANGUAGE, self._report, utt_id)
        if written is None:
            return None
        language = written.strip().lower()
        if language in self._languages:
            return language
        self._report.error(
            "INVALID_LANGUAGE",
            line=row.piece.line,
            utt_id=utt_id,
            found=language,
            languages=list(self._languages),
        )
        return None

    def _check_text(self, line: int, utt_id: str, language: str, text: str) -> None:
        if len(text) > self._limits.text_characters:
            self._report.error(
                "TEXT_TOO_LONG",
                line=line,
                utt_id=utt_id,
                characters=len(text),
                limit=self._limits.text_characters,
            )
            return
        found = scan(text, self._labels)
        for fault in found.faults:
            # What stands in the brackets is part of a hidden text: only its place is told.
            self._report.error(
                fault.code, line=line, utt_id=utt_id, column=fault.column, hidden=True
            )
        self._count(line, utt_id, language, found)

    def _count(self, line: int, utt_id: str, language: str, found: Scan) -> None:
        units = any(has_units(piece, language) for piece in found.pieces)
        self._units[language] += units
        self._events[language] += len(found.tags)
        if not units and not found.tags and not found.faults:
            self._report.error("EMPTY_REFERENCE", line=line, utt_id=utt_id, language=language)

    def finish(self, reader: RowReader) -> None:
        """Check what every language must have."""
        if not reader.count and reader.complete and not self._report.errors:
            self._report.error("EMPTY_FILE", reason="")
        for language in self._languages:
            code = self._language_fault(language)
            if code and reader.complete:
                self._report.error(code, language=language)
        self._ids.finish()

    def _language_fault(self, language: str) -> str:
        if not self._utterances[language]:
            return "REFERENCE_LANGUAGE_COVERAGE_ERROR"
        if not self._units[language] + self._events[language]:
            return "EMPTY_REFERENCE_TOKENS"
        return "" if self._events[language] else "REFERENCE_WITHOUT_EVENTS"
