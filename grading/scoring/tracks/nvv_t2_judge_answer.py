"""Reads a judge's answer: all five marks finite and in range, known evidence, or no answer at all."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grading.scoring.text import tags
from grading.scoring.tracks.nvv_t2_judge_prompt import (
    ISSUE_KINDS,
    MOST_ISSUES,
    PRESENCES,
    SEVERITIES,
)
from grading.scoring.tracks.nvv_t2_marks import HIGHEST, LOWEST
from grading.scoring.types import ScoringError

ABSENT = "absent"
LONGEST_ANSWER = 100_000
_DECIMALS = 2
_MOST_FAULTS = 10


class AnswerInvalid(ScoringError):
    """An answer that does not count; `faults` are plain sentences that repeat nothing of it."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults[:_MOST_FAULTS]


class AnswerMalformed(AnswerInvalid):
    """Not the form that was asked for."""


class MarkOutOfRange(AnswerInvalid):
    """The form is right, but a mark is none."""


@dataclass(frozen=True, slots=True)
class JudgeMarks:
    """What counts of an answer: five marks as they were given, and whether nothing was heard."""

    marks: Mapping[str, float]
    is_absent: bool


def is_tagged(text: str, labels: frozenset[str]) -> bool:
    """Return whether a text names a vocalization, without a fault in its tags.

    >>> is_tagged("Well [laugh] no.", frozenset({"laugh"})), is_tagged("Well.", frozenset())
    (True, False)
    """
    found = tags.scan(text, labels)
    return bool(found.tags) and not found.faults


def read_answer(text: str) -> JudgeMarks:
    """Return the marks of an answer. Raises AnswerMalformed, MarkOutOfRange.

    Only the structured fields are looked at: what is written in words decides nothing. Around the
    object there may be other text, as models write it.
    """
    answer = _object(text)
    faults: list[str] = []
    _read_evidence(answer, faults)
    given = _given_marks(answer.get("marks"), faults)
    if faults:
        raise AnswerMalformed(faults)
    wrong = [fault for name in LOWEST if (fault := _mark_fault(name, given[name]))]
    if wrong:
        raise MarkOutOfRange(wrong)
    marks = {name: float(given[name]) for name in LOWEST}
    return JudgeMarks(marks, answer["vocalization"] == ABSENT)


def _object(text: str) -> Mapping[str, Any]:
    """Return the one JSON object of a text, which may stand within other text."""
    if len(text) > LONGEST_ANSWER:
        raise AnswerMalformed(["the answer is too long"])
    start = text.find("{")
    try:
        decoder = json.JSONDecoder(object_pairs_hook=_once)
        found, _end = decoder.raw_decode(text, start) if start >= 0 else (None, 0)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, Mapping):
        raise AnswerMalformed(["there is no JSON object"])
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; one that says a thing twice says neither. Raises ValueError."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


def _read_evidence(answer: Mapping[str, Any], faults: list[str]) -> None:
    heard = answer.get("heard")
    if not isinstance(heard, str) or not heard.strip():
        faults.append("heard: is missing")
    if answer.get("vocalization") not in PRESENCES:
        faults.append(f"vocalization: must be one of {', '.join(PRESENCES)}")
    issues = answer.get("issues")
    if not isinstance(issues, list) or len(issues) > MOST_ISSUES:
        faults.append("issues: must be a list")
        return
    for index, issue in enumerate(issues):
        _read_issue(issue, f"issues[{index}]", faults)


def _read_issue(issue: object, path: str, faults: list[str]) -> None:
    if not isinstance(issue, Mapping):
        faults.append(f"{path}: must have kind and severity")
        return
    if issue.get("kind") not in ISSUE_KINDS:
        faults.append(f"{path}.kind: is not known")
    if issue.get("severity") not in SEVERITIES:
        faults.append(f"{path}.severity: is not known")


def _given_marks(given: object, faults: list[str]) -> dict[str, Any]:
    if not isinstance(given, Mapping) or set(given) != set(LOWEST):
        faults.append(f"marks: must have {', '.join(LOWEST)}")
        return {}
    for name, part in given.items():
        if not isinstance(part, Mapping) or "mark" not in part:
            faults.append(f"marks.{name}: must have reason and mark")
        elif not isinstance(part.get("reason"), str):
            faults.append(f"marks.{name}.reason: is missing")
    return {} if faults else {name: given[name]["mark"] for name in LOWEST}


def _mark_fault(name: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"marks.{name}: must be a number"
    if isinstance(value, float) and not math.isfinite(value):
        return f"marks.{name}: must be a number"
    if not LOWEST[name] <= value <= HIGHEST:
        return f"marks.{name}: must be from {LOWEST[name]} to {HIGHEST}"
    if round(value, _DECIMALS) != value:
        return f"marks.{name}: must have at most {_DECIMALS} decimals"
    return ""
