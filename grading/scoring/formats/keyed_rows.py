"""Reads files with several rows of an utterance, and rows that are about the whole file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from grading.scoring.formats.archives import open_submission
from grading.scoring.formats.coverage import warn_of_unknown
from grading.scoring.formats.fields import IdReader
from grading.scoring.formats.row_fields import RowFields
from grading.scoring.formats.rows import RowReader
from grading.scoring.report import Collector

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from grading.scoring.types import Limits, Progress, Report


class Keeper(Protocol):
    """What a track makes of rows: it takes their fields and keeps what it wants."""

    @property
    def example(self) -> str:
        """How a row of an utterance looks."""
        ...

    @property
    def example_of_file(self) -> str:
        """How a row about the whole file looks."""
        ...

    def is_of_file(self, value: Mapping[str, object]) -> bool:
        """Return whether a row is about the whole file, so that it has no utt_id."""
        ...

    def take_of_file(self, fields: RowFields) -> None:
        """Take a row about the whole file."""
        ...

    def take(self, fields: RowFields, utt_id: str) -> None:
        """Take a row of an utterance of the phase."""
        ...

    def finish(self, report: Collector, ids: Collection[str]) -> None:
        """Report what can be said of the whole file only; `ids` are the phase's utterances."""
        ...


def read_keyed(
    source: Path | bytes,
    keeper: Keeper,
    *,
    ids: Mapping[str, str | None],
    limits: Limits,
    progress: Progress | None = None,
    filename: str = "",
) -> Report:
    """Return the verdict on a file whose rows `keeper` takes; rows of unknown ids are ignored.

    Never raises for what is in the file. Raises OSError when a path cannot be read.
    """
    report = Collector(limits.listed_problems)
    data = open_submission(source, limits=limits, report=report, filename=filename)
    if data is None:
        return report.report(rows=0, reading="")
    example = keeper.example
    reader = RowReader(
        data, limits=limits, report=report, known=None, progress=progress, example=example
    )
    known = IdReader(report, limits, example, may_repeat=True)
    for row in reader:
        if keeper.is_of_file(row.value):
            keeper.take_of_file(RowFields.of_row(row, None, report, keeper.example_of_file))
            continue
        reader.last_id = utt_id = known.take(row)
        if utt_id is not None and utt_id in ids and utt_id not in known.invalid:
            keeper.take(RowFields.of_row(row, utt_id, report, example), utt_id)
    if reader.count:
        known.finish()
        warn_of_unknown(report, known, ids)
        keeper.finish(report, ids)
    elif reader.complete and not report.errors:
        report.error("EMPTY_FILE", reason="" if reader.reading == "jsonl" else "list")
    return report.report(rows=reader.count, reading=str(reader.reading or ""))
