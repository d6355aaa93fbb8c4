"""Competitions, tracks and phases as the API shows them; texts in every language they were written in."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from competition.enums import ClipSource
from competition.models import Competition, Entrant, Phase, PhaseDraw, Track


class DrawnClipsSerializer(serializers.ModelSerializer[PhaseDraw]):
    """Which draw of which window gave a phase its clips. `sha256` is that of the ids, each with a line feed."""

    window = serializers.CharField(source="draw.window.code")
    draw = serializers.CharField(source="draw.code")
    sha256 = serializers.CharField(source="draw.sha256")
    drawn_at = serializers.DateTimeField(source="draw.drawn_at")
    utt_ids = serializers.SerializerMethodField()

    class Meta:
        model = PhaseDraw
        fields = ["window", "draw", "sha256", "drawn_at", "utt_ids"]

    def get_utt_ids(self, taken: PhaseDraw) -> list[str]:
        """Return the drawn ids by code point; the phase is scored on them and on no others."""
        return sorted(taken.draw.clips.values_list("clip__utt_id", flat=True))


class PhaseSerializer(serializers.ModelSerializer[Phase]):
    """A phase: its window in UTC (`closes_at` is exclusive), quota, and what is shown while it is open.

    `clips` says whether it is scored on all that its references list, or on what a window draws: `drawn`.
    """

    utterances = serializers.SerializerMethodField()
    drawn = serializers.SerializerMethodField()

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
            "clips",
            "senders",
            "drawn",
        ]

    def get_utterances(self, phase: Phase) -> dict[str, int]:
        """Return how many utterances the phase has per language."""
        return dict(phase.references.counts)

    @extend_schema_field(DrawnClipsSerializer(allow_null=True))
    def get_drawn(self, phase: Phase) -> dict[str, Any] | None:
        """Return the draw that the phase took its clips from; null for one that lists them, or before the draw."""
        if phase.clips != ClipSource.DRAWN:
            return None
        taken = PhaseDraw.objects.filter(phase=phase).select_related("draw__window").first()
        return dict(DrawnClipsSerializer(taken).data) if taken else None


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
