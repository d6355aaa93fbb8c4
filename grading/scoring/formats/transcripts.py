"""Reads and checks a submission of a recognition track: rows of an utt_id and a text.

A row may say which trial it is (1 where it does not), and that the run failed there. Trial 1 is
what counts; rows of other trials are checked alike and left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from grading.scoring.formats.archives import open_submission
from grading.scoring.formats.coverage import find_missing, report_missing, warn_of_unknown
from grading.scoring.formats.fields import LANGUAGE, IdReader, take_text
from grading.scoring.formats.rows import RowReader, type_name
from grading.scoring.report import Collector
from grading.scoring.text.normalize import major_class
from grading.scoring.tracks.base import Checked

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from grading.scoring.formats.rows import Row
    from grading.scoring.types import Limits, Progress

LeavesNothing = Callable[[str, str | None], bool]

TEXT = "text"
TRIAL = "trial"
FAILED = "failed"
ERROR = "error"
EXAMPLE = '{"utt_id": "…", "text": "…"}'
COUNTED_TRIAL = 1
MAX_TRIAL = 1_000


def read_transcripts(
    source: Path | bytes,
    *,
    ids: Mapping[str, str | None],
    limits: Limits,
    progress: Progress | None = None,
    filename: str = "",
    may_lack_languages: bool = False,
    leaves_nothing: LeavesNothing | None = None,
) -> Checked:
    """Return the verdict on one file and, if it is accepted, the text of every utterance in trial 1.

    `ids` are the utterances of the phase with their language (None where only the ids are known).
    With `may_lack_languages` a file without any row of a language is accepted with a warning, as
    long as it has another one. Never raises for what is in the file: every problem is in the
    report. Raises OSError when a path cannot be read.
    """
    report = Collector(limits.listed_problems)
    data = open_submission(source, limits=limits, report=report, filename=filename)
    if data is None:
        return Checked(report.report(rows=0, reading=""), {})
    reader = RowReader(
        data,
        limits=limits,
        report=report,
        known=ids,
        progress=progress,
        text=TEXT,
        example=EXAMPLE,
    )
    check = _Check(ids, limits, report, leaves_nothing)
    for row in reader:
        reader.last_id = check.take(row)
    check.finish(reader, may_lack_languages=may_lack_languages)
    found = report.report(rows=reader.count, reading=str(reader.reading or ""))
    return Checked(found, check.texts if found.accepted else {})


class _Check:
    """Looks at the rows of one file, one after the other."""

    def __init__(
        self,
        ids: Mapping[str, str | None],
        limits: Limits,
        report: Collector,
        leaves_nothing: LeavesNothing | None,
    ) -> None:
        self._known = ids
        self._leaves_nothing = leaves_nothing
        self._limits = limits
        self._report = report
        self._ids: dict[int, IdReader] = {}
        self._rows: Counter[int] = Counter()
        self._blank = 0
        self._nameless = 0
        self.texts: dict[str, str] = {}

    def take(self, row: Row) -> str | None:
        """Check one row; return its utt_id if it has one."""
        trial = self._trial(row)
        utt_id = self._ids_of(trial).take(row)
        self._nameless += utt_id is None
        self._rows[trial] += 1
        if utt_id is not None and utt_id not in self._known:
            return utt_id
        if self._has_failed(row, utt_id):
            return utt_id
        text = take_text(row, self._report, utt_id, TEXT, EXAMPLE)
        if utt_id is not None and text is not None:
            self._check_language(row, utt_id)
            self._check_text(row.piece.line, utt_id, text)
            if trial == COUNTED_TRIAL:
                self.texts.setdefault(utt_id, text)
        return utt_id

    def _ids_of(self, trial: int) -> IdReader:
        if trial not in self._ids:
            self._ids[trial] = IdReader(self._report, self._limits, EXAMPLE)
        return self._ids[trial]

    def _trial(self, row: Row) -> int:
        """Return the trial of a row; one that says none, or nothing of use, is of trial 1."""
        trial = row.value.get(TRIAL)
        if trial is None:
            return COUNTED_TRIAL
        is_whole = isinstance(trial, int) and not isinstance(trial, bool)
        if isinstance(trial, int) and is_whole and 1 <= trial <= MAX_TRIAL:
            return trial
        found = trial if isinstance(trial, int | float | str) else type_name(trial)
        self._report.error(
            "INVALID_TRIAL", line=row.piece.line, found=str(found)[:80], limit=MAX_TRIAL
        )
        return COUNTED_TRIAL

    def _has_failed(self, row: Row, utt_id: str | None) -> bool:
        """Tell whether the row says that the run failed there, and report it.

        `failed` is true or false; an `error` that is null, false, 0, blank or empty is none.
        """
        failed, error = row.value.get(FAILED), row.value.get(ERROR)
        place = {"line": row.piece.line, "utt_id": utt_id}
        if failed is not None and not isinstance(failed, bool):
            found = type_name(failed)
            self._report.error(
                "INVALID_FIELD_TYPE", **place, field=FAILED, wanted="boolean", found=found
            )
        is_error = bool(error.strip() if isinstance(error, str) else error)
        if failed is not True and not is_error:
            return False
        said = error if is_error and isinstance(error, str) else None
        self._report.error("FAILED_ROW", **place, found=said, reason="said" if said else None)
        return True

    def _check_language(self, row: Row, utt_id: str) -> None:
        said, wanted = row.value.get(LANGUAGE), self._known[utt_id]
        if said is None or wanted is None:
            return
        if not isinstance(said, str) or said.strip().lower() != wanted:
            found = said if isinstance(said, str) else type_name(said)
            self._report.warning(
                "LANGUAGE_MISMATCH",
                line=row.piece.line,
                utt_id=utt_id,
                found=found,
                wanted=wanted,
            )

    def _check_text(self, line: int, utt_id: str, text: str) -> None:
        limit = self._limits.text_characters
        if len(text) > limit:
            self._report.error(
                "TEXT_TOO_LONG", line=line, utt_id=utt_id, characters=len(text), limit=limit
            )
        elif not text or text.isspace():
            self._blank += 1
            self._report.warning("EMPTY_TEXT", line=line, utt_id=utt_id)
        elif self._is_nothing(text, self._known[utt_id]):
            self._report.warning("TEXT_WITHOUT_UNITS", line=line, utt_id=utt_id)

    def _is_nothing(self, text: str, language: str | None) -> bool:
        if self._leaves_nothing is None or any(major_class(one) in "LN" for one in text):
            return False
        return self._leaves_nothing(text, language)

    def finish(self, reader: RowReader, *, may_lack_languages: bool) -> None:
        """Check what can be said of the whole file only."""
        if not reader.count and reader.complete and not self._report.errors:
            self._report.error("EMPTY_FILE", reason="" if reader.reading == "jsonl" else "list")
            return
        counted = self._ids_of(COUNTED_TRIAL)
        for ids in self._ids.values():
            ids.finish()
        if self.texts and not any(text.strip() for text in self.texts.values()):
            self._report.error("EMPTY_PREDICTIONS", count=len(self.texts))
        warn_of_unknown(self._report, counted, self._known)
        if reader.complete:
            self._report_missing(reader, counted, may_lack_languages=may_lack_languages)
        self._note_trials()

    def _report_missing(
        self, reader: RowReader, ids: IdReader, *, may_lack_languages: bool
    ) -> None:
        unread = reader.unread + self._nameless
        missing = find_missing(reader, ids.lines, self._known)
        if may_lack_languages and not unread:
            left_out = self._languages_left_out(missing)
            for language, count in left_out.items():
                self._report.warning("LANGUAGE_NOT_SENT", language=language, count=count)
            missing = [utt_id for utt_id in missing if self._known[utt_id] not in left_out]
        report_missing(self._report, missing, of=len(self._known), unread=unread)

    def _languages_left_out(self, missing: list[str]) -> dict[str, int]:
        """Return the languages of which every utterance is missing; none where that is all of them."""
        whole = Counter(self._known.values())
        lacking = Counter(self._known[utt_id] for utt_id in missing)
        out = {
            language: count
            for language, count in sorted(lacking.items(), key=lambda item: str(item[0]))
            if language is not None and whole[language] == count
        }
        return out if len(out) < len(whole) else {}

    def _note_trials(self) -> None:
        others = sorted(trial for trial in self._rows if trial != COUNTED_TRIAL)
        if others:
            count = sum(self._rows[trial] for trial in others)
            self._report.note(
                "OTHER_TRIALS_LEFT_OUT",
                rows=count,
                count=len(others),
                trials=[str(trial) for trial in others[:20]],
            )
