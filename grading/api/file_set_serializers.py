"""What sets of files and the clips of a submission look like over the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from competition.timeline import grace_end
from config.api.bodies import StrictSerializer
from grading.enums import UploadEnd, UploadState
from grading.models import Clip, FileSet, SentFile
from grading.scoring.audio.codecs import RATE
from grading.scoring.audio.screen import warnings_of
from grading.scoring.types import Problem, Severity
from grading.sentences import sentence
from grading.services import file_sets
from grading.services.intake import NOTE_LENGTH, SYSTEM_LENGTH

EXAMPLE_SET = {
    "code": "7hq2m9xkdp",
    "state": "open",
    "ended_as": "",
    "competition": "nvv-demo",
    "track": "generation",
    "phase": "final",
    "system": "alder-2",
    "note": "",
    "created_at": "2026-12-01T15:00:00+00:00",
    "expires_at": "2026-12-03T15:00:00+00:00",
    "complete_before": "2026-12-02T12:30:00+00:00",
    "submission": None,
    "file_count": 47,
    "missing_count": 1,
    "missing": ["gen_en_024"],
}


class NewSetSerializer(StrictSerializer):
    """What is said of a set before its files are sent."""

    system = serializers.CharField(max_length=4 * SYSTEM_LENGTH)
    note = serializers.CharField(max_length=4 * NOTE_LENGTH, allow_blank=True, default="")


class FileSetSerializer(serializers.Serializer[Any]):
    """A submission that comes file by file."""

    code = serializers.CharField()
    state = serializers.ChoiceField(UploadState.values)
    ended_as = serializers.ChoiceField(["", *UploadEnd.values])
    competition = serializers.CharField()
    track = serializers.CharField()
    phase = serializers.CharField()
    system = serializers.CharField()
    note = serializers.CharField()
    created_at = serializers.DateTimeField(help_text="decides the deadline and the AoE day")
    expires_at = serializers.DateTimeField(help_text="then it is given up")
    complete_before = serializers.DateTimeField(help_text="completed later it is refused")
    submission = serializers.CharField(allow_null=True, help_text="its code, once completed")
    file_count = serializers.IntegerField()
    missing_count = serializers.IntegerField()
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="up to a hundred utt_ids without a file, sorted"
    )


class FileSetListSerializer(serializers.Serializer[Any]):
    """Your team's sets that are open."""

    results = FileSetSerializer(many=True)


class FoundSerializer(serializers.Serializer[Any]):
    """One thing found in a file."""

    code = serializers.CharField()
    severity = serializers.ChoiceField([severity.value for severity in Severity])
    params = serializers.DictField()
    message = serializers.CharField()


class SentFileSerializer(serializers.Serializer[Any]):
    """A file that was accepted and kept, and what its sender should know."""

    utt_id = serializers.CharField()
    size = serializers.IntegerField()
    sha256 = serializers.CharField()
    stored_at = serializers.DateTimeField()
    problems = FoundSerializer(many=True)


class ScreenSerializer(serializers.Serializer[Any]):
    """The automatic screen of a clip: it decides nothing. `state` is done, failed or none."""

    state = serializers.CharField()
    silent_percent = serializers.FloatField(allow_null=True)
    longest_silence = serializers.FloatField(allow_null=True, help_text="seconds")
    longest_zeros = serializers.FloatField(allow_null=True, help_text="seconds")
    clipped_runs = serializers.IntegerField(allow_null=True)
    bandwidth_hz = serializers.IntegerField(allow_null=True)
    loudness = serializers.FloatField(allow_null=True, help_text="LUFS")
    speech = serializers.FloatField(
        allow_null=True, help_text="seconds, where a model is installed"
    )
    problems = FoundSerializer(many=True)


class ClipSerializer(serializers.Serializer[Any]):
    """One clip of an accepted submission."""

    utt_id = serializers.CharField()
    language = serializers.CharField()
    member = serializers.CharField(help_text="its name in the archive")
    sha256 = serializers.CharField()
    size = serializers.IntegerField()
    seconds = serializers.FloatField()
    screen = ScreenSerializer()


FIGURES = (
    "silent_percent",
    "longest_silence",
    "longest_zeros",
    "clipped_runs",
    "bandwidth_hz",
    "loudness",
    "speech",
)


def file_set_json(file_set: FileSet) -> dict[str, Any]:
    """Return a set as it stands: how many files came, and which are missing."""
    phase = file_set.phase
    missing = file_sets.missing(file_set)
    return {
        "code": file_set.code,
        "state": file_set.state,
        "ended_as": file_set.ended_as,
        "competition": phase.track.competition.slug,
        "track": phase.track.slug,
        "phase": phase.slug,
        "system": file_set.system,
        "note": file_set.note,
        "created_at": file_set.created_at.isoformat(),
        "expires_at": file_set.expires_at.isoformat(),
        "complete_before": min(file_set.expires_at, grace_end(phase)).isoformat(),
        "submission": file_set.submission.code if file_set.submission else None,
        "file_count": file_set.files.count(),
        "missing_count": len(missing),
        "missing": missing[: file_sets.LISTED],
    }


def sent_file_json(sent: SentFile) -> dict[str, Any]:
    """Return a kept file with the checker's warnings."""
    problems = [
        Problem(one["code"], Severity(one["severity"]), params=one["params"])
        for one in sent.warnings
    ]
    return {
        "utt_id": sent.utt_id,
        "size": sent.size,
        "sha256": sent.sha256,
        "stored_at": sent.stored_at.isoformat(),
        "problems": [_found_json(problem) for problem in problems],
    }


def clip_json(clip: Clip) -> dict[str, Any]:
    """Return a clip with its screen; needs its waveform."""
    waveform = clip.waveform
    return {
        "utt_id": clip.utt_id,
        "language": clip.language,
        "member": clip.member,
        "sha256": waveform.sha256,
        "size": waveform.size,
        "seconds": round(waveform.frames / RATE, 3),
        "screen": _screen_json(waveform.screen),
    }


def _screen_json(screen: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "state": screen.get("state", "none"),
        **{name: screen.get(name) for name in FIGURES},
        "problems": [_found_json(problem) for problem in warnings_of(screen)],
    }


def _found_json(problem: Problem) -> dict[str, Any]:
    return {
        "code": problem.code,
        "severity": problem.severity.value,
        "params": dict(problem.params),
        "message": sentence(problem),
    }
