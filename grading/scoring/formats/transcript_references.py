"""Reads the organizer's references of a recognition track; what they say is in no message."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from grading.scoring.formats.fields import LANGUAGE, IdReader, take_string, take_text
from grading.scoring.formats.rows import RowReader
from grading.scoring.formats.transcripts import EXAMPLE, TEXT, LeavesNothing
from grading.scoring.report import Collector
from grading.scoring.types import Limits, ReferencesInvalid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grading.scoring.formats.rows import Row

CORPUS = "corpus"
NAME_CHARACTERS = 40
REFERENCE_EXAMPLE = '{"utt_id": "…", "language": "…", "corpus": "…", "text": "…"}'
_NO_NAME = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\ud800-\udfff]")


class ReferenceText(NamedTuple):
    """One utterance: its id, language, corpus (empty where there is none) and text."""

    utt_id: str
    language: str
    corpus: str
    text: str


class Names(NamedTuple):
    """The languages or corpora that rows may name.

    None takes any name, of all rows or of none. A single name need not be written; no name at all
    leaves the field unread.
    """

    known: Sequence[str] | None
    field: str
    code: str
    listed: str


def languages(known: Sequence[str] | None) -> Names:
    """Return the languages that rows may name; None takes any."""
    return Names(known, LANGUAGE, "INVALID_LANGUAGE", "languages")


def corpora(known: Sequence[str] | None) -> Names:
    """Return the corpora that rows may name; None takes any."""
    return Names(known, CORPUS, "INVALID_CORPUS", "corpora")


def read_transcript_references(
    data: bytes,
    *,
    of_languages: Names,
    of_corpora: Names,
    limits: Limits,
    leaves_nothing: LeavesNothing | None = None,
) -> list[ReferenceText]:
    """Return the references in the order of the file.

    Every language and every corpus that is known must occur; with `leaves_nothing` (of a text in a
    language) something must be left of it after normalization. Raises ReferencesInvalid with every
    problem found; no problem quotes a text.
    """
    report = Collector(limits.listed_problems)
    reader = RowReader(
        data, limits=limits, report=report, known=None, text=TEXT, example=REFERENCE_EXAMPLE
    )
    check = _Check(of_languages, of_corpora, limits, report)
    check.leaves_nothing = leaves_nothing
    for row in reader:
        reader.last_id = check.take(row)
    check.finish(reader)
    found = report.report(rows=reader.count, reading=str(reader.reading or ""))
    if not found.accepted:
        raise ReferencesInvalid(found)
    return check.rows


class _Check:
    """Looks at the references one by one."""

    def __init__(
        self, of_languages: Names, of_corpora: Names, limits: Limits, report: Collector
    ) -> None:
        self._limits = limits
        self._report = report
        self._ids = IdReader(report, limits, EXAMPLE)
        self._languages = _Named(of_languages, report)
        self._corpora = _Named(of_corpora, report)
        self.leaves_nothing: LeavesNothing | None = None
        self.rows: list[ReferenceText] = []

    def take(self, row: Row) -> str | None:
        """Check one reference; return its utt_id if it has one."""
        utt_id = self._ids.take(row)
        text = take_text(row, self._report, utt_id, TEXT, REFERENCE_EXAMPLE)
        language = self._languages.take(row, utt_id)
        corpus = self._corpora.take(row, utt_id)
        limit = self._limits.text_characters
        if text is not None and len(text) > limit:
            self._report.error(
                "TEXT_TOO_LONG",
                line=row.piece.line,
                utt_id=utt_id,
                characters=len(text),
                limit=limit,
            )
        elif utt_id is not None and None not in (text, language, corpus):
            self.rows.append(ReferenceText(utt_id, str(language), str(corpus), str(text)))
        return utt_id

    def finish(self, reader: RowReader) -> None:
        """Check what must be there."""
        if not reader.count and reader.complete and not self._report.errors:
            self._report.error("EMPTY_FILE", reason="")
        if reader.complete:
            for language in self._languages.absent():
                self._report.error("REFERENCE_LANGUAGE_COVERAGE_ERROR", language=language)
            for corpus in self._corpora.absent():
                self._report.error("REFERENCE_CORPUS_COVERAGE_ERROR", corpus=corpus)
            self._report_empty()
        self._ids.finish()

    def _report_empty(self) -> None:
        """Report languages and corpora of whose texts nothing is left to divide by."""
        leaves_nothing = self.leaves_nothing
        if leaves_nothing is None or self._report.errors:
            return
        names = {name for row in self.rows for name in (row.language, row.corpus) if name}
        for row in self.rows:
            if {row.language, row.corpus} & names and not leaves_nothing(row.text, row.language):
                names -= {row.language, row.corpus}
        for name in sorted(names):
            self._report.error("REFERENCE_WITHOUT_TOKENS", part=name)


class _Named:
    """Takes the language or the corpus of rows."""

    def __init__(self, names: Names, report: Collector) -> None:
        self._names = names
        self._report = report
        self._seen: set[str] = set()
        self._is_first = True
        self._is_wanted = names.known is not None and len(names.known) > 1

    def take(self, row: Row, utt_id: str | None) -> str | None:
        """Return the name of a row, empty where there is none, None after reporting a fault."""
        names = self._names
        if names.known is not None and not names.known:
            return ""
        given = row.value.get(names.field) is not None
        if names.known is None and self._is_first:
            # Where names are free, the first row says whether rows have one.
            self._is_first, self._is_wanted = False, given
        if not given and not self._is_wanted:
            return self._note(names.known[0] if names.known else "")
        if names.known is None and not self._is_wanted:
            place = {"line": row.piece.line, "utt_id": utt_id}
            self._report.error("UNEVEN_FIELD", **place, field=names.field)
            return None
        written = take_string(row, names.field, self._report, utt_id, REFERENCE_EXAMPLE)
        return None if written is None else self._known(row, utt_id, written.strip().lower())

    def _known(self, row: Row, utt_id: str | None, name: str) -> str | None:
        names = self._names
        place = {"line": row.piece.line, "utt_id": utt_id}
        if names.known is None:
            if name and len(name) <= NAME_CHARACTERS and not _NO_NAME.search(name):
                return self._note(name)
            self._report.error("INVALID_NAME", **place, field=names.field, limit=NAME_CHARACTERS)
        elif name in names.known:
            return self._note(name)
        else:
            listed = {names.listed: list(names.known)}
            self._report.error(names.code, **place, found=name, **listed)
        return None

    def _note(self, name: str) -> str:
        self._seen.add(name)
        return name

    def absent(self) -> list[str]:
        """Return the known names that no row has."""
        return [name for name in self._names.known or () if name not in self._seen]
