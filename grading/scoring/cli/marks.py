"""`score` for a track whose scores are made of marks: a file of marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grading.scoring.cli import inputs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping


def given(arguments: argparse.Namespace) -> Mapping[str, Any]:
    """Return the marks in `--marks`. Raises InputError, MarksInvalid and OSError."""
    if arguments.marks is None:
        raise inputs.InputError(
            f"{arguments.track} is scored by marks: give --marks MARKS.jsonl (rows with utt_id and marks)"
        )
    return inputs.read_marks(arguments.marks)
