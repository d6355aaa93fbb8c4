"""Corrections over the API, for organizers: propose, follow, look at who moves, switch, drop, score again."""

from __future__ import annotations

import json
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.people import person
from accounts.api.permissions import MayOrganize
from competition.api.views import visible_phase
from competition.models import Phase
from competition.rules import is_organizer
from config.api.parsers import StrictJSONParser
from grading import queries
from grading.models import RescoreCheck, Rescoring, Submission
from grading.models.rescoring import REASON_LENGTH
from grading.services import (
    errors,
    rescore_checks,
    rescoring,
    rescoring_moves,
    rescoring_switch,
)

MOVES = 500


class ProposalSerializer(serializers.Serializer[Any]):
    """What to correct: a file of references, parameters as a JSON object, or neither; and why."""

    references = serializers.FileField(required=False)
    params = serializers.JSONField(required=False)
    reason = serializers.CharField(max_length=REASON_LENGTH)


class ProgressSerializer(serializers.Serializer[Any]):
    """How many submissions stand, and how far they are under the candidate."""

    total = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    running = serializers.IntegerField()
    waiting = serializers.IntegerField()


class RescoringSerializer(serializers.ModelSerializer[Rescoring]):
    """One correction: from which recipe to which, why, and how far."""

    from_digest = serializers.CharField(source="replaced.digest")
    to_digest = serializers.CharField(source="recipe.digest")
    progress = serializers.SerializerMethodField()

    class Meta:
        model = Rescoring
        fields = [
            "code",
            "state",
            "reason",
            "from_digest",
            "to_digest",
            "proposed_at",
            "ended_at",
            "accepted_failures",
            "progress",
        ]

    @extend_schema(responses=ProgressSerializer)
    def get_progress(self, one: Rescoring) -> dict[str, int]:
        """Return the counts by name."""
        return rescoring.progress(one).as_json()


class SwitchSerializer(serializers.Serializer[Any]):
    """The recipe that is meant, in full, and the submissions that may go without a score."""

    digest = serializers.RegexField(r"^[0-9a-f]{64}$")
    accepted_failures = serializers.ListField(
        child=serializers.CharField(max_length=16), required=False, max_length=100_000
    )


class MoveSerializer(serializers.Serializer[Any]):
    """One entrant on both boards; `places` and `points` are what it gains."""

    entrant = serializers.CharField()
    team = serializers.CharField()
    old = serializers.DictField(allow_null=True)
    new = serializers.DictField(allow_null=True)
    places = serializers.IntegerField(allow_null=True)
    points = serializers.FloatField(allow_null=True)


class PreviewSerializer(serializers.Serializer[Any]):
    """Who moves, at most 500, biggest moves first; what is unfinished and what failed, by name."""

    moving = serializers.IntegerField()
    moves = MoveSerializer(many=True)
    unfinished = serializers.ListField(child=serializers.CharField())
    failed = serializers.DictField(child=serializers.CharField())
    progress = ProgressSerializer()


class CheckSerializer(serializers.ModelSerializer[RescoreCheck]):
    """A score computed again: `same`, `differs` (with the names of what does), or `failed`."""

    recipe_digest = serializers.CharField(source="evaluation.recipe.digest")

    class Meta:
        model = RescoreCheck
        fields = [
            "code",
            "state",
            "reason",
            "requested_at",
            "finished_at",
            "failure_code",
            "differences",
            "found",
            "recipe_digest",
        ]


class ReasonSerializer(serializers.Serializer[Any]):
    """Why."""

    reason = serializers.CharField(max_length=REASON_LENGTH)


class OfPhase(APIView):
    """Something of a phase that its organizers alone see."""

    permission_classes = [MayOrganize]

    def phase(self, request: Request, slug: str, track: str, phase: str) -> Phase:
        """Return the phase; 404 when the person may not know of it, 403 when they do not organize it."""
        found = visible_phase(request, slug, track, phase)
        if not is_organizer(person(request), found.track.competition):
            raise PermissionDenied
        return found


