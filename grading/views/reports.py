"""A validation report as JSON and CSV: every listed problem, as the page shows it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from accounts.views.access import signed_in
from grading.models import Submission
from grading.spreadsheets import csv_text
from grading.views.exports import attached, csv_response
from grading.views.report_page import ReportRow, row_of
from grading.views.submissions import visible_submission

NAMES = ("code", "severity", "line", "member", "utt_id", "message", "suggestion")


@signed_in
@require_safe
def report_json(request: HttpRequest, code: str) -> HttpResponse:
    """Export a report as JSON, in the shape that the command line's `check` has."""
    submission = visible_submission(request, code)
    body = {
        "submission": submission.code,
        "accepted": submission.errors_total == 0 if submission.validated_at else None,
        "problems": [
            {**_record(row), "params": dict(row.problem.params)} for row in _rows(submission)
        ],
        "problems_total": submission.problems_total,
        "counts": submission.problem_counts,
        "rows": submission.rows,
    }
    response = JsonResponse(body, json_dumps_params={"ensure_ascii": False, "indent": 1})
    return attached(response, f"report-{submission.code}.json")


@signed_in
@require_safe
def report_csv(request: HttpRequest, code: str) -> HttpResponse:
    """Export a report as CSV."""
    submission = visible_submission(request, code)
    text = csv_text([_record(row) for row in _rows(submission)], NAMES)
    return csv_response(text, f"report-{submission.code}.csv")


def _rows(submission: Submission) -> list[ReportRow]:
    return [row_of(row.found) for row in submission.problems.all()]


def _record(row: ReportRow) -> dict[str, object]:
    problem = row.problem
    return {
        "code": problem.code,
        "severity": problem.severity.value,
        "line": problem.line,
        "member": problem.member,
        "utt_id": problem.utt_id,
        "message": row.message,
        "suggestion": row.suggestion or None,
    }
