"""Submissions file by file over the API: open a set, send files, ask what is missing, complete, abort.

Also the clips of an accepted submission, with the automatic screen.
"""

from __future__ import annotations

from typing import IO, Any, cast

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.people import person
from accounts.api.permissions import MayRead, MaySubmit
from competition.api.views import visible_phase
from competition.queries import entrant_of
from config.api.paging import CursorPages
from grading.api.bodies import read_chunks
from grading.api.file_set_serializers import (
    EXAMPLE_SET,
    ClipSerializer,
    FileSetListSerializer,
    FileSetSerializer,
    NewSetSerializer,
    SentFileSerializer,
    clip_json,
    file_set_json,
    sent_file_json,
)
from grading.api.parsers import RawUploadParser
from grading.api.presenting import submission_json
from grading.api.serializers import SubmissionSerializer
from grading.api.views import arrived_at, visible_submission
from grading.models import FileSet
from grading.services import file_sets, quota

RELATED = (
    "phase__track__competition",
    "phase__references",
    "entrant__competition",
    "submission",
)


def visible_set(request: Request, code: str) -> FileSet:
    """Return a set that the person may see, or answer 404."""
    rows = FileSet.objects.visible_to(request.user).select_related(*RELATED)
    found: FileSet = get_object_or_404(rows, code=code)
    return found


class FileSetCreate(APIView):
    """Open a set of files; list those of your team that are open."""

    def get_permissions(self) -> list[Any]:
        """Reading asks for the scope `read`, sending for `submit`."""
        return [MaySubmit()] if self.request.method == "POST" else [MayRead()]

    @extend_schema(
        request=NewSetSerializer,
        responses={201: FileSetSerializer, 200: FileSetSerializer},
        operation_id="file_set_create",
        examples=[OpenApiExample("one file is missing", value=EXAMPLE_SET, response_only=True)],
    )
    def post(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Open a set for one system; 200 with the team's open set of that system where there is one."""
        found = visible_phase(request, slug, track, phase)
        sent = NewSetSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        opened = file_sets.begin(
            actor=person(request),
            phase=found,
            created_at=arrived_at(request),
            now=timezone.now(),
            **sent.validated_data,
        )
        body = file_set_json(visible_set(request, opened.file_set.code))
        return Response(body, status=201 if opened.is_new else 200)

    @extend_schema(responses=FileSetListSerializer, operation_id="file_sets")
    def get(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Return your team's open sets of the phase, newest first."""
        found = visible_phase(request, slug, track, phase)
        entrant = entrant_of(person(request), found.track.competition)
        rows = quota.open_sets(entrant, found) if entrant else FileSet.objects.none()
        return Response({"results": [file_set_json(one) for one in rows.select_related(*RELATED)]})


class FileSetDetail(APIView):
    """One set of files."""

    permission_classes = [MayRead]

    @extend_schema(responses=FileSetSerializer, operation_id="file_set")
    def get(self, request: Request, code: str) -> Response:
        """Return the set with up to a hundred missing utterances. This is how a broken one goes on."""
        return Response(file_set_json(visible_set(request, code)))


class FileSetFile(APIView):
    """One file of a set."""

    permission_classes = [MaySubmit]
    parser_classes = [RawUploadParser]

    @extend_schema(
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses=SentFileSerializer,
        operation_id="file_set_file",
    )
    def put(self, request: Request, code: str, name: str) -> Response:
        """Send one WAV file under the name `utt_id.wav`; it may be sent again, the last one stays.

        422 with the checker's problems when it is not what is wanted; an earlier file then stays.
        """
        sent = file_sets.put_file(
            actor=person(request),
            file_set=visible_set(request, code),
            name=name,
            chunks=read_chunks(cast("IO[bytes]", request._request)),  # noqa: SLF001  whatever its type says, it is bytes
            now=timezone.now(),
        )
        return Response(sent_file_json(sent))


class FileSetComplete(APIView):
    """The end of a set of files."""

    permission_classes = [MaySubmit]

    @extend_schema(
        request=None,
        responses={201: SubmissionSerializer, 200: SubmissionSerializer},
        operation_id="file_set_complete",
    )
    def post(self, request: Request, code: str) -> Response:
        """Submit the files as one archive; 200 when this was done before. 409 lists missing files."""
        submission = file_sets.complete(
            actor=person(request),
            file_set=visible_set(request, code),
            now=arrived_at(request),
            address=request.META.get("REMOTE_ADDR", ""),
            user_agent=request.headers.get("User-Agent", "")[:256],
        )
        full = visible_submission(request, submission.code)
        full.repeated = submission.repeated
        body = submission_json(request, full, timezone.now())
        status = 200 if submission.repeated else 201
        return Response(body, status=status, headers={"Location": body["url"]})


class FileSetAbort(APIView):
    """Giving up a set of files."""

    permission_classes = [MaySubmit]

    @extend_schema(request=None, responses=FileSetSerializer, operation_id="file_set_abort")
    def post(self, request: Request, code: str) -> Response:
        """Abort: the slot is free again, what was sent is removed. May be repeated."""
        file_set = visible_set(request, code)
        file_sets.abort(actor=person(request), file_set=file_set, now=timezone.now())
        return Response(file_set_json(visible_set(request, code)))


class ClipPages(CursorPages):
    """Cursor pages of clips, by utt_id."""

    ordering = "utt_id"
    page_size = 200


class SubmissionClips(APIView):
    """The clips of an accepted submission."""

    permission_classes = [MayRead]
    pagination_class = ClipPages

    @extend_schema(responses=ClipSerializer(many=True), operation_id="submission_clips")
    def get(self, request: Request, code: str) -> Response:
        """Return clips with their automatic screen, in pages; none before acceptance.

        The screen decides nothing: it enters no score and no rank.
        """
        clips = visible_submission(request, code).clips.select_related("waveform")
        paginator = ClipPages()
        page = paginator.paginate_queryset(clips, request, view=self) or []
        answer: Response = paginator.get_paginated_response([clip_json(clip) for clip in page])
        return answer
