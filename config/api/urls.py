"""Addresses of the API, version 1."""

from __future__ import annotations

from django.urls import include, path

from accounts.api.views import MeView, TeamList
from competition.api.views import CompetitionDetail, CompetitionList, Manifest, PhaseDetail
from config.api.document import Document
from grading.api import draws, file_sets, packs, rescoring, uploads
from grading.api import views as grading
from grading.api.boards import BoardView
from grading.api.finals import FinalCsvView, FinalView
from grading.api.papers import PapersView
from grading.api.receipts import SubmissionReceipt

app_name = "api-v1"

phase_patterns = [
    path("", PhaseDetail.as_view(), name="phase-detail"),
    path("manifest/", Manifest.as_view(), name="phase-manifest"),
    path("board/", BoardView.as_view(), name="board"),
    path("final/", FinalView.as_view(), name="final"),
    path("final.csv", FinalCsvView.as_view(), name="final-csv"),
    path("final/<slug:code>/papers/", PapersView.as_view(), name="final-papers"),
    path("submissions/", grading.SubmissionCreate.as_view(), name="submission-create"),
    path("check/", grading.SubmissionCheck.as_view(), name="submission-check"),
    path("uploads/", uploads.UploadCreate.as_view(), name="upload-create"),
    path("file-sets/", file_sets.FileSetCreate.as_view(), name="file-set-create"),
    path("rescoring/", rescoring.RescoringView.as_view(), name="rescoring"),
    path("rescoring/propose/", rescoring.RescoringPropose.as_view(), name="rescoring-propose"),
    path("rescoring/preview/", rescoring.RescoringPreview.as_view(), name="rescoring-preview"),
    path("rescoring/switch/", rescoring.RescoringSwitch.as_view(), name="rescoring-switch"),
    path("rescoring/cancel/", rescoring.RescoringCancel.as_view(), name="rescoring-cancel"),
]

upload_patterns = [
    path("", uploads.UploadDetail.as_view(), name="upload-detail"),
    path("parts/<int:number>/", uploads.UploadPartView.as_view(), name="upload-part"),
    path("complete/", uploads.UploadComplete.as_view(), name="upload-complete"),
    path("abort/", uploads.UploadAbort.as_view(), name="upload-abort"),
]

file_set_patterns = [
    path("", file_sets.FileSetDetail.as_view(), name="file-set-detail"),
    path("files/<str:name>/", file_sets.FileSetFile.as_view(), name="file-set-file"),
    path("complete/", file_sets.FileSetComplete.as_view(), name="file-set-complete"),
    path("abort/", file_sets.FileSetAbort.as_view(), name="file-set-abort"),
]

submission_patterns = [
    path("", grading.SubmissionDetail.as_view(), name="submission-detail"),
    path("report/", grading.SubmissionReport.as_view(), name="submission-report"),
    path("clips/", file_sets.SubmissionClips.as_view(), name="submission-clips"),
    path("receipt/", SubmissionReceipt.as_view(), name="submission-receipt"),
    path("cancel/", grading.SubmissionCancel.as_view(), name="submission-cancel"),
    path("mark/", grading.SubmissionMark.as_view(), name="submission-mark"),
    path("unmark/", grading.SubmissionUnmark.as_view(), name="submission-unmark"),
    path("checks/", rescoring.ScoreChecks.as_view(), name="score-checks"),
]

window_patterns = [
    path("", draws.WindowDetail.as_view(), name="window-detail"),
    path("draws/", draws.WindowDraws.as_view(), name="window-draws"),
    path("value/", draws.WindowValue.as_view(), name="window-value"),
    path("reveal/", draws.WindowReveal.as_view(), name="window-reveal"),
]

urlpatterns = [
    path("me/", MeView.as_view(), name="me"),
    path("teams/", TeamList.as_view(), name="team-list"),
    path("competitions/", CompetitionList.as_view(), name="competition-list"),
    path("competitions/<slug:slug>/", CompetitionDetail.as_view(), name="competition-detail"),
    path(
        "competitions/<slug:slug>/tracks/<slug:track>/phases/<slug:phase>/",
        include(phase_patterns),
    ),
    path("competitions/<slug:slug>/packs/", packs.Shelf.as_view(), name="pack-list"),
    path(
        "competitions/<slug:slug>/packs/<slug:code>/manifest/",
        packs.PackManifest.as_view(),
        name="pack-manifest",
    ),
    path(
        "competitions/<slug:slug>/packs/<slug:code>/ask/", packs.PackAsk.as_view(), name="pack-ask"
    ),
    path("copies/<slug:code>/", packs.CopyDetail.as_view(), name="copy-detail"),
    path("copies/<slug:code>/download/", packs.CopyDownload.as_view(), name="copy-download"),
    path("competitions/<slug:slug>/windows/", draws.WindowList.as_view(), name="window-list"),
    path("windows/<slug:code>/", include(window_patterns)),
    path("submissions/", grading.SubmissionList.as_view(), name="submission-list"),
    path("submissions/<slug:code>/", include(submission_patterns)),
    path("uploads/<slug:code>/", include(upload_patterns)),
    path("file-sets/<slug:code>/", include(file_set_patterns)),
    path("schema/", Document.as_view(), name="schema"),
]
