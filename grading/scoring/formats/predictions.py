"""Reads and checks a submission of Track 1: rows of an utt_id and a transcript with tags."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from grading.scoring.formats.archives import open_submission
from grading.scoring.formats.coverage import find_missing, report_missing, warn_of_unknown
from grading.scoring.formats.fields import LANGUAGE, IdReader, take_text
from grading.scoring.formats.rows import RowReader, type_name
from grading.scoring.formats.scripts import traditional_share
from grading.scoring.report import Collector
from grading.scoring.text.nvv1 import UNITS
from grading.scoring.text.tags import TagFault, lookalikes, scan
from grading.scoring.tracks.base import Checked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from grading.scoring.formats.rows import Row
    from grading.scoring.types import Limits, Progress

TRADITIONAL_SHARE = 0.05

_SHOWN_LOOKALIKES = 3
_BRACKETED = re.compile(r"\[[^\[\]]*+\]")
_OTHER_BRACKETS = re.compile("[<(（【［]")
# In every language these are units, so most texts need no normalizer to be seen not to be empty.
_SURE_UNIT = re.compile("[0-9A-Za-z\u4e00-\u9fa5]")


def read_predictions(
    source: Path | bytes,
    *,
    ids: Mapping[str, str | None],
    labels: frozenset[str],
    limits: Limits,
    progress: Progress | None = None,
    filename: str = "",
) -> Checked:
    """Return the verdict on one file and, if it is accepted, its text of every utterance.

    `ids` are the utterances of the phase with their language (None where only the ids are known);
    `labels` are folded. Never raises for what is in the file: every problem is in the report.
    Raises OSError when a path cannot be read.
    """
    report = Collector(limits.listed_problems)
    data = open_submission(source, limits=limits, report=report, filename=filename)
    if data is None:
        return Checked(report.report(rows=0, reading=""), {})
    reader = RowReader(data, limits=limits, report=report, known=ids, progress=progress)
    check = _Check(ids=ids, labels=labels, limits=limits, report=report)
    for row in reader:
        reader.last_id = check.take(row)
    check.finish(reader)
    found = report.report(rows=reader.count, reading=str(reader.reading or ""))
    return Checked(found, check.texts if found.accepted else {})


class _Check:
    """Looks at the rows of one file, one after the other."""

    def __init__(
        self,
        *,
        ids: Mapping[str, str | None],
        labels: frozenset[str],
        limits: Limits,
        report: Collector,
    ) -> None:
        self._known = ids
        self._labels = labels
        self._limits = limits
        self._report = report
        self._ids = IdReader(report, limits)
        self._blank = 0
        self._nameless = 0
        self._tags = 0
        self._lookalikes: list[str] = []
        self._han_texts: list[str] = []
        self.texts: dict[str, str] = {}

    def take(self, row: Row) -> str | None:
        """Check one row; return its utt_id if it has one."""
        utt_id = self._ids.take(row)
        text = take_text(row, self._report, utt_id)
        self._nameless += utt_id is None
        if utt_id is None or utt_id not in self._known:
            return utt_id
        language = self._known[utt_id]
        if LANGUAGE in row.value and language is not None:
            self._check_language(row, utt_id, language)
        if text is not None:
            self.texts.setdefault(utt_id, text)
            self._check_text(row.piece.line, utt_id, language, text)
        return utt_id

    def _check_language(self, row: Row, utt_id: str, language: str) -> None:
        said = row.value[LANGUAGE]
        if said is None or (isinstance(said, str) and said.strip().lower() == language):
            return
        found = said if isinstance(said, str) else type_name(said)
        self._report.warning(
            "LANGUAGE_MISMATCH", line=row.piece.line, utt_id=utt_id, found=found, wanted=language
        )

    def _check_text(self, line: int, utt_id: str, language: str | None, text: str) -> None:
        limits = self._limits
        if len(text) > limits.text_characters:
            self._check_long_text(line, utt_id, text)
            return
        if not text or text.isspace():
            self._blank += 1
            self._report.warning("EMPTY_TEXT", line=line, utt_id=utt_id)
            return
        self._check_tags(line, utt_id, language, text)
        if language != "en":
            self._han_texts.append(text)

    def _check_long_text(self, line: int, utt_id: str, text: str) -> None:
        """Report a text over the limit: nothing of it is normalized, only its start is scanned."""
        limit = self._limits.text_characters
        self._report.error(
            "TEXT_TOO_LONG", line=line, utt_id=utt_id, characters=len(text), limit=limit
        )
        self._check_count(line, utt_id, sum(1 for _ in _BRACKETED.finditer(text)))
        faults = scan(_whole_tags(text[:limit]), self._labels).faults
        self._report_faults(line, utt_id, faults)

    def _check_count(self, line: int, utt_id: str, tags: int) -> None:
        limit = self._limits.tags
        if tags > limit:
            self._report.error("TOO_MANY_TAGS", line=line, utt_id=utt_id, tags=tags, limit=limit)

    def _check_tags(self, line: int, utt_id: str, language: str | None, text: str) -> None:
        found = scan(text, self._labels)
        if found.faults:
            self._report_faults(line, utt_id, found.faults)
        tags = len(found.tags) + len(found.faults)
        self._tags += tags
        self._check_count(line, utt_id, tags)
        if _OTHER_BRACKETS.search(text):
            self._warn_of_lookalikes(line, utt_id, text)
        if not tags and not _SURE_UNIT.search(text) and not _has_units(text, language):
            self._report.warning("TEXT_WITHOUT_UNITS", line=line, utt_id=utt_id)

    def _report_faults(self, line: int, utt_id: str, faults: Iterable[TagFault]) -> None:
        """Report each kind of fault of a row once, with its first place and how often it stands."""
        groups: dict[tuple[str, str | None], list[TagFault]] = {}
        for fault in faults:
            groups.setdefault((fault.code, fault.label), []).append(fault)
        for (code, _), group in groups.items():
            first = group[0]
            self._report.error(
                code,
                line=line,
                utt_id=utt_id,
                column=first.column,
                found=first.found,
                count=len(group),
                suggestion=first.suggestion,
                odd=first.odd or None,
            )

    def _warn_of_lookalikes(self, line: int, utt_id: str, text: str) -> None:
        for found, suggestion in dict.fromkeys(
            (look.found, look.suggestion) for look in lookalikes(text, self._labels)
        ):
            self._lookalikes.append(found)
            self._report.warning(
                "LOOKS_LIKE_TAG", line=line, utt_id=utt_id, found=found, suggestion=suggestion
            )

    def finish(self, reader: RowReader) -> None:
        """Check what can be said of the whole file only."""
        if not reader.count and reader.complete and not self._report.errors:
            self._report.error("EMPTY_FILE", reason="" if reader.reading == "jsonl" else "list")
            return
        self._ids.finish()
        if self.texts and self._blank >= len(self.texts):
            self._report.error("EMPTY_PREDICTIONS", count=self._blank)
        warn_of_unknown(self._report, self._ids, self._known)
        if reader.complete:
            missing = find_missing(reader, self._ids.lines, self._known)
            unread = reader.unread + self._nameless
            report_missing(self._report, missing, of=len(self._known), unread=unread)
        self._warn_of_no_tags()
        self._warn_of_traditional()

    def _warn_of_no_tags(self) -> None:
        """Say it loudly when a whole file is written in brackets that make no tag."""
        if self._lookalikes and not self._tags:
            found = list(dict.fromkeys(self._lookalikes))[:_SHOWN_LOOKALIKES]
            self._report.warning("NO_TAGS_READ", count=len(self._lookalikes), found=found)

    def _warn_of_traditional(self) -> None:
        share, examples = traditional_share(Counter("".join(self._han_texts)))
        if share > TRADITIONAL_SHARE:
            self._report.warning(
                "TRADITIONAL_CHARACTERS", percent=round(100 * share, 1), examples=examples
            )


def _whole_tags(text: str) -> str:
    """Leave out a tag that the end of the text cuts through."""
    opened = text.rfind("[")
    return text[:opened] if opened > text.rfind("]") else text


def _has_units(text: str, language: str | None) -> bool:
    return any(UNITS[name](text) for name in ([language] if language else sorted(UNITS)))