class RescoringView(OfPhase):
    """The open proposal of a phase."""

    @extend_schema(responses=RescoringSerializer, operation_id="rescoring")
    def get(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Return the proposal with its progress; 409 when there is none."""
        found = rescoring.open_of(self.phase(request, slug, track, phase))
        return Response(RescoringSerializer(found).data)


class RescoringPropose(OfPhase):
    """Propose a correction."""

    parser_classes = [MultiPartParser, StrictJSONParser]

    @extend_schema(
        request={"multipart/form-data": ProposalSerializer, "application/json": ProposalSerializer},
        responses={201: RescoringSerializer},
        operation_id="rescoring_propose",
    )
    def post(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Have every submission that stands scored again beside the board."""
        found = self.phase(request, slug, track, phase)
        given = ProposalSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        file = given.validated_data.get("references")
        made = rescoring.propose(
            actor=person(request),
            phase=found,
            references=file.read() if file else None,
            params=_params(given.validated_data.get("params")),
            reason=given.validated_data["reason"],
            now=timezone.now(),
        )
        return Response(RescoringSerializer(made).data, status=201)


class RescoringPreview(OfPhase):
    """Who would move."""

    @extend_schema(responses=PreviewSerializer, operation_id="rescoring_preview")
    def get(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Return both boards side by side; nothing is written."""
        proposal = rescoring.open_of(self.phase(request, slug, track, phase))
        found = rescoring_moves.preview(proposal=proposal, now=timezone.now())
        return Response(
            {
                "moving": found.moving,
                "moves": [move.as_json() for move in found.moves[:MOVES]],
                "unfinished": list(found.unfinished),
                "failed": {one.submission.code: one.failure_code for one in found.failed},
                "progress": found.progress.as_json(),
            }
        )


class RescoringSwitch(OfPhase):
    """Switch to the candidate."""

    @extend_schema(
        request=SwitchSerializer, responses=RescoringSerializer, operation_id="rescoring_switch"
    )
    def post(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Make the candidate live and the board its own, in one step."""
        found = self.phase(request, slug, track, phase)
        given = SwitchSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        made = rescoring_switch.switch(
            actor=person(request),
            phase=found,
            digest=given.validated_data["digest"],
            accepted_failures=given.validated_data.get("accepted_failures", []),
            now=timezone.now(),
        )
        return Response(RescoringSerializer(made).data)


class RescoringCancel(OfPhase):
    """Drop the candidate."""

    @extend_schema(request=None, responses=RescoringSerializer, operation_id="rescoring_cancel")
    def post(self, request: Request, slug: str, track: str, phase: str) -> Response:
        """Drop the proposal; the board stays as it is."""
        found = self.phase(request, slug, track, phase)
        made = rescoring.cancel(actor=person(request), phase=found, now=timezone.now())
        return Response(RescoringSerializer(made).data)


class ScoreChecks(APIView):
    """How a score came out when it was computed again."""

    permission_classes = [MayOrganize]

    @extend_schema(responses=CheckSerializer(many=True), operation_id="score_checks")
    def get(self, request: Request, code: str) -> Response:
        """Return the checks of a submission's scores, newest first."""
        submission = self.submission(request, code)
        checks = RescoreCheck.objects.visible_to(person(request)).filter(
            evaluation__submission=submission
        )
        rows = checks.select_related("evaluation__recipe")
        return Response(CheckSerializer(rows, many=True).data)

    @extend_schema(
        request=ReasonSerializer, responses={201: CheckSerializer}, operation_id="score_check"
    )
    def post(self, request: Request, code: str) -> Response:
        """Have the score computed again from scratch."""
        submission = self.submission(request, code)
        given = ReasonSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        check = rescore_checks.request(
            actor=person(request),
            submission=submission,
            reason=given.validated_data["reason"],
            now=timezone.now(),
        )
        return Response(CheckSerializer(check).data, status=201)

    def submission(self, request: Request, code: str) -> Submission:
        """Return the submission; 404 when the person may not know of it, 403 when it is not theirs to judge."""
        actor = person(request)
        submission: Submission = get_object_or_404(queries.submission_detail(actor), code=code)
        if not is_organizer(actor, submission.phase.track.competition):
            raise PermissionDenied
        return submission


def _params(given: Any) -> dict[str, Any] | None:
    """Return parameters sent as an object or, in a form, as its JSON; raises ParametersInvalid."""
    if given is None:
        return None
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            given = None
    if not isinstance(given, dict):
        raise errors.ParametersInvalid(_("Parameters are sent as one JSON object."))
    return given
