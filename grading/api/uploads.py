"""Uploads in parts over the API: begin, send parts, ask what is missing, complete, abort."""

from __future__ import annotations

from typing import IO, Any, cast

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.people import person
from accounts.api.permissions import MayRead, MaySubmit
from competition.api.views import visible_phase
from competition.queries import entrant_of
from grading.api.bodies import read_chunks
from grading.api.parsers import RawUploadParser
from grading.api.presenting import submission_json
from grading.api.serializers import SubmissionSerializer
from grading.api.upload_serializers import (
    EXAMPLE_NAMED,
    EXAMPLE_UPLOAD,
    NamedSerializer,
    StoredPartSerializer,
    UploadInPartsSerializer,
    UploadListSerializer,
)
from grading.api.views import arrived_at, visible_submission
from grading.models import Submission, UploadSession
from grading.models.querysets import UploadSessionQuerySet
from grading.services import part_links, quota, upload_sessions
from grading.upload_shown import upload_json, uploads_json

SIGNATURE = OpenApiParameter(
    "signature", OpenApiTypes.STR, required=True, description="part of the link that was given"
)


def uploads(rows: UploadSessionQuerySet) -> UploadSessionQuerySet:
    """Return uploads with what is told of them."""
    return rows.select_related("phase__track__competition", "entrant__competition", "submission")


def visible_upload(request: Request, code: str) -> UploadSession:
    """Return an upload that the person may see, or answer 404."""
    found: UploadSession = get_object_or_404(
        uploads(UploadSession.objects.visible_to(request.user)), code=code
    )
    return found


class UploadCreate(APIView):
    """Begin an upload in parts; list those of your team that are open."""

    def get_permissions(self) -> list[Any]:
        """Reading asks for the scope `read`, sending for `submit`."""
        return [MaySubmit()] if self.request.method == "POST" else [MayRead()]

    @extend_schema(
        request=NamedSerializer,
        responses={201: UploadInPartsSerializer, 200: UploadInPartsSerializer},
        operation_id="upload_create",
        examples=[
            OpenApiExample("a file of 18 MB", value=EXAMPLE_NAMED, request_only=True),
            OpenApiExample("one part is missing", value=EXAMPLE_UPLOAD, response_only=True),
        ],
    )
    def post(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Name a file larger than 16 MiB; 201 with links for its parts.

        200 when it is on its way (then only what is missing is listed), or when a submission with
        this content stands: then its whole entry is the answer, as from `submission_create`.
        """
        found = visible_phase(request, slug, track, phase)
        sent = NamedSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        fields = sent.validated_data
        begun = upload_sessions.begin(
            actor=person(request),
            phase=found,
            named=upload_sessions.Named(
                filename=fields["filename"],
                system=fields["system"],
                note=fields["note"],
                size=fields["size"],
                part_hashes=fields["parts"],
            ),
            created_at=arrived_at(request),
            now=timezone.now(),
        )
        if begun.submission is not None:
            return _stands(request, begun.submission, status=200)
        session = visible_upload(request, begun.session.code if begun.session else "")
        body = upload_json(session, request.build_absolute_uri)
        return Response(body, status=201 if begun.is_new else 200)

    @extend_schema(responses=UploadListSerializer, operation_id="uploads")
    def get(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Return your team's open uploads to the phase, newest first."""
        found = visible_phase(request, slug, track, phase)
        entrant = entrant_of(person(request), found.track.competition)
        rows = quota.open_uploads(entrant, found) if entrant else UploadSession.objects.none()
        related = rows.select_related("phase__track__competition", "submission")
        return Response({"results": uploads_json(list(related))})


class UploadDetail(APIView):
    """One upload in parts."""

    permission_classes = [MayRead]

    @extend_schema(
        responses=UploadInPartsSerializer,
        operation_id="upload",
        examples=[OpenApiExample("one part is missing", value=EXAMPLE_UPLOAD)],
    )
    def get(self, request: Request, code: str) -> Response:
        """Return the upload: what is missing, with fresh links. This is how a broken one goes on."""
        return Response(upload_json(visible_upload(request, code), request.build_absolute_uri))


class UploadPartView(APIView):
    """One part, where parts lie on this server's disk."""

    authentication_classes = []
    permission_classes = []
    parser_classes = [RawUploadParser]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the link before anything else, as a bucket does: 403 for one that was changed."""
        super().initial(request, *args, **kwargs)
        signature = request.query_params.get("signature", "")
        part_links.check(code=kwargs["code"], number=kwargs["number"], signature=signature)

    @extend_schema(
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses=StoredPartSerializer,
        parameters=[SIGNATURE],
        operation_id="upload_part",
        auth=[],
    )
    def put(self, request: Request, code: str, number: int) -> Response:
        """Send the bytes of a part to the link that was given; it may be sent again.

        No token: the link is the permission. What is not exactly the named bytes is refused (422).
        """
        session = get_object_or_404(UploadSession, code=code)
        part = upload_sessions.put_part(
            session=session,
            number=number,
            chunks=read_chunks(cast("IO[bytes]", request._request)),  # noqa: SLF001  whatever its type says, it is bytes
            now=timezone.now(),
        )
        return Response({"number": part.number, "size": part.size, "sha256": part.sha256})


class UploadComplete(APIView):
    """The end of an upload in parts."""

    permission_classes = [MaySubmit]

    @extend_schema(
        request=None,
        responses={201: SubmissionSerializer, 200: SubmissionSerializer},
        operation_id="upload_complete",
    )
    def post(self, request: Request, code: str) -> Response:
        """Put the parts together and submit; 200 when this was done before. 409 lists missing parts."""
        submission = upload_sessions.complete(
            actor=person(request),
            session=visible_upload(request, code),
            now=arrived_at(request),
            address=request.META.get("REMOTE_ADDR", ""),
            user_agent=request.headers.get("User-Agent", "")[:256],
        )
        return _stands(request, submission, status=200 if submission.repeated else 201)


class UploadAbort(APIView):
    """Giving up an upload in parts."""

    permission_classes = [MaySubmit]

    @extend_schema(request=None, responses=UploadInPartsSerializer, operation_id="upload_abort")
    def post(self, request: Request, code: str) -> Response:
        """Abort: the slot is free again, what was sent is removed. May be repeated."""
        session = visible_upload(request, code)
        upload_sessions.abort(actor=person(request), session=session, now=timezone.now())
        return Response(upload_json(visible_upload(request, code), request.build_absolute_uri))


def _stands(request: Request, submission: Submission, *, status: int) -> Response:
    repeated = submission.repeated
    full = visible_submission(request, submission.code)
    full.repeated = repeated
    body = submission_json(request, full, timezone.now())
    return Response(body, status=status, headers={"Location": body["url"]})
