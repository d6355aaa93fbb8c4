"""The chat-completions protocol: what a request holds, and what of a response is looked at."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from grading.enums import JudgeFailure
from grading.judges.base import JSON_OBJECT, JSON_SCHEMA, CallFailed, Question, Reply, Usage

LONGEST_KEPT = 20_000
_MOST_TOKENS = 2**31 - 1
_LONGEST_NAME = 120


def messages(question: Question) -> list[dict[str, Any]]:
    """Return the conversation: instructions, then the item; after a bad answer the request to mend it."""
    asked: list[dict[str, Any]] = [
        {"role": "system", "content": question.instructions},
        {"role": "user", "content": _item(question)},
    ]
    if question.rejected:
        answer, request = question.rejected
        asked.append({"role": "assistant", "content": answer})
        asked.append({"role": "user", "content": request})
    return asked


def _item(question: Question) -> str | list[dict[str, Any]]:
    """Return the recording with its text, or the text alone where there is no recording."""
    if not question.audio:
        return question.text
    audio = base64.b64encode(question.audio).decode("ascii")
    return [
        {"type": "input_audio", "input_audio": {"data": audio, "format": "wav"}},
        {"type": "text", "text": question.text},
    ]


def response_format(question: Question) -> dict[str, Any] | None:
    """Return how the form of the answer is asked for; None where the prompt alone says it."""
    if question.answer_format == JSON_SCHEMA:
        form = {"name": question.form.name, "strict": True, "schema": question.form.schema}
        return {"type": "json_schema", "json_schema": form}
    return {"type": "json_object"} if question.answer_format == JSON_OBJECT else None


def read_reply(body: bytes, *, latency_ms: int, needs_audio: bool, has_audio: bool = True) -> Reply:
    """Return the answer in a response's body.

    Raises CallFailed: malformed, truncated, or the audio was dropped. That is so when audio tokens
    were counted and are 0, and with `needs_audio` also when they were not counted at all. Without audio in
    the question (`has_audio` False) that is not looked at.
    """
    raw = body.decode("utf-8", "replace")[:LONGEST_KEPT]
    answer = _json(body, raw)
    usage = _usage(answer)
    choice = _first_choice(answer)
    text = _content(choice)
    if choice.get("finish_reason") == "length":
        raise CallFailed(JudgeFailure.TRUNCATED, raw=raw, usage=usage)
    if not text:
        raise CallFailed(JudgeFailure.MALFORMED, raw=raw, usage=usage)
    is_deaf = usage.audio_tokens == 0 or (needs_audio and usage.audio_tokens is None)
    if has_audio and is_deaf:
        raise CallFailed(JudgeFailure.AUDIO_DROPPED, raw=raw, usage=usage)
    return Reply(
        text=text,
        model=_name(answer.get("model")),
        fingerprint=_name(answer.get("system_fingerprint")),
        usage=usage,
        latency_ms=latency_ms,
    )


def _json(body: bytes, raw: str) -> Mapping[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, Mapping):
        raise CallFailed(JudgeFailure.MALFORMED, raw=raw)
    return found


def _first_choice(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, Mapping) else {}


def _content(choice: Mapping[str, Any]) -> str:
    message = choice.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _usage(answer: Mapping[str, Any]) -> Usage:
    usage = answer.get("usage")
    if not isinstance(usage, Mapping):
        return Usage()
    details = usage.get("prompt_tokens_details")
    audio = _count(details.get("audio_tokens")) if isinstance(details, Mapping) else None
    return Usage(_count(usage.get("prompt_tokens")), audio, _count(usage.get("completion_tokens")))


def _count(value: object) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
    return value if is_count and isinstance(value, int) else None


def _name(value: object) -> str:
    return value[:_LONGEST_NAME] if isinstance(value, str) else ""
