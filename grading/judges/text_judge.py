"""A judge of answers: an endpoint of the chat-completions protocol that is given text alone."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from grading.enums import JudgeFailure
from grading.judges import wire
from grading.judges.base import JSON_OBJECT, JSON_SCHEMA, CallFailed, Reply
from grading.judges.caller import Caller


@dataclass(frozen=True, slots=True)
class TextQuestion:
    """One item with an answer, for one replicate: no name of a person, system or item is in it."""

    instructions: str
    text: str
    schema: dict[str, Any]
    seed: int
    answer_format: str = JSON_SCHEMA


class TextJudge:
    """Asks one endpoint; may be asked from several threads at once."""

    def __init__(self, caller: Caller, *, model: str, temperature: float, max_tokens: int) -> None:
        self._caller = caller
        self._model = model
        self._temperature = temperature
        self._max_tokens = max_tokens

    def ask(self, question: TextQuestion) -> Reply:
        """Return the answer. Raises CallFailed."""
        began = time.monotonic()
        body = self._caller.read(lambda: self._begin(question))
        latency_ms = round((time.monotonic() - began) * 1000)
        reply = wire.read_reply(body, latency_ms=latency_ms, needs_audio=False, has_audio=False)
        if not reply.text.strip():
            raise CallFailed(JudgeFailure.MALFORMED)
        return reply

    def _begin(self, question: TextQuestion) -> AbstractContextManager[Any]:
        # The client's own types name its vendor's models; an endpoint may have any.
        create: Any = self._caller.client.chat.completions.with_streaming_response.create
        form = _form(question)
        return create(  # type: ignore[no-any-return]
            model=self._model,
            messages=[
                {"role": "system", "content": question.instructions},
                {"role": "user", "content": question.text},
            ],
            temperature=self._temperature,
            max_tokens=self._max_tokens,
            seed=question.seed,
            **({"response_format": form} if form else {}),
        )


def _form(question: TextQuestion) -> dict[str, Any] | None:
    if question.answer_format == JSON_SCHEMA:
        schema = {"name": "mark", "strict": True, "schema": question.schema}
        return {"type": "json_schema", "json_schema": schema}
    return {"type": "json_object"} if question.answer_format == JSON_OBJECT else None
