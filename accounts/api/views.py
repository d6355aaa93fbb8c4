"""Who am I, and which teams am I in."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.permissions import MayRead
from accounts.models import Team, User


class TeamSerializer(serializers.ModelSerializer[Team]):
    """A team the person belongs to."""

    class Meta:
        model = Team
        fields = ["code", "name", "affiliation"]


class MeSerializer(serializers.ModelSerializer[User]):
    """The person behind the token."""

    verified = serializers.BooleanField(source="is_verified")
    teams = serializers.SerializerMethodField()

    class Meta:
        model = User
        fields = ["code", "name", "language", "verified", "teams"]

    def get_teams(self, user: User) -> list[dict[str, str]]:
        """Return the teams of which the person is a member now."""
        teams = Team.objects.filter(memberships__user=user, memberships__left_at__isnull=True)
        return list(TeamSerializer(teams, many=True).data)


class MeView(APIView):
    """The person behind the token."""

    permission_classes = [MayRead]

    @extend_schema(responses=MeSerializer, operation_id="me")
    def get(self, request: Request) -> Response:
        """Return name, language, whether the e-mail address is verified, and teams."""
        return Response(MeSerializer(request.user).data)
