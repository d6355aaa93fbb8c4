"""Submissions over the API: send, check, follow, read the report, cancel, mark."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.people import person
from accounts.api.permissions import MayRead, MaySubmit
from accounts.refusals import NotFound
from competition.api.views import visible_phase
from competition.models import Phase
from config.api.paging import CursorPages
from grading import queries
from grading.api.bodies import SentFile, sent_file
from grading.api.parsers import (
    RawGzipParser,
    RawJSONLinesParser,
    RawJSONParser,
    RawTarParser,
    RawUploadParser,
    RawZipParser,
)
from grading.api.presenting import submission_json, submissions_json
from grading.api.serializers import (
    RenamingSerializer,
    ReportSerializer,
    SubmissionSerializer,
    problem_json,
    report_json,
)
from grading.models import Submission
from grading.services import cancelling, checking, intake, renaming, selection, uploading
from grading.storage import spool

ENDPOINT = "api.submission-create"
UPLOAD_PARSERS = [
    MultiPartParser,
    RawUploadParser,
    RawJSONParser,
    RawJSONLinesParser,
    RawZipParser,
    RawTarParser,
    RawGzipParser,
]
UPLOAD_BODY = {
    "multipart/form-data": {
        "type": "object",
        "properties": {
            "file": {"type": "string", "format": "binary"},
            "system": {"type": "string"},
            "note": {"type": "string"},
        },
        "required": ["file"],
    },
    "application/octet-stream": {"type": "string", "format": "binary"},
}
SYSTEM = OpenApiParameter("system", OpenApiTypes.STR, description="name of the system (raw body)")
NOTE = OpenApiParameter("note", OpenApiTypes.STR, description="for your own team (raw body)")
ENTRANT = OpenApiParameter(
    "entrant",
    OpenApiTypes.STR,
    description="code of the entrant that an organizer sends for, where organizers alone send",
)
KEY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="the same key and body within 24 hours give the same answer",
)
DIGEST = OpenApiParameter(
    "X-Content-SHA256",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="SHA-256 of a raw body, in hex; a body that has another one is refused",
)
NAMED = OpenApiParameter(
    "Content-Disposition",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description='names the file of a raw body: attachment; filename="mine.jsonl"',
)


def arrived_at(request: Request) -> datetime:
    """Return when the request's headers were read; without a stamp it is now."""
    arrived: datetime = getattr(request, "arrived_at", None) or timezone.now()
    return arrived


def visible_submission(request: Request, code: str) -> Submission:
    """Return a submission that the person may see, or answer 404."""
    found = queries.submission_detail(request.user).filter(code=code).first()
    if found is None:
        text = _("There is no submission “%(code)s”, or none that you may see.")
        raise NotFound(text % {"code": code}, what="submission")
    return found


class NewestFirst(CursorPages):
    """Cursor pages of submissions, newest first."""

    ordering = ("-created_at", "-id")


