"""A judge behind an endpoint of the chat-completions protocol, asked through the `openai` client."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from typing import Any

from grading.judges import wire
from grading.judges.base import Question, Reply
from grading.judges.caller import Caller
from grading.scoring.tracks.nvv_t2_judge import AUDIO_REQUIRED, JudgeDefinition


class EndpointJudge:
    """Asks one endpoint; connections are shared by the threads that ask."""

    def __init__(self, definition: JudgeDefinition, *, base_url: str, api_key: str) -> None:
        self._definition = definition
        self._caller = Caller(
            base_url=base_url,
            api_key=api_key,
            timeout_seconds=definition.timeout_seconds,
            connections=definition.limits.concurrency,
        )

    def ask(self, question: Question) -> Reply:
        """Return the answer. Raises CallFailed, which names what happened and nothing else."""
        began = time.monotonic()
        body = self._caller.read(lambda: self._begin(question))
        latency_ms = round((time.monotonic() - began) * 1000)
        needs_audio = self._definition.audio_tokens == AUDIO_REQUIRED
        return wire.read_reply(
            body,
            latency_ms=latency_ms,
            needs_audio=needs_audio,
            has_audio=bool(question.audio),
        )

    def close(self) -> None:
        """Close the connections."""
        self._caller.close()

    def _begin(self, question: Question) -> AbstractContextManager[Any]:
        definition = self._definition
        # The client's own types name its vendor's models; an endpoint may have any.
        create: Any = self._caller.client.chat.completions.with_streaming_response.create
        form = wire.response_format(question)
        return create(  # type: ignore[no-any-return]
            model=definition.model,
            messages=wire.messages(question),
            temperature=float(definition.temperature),
            max_tokens=definition.max_tokens,
            seed=question.seed,
            **({"response_format": form} if form else {}),
        )
