"""A recognizer behind an endpoint of the OpenAI-compatible protocol of transcriptions."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from typing import Any

from grading.enums import JudgeFailure
from grading.judges.base import CallFailed, storable
from grading.judges.caller import Caller
from grading.judges.wire import LONGEST_KEPT


class Transcriber:
    """Asks one endpoint for transcripts; may be asked from several threads at once.

    `language` is what the endpoint is told is spoken (empty: it finds out), `prompt` what it is
    given to expect; both are part of what a transcript comes from.
    """

    def __init__(self, caller: Caller, *, model: str, language: str = "", prompt: str = "") -> None:
        self._caller = caller
        self._model = model
        self._language = language
        self._prompt = prompt

    def transcribe(self, audio: bytes) -> str:
        """Return what the recognizer heard in a WAV file, empty where it heard nothing.

        Raises CallFailed. Texts are storable: for NUL and half characters stands U+FFFD.
        """
        body = self._caller.read(lambda: self._begin(audio))
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            found = None
        text = found.get("text") if isinstance(found, dict) else None
        if not isinstance(text, str):
            raw = body.decode("utf-8", "replace")[:LONGEST_KEPT]
            raise CallFailed(JudgeFailure.MALFORMED, raw=raw)
        return storable(text)

    def _begin(self, audio: bytes) -> AbstractContextManager[Any]:
        create: Any = self._caller.client.audio.transcriptions.with_streaming_response.create
        told = {"language": self._language, "prompt": self._prompt}
        # The name tells nothing of the clip: an endpoint must not know whose it is.
        return create(  # type: ignore[no-any-return]
            model=self._model,
            file=("clip.wav", audio, "audio/wav"),
            response_format="json",
            temperature=0,
            **{name: value for name, value in told.items() if value},
        )
