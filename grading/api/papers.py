"""Papers of a selected system over the API: what is asked of it, how each stands, and filing one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.people import person
from accounts.api.permissions import MayRead, MaySubmit
from competition.api.views import visible_phase
from competition.rules import is_member
from config.api.parsers import StrictJSONParser
from grading import papers
from grading.enums import FilingKind
from grading.models import FinalSystem
from grading.papers import Item
from grading.services.final import filings
from grading.services.final.filings import SentPaper

STATES = (papers.MISSING, papers.FILED, "accepted", "returned")


class NewPaperSerializer(serializers.Serializer[Any]):
    """A paper to file: a text, an https link, a file, or several of these."""

    kind = serializers.ChoiceField(choices=FilingKind.choices)
    text = serializers.CharField(required=False, allow_blank=True, default="")
    link = serializers.CharField(required=False, allow_blank=True, default="")
    file = serializers.FileField(required=False, help_text="multipart/form-data only")


class PaperSerializer(serializers.Serializer[Any]):
    """One kind of paper, and the newest that was filed of it. `number` counts the filings from 1."""

    kind = serializers.ChoiceField(choices=FilingKind.choices)
    state = serializers.ChoiceField(choices=STATES)
    number = serializers.IntegerField(allow_null=True)
    filed_at = serializers.DateTimeField(allow_null=True)
    text = serializers.CharField(allow_blank=True)
    link = serializers.CharField(allow_blank=True)
    filename = serializers.CharField(allow_blank=True)
    size = serializers.IntegerField(allow_null=True, help_text="bytes of the file")
    sha256 = serializers.CharField(allow_blank=True)
    checked_at = serializers.DateTimeField(allow_null=True)
    note = serializers.CharField(allow_blank=True, help_text="what the organizers wrote")


class PaperListSerializer(serializers.Serializer[Any]):
    """Every kind of paper that is asked of a system."""

    results = PaperSerializer(many=True)


class PapersView(APIView):
    """The verification checklist of your team's selected system, named by its submission."""

    parser_classes = [StrictJSONParser, MultiPartParser]

    def get_permissions(self) -> list[Any]:
        """Reading asks for the scope `read`, filing for `submit`."""
        return [MaySubmit()] if self.request.method == "POST" else [MayRead()]

    @extend_schema(responses=PaperListSerializer, operation_id="final_papers")
    def get(self, request: Request, slug: str, track: str, phase: str, code: str) -> Response:
        """Return each kind of paper with its state; 404 for a system that is not your team's."""
        system = _own_system(request, slug, track, phase, code)
        return Response({"results": [_as_json(item) for item in _items(system)]})

    @extend_schema(
        request=NewPaperSerializer,
        responses={201: PaperSerializer},
        operation_id="final_paper_file",
    )
    def post(self, request: Request, slug: str, track: str, phase: str, code: str) -> Response:
        """File a paper; it takes the place of the one before, which stays in the history."""
        system = _own_system(request, slug, track, phase, code)
        sent = NewPaperSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        kind = FilingKind(sent.validated_data["kind"])
        filings.file(
            actor=person(request),
            system=system,
            kind=kind,
            sent=_sent(sent.validated_data),
            now=timezone.now(),
        )
        (item,) = (item for item in _items(system) if item.kind == kind)
        return Response(_as_json(item), status=201)


def _own_system(request: Request, slug: str, track: str, phase: str, code: str) -> FinalSystem:
    """Return the selected system of the person's own team, or answer 404."""
    found = visible_phase(request, slug, track, phase)
    systems = FinalSystem.objects.filter(selection__phase=found, submission__code=code)
    system = systems.select_related("submission__entrant__team").first()
    if system is None or system.reason in filings.UNRANKED:
        raise Http404
    if not is_member(person(request), system.submission.entrant):
        raise Http404
    return system


def _items(system: FinalSystem) -> list[Item]:
    return papers.items_of([system])[system.pk]


def _sent(given: dict[str, Any]) -> SentPaper:
    file: UploadedFile[Any] | None = given.get("file")
    return SentPaper(
        text=given["text"],
        link=given["link"],
        filename="" if file is None else str(file.name),
        chunks=None if file is None else _chunks(file),
    )


def _chunks(file: UploadedFile[Any]) -> Iterator[bytes]:
    for chunk in file.chunks():
        yield bytes(chunk)


def _as_json(item: Item) -> dict[str, Any]:
    filing, check = item.filing, item.check
    return {
        "kind": item.kind.value,
        "state": item.state,
        "number": None if filing is None else filing.number,
        "filed_at": None if filing is None else filing.filed_at.isoformat(),
        "text": "" if filing is None else filing.text,
        "link": "" if filing is None else filing.link,
        "filename": "" if filing is None else filing.filename,
        "size": None if filing is None else filing.size,
        "sha256": "" if filing is None else filing.sha256,
        "checked_at": None if check is None else check.checked_at.isoformat(),
        "note": "" if check is None else check.note,
    }
