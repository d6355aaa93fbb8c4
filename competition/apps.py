from __future__ import annotations

from django.apps import AppConfig

from accounts.evidence import Evidence
from competition.given import GUARDS as GIVEN
from competition.held_out import GUARDS
from competition.merged import GUARDS as MERGED


class CompetitionConfig(AppConfig):
    """What and when: competitions, tracks, phases, entrants."""

    name = "competition"
    default_auto_field = "django.db.models.BigAutoField"
    evidence = (
        Evidence("terms"),
        Evidence("termsacceptance"),
        Evidence("entrantchange"),
        Evidence("deadlinechange"),
        Evidence("boardchange"),
        Evidence("dataset", frozen=("code", "competition", "slug", "created_at")),
        Evidence("datasetversion"),
        Evidence("datasetclip"),
        Evidence("audio", frozen=("sha256", "crc32", "size", "stored_at")),
        Evidence("poolmove"),
        Evidence(
            "pack",
            frozen=("code", "competition", "name", "version", "sha256", "made_by", "made_at"),
        ),
        Evidence("packfile", frozen=("pack", "path", "size", "sha256", "crc32")),
        Evidence(
            "packissue",
            frozen=(
                "code",
                "competition",
                "number",
                "pack",
                "entrant",
                "person",
                "acceptance",
                "requested_at",
            ),
        ),
        Evidence("download", frozen=("issue", "person", "began_at")),
        Evidence("copyhash"),
        Evidence("linkjudgement"),
        Evidence("entrantmerge"),
        Evidence(
            "drawwindow",
            frozen=(
                "code",
                "competition",
                "phase",
                "version",
                "algorithm",
                "algorithm_version",
                "strata",
                "n",
                "pool_sha256",
                "pool_size",
                "commitment",
                "seed",
                "public_name",
                "opens_at",
                "closes_at",
                "made_by",
                "made_at",
            ),
        ),
        Evidence("poolclip"),
        Evidence("draw"),
        Evidence("drawnclip"),
        Evidence("exposure"),
        Evidence("phasedraw"),
        Evidence("packaddressee"),
        Evidence(
            "question", frozen=("code", "competition", "asker", "entrant", "text", "asked_at")
        ),
    )
    guards = (*GUARDS, *MERGED, *GIVEN)
