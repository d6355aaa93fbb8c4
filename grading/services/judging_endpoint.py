"""Who is really asked: the address, and whether this server may send its key there."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings

from grading.enums import AnswerSource, JudgeStop
from grading.judges.recorded import RecordedJudge, RecordingUnusable
from grading.scoring.tracks.nvv_t2_judge import JudgeDefinition
from grading.scoring.tracks.nvv_t2_judge_reader import address_fault

if TYPE_CHECKING:
    from grading.judges.base import Judge


class RunStopped(Exception):
    """The run cannot go on by itself; `detail` is for organizers and holds no text of a reference."""

    def __init__(self, reason: JudgeStop, **detail: object) -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.detail = detail


def address_of(definition: JudgeDefinition) -> str:
    """Return the address that is asked, or the name of the recording.

    The key goes only where the operator of the server said: to JUDGE_BASE_URL, or to an address of
    the definition whose origin is in JUDGE_ORIGINS. Raises RunStopped for any other.
    """
    if definition.is_recorded:
        return f"recorded:{definition.recording_sha256}"
    address = settings.JUDGE_BASE_URL.rstrip("/") or definition.base_url
    is_named = bool(settings.JUDGE_BASE_URL) or origin_of(address) in _origins()
    if not is_named or address_fault(address):
        raise RunStopped(JudgeStop.NOT_ALLOWED)
    return address


def judge_at(address: str, definition: JudgeDefinition) -> Judge:
    """Return the judge that answers for a definition. Raises RunStopped."""
    if definition.is_recorded:
        name = f"{definition.recording_sha256}.jsonl"
        try:
            return RecordedJudge.read(settings.JUDGE_RECORDINGS / name, definition.recording_sha256)
        except RecordingUnusable as error:
            raise RunStopped(JudgeStop.NOT_ALLOWED, error=str(error)) from None
    from grading.judges.endpoint import EndpointJudge  # noqa: PLC0415  costs 40 MB: workers alone

    return EndpointJudge(definition, base_url=address, api_key=settings.JUDGE_API_KEY)


def source_of(definition: JudgeDefinition) -> AnswerSource:
    """Return what sort of judge a definition names, as its answers are labelled."""
    if definition.is_recorded:
        return AnswerSource.RECORDED
    return AnswerSource.STAND_IN if definition.is_stand_in else AnswerSource.ENDPOINT


def origin_of(address: str) -> str:
    """Return scheme, host and port of an address.

    >>> origin_of("https://Judge.example:443/v1")
    'https://judge.example'
    """
    parts = urlsplit(address)
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    host = (parts.hostname or "").lower()
    shown = f"[{host}]" if ":" in host else host
    port = "" if parts.port in {None, usual} else f":{parts.port}"
    return f"{parts.scheme}://{shown}{port}"


def _origins() -> set[str]:
    return {origin_of(origin.strip()) for origin in settings.JUDGE_ORIGINS if origin.strip()}
