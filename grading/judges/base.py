"""What a judge is asked and what comes back, whoever it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from grading.enums import JudgeFailure

JSON_SCHEMA = "json_schema"
JSON_OBJECT = "json_object"
TEXT = "text"
STAND_IN_MODEL = "plaudit-stand-in"
"""What the stand-in calls itself in its answers."""
FORMATS = (JSON_SCHEMA, JSON_OBJECT, TEXT)
"""How strictly an endpoint can be told what an answer looks like, from the strictest on."""

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""What no database keeps and no UTF-8 says: NUL, and halves of characters as a cut answer has them."""


@dataclass(frozen=True, slots=True)
class Form:
    """The form of an answer: its name, and its JSON schema."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """One recording with its text, or words alone (`audio` is empty), for one profile and replicate.

    `audio_sha256`, `text_sha256`, `profile` and `replicate` are what a recording is searched by;
    no name of a person, system or utterance is in a question. `rejected` is an answer that could
    not be used, with what was wrong: the judge is asked once to give it in the right form.
    """

    instructions: str
    text: str
    audio: bytes
    audio_sha256: str
    text_sha256: str
    profile: str
    replicate: int
    seed: int
    answer_format: str
    form: Form
    rejected: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call as the endpoint counted them; None where it did not say."""

    input_tokens: int | None = None
    audio_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as it came; `latency_ms` is from sending to its last byte.

    Its texts are storable: for NUL and half characters stands U+FFFD.
    """

    text: str
    model: str
    fingerprint: str
    usage: Usage
    latency_ms: int

    def __post_init__(self) -> None:
        """Make the texts storable."""
        for name in ("text", "model", "fingerprint"):
            object.__setattr__(self, name, storable(getattr(self, name)))


class CallFailed(Exception):
    """A call that gave no answer. It holds no header, no address and nothing of the exception behind it.

    `retry_after` are the seconds that the endpoint asked for; `was_sent` is False only where
    nothing can have been charged. `raw` is what came instead of an answer.
    """

    def __init__(
        self,
        failure: JudgeFailure,
        *,
        http_status: int | None = None,
        retry_after: float | None = None,
        was_sent: bool = True,
        raw: str = "",
        usage: Usage | None = None,
    ) -> None:
        super().__init__(failure.value)
        self.failure = failure
        self.http_status = http_status
        self.retry_after = retry_after
        self.was_sent = was_sent
        self.raw = storable(raw)
        self.usage = usage or Usage()


def storable(text: str) -> str:
    """Return a text that a database takes.

    >>> storable("a\\x00b")
    'a\ufffdb'
    """
    return UNSTORABLE.sub("\ufffd", text)


class Judge(Protocol):
    """Answers questions; may be asked from several threads at once."""

    def ask(self, question: Question) -> Reply:
        """Return the answer. Raises CallFailed."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...
