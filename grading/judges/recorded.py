"""A judge that gives the answers of a file: an evaluation replayed without a model.

The file is what organizers export: one JSON object a line. An answer is found by what was asked
(audio, text, profile, replicate), so that it fits whoever sends the same clip.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from grading.enums import JudgeFailure
from grading.judges.base import CallFailed, Question, Reply, Usage

Key = tuple[str, str, str, int]


class RecordingUnusable(Exception):
    """The file is not there, is not the one that was named, or does not hold answers."""


class RecordedJudge:
    """Answers from a recording; what is not in it is a failure, never a number."""

    def __init__(self, replies: dict[Key, Reply]) -> None:
        self._replies = replies

    @classmethod
    def read(cls, path: Path, sha256: str) -> RecordedJudge:
        """Return the judge of a file with this SHA-256. Raises RecordingUnusable."""
        try:
            data = path.read_bytes()
        except OSError:
            raise RecordingUnusable("the recording cannot be read") from None
        if hashlib.sha256(data).hexdigest() != sha256:
            raise RecordingUnusable("the recording is another file than the one that was named")
        return cls(_replies(data.splitlines()))

    def ask(self, question: Question) -> Reply:
        """Return the recorded answer. Raises CallFailed."""
        key = (question.audio_sha256, question.text_sha256, question.profile, question.replicate)
        reply = self._replies.get(key)
        if reply is None:
            raise CallFailed(JudgeFailure.NOT_RECORDED, was_sent=False)
        return reply

    def close(self) -> None:
        """Do nothing: no connection is held."""


def _replies(lines: Iterable[bytes]) -> dict[Key, Reply]:
    try:
        return dict(_reply(line) for line in lines if line.strip())
    except (ValueError, KeyError, TypeError):
        raise RecordingUnusable("the recording holds a line that is no answer") from None


def _reply(line: bytes) -> tuple[Key, Reply]:
    row = json.loads(line)
    key = (
        str(row["audio_sha256"]),
        str(row["text_sha256"]),
        str(row["profile"]),
        int(row["replicate"]),
    )
    reply = Reply(
        text=str(row["raw"]),
        model=str(row["model_answered"]),
        fingerprint=str(row.get("fingerprint", "")),
        usage=Usage(row.get("input_tokens"), row.get("audio_tokens"), row.get("output_tokens")),
        latency_ms=0,
    )
    return key, reply
