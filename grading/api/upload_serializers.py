"""What uploads in parts look like over the API."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from config.api.bodies import StrictSerializer
from grading.enums import UploadEnd, UploadState
from grading.identity import MOST_PARTS
from grading.services.intake import FILENAME_LENGTH, NOTE_LENGTH, SYSTEM_LENGTH

MOST_BYTES = 2**40
EXAMPLE_HASHES = ["5f" * 32, "a0" * 32, "c3" * 32, "1d" * 32]
EXAMPLE_NAMED = {
    "filename": "predictions.zip",
    "system": "alder-2",
    "note": "",
    "size": 18_000_000,
    "parts": EXAMPLE_HASHES,
}
EXAMPLE_UPLOAD = {
    "code": "7hq2m9xkdp",
    "state": "open",
    "ended_as": "",
    "competition": "nvv-demo",
    "track": "understanding",
    "phase": "final",
    "system": "alder-2",
    "note": "",
    "filename": "predictions.zip",
    "size": 18_000_000,
    "part_size": 5_242_880,
    "content_id": "9e" * 32,
    "created_at": "2026-12-01T15:00:00+00:00",
    "expires_at": "2026-12-03T15:00:00+00:00",
    "complete_before": "2026-12-02T12:30:00+00:00",
    "submission": None,
    "part_count": 4,
    "missing": [4],
    "parts": [
        {
            "number": 4,
            "offset": 15_728_640,
            "size": 2_271_360,
            "sha256": "1d" * 32,
            "url": "https://challenge.example.org/api/v1/uploads/7hq2m9xkdp/parts/4/?signature=…",
            "headers": {},
        }
    ],
}


class NamedSerializer(StrictSerializer):
    """What is named of a file before its bytes are sent."""

    filename = serializers.CharField(max_length=4 * FILENAME_LENGTH, allow_blank=True, default="")
    system = serializers.CharField(max_length=4 * SYSTEM_LENGTH, allow_blank=True, default="")
    note = serializers.CharField(max_length=4 * NOTE_LENGTH, allow_blank=True, default="")
    size = serializers.IntegerField(min_value=1, max_value=MOST_BYTES, help_text="bytes")
    parts = serializers.ListField(
        child=serializers.CharField(max_length=64),
        min_length=1,
        max_length=MOST_PARTS,
        help_text="SHA-256 in hex of every 5 MiB in order, the last part smaller",
    )


class LinkSerializer(serializers.Serializer[Any]):
    """Where one part goes: PUT its bytes to `url` with `headers`, and without your token."""

    number = serializers.IntegerField()
    offset = serializers.IntegerField(help_text="where the part begins in the file, in bytes")
    size = serializers.IntegerField()
    sha256 = serializers.CharField()
    url = serializers.URLField(help_text="good for an hour; ask for the upload again for new ones")
    headers = serializers.DictField(child=serializers.CharField())


class UploadSummarySerializer(serializers.Serializer[Any]):
    """An upload in parts."""

    code = serializers.CharField()
    state = serializers.ChoiceField(UploadState.values)
    ended_as = serializers.ChoiceField(["", *UploadEnd.values])
    competition = serializers.CharField()
    track = serializers.CharField()
    phase = serializers.CharField()
    system = serializers.CharField()
    note = serializers.CharField()
    filename = serializers.CharField()
    size = serializers.IntegerField()
    part_size = serializers.IntegerField()
    content_id = serializers.CharField(help_text="SHA-256 over the binary hashes of the parts")
    created_at = serializers.DateTimeField(help_text="decides the deadline and the AoE day")
    expires_at = serializers.DateTimeField(help_text="then it is aborted")
    complete_before = serializers.DateTimeField(help_text="completed later it is refused")
    submission = serializers.CharField(allow_null=True, help_text="its code, once completed")


class UploadInPartsSerializer(UploadSummarySerializer):
    """An upload in parts, with links for up to a hundred missing parts."""

    part_count = serializers.IntegerField()
    missing = serializers.ListField(child=serializers.IntegerField())
    parts = LinkSerializer(many=True)


class UploadListSerializer(serializers.Serializer[Any]):
    """Your team's uploads that are open."""

    results = UploadSummarySerializer(many=True)


class StoredPartSerializer(serializers.Serializer[Any]):
    """A part that this server has."""

    number = serializers.IntegerField()
    size = serializers.IntegerField()
    sha256 = serializers.CharField()