class SubmissionCreate(APIView):
    """Send a file to a phase; list what your team has sent to it."""

    parser_classes = UPLOAD_PARSERS
    pagination_class = NewestFirst

    def get_permissions(self) -> list[Any]:
        """Reading asks for the scope `read`, sending for `submit`."""
        return [MaySubmit()] if self.request.method == "POST" else [MayRead()]

    @extend_schema(
        request=UPLOAD_BODY,
        responses={201: SubmissionSerializer, 200: SubmissionSerializer},
        parameters=[SYSTEM, NOTE, ENTRANT, KEY, DIGEST, NAMED],
        operation_id="submission_create",
    )
    def post(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Take the file as a form or as the body; 201, or 200 when the same content stands already."""
        found = visible_phase(request, slug, track, phase)
        actor = person(request)
        limits = uploading.admit(
            actor=actor,
            phase=found,
            endpoint=ENDPOINT,
            key=_key(request),
            now=arrived_at(request),
            entrant=request.query_params.get("entrant", ""),
        )
        file = sent_file(request, limit=limits.file_bytes)
        sent = _sent(request, file)
        submission = uploading.submit(actor=actor, phase=found, sent=sent)
        repeated = getattr(submission, "repeated", False)
        full = visible_submission(request, submission.code)
        full.repeated = repeated
        body = submission_json(request, full, timezone.now())
        return Response(body, status=200 if repeated else 201, headers={"Location": body["url"]})

    @extend_schema(responses=SubmissionSerializer(many=True), operation_id="phase_submissions")
    def get(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Return your team's submissions to the phase, newest first, in pages."""
        found = visible_phase(request, slug, track, phase)
        own = queries.submissions_of(person(request), found.track.competition)
        return paged(request, own.filter(phase=found), self)


class SubmissionCheck(APIView):
    """Check a file: the verdict that a submission would get; no quota, nothing kept."""

    permission_classes = [MaySubmit]
    parser_classes = UPLOAD_PARSERS

    @extend_schema(
        request=UPLOAD_BODY,
        responses=ReportSerializer,
        parameters=[DIGEST, NAMED],
        operation_id="check",
    )
    def post(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Return the report; a file that would be rejected is still a good request (200)."""
        found: Phase = visible_phase(request, slug, track, phase)
        checking.admit(actor=person(request), phase=found, now=timezone.now())
        limit = intake.limits_of(found).file_bytes
        file = sent_file(request, limit=limit)
        with spool(file.chunks, limit=limit, durable=False) as spooled:
            report = checking.check_only(
                actor=person(request),
                phase=found,
                path=spooled.path,
                now=timezone.now(),
                filename=intake.shown_filename(file.filename),
            )
        return Response(report_json(report))


class SubmissionList(APIView):
    """The submissions that the person may see, newest first."""

    permission_classes = [MayRead]
    pagination_class = NewestFirst

    @extend_schema(responses=SubmissionSerializer(many=True), operation_id="submissions")
    def get(self, request: Request) -> Response:
        """Return a page of submissions."""
        return paged(request, queries.submissions_seen(request.user), self)


class SubmissionDetail(APIView):
    """One submission."""

    def get_permissions(self) -> list[Any]:
        """Reading asks for the scope `read`, renaming for `submit`."""
        return [MaySubmit()] if self.request.method == "PATCH" else [MayRead()]

    @extend_schema(responses=SubmissionSerializer, operation_id="submission")
    def get(self, request: Request, code: str) -> Response:
        """Return the submission as it stands now."""
        return Response(submission_json(request, visible_submission(request, code), timezone.now()))

    @extend_schema(
        request=RenamingSerializer, responses=SubmissionSerializer, operation_id="submission_rename"
    )
    def patch(self, request: Request, code: str) -> Response:
        """Change the system's name, the note or both: the team while the phase is open."""
        submission = visible_submission(request, code)
        sent = RenamingSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        names = {"system": submission.system, "note": submission.note} | sent.validated_data
        renaming.rename(actor=person(request), submission=submission, now=timezone.now(), **names)
        return Response(submission_json(request, visible_submission(request, code), timezone.now()))


class SubmissionReport(APIView):
    """The validation report of one submission."""

    permission_classes = [MayRead]

    @extend_schema(responses=ReportSerializer, operation_id="submission_report")
    def get(self, request: Request, code: str) -> Response:
        """Return the report; `accepted` is null until the file has been validated."""
        submission = visible_submission(request, code)
        problems = [problem_json(row.found) for row in submission.problems.all()]
        accepted = None if submission.errors_total is None else submission.errors_total == 0
        return Response(
            {
                "accepted": accepted,
                "problems": problems,
                "problems_total": submission.problems_total or 0,
                "counts": submission.problem_counts,
                "rows": submission.rows,
                "reading": submission.reading,
            }
        )


class SubmissionAct(APIView, ABC):
    """Something a member does to a submission."""

    permission_classes = [MaySubmit]

    @abstractmethod
    def act(self, request: Request, submission: Submission) -> Submission:
        """Do it; raises a refusal."""

    @extend_schema(request=None, responses=SubmissionSerializer)
    def post(self, request: Request, code: str) -> Response:
        """Do it, and return the submission as it stands then."""
        self.act(request, visible_submission(request, code))
        return Response(submission_json(request, visible_submission(request, code), timezone.now()))


@extend_schema_view(
    post=extend_schema(description="Cancel before scoring begins; the slot is given back.")
)
class SubmissionCancel(SubmissionAct):
    """Cancel before scoring begins; the slot is given back."""

    def act(self, request: Request, submission: Submission) -> Submission:
        """Cancel it."""
        return cancelling.cancel(actor=person(request), submission=submission, now=timezone.now())


@extend_schema_view(
    post=extend_schema(
        description="Make it the one that counts, where the phase lets a team choose."
    )
)
class SubmissionMark(SubmissionAct):
    """Make it the one that counts."""

    def act(self, request: Request, submission: Submission) -> Submission:
        """Mark it."""
        return selection.mark(actor=person(request), submission=submission, now=timezone.now())


@extend_schema_view(post=extend_schema(description="Leave the choice to the phase's rule again."))
class SubmissionUnmark(SubmissionAct):
    """Leave the choice to the phase's rule again."""

    def act(self, request: Request, submission: Submission) -> Submission:
        """Unmark it."""
        return selection.unmark(actor=person(request), submission=submission, now=timezone.now())


def paged(request: Request, rows: QuerySet[Submission], view: APIView) -> Response:
    """Return one cursor page of submissions, newest first."""
    paginator = NewestFirst()
    page = paginator.paginate_queryset(rows, request, view=view) or []
    answer: Response = paginator.get_paginated_response(
        submissions_json(request, page, timezone.now())
    )
    return answer


def _key(request: Request) -> str:
    return request.headers.get("Idempotency-Key", "")


def _sent(request: Request, file: SentFile) -> uploading.Sent:
    return uploading.Sent(
        chunks=file.chunks,
        filename=file.filename,
        system=file.system,
        note=file.note,
        created_at=arrived_at(request),
        endpoint=ENDPOINT,
        key=_key(request),
        address=request.META.get("REMOTE_ADDR", ""),
        user_agent=request.headers.get("User-Agent", "")[:256],
        entrant=request.query_params.get("entrant", ""),
    )
