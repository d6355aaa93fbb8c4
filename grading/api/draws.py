"""Draws over the API: what was committed to and revealed for everybody, the acts for organizers."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.people import person
from accounts.api.permissions import MayOrganize
from competition.api.views import visible_competition
from competition.enums import Strata
from competition.models import DatasetVersion, Draw, DrawWindow, Phase
from competition.services.authority import require_organizer
from config.api.bodies import StrictSerializer
from grading.services import draws
from grading.services.draws import Plan


class WindowSerializer(serializers.ModelSerializer[DrawWindow]):
    """A window of draws: its terms from the first moment, its seed only once it is revealed."""

    dataset = serializers.CharField(source="version.dataset.slug")
    dataset_version = serializers.IntegerField(source="version.number")
    phase = serializers.SerializerMethodField()
    seed = serializers.SerializerMethodField()

    class Meta:
        model = DrawWindow
        fields = [
            "code",
            "dataset",
            "dataset_version",
            "phase",
            "algorithm",
            "algorithm_version",
            "strata",
            "n",
            "pool_sha256",
            "pool_size",
            "commitment",
            "public_name",
            "public_value",
            "opens_at",
            "closes_at",
            "made_at",
            "revealed_at",
            "seed",
        ]

    def get_phase(self, window: DrawWindow) -> str | None:
        """Return track and phase, null for a window that is no phase's."""
        return f"{window.phase.track.slug}/{window.phase.slug}" if window.phase else None

    def get_seed(self, window: DrawWindow) -> str | None:
        """Return the seed, null before it is revealed."""
        return window.seed if window.revealed_at else None


class DrawSerializer(serializers.ModelSerializer[Draw]):
    """One draw: `run` 0 is the window's own. The key gives the list again, with the public pool."""

    key = serializers.SerializerMethodField()
    utt_ids = serializers.SerializerMethodField()
    agrees = serializers.SerializerMethodField()

    class Meta:
        model = Draw
        fields = ["code", "run", "counts", "sha256", "drawn_at", "key", "utt_ids", "agrees"]

    def get_key(self, draw: Draw) -> str:
        """Return the key that the clips were ordered with."""
        return draws.key_of(draw.window, draw.run)

    def get_utt_ids(self, draw: Draw) -> list[str]:
        """Return the drawn ids in order."""
        return draws.ids_of(draw)

    def get_agrees(self, draw: Draw) -> bool:
        """Return whether the draw, made again now, is the one that was stored."""
        return draws.reconstruct(draw).agrees


class DrawnSerializer(serializers.ModelSerializer[Draw]):
    """That a draw was made: neither its key nor its list."""

    class Meta:
        model = Draw
        fields = ["code", "run", "counts", "sha256", "drawn_at"]


class PlanSerializer(StrictSerializer):
    """A window to commit to. Times are UTC, `closes_at` exclusive; the seed is made by the server."""

    dataset = serializers.SlugField(max_length=64)
    dataset_version = serializers.IntegerField(min_value=1)
    n = serializers.IntegerField(min_value=1, max_value=100_000)
    strata = serializers.ChoiceField(choices=Strata.choices, default=Strata.TIER)
    phase = serializers.CharField(max_length=140, required=False, default="")
    opens_at = serializers.DateTimeField()
    closes_at = serializers.DateTimeField()
    public_name = serializers.CharField(
        max_length=200, required=False, default="", allow_blank=True
    )


class ValueSerializer(StrictSerializer):
    """The public value that was named in advance."""

    value = serializers.CharField(max_length=200)


