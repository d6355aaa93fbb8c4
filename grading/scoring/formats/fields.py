"""Fields of a row: taken out with their type checked, every fault reported with its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grading.scoring.formats.rows import type_name
from grading.scoring.formats.strict_json import escape_offset

if TYPE_CHECKING:
    from grading.scoring.formats.rows import Row
    from grading.scoring.report import Collector
    from grading.scoring.types import Limits

ID = "utt_id"
TEXT = "text_with_nvvs"
LANGUAGE = "language"

_NOT_IN_ID = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029/\\\\]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHOWN_KEYS = 6
_SHOWN_IDS = 20


def take_string(
    row: Row,
    field: str,
    report: Collector,
    utt_id: str | None = None,
    example: str | None = None,
) -> str | None:
    """Return a field that must be a string, or None after reporting that it is not there or not one.

    `example` is how a row looks, for who lacks the field; None is a row of Track 1.
    """
    value = row.value.get(field)
    if isinstance(value, str):
        return value
    place = {"line": row.piece.line, "utt_id": utt_id, "field": field}
    if field not in row.value:
        keys = list(row.value)[:_SHOWN_KEYS]
        report.error("MISSING_REQUIRED_FIELD", **place, keys=keys, row=example)
    else:
        report.error("INVALID_FIELD_TYPE", **place, wanted="string", found=type_name(value))
    return None


def take_text(
    row: Row,
    report: Collector,
    utt_id: str | None,
    field: str = TEXT,
    example: str | None = None,
) -> str | None:
    """Return the row's transcript, or None after reporting why there is none to look at."""
    text = take_string(row, field, report, utt_id, example)
    if text is None:
        return None
    if "\0" in text:
        offset = row.piece.offset + escape_offset(row.piece.raw, 0)
        report.error(
            "INVALID_ENCODING", line=row.piece.line, utt_id=utt_id, reason="nul", offset=offset
        )
        return None
    # A lone surrogate was reported when the row was decoded.
    return None if row.is_faulty and _SURROGATE.search(text) else text


class IdReader:
    """Takes utt_ids: trims them, reports the ones that are no ids, remembers where each stood."""

    def __init__(
        self,
        report: Collector,
        limits: Limits,
        example: str | None = None,
        *,
        may_repeat: bool = False,
    ) -> None:
        """Prepare to take; `may_repeat` is for files with several rows of an utterance."""
        self._report = report
        self._example = example
        self._may_repeat = may_repeat
        self._longest = limits.utt_id_characters
        self._trimmed = 0
        self._trimmed_shown: list[str] = []
        self.lines: dict[str, int] = {}
        self.invalid: set[str] = set()

    def take(self, row: Row) -> str | None:
        """Return the trimmed utt_id of a row, or None after reporting that it has none."""
        written = take_string(row, ID, self._report, example=self._example)
        if written is None or (row.is_faulty and _SURROGATE.search(written)):
            return None
        utt_id = written.strip()
        line = row.piece.line
        if not utt_id:
            self._report.error("EMPTY_REQUIRED_FIELD", line=line, field=ID)
            return None
        if utt_id != written:
            self._note_trimmed(written)
        reason = self._fault(utt_id)
        if reason:
            self.invalid.add(utt_id)
            self._report.error(
                "INVALID_UTT_ID", line=line, utt_id=utt_id, reason=reason, limit=self._longest
            )
        first = self.lines.get(utt_id)
        if first is None:
            self.lines[utt_id] = line
        elif not self._may_repeat:
            self._report.error("DUPLICATE_UTT_ID", line=line, utt_id=utt_id, first_line=first)
        return utt_id

    def _fault(self, utt_id: str) -> str:
        if len(utt_id) > self._longest:
            return "long"
        found = _NOT_IN_ID.search(utt_id)
        if found is None:
            return ""
        return "slash" if found[0] in "/\\" else "control"

    def _note_trimmed(self, written: str) -> None:
        self._trimmed += 1
        if len(self._trimmed_shown) < _SHOWN_IDS:
            self._trimmed_shown.append(written)

    def finish(self) -> None:
        """Report, once, the ids that were trimmed."""
        if self._trimmed:
            self._report.note("UTT_ID_TRIMMED", count=self._trimmed, ids=self._trimmed_shown)
