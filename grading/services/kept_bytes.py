"""Which stored bytes are still referred to: the sweep removes the others."""

from __future__ import annotations

from collections.abc import Collection

from grading.enums import UploadState
from grading.models import (
    Filing,
    SentFile,
    Stimulus,
    Submission,
    UploadSession,
    VerificationRun,
    Waveform,
)


def is_wanted(key: str) -> bool:
    """Return whether a row names the bytes of a key, or an open upload will end under it."""
    return bool(wanted([key]))


def wanted(keys: Collection[str]) -> set[str]:
    """Return those keys whose bytes a row names, or under which an open upload will end."""
    named = (
        Submission.objects.all(),
        Waveform.objects.all(),
        Filing.objects.all(),
        Stimulus.objects.all(),
        VerificationRun.objects.all(),
        UploadSession.objects.filter(state=UploadState.OPEN),
        SentFile.objects.filter(file_set__state=UploadState.OPEN),
    )
    found: set[str] = set()
    for rows in named:
        found.update(rows.filter(storage_key__in=keys).values_list("storage_key", flat=True))
    return found
