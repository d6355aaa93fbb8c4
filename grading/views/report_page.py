"""A validation report as a page: counts by code, a search, pages of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from grading.models import Submission
from grading.scoring import registry
from grading.scoring.types import CodeTotal, Problem, Report, Severity
from grading.sentences import meaning, sentence
from grading.services.checking import totals_from_json
from grading.shown import grouped

ROWS_PER_PAGE = 25
ALARMING = ("NO_TAGS_READ",)
STYLES = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.NOTE: ""}


@dataclass(frozen=True, slots=True)
class ReportFilter:
    """What the reader looks for in a report; empty fields let everything through."""

    code: str = ""
    severity: str = ""
    text: str = ""
    page: str = "1"

    @classmethod
    def from_query(cls, query: QueryDict) -> ReportFilter:
        """Return the filter that a page's query names."""
        return cls(
            code=query.get("code", ""),
            severity=query.get("severity", ""),
            text=query.get("q", "").strip(),
            page=query.get("page", "1"),
        )

    def lets_through(self, row: ReportRow) -> bool:
        """Return whether a row fits: code and severity exactly, the text anywhere in it."""
        if self.code and row.code != self.code:
            return False
        if self.severity and row.problem.severity != self.severity:
            return False
        return not self.text or self.text.casefold() in row.searchable


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One problem as it is shown."""

    problem: Problem
    code: str
    severity: str
    style: str
    line: int | None
    place: str
    utt_id: str
    message: str
    suggestion: str

    @property
    def searchable(self) -> str:
        """Everything that the search looks at."""
        parts = (self.code, str(self.line or ""), self.place, self.utt_id, self.message)
        return "\n".join((*parts, self.suggestion)).casefold()


@dataclass(frozen=True, slots=True)
class CodeCount:
    """How often one code was found, and what it means."""

    code: str
    count: int
    severity: str
    style: str
    meaning: str


@dataclass(frozen=True, slots=True)
class ReportPage:
    """A report as the template wants it."""

    rows: Page[ReportRow] | Sequence[ReportRow]
    codes: Sequence[CodeCount]
    codes_note: str
    caption: str
    summary: str
    alarm: str = ""
    of_sounds: bool = False
    chosen: ReportFilter = field(default_factory=ReportFilter)
    json_url: str = ""
    csv_url: str = ""

    @property
    def code(self) -> str:
        """The code the reader chose, or nothing."""
        return self.chosen.code

    @property
    def severity(self) -> str:
        """The severity the reader chose, or nothing."""
        return self.chosen.severity

    @property
    def text(self) -> str:
        """The words the reader looks for, or nothing."""
        return self.chosen.text

    @property
    def is_filtered(self) -> bool:
        """True when not every row is shown."""
        return bool(self.code or self.severity or self.text)

    @property
    def severities(self) -> list[dict[str, str]]:
        """The choices of the severity filter."""
        return [{"value": value, "label": severity_name(value)} for value in Severity]


def reading_name(reading: str) -> str:
    """Return how a file was read, in words."""
    names = {
        "jsonl": "JSON Lines",
        "list": _("a JSON array"),
        "map": _("a JSON map of utt_id to text"),
        "object": _("one JSON object"),
        "zip": _("a zip archive"),
        "tar": _("a tar archive"),
        "tar.gz": _("a tar.gz archive"),
    }
    return names.get(reading, reading or _("a file"))


def severity_name(severity: str) -> str:
    """Return a severity in the reader's language."""
    names = {"error": _("error"), "warning": _("warning"), "note": _("note")}
    return names[severity]


def row_of(problem: Problem) -> ReportRow:
    """Return a problem with its sentence, its place and what was probably meant."""
    suggestion = problem.params.get("suggestion")
    meant = suggestion if isinstance(suggestion, str) else ""
    return ReportRow(
        problem=problem,
        code=problem.code,
        severity=severity_name(problem.severity),
        style=STYLES[problem.severity],
        line=problem.line,
        place=problem.member or _("file"),
        utt_id=problem.utt_id or "",
        message=sentence(problem),
        suggestion=f"[{meant}]" if meant else "",
    )