class WindowList(ListAPIView[DrawWindow]):
    """The windows of a competition, newest first; organizers commit to new ones."""

    serializer_class = WindowSerializer

    def get_permissions(self) -> list[Any]:
        """Everybody reads; committing asks for the scope `organize`."""
        return [MayOrganize()] if self.request.method == "POST" else [AllowAny()]

    def get_queryset(self) -> Any:
        """Return the windows that the person may know of."""
        if getattr(self, "swagger_fake_view", False):
            return DrawWindow.objects.none()
        competition = visible_competition(self.request, self.kwargs["slug"])
        return _windows(self.request).filter(competition=competition)

    @extend_schema(
        request=PlanSerializer, responses={201: WindowSerializer}, operation_id="window_commit"
    )
    def post(self, request: Request, slug: str) -> Response:
        """Commit to a window: a secret seed is made, and its SHA-256 is public at once."""
        competition, user = visible_competition(request, slug), person(request)
        require_organizer(user, competition)
        sent = PlanSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        version = get_object_or_404(
            DatasetVersion.objects.select_related("dataset__competition"),
            dataset__competition=competition,
            dataset__slug=given["dataset"],
            number=given["dataset_version"],
        )
        track, _sep, phase = given["phase"].partition("/")
        plan = Plan(
            n=given["n"],
            opens_at=given["opens_at"],
            closes_at=given["closes_at"],
            strata=Strata(given["strata"]),
            public_name=given["public_name"],
            phase=_phase(competition.pk, track, phase) if given["phase"] else None,
        )
        made = draws.commit(actor=user, version=version, plan=plan, now=timezone.now())
        return Response(WindowSerializer(made).data, status=201)


class WindowDetail(APIView):
    """One window of draws."""

    @extend_schema(responses=WindowSerializer, operation_id="window")
    def get(self, request: Request, code: str) -> Response:
        """Return the window; its seed once it is revealed."""
        return Response(WindowSerializer(_window(request, code)).data)


class WindowDraws(ListAPIView[Draw]):
    """The draws of a window, newest first; organizers draw."""

    serializer_class = DrawSerializer

    def get_permissions(self) -> list[Any]:
        """Everybody reads what is revealed; drawing asks for the scope `organize`."""
        return [MayOrganize()] if self.request.method == "POST" else [AllowAny()]

    def get_queryset(self) -> Any:
        """Return the window's draws, none before it is revealed."""
        if getattr(self, "swagger_fake_view", False):
            return Draw.objects.none()
        window = _window(self.request, self.kwargs["code"])
        found = window.draws.select_related("window")
        return found if window.revealed_at else found.none()

    @extend_schema(request=None, responses={200: DrawnSerializer}, operation_id="window_draw")
    def post(self, request: Request, code: str) -> Response:
        """Draw the window's own clips; again gives the draw that there is. The list stays secret."""
        window = _window(request, code)
        require_organizer(person(request), window.competition)
        return Response(DrawnSerializer(draws.draw(window=window, now=timezone.now())).data)


class WindowValue(APIView):
    """The public value of a window."""

    permission_classes = [MayOrganize]

    @extend_schema(
        request=ValueSerializer, responses={200: WindowSerializer}, operation_id="window_value"
    )
    def post(self, request: Request, code: str) -> Response:
        """Write down the value that was named in advance; once, before the first draw."""
        window = _window(request, code)
        require_organizer(person(request), window.competition)
        sent = ValueSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        draws.set_public_value(
            actor=person(request),
            window=window,
            value=sent.validated_data["value"],
            now=timezone.now(),
        )
        return Response(WindowSerializer(_window(request, code)).data)


class WindowReveal(APIView):
    """The end of a window's secret."""

    permission_classes = [MayOrganize]

    @extend_schema(request=None, responses={200: WindowSerializer}, operation_id="window_reveal")
    def post(self, request: Request, code: str) -> Response:
        """Publish the seed, once the window has closed; may be repeated."""
        window = _window(request, code)
        draws.reveal(actor=person(request), window=window, now=timezone.now())
        return Response(WindowSerializer(_window(request, code)).data)


def _windows(request: Request) -> Any:
    found = DrawWindow.objects.visible_to(request.user)
    return found.select_related("version__dataset", "phase__track", "competition")


def _window(request: Request, code: str) -> DrawWindow:
    window: DrawWindow = get_object_or_404(_windows(request), code=code)
    return window


def _phase(competition_id: int, track: str, phase: str) -> Phase:
    rows = Phase.objects.select_related("track")
    return get_object_or_404(rows, track__competition=competition_id, track__slug=track, slug=phase)
