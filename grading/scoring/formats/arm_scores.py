"""Reads scores of subtasks: one row for each item and arm, in the subtask's own scale."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

from grading.scoring.formats.coverage import SHOWN_IDS

if TYPE_CHECKING:
    from grading.scoring.formats.row_fields import RowFields
    from grading.scoring.report import Collector

TEXT, AUDIO = "text", "audio"
ARMS = (TEXT, AUDIO)
DECIMALS = 24
EXAMPLE = '{"utt_id": "…", "subtask": "…", "arm": "audio", "score": 4}'
REFERENCE_EXAMPLE = '{"utt_id": "…", "language": "en", "subtask": "…"}'

Bounds = Mapping[str, tuple[Fraction, Fraction]]
"""The lowest and the highest score of each subtask."""


class ArmScore(NamedTuple):
    """One row; `score` None says that the system failed on the item."""

    subtask: str
    arm: str
    score: Fraction | None


class ArmScores:
    """Keeps the scores of one file; what is wrong with them is reported as they come."""

    example = EXAMPLE
    example_of_file = EXAMPLE

    def __init__(self, bounds: Bounds, subtasks: Mapping[str, str] | None = None) -> None:
        """Take the bounds of every subtask and, where the references are known, each item's own."""
        self._bounds = bounds
        self._subtasks = subtasks or {}
        self._named: dict[str, tuple[str, int]] = {}
        self._lines: dict[tuple[str, str], int] = {}
        self._failed: set[tuple[str, str]] = set()
        self._seen = False
        self.rows: dict[str, list[ArmScore]] = {}

    def is_of_file(self, value: Mapping[str, object]) -> bool:
        """Return False: every row is of an item."""
        del value
        return False

    def take_of_file(self, fields: RowFields) -> None:
        """Take nothing."""

    def take(self, fields: RowFields, utt_id: str) -> None:
        """Take the score of an item in one arm."""
        self._seen = True
        subtask = take_choice(fields, "subtask", tuple(self._bounds))
        arm = take_choice(fields, "arm", ARMS)
        if not subtask or not arm:
            return
        first = self._lines.setdefault((utt_id, arm), fields.line)
        if first != fields.line:
            fields.fault("DUPLICATE_ARM", "arm", found=arm, first_line=first)
            return
        self._compare(fields, utt_id, subtask)
        if fields.is_faulty:
            return
        score = None
        if fields.require("score"):
            score = fields.take_number("score", *self._bounds[subtask], decimals=DECIMALS)
        if score is None and not fields.is_faulty:
            self._failed.add((utt_id, arm))
        if not fields.is_faulty:
            self.rows.setdefault(utt_id, []).append(ArmScore(subtask, arm, score))

    def _compare(self, fields: RowFields, utt_id: str, subtask: str) -> None:
        """Report a row of another subtask than the item has, or than its other row names."""
        wanted = self._subtasks.get(utt_id, subtask)
        named, line = self._named.setdefault(utt_id, (subtask, fields.line))
        if wanted != subtask:
            fields.fault("OTHER_SUBTASK", "subtask", found=subtask, wanted=wanted)
        elif named != subtask and utt_id not in self._subtasks:
            fields.fault(
                "OTHER_SUBTASK",
                "subtask",
                reason="arm",
                found=subtask,
                wanted=named,
                first_line=line,
            )

    def finish(self, report: Collector, ids: Collection[str]) -> None:
        """Report a file without any score, and warn of what withholds the row."""
        if not self._seen:
            report.error("NO_SCORES")
            return
        scored = self._lines.keys() - self._failed
        for arm in ARMS:
            missing = [utt_id for utt_id in ids if (utt_id, arm) not in scored]
            if missing:
                shown = nsmallest(SHOWN_IDS, missing)
                report.warning(
                    "SCORES_MISSING", arm=arm, count=len(missing), of=len(ids), ids=shown
                )


def take_choice(fields: RowFields, name: str, choices: Sequence[str]) -> str:
    """Return a field that must be one of the choices, empty after reporting what is wrong with it."""
    if not fields.require(name):
        return ""
    found = fields.take_choice(name, choices)
    if found is None and not fields.has(name):
        fields.fault("INVALID_FIELD_TYPE", name, wanted="string", found="null")
    return found or ""


def take_subtask(fields: RowFields, subtasks: Sequence[str]) -> str | None:
    """Take the subtask of a row of the references; None after reporting that there is none."""
    return take_choice(fields, "subtask", subtasks) or None
