"""Who am I, which teams am I in; found a team."""

from __future__ import annotations

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.people import person
from accounts.api.permissions import HasScope, MayRead, MaySubmit
from accounts.models import Team, User
from accounts.services import teams, throttles
from config.api.bodies import StrictSerializer


class TeamSerializer(serializers.ModelSerializer[Team]):
    """A team the person belongs to."""

    class Meta:
        model = Team
        fields = ["code", "name", "affiliation"]


class NewTeamSerializer(StrictSerializer):
    """What a new team needs; a field that is not known is refused, it may be a typing error."""

    name = serializers.CharField(max_length=teams.NAME_LIMIT)
    affiliation = serializers.CharField(
        max_length=teams.AFFILIATION_LIMIT, required=False, allow_blank=True, default=""
    )


class MeSerializer(serializers.ModelSerializer[User]):
    """The person behind the token."""

    verified = serializers.BooleanField(source="is_verified")
    teams = serializers.SerializerMethodField()

    class Meta:
        model = User
        fields = ["code", "name", "language", "verified", "teams"]

    def get_teams(self, user: User) -> list[dict[str, str]]:
        """Return the teams of which the person is a member now."""
        return list(TeamSerializer(Team.objects.of(user), many=True).data)


class MeView(APIView):
    """The person behind the token."""

    permission_classes = [MayRead]

    @extend_schema(responses=MeSerializer, operation_id="me")
    def get(self, request: Request) -> Response:
        """Return name, language, whether the e-mail address is verified, and teams."""
        return Response(MeSerializer(person(request)).data)


class TeamList(APIView):
    """The person's teams."""

    def get_permissions(self) -> list[HasScope]:
        """Reading asks for the scope `read`, founding a team for `submit`."""
        return [MaySubmit()] if self.request.method == "POST" else [MayRead()]

    @extend_schema(responses=TeamSerializer(many=True), operation_id="teams")
    def get(self, request: Request) -> Response:
        """Return the teams of which the person is a member now."""
        return Response(TeamSerializer(Team.objects.of(person(request)), many=True).data)

    @extend_schema(
        request=NewTeamSerializer, responses={201: TeamSerializer}, operation_id="team_create"
    )
    def post(self, request: Request) -> Response:
        """Found a team with the person as its captain."""
        sent = NewTeamSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        throttles.spend(name="team", who=person(request).code, now=timezone.now())
        team = teams.create_team(actor=person(request), now=timezone.now(), **sent.validated_data)
        return Response(TeamSerializer(team).data, status=201)
