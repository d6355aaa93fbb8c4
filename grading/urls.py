"""Addresses of the pages of submissions, boards, methodology and the organizer's console."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from grading.views import (
    boards,
    console,
    deadlines,
    entrants,
    exports,
    histories,
    methodology,
    receipts,
    reports,
    submissions,
    submit,
    utterances,
)

app_name = "grading"

phase_patterns = [
    path("board/", boards.board, name="board"),
    path("board.csv", exports.board_csv, name="board-csv"),
    path("board.json", exports.board_json, name="board-json"),
    path("data.json", exports.board_data, name="board-data"),
    path("submit/", submit.submission_create, name="submission-create"),
    path("submit/check/", submit.submission_check, name="submission-check"),
]

console_patterns = [
    path("", console.console, name="console"),
    path("submissions/", console.submission_list, name="console-submissions"),
    path("submissions/<slug:code>/", utterances.utterance_list, name="console-utterances"),
    path("entrants/", entrants.entrant_list, name="console-entrants"),
    path("entrants/<slug:code>/decide/", entrants.entrant_decide, name="entrant-decide"),
    path("entrants/<slug:code>/kind/", entrants.entrant_kind, name="entrant-kind"),
    path(
        "entrants/<slug:code>/disqualify/",
        entrants.entrant_disqualify,
        name="entrant-disqualify",
    ),
    path("deadlines/", deadlines.deadline_list, name="console-deadlines"),
    path("deadlines/<slug:code>/", deadlines.deadline_move, name="deadline-move"),
]

competition_patterns: list[URLPattern | URLResolver] = [
    path("tracks/<slug:track>/methodology/", methodology.methodology, name="methodology"),
    path("tracks/<slug:track>/<slug:phase>/", include(phase_patterns)),
    path("submissions/", histories.submission_list, name="submission-list"),
    path("entrants/<slug:code>/", histories.entrant_history, name="entrant-history"),
    path("console/", include(console_patterns)),
]

submission_patterns = [
    path("", submissions.submission_detail, name="submission-detail"),
    path("cancel/", submissions.submission_cancel, name="submission-cancel"),
    path("mark/", submissions.submission_mark, name="submission-mark"),
    path("unmark/", submissions.submission_unmark, name="submission-unmark"),
    path("report.json", reports.report_json, name="report-json"),
    path("report.csv", reports.report_csv, name="report-csv"),
    path("receipt.json", receipts.receipt, name="receipt"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("competitions/<slug:slug>/", include(competition_patterns)),
    path("submissions/<slug:code>/", include(submission_patterns)),
    path("receipts/verify/", receipts.receipt_verify, name="receipt-verify"),
    path(".well-known/plaudit-keys.json", receipts.public_keys, name="receipt-keys"),
    path("downloads/plaudit-scorer-<str:version>.zip", methodology.scorer, name="scorer-download"),
]
