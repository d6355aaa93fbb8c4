"""Values shared by readers, tracks, pages and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Severity(StrEnum):
    """How much a problem weighs: an error rejects, a warning and a note do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing found in a file: a stable code, where it stands, and what the sentence needs.

    `params` holds JSON values only; a page renders the sentence from code and params
    in the reader's language.
    """

    code: str
    severity: Severity
    line: int | None = None
    member: str | None = None
    utt_id: str | None = None
    params: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CodeTotal:
    """How often a code was found in a file, listed or not."""

    code: str
    severity: Severity
    count: int


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a reader has to say about one file: at most 100 problems, and how many there were.

    `counts` has every code that was found, errors first, the most frequent first.
    """

    problems: tuple[Problem, ...]
    total: int
    errors: int
    rows: int
    reading: str
    counts: tuple[CodeTotal, ...] = ()

    @property
    def accepted(self) -> bool:
        """True when no error was found; warnings and notes do not reject."""
        return self.errors == 0


FIXED_LIMITS = frozenset({"listed_problems"})
"""Limits that belong to the product, not to a phase."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one submission; all are settings of a phase. Sizes in bytes."""

    file_bytes: int = 20 * 1024 * 1024
    unpacked_bytes: int = 64 * 1024 * 1024
    ratio: int = 100
    members: int = 20_000
    rows: int = 250_000
    text_characters: int = 2_000
    tags: int = 100
    depth: int = 32
    digits: int = 400
    utt_id_characters: int = 200
    listed_problems: int = 100


class Progress(Protocol):
    """Called now and then with the work done and the whole; never more than some 100 times."""

    def __call__(self, done: int, total: int, /) -> None: ...


class ScoringError(Exception):
    """Base of every refusal the scorer makes on purpose."""


class ReferencesInvalid(ScoringError):
    """The organizer's references cannot be used; the report lists every reason."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"references refused: {report.errors} errors")
        self.report = report


@dataclass(frozen=True, slots=True)
class ParamFault:
    """One fault in a track's parameters: a path like `weights.f1` and a plain sentence."""

    path: str
    message: str


class ParamsInvalid(ScoringError):
    """A track's parameters do not fit; lists every fault with its path."""

    def __init__(self, faults: tuple[ParamFault, ...]) -> None:
        super().__init__("; ".join(f"{fault.path}: {fault.message}" for fault in faults))
        self.faults = faults
