"""What there is to enter, and the ids that a submission must cover."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from competition.api.serializers import (
    CompetitionDetailSerializer,
    CompetitionSerializer,
    ManifestSerializer,
    PhaseSerializer,
)
from competition.models import Competition, Phase


def visible_competition(request: Request, slug: str) -> Competition:
    """Return the competition, or answer 404 when there is none that this person may know of."""
    visible = Competition.objects.visible_to(request.user)
    competition: Competition = get_object_or_404(visible, slug=slug)
    return competition


def visible_phase(request: Request, slug: str, track: str, phase: str) -> Phase:
    """Return the phase of a visible competition, or answer 404."""
    phases = Phase.objects.select_related("track__competition", "references")
    found: Phase = get_object_or_404(
        phases,
        track__competition=visible_competition(request, slug),
        track__slug=track,
        slug=phase,
    )
    return found


class CompetitionList(ListAPIView[Competition]):
    """Competitions that the person may see, newest first."""

    serializer_class = CompetitionSerializer

    def get_queryset(self) -> QuerySet[Competition]:
        """Return the visible competitions."""
        if getattr(self, "swagger_fake_view", False):
            return Competition.objects.none()
        return Competition.objects.visible_to(self.request.user)


class CompetitionDetail(APIView):
    """One competition with its tracks and phases."""

    @extend_schema(responses=CompetitionDetailSerializer, operation_id="competition")
    def get(self, request: Request, slug: str) -> Response:
        """Return the competition."""
        competition = visible_competition(request, slug)
        return Response(CompetitionDetailSerializer(competition).data)


class PhaseDetail(APIView):
    """One phase of a track."""

    @extend_schema(responses=PhaseSerializer, operation_id="phase")
    def get(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Return the phase."""
        return Response(PhaseSerializer(visible_phase(request, slug, track, phase)).data)


class Manifest(APIView):
    """The ids and languages that a submission to the phase must cover; never a text."""

    @extend_schema(responses=ManifestSerializer, operation_id="manifest")
    def get(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Return the manifest of the phase's references."""
        references = visible_phase(request, slug, track, phase).references
        rows = references.utterances.order_by("utt_id").values("utt_id", "language")
        body: dict[str, Any] = {
            "references": str(references),
            "sha256": references.sha256,
            "utterances": list(rows),
        }
        return Response(body)
