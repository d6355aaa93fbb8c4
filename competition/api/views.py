"""What there is to enter, and the ids that a submission must cover."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.refusals import NotFound
from competition.api.serializers import (
    CompetitionDetailSerializer,
    CompetitionSerializer,
    ManifestSerializer,
    PhaseSerializer,
)
from competition.models import Competition, Phase
from competition.services.drawn import require_clips


def visible_competition(request: Request, slug: str) -> Competition:
    """Return the competition, or answer 404 when there is none that this person may know of."""
    found: Competition | None = (
        Competition.objects.visible_to(request.user).filter(slug=slug).first()
    )
    if found is None:
        text = _("There is no competition “%(name)s”, or none that you may see.")
        raise NotFound(text % {"name": slug}, what="competition")
    return found


def visible_phase(request: Request, slug: str, track: str, phase: str) -> Phase:
    """Return the phase of a visible competition, or answer 404 and name the phases that there are."""
    phases = Phase.objects.select_related("track__competition", "references").filter(
        track__competition=visible_competition(request, slug)
    )
    found: Phase | None = phases.filter(track__slug=track, slug=phase).first()
    if found is None:
        names = phases.order_by("track__position", "track__slug", "position", "slug")
        known = [f"{one.track.slug}/{one.slug}" for one in names]
        text = _("There is no phase “%(name)s” here. There are: %(known)s.")
        raise NotFound(
            text % {"name": f"{track}/{phase}", "known": ", ".join(known) or "–"},
            what="phase",
            known=known,
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
        found = visible_phase(request, slug, track, phase)
        require_clips(found)
        references = found.references
        rows = references.utterances.values("utt_id", "language")
        body: dict[str, Any] = {
            "references": str(references),
            "sha256": references.sha256,
            # Not by the database: each has an order of texts of its own.
            "utterances": sorted(rows, key=lambda row: str(row["utt_id"])),
        }
        return Response(body)
