"""Competitions, tracks and phases as the API shows them; texts in every language they were written in."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from competition.models import Competition, Entrant, Phase, Track


class PhaseSerializer(serializers.ModelSerializer[Phase]):
    """A phase: its window in UTC (`closes_at` is exclusive), quota, and what is shown while it is open."""

    utterances = serializers.SerializerMethodField()

    class Meta:
        model = Phase
        fields = [
            "slug",
            "texts",
            "opens_at",
            "closes_at",
            "grace_minutes",
            "frozen_from",
            "quota_per_day",
            "quota_total",
            "feedback",
            "board_visibility",
            "selection",
            "band_rule",
            "limits",
            "utterances",
        ]

    def get_utterances(self, phase: Phase) -> dict[str, int]:
        """Return how many utterances the phase has per language."""
        return dict(phase.references.counts)


class TrackSerializer(serializers.ModelSerializer[Track]):
    """A track: its kind and version name the scorer, `params` its settings."""

    phases = PhaseSerializer(many=True)

    class Meta:
        model = Track
        fields = ["slug", "kind", "texts", "params", "phases"]


class CompetitionSerializer(serializers.ModelSerializer[Competition]):
    """A competition in a list."""

    class Meta:
        model = Competition
        fields = ["slug", "state", "texts", "contact", "terms_version"]


class CompetitionDetailSerializer(CompetitionSerializer):
    """A competition with its tracks and phases."""

    tracks = TrackSerializer(many=True)

    class Meta(CompetitionSerializer.Meta):
        fields = [*CompetitionSerializer.Meta.fields, "tracks"]


class ManifestSerializer(serializers.Serializer[Any]):
    """The public half of the references: ids and languages."""

    references = serializers.CharField()
    sha256 = serializers.CharField()
    utterances = serializers.ListField(child=serializers.DictField(child=serializers.CharField()))


class EntrantSerializer(serializers.ModelSerializer[Entrant]):
    """A team in a competition."""

    team = serializers.CharField(source="team.name")

    class Meta:
        model = Entrant
        fields = ["code", "team", "state", "kind", "reason", "registered_at", "decided_at"]