def report_of_submission(
    submission: Submission, chosen: ReportFilter, *, urls: tuple[str, str]
) -> ReportPage:
    """Return the stored report of a submission."""
    problems = [row.found for row in submission.problems.all()]
    total, errors = submission.problems_total or 0, submission.errors_total or 0
    stored = submission.problem_counts
    counts = totals_from_json(stored) if stored is not None else totals_of(problems)
    rows = submission.rows or 0
    head = Report(tuple(problems), total, errors, rows, submission.reading, counts)
    of_sounds = registry.get(submission.phase.track.kind).sends_sounds
    return _page(head, chosen, urls, of_sounds=of_sounds)


def report_of_check(report: Report, *, of_sounds: bool = False) -> ReportPage:
    """Return the report of a check, on one page: nothing of it is kept to page through."""
    rows = [row_of(problem) for problem in report.problems]
    return ReportPage(
        rows,
        count_codes(report, of_sounds=of_sounds),
        _codes_note(report),
        _caption(report, len(rows)),
        _summary(report, of_sounds=of_sounds),
        _alarm(report),
        of_sounds,
    )


def _page(
    report: Report, chosen: ReportFilter, urls: tuple[str, str], *, of_sounds: bool
) -> ReportPage:
    rows = [row_of(problem) for problem in report.problems]
    found = [row for row in rows if chosen.lets_through(row)]
    page = Paginator(found, ROWS_PER_PAGE).get_page(chosen.page)
    return ReportPage(
        rows=page if found else [],
        codes=count_codes(report, of_sounds=of_sounds),
        codes_note=_codes_note(report),
        caption=_caption(report, len(found)),
        summary=_summary(report, of_sounds=of_sounds),
        alarm=_alarm(report),
        of_sounds=of_sounds,
        chosen=chosen,
        json_url=urls[0],
        csv_url=urls[1],
    )


def count_codes(report: Report, *, of_sounds: bool = False) -> list[CodeCount]:
    """Return how often each code was found, listed or not, errors first."""
    return [
        CodeCount(
            one.code,
            one.count,
            severity_name(one.severity),
            STYLES[one.severity],
            meaning(one.code, of_sounds=of_sounds),
        )
        for one in report.counts
    ]


def totals_of(problems: Iterable[Problem]) -> tuple[CodeTotal, ...]:
    """Return the totals of listed problems, for reports from before all were counted by code."""
    counts = Counter((problem.severity, problem.code) for problem in problems)
    order = list(Severity)
    totals = [CodeTotal(code, severity, n) for (severity, code), n in counts.items()]
    return tuple(sorted(totals, key=lambda one: (order.index(one.severity), -one.count)))


def _alarm(report: Report) -> str:
    """Return what a sender must know even though the file is accepted, empty when nothing is."""
    told = [problem for problem in report.problems if problem.code in ALARMING]
    return sentence(told[0]) if told and report.accepted else ""


def _codes_note(report: Report) -> str:
    counted = sum(one.count for one in report.counts)
    if counted >= report.total:
        return ""
    return _("Counts of the %(listed)s listed problems.") % {"listed": counted}


def _summary(report: Report, *, of_sounds: bool) -> str:
    if not report.total:
        if of_sounds:
            return _("No problems: %(rows)s clips were read from %(reading)s.") % _read(report)
        return _("No problems: %(rows)s rows were read as %(reading)s.") % _read(report)
    warnings = report.total - report.errors
    parts = [
        ngettext("%(n)s error", "%(n)s errors", report.errors) % {"n": grouped(report.errors)},
        ngettext("%(n)s warning or note", "%(n)s warnings and notes", warnings)
        % {"n": grouped(warnings)},
    ]
    if report.reading and of_sounds:
        parts.append(_("%(rows)s clips read from %(reading)s") % _read(report))
    elif report.reading:
        parts.append(_("%(rows)s rows read as %(reading)s") % _read(report))
    return " · ".join(parts)


def _read(report: Report) -> dict[str, Any]:
    return {"rows": grouped(report.rows), "reading": reading_name(report.reading)}


def _caption(report: Report, found: int) -> str:
    listed = len(report.problems)
    if found != listed:
        return _("%(found)s of %(listed)s listed problems fit the search.") % {
            "found": found,
            "listed": listed,
        }
    if listed < report.total:
        return _("%(listed)s of %(total)s problems are listed, errors first, then by line.") % {
            "listed": listed,
            "total": grouped(report.total),
        }
    return ngettext(
        "The one problem that was found.", "All %(n)s problems, errors first, then by line.", listed
    ) % {"n": listed}
