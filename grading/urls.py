"""Addresses of the pages of submissions, boards, methodology and the organizer's console."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from grading.views import (
    announcing,
    boards,
    console,
    deadlines,
    direction,
    entrants,
    exports,
    histories,
    methodology,
    own_data,
    places,
    questions,
    receipts,
    reports,
    rescoring,
    status,
    submissions,
    submit,
    uploads,
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
    path("submit/uploads/", uploads.upload_create, name="upload-create"),
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
    path("entrants/<slug:code>/withdraw/", places.entrant_withdraw, name="entrant-take-out"),
    path("entrants/<slug:code>/people/", places.member_list, name="entrant-people"),
    path(
        "entrants/<slug:code>/people/<slug:member>/remove/",
        places.member_remove,
        name="entrant-member-remove",
    ),
    path("boards/", direction.board_list, name="console-boards"),
    path("boards/<slug:code>/<slug:act>/", direction.board_act, name="board-act"),
    path("scoring/", direction.scoring_pause, name="scoring-pause"),
    path("announcements/", announcing.announcement_list, name="console-announcements"),
    path("announcements/new/", announcing.announcement_create, name="announcement-create"),
    path("questions/", questions.console_questions, name="console-questions"),
    path("questions/<slug:code>/", questions.question_answer, name="question-answer"),
    path("rescoring/", rescoring.rescoring_list, name="console-rescoring"),
    path("rescoring/<slug:code>/", rescoring.rescoring_detail, name="rescoring"),
    path("rescoring/<slug:code>/propose/", rescoring.rescoring_propose, name="rescoring-propose"),
    path("rescoring/<slug:code>/switch/", rescoring.rescoring_switch_to, name="rescoring-switch"),
    path("rescoring/<slug:code>/drop/", rescoring.rescoring_drop, name="rescoring-drop"),
    path("submissions/<slug:code>/checks/", rescoring.score_checks, name="score-checks"),
    path("deadlines/", deadlines.deadline_list, name="console-deadlines"),
    path("deadlines/<slug:code>/", deadlines.deadline_move, name="deadline-move"),
]

competition_patterns: list[URLPattern | URLResolver] = [
    path("tracks/<slug:track>/methodology/", methodology.methodology, name="methodology"),
    path("tracks/<slug:track>/<slug:phase>/", include(phase_patterns)),
    path("submissions/", histories.submission_list, name="submission-list"),
    path("entrants/<slug:code>/", histories.entrant_history, name="entrant-history"),
    path("questions/", questions.question_list, name="question-list"),
    path("questions/ask/", questions.question_create, name="question-create"),
    path("console/", include(console_patterns)),
]

submission_patterns = [
    path("", submissions.submission_detail, name="submission-detail"),
    path("rename/", submissions.submission_rename, name="submission-rename"),
    path("cancel/", submissions.submission_cancel, name="submission-cancel"),
    path("mark/", submissions.submission_mark, name="submission-mark"),
    path("unmark/", submissions.submission_unmark, name="submission-unmark"),
    path("report.json", reports.report_json, name="report-json"),
    path("report.csv", reports.report_csv, name="report-csv"),
    path("receipt.json", receipts.receipt, name="receipt"),
]

upload_patterns = [
    path("", uploads.upload_detail, name="upload-detail"),
    path("complete/", uploads.upload_complete, name="upload-complete"),
    path("abort/", uploads.upload_abort, name="upload-abort"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("competitions/<slug:slug>/", include(competition_patterns)),
    path("submissions/<slug:code>/", include(submission_patterns)),
    path("uploads/<slug:code>/", include(upload_patterns)),
    path("status/", status.status, name="status"),
    path("accounts/account/data/", own_data.own_data_take, name="own-data-take"),
    path("receipts/verify/", receipts.receipt_verify, name="receipt-verify"),
    path(".well-known/plaudit-keys.json", receipts.public_keys, name="receipt-keys"),
    path("downloads/plaudit-scorer-<str:version>.zip", methodology.scorer, name="scorer-download"),
]
