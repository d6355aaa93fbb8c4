"""Collects the problems of one file: all are counted, the most telling ones are listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from grading.scoring.text.shown import show
from grading.scoring.types import CodeTotal, Problem, Report, Severity

_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}
_ID_CHARACTERS = 200


class Collector:
    """Counts every problem and keeps the first ones: errors before warnings, then by line.

    Problems of the whole file come before those of a line, symptoms of other errors after these.
    Memory stays bounded however many problems a file has. Every text is made safe to show and store
    when it is added.
    """

    def __init__(self, listed: int) -> None:
        self._listed = listed
        self._kept: list[Problem] = []
        self._symptoms: list[Problem] = []
        self._codes: Counter[tuple[Severity, str]] = Counter()
        self._counts: Counter[Severity] = Counter()

    @property
    def errors(self) -> int:
        """Number of errors found so far."""
        return self._counts[Severity.ERROR]

    def error(self, code: str, **details: object) -> None:
        """Add a problem that rejects the file; see `add`."""
        self.add(code, Severity.ERROR, **details)

    def warning(self, code: str, **details: object) -> None:
        """Add a problem that the sender should know of; see `add`."""
        self.add(code, Severity.WARNING, **details)

    def note(self, code: str, **details: object) -> None:
        """Add a remark on how the file was read; see `add`."""
        self.add(code, Severity.NOTE, **details)

    def add(
        self,
        code: str,
        severity: Severity,
        *,
        line: object = None,
        member: object = None,
        utt_id: object = None,
        is_symptom: object = False,
        **params: object,
    ) -> None:
        """Add one problem: its place (line or member, utt_id) and what its sentence needs.

        A symptom is an error of the whole file that follows from others; it is listed after them.

        Problems that carry a line must come in the order of their lines: what comes after the
        list is full is counted only.
        """
        self._counts[severity] += 1
        self._codes[severity, code] += 1
        if isinstance(line, int) and self._counts[severity] > self._listed:
            return
        kept = self._symptoms if is_symptom else self._kept
        kept.append(
            Problem(
                code=code,
                severity=severity,
                line=line if isinstance(line, int) else None,
                member=show(member) if isinstance(member, str) else None,
                utt_id=show(utt_id, _ID_CHARACTERS) if isinstance(utt_id, str) else None,
                params={key: _safe(value) for key, value in params.items() if value is not None},
            )
        )
        if len(self._kept) >= 4 * self._listed + 8:
            self._prune()

    def _prune(self) -> None:
        # Sorting is stable, so that problems of one line stay in the order they were found.
        self._kept.sort(key=lambda problem: (_ORDER[problem.severity], problem.line or 0))
        del self._kept[self._listed :]

    def report(self, *, rows: int, reading: str) -> Report:
        """Return everything found; `reading` says how the file was read, empty when it was not."""
        self._prune()
        return Report(
            problems=tuple(self._listing()),
            total=self._counts.total(),
            errors=self.errors,
            rows=rows,
            reading=reading,
            counts=tuple(self._totals()),
        )

    def _listing(self) -> list[Problem]:
        errors = [problem for problem in self._kept if problem.severity is Severity.ERROR]
        others = self._kept[len(errors) :]
        room = max(0, self._listed - len(self._symptoms))
        return [*errors[:room], *self._symptoms, *others][: self._listed]

    def _totals(self) -> list[CodeTotal]:
        totals = [CodeTotal(code, severity, n) for (severity, code), n in self._codes.items()]
        return sorted(totals, key=lambda one: (_ORDER[one.severity], -one.count, one.code))


def _safe(value: object) -> object:
    if isinstance(value, str):
        return show(value)
    if isinstance(value, Mapping):
        return {key: _safe(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_safe(item) for item in value]
    return value
