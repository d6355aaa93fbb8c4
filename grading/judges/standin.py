"""A server that stands in for a judge: the same protocol over real HTTP, marks from simple measures.

`python -m grading.judges.standin --port 8900 [--faults 0.1]`. It is no judge: its marks order clips
that differ much, or count letters of answers (`standin_words`), and they are labelled as a stand-in's wherever they are shown. Demo and tests use it;
faults are injected on purpose, so that a server shows what it does with them.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from grading.judges import standin_words
from grading.judges.base import STAND_IN_MODEL
from grading.judges.hearing_marks import Fault, Heard, listen
from grading.judges.standin_faults import FaultPlan, read_plan
from grading.scoring.tracks.nvv_t2_marks import HIGHEST, LOWEST

FINGERPRINT = "stand-in-1"
PATH = "/v1/chat/completions"
FORMATS = ("json_schema", "json_object", "text")
LARGEST_BODY = 32 * 1024 * 1024
TOKENS_A_SECOND = 10
CHARACTERS_A_TOKEN = 4
JITTERS = (-0.5, 0.0, 0.5)

_KINDS = {
    Fault.MISSING: "missing_vocalization",
    Fault.WRONG_KIND: "wrong_vocalization",
    Fault.WRONG_PLACE: "misplaced_vocalization",
    Fault.WEAK: "weak_vocalization",
    Fault.NOISE: "noise",
    Fault.CLIPPING: "clipping",
    Fault.MONOTONE: "monotone",
    Fault.SILENCE: "silence",
}
_SEVERITIES = ("minor", "moderate", "severe")

Json = dict[str, Any]


@dataclass(slots=True)
class StandIn:
    """How a stand-in behaves, and what it was asked so far.

    `jitter` moves marks by half a mark, drawn from clip and seed, so that replicates differ.
    `journal` gets a line for each call as it arrives, so that calls can be counted whatever is killed.
    """

    faults: FaultPlan = field(default_factory=FaultPlan)
    formats: Sequence[str] = FORMATS
    key: str = ""
    jitter: bool = False
    slow_seconds: float = 2.0
    retry_after: str = "1"
    journal: Path | None = None
    asked: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, question: Asked) -> str:
        """Write a call down; return the fault that it gets."""
        with self.lock:
            self.asked[question.name] += 1
            fault = self.faults.draw(question.name, self.asked[question.name])
            if self.journal is not None:
                line = {"asked": question.name, "fault": fault, "at": time.time()}
                with self.journal.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
        return fault


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asks; `name` is the same for the same question."""

    audio: bytes
    text: str
    seed: int
    answer_format: str
    item: standin_words.Item | None = None
    """What is asked about where words are given alone."""

    @property
    def name(self) -> str:
        """The question's audio, text and seed as one digest."""
        heard = hashlib.sha256(self.audio).hexdigest()
        return hashlib.sha256(f"{heard}:{self.text}:{self.seed}".encode()).hexdigest()


class BadRequest(ValueError):
    """The request is not of the protocol."""


def read_request(body: bytes) -> Asked:
    """Return what a request asks. Raises BadRequest."""
    try:
        request = json.loads(body)
        content = request["messages"][1]["content"]
        if isinstance(content, str):
            return _asked_in_words(request, content)
        audio = next(part["input_audio"]["data"] for part in content if "input_audio" in part)
        text = next(part["text"] for part in content if part["type"] == "text")
        return Asked(
            base64.b64decode(audio, validate=True),
            text.partition("\n")[2],
            int(request.get("seed", 0)),
            _format(request),
        )
    except (ValueError, KeyError, TypeError, IndexError, StopIteration, binascii.Error) as error:
        raise BadRequest("the request is not of the protocol") from error


def _asked_in_words(request: Json, content: str) -> Asked:
    item = standin_words.read_item(str(request["messages"][0]["content"]), content)
    return Asked(b"", content, int(request.get("seed", 0)), _format(request), item)


def _format(request: Json) -> str:
    return str((request.get("response_format") or {}).get("type", "text"))


def marks_of(audio: bytes, text: str, seed: int, *, jitter: bool = False) -> dict[str, float]:
    """Return the marks that a stand-in gives a clip. Raises ValueError for what is no such WAV."""
    return _marks(listen(audio, text), Asked(audio, text, seed, ""), jitter=jitter)


def _marks(heard: Heard, asked: Asked, *, jitter: bool) -> dict[str, float]:
    marks = {name: float(mark) for name, mark in heard.marks.items()}
    if not jitter:
        return marks
    drawn = bytes.fromhex(asked.name)
    return {
        name: min(HIGHEST, max(LOWEST[name], mark + JITTERS[drawn[index] % len(JITTERS)]))
        for index, (name, mark) in enumerate(sorted(marks.items()))
    }


def answer(asked: Asked, *, jitter: bool = False) -> Json:
    """Return the object that the prompt asks for. Raises ValueError for what is no such WAV."""
    if asked.item is not None:
        drawn = bytes.fromhex(asked.name)[0] if jitter else None
        return standin_words.answer(asked.item, standin_words.mark_of(asked.item, drawn, JITTERS))
    heard = listen(asked.audio, asked.text)
    marks = _marks(heard, asked, jitter=jitter)
    is_absent = marks["A"] == 0 or marks["P"] == 0
    issues = [
        {"kind": _KINDS[fault], "severity": _SEVERITIES[severity - 1]}
        for fault, severity in heard.faults
    ]
    return {
        "heard": heard.heard,
        "vocalization": "absent" if is_absent else "clear",
        "issues": issues,
        "marks": {name: {"reason": heard.reasons[name], "mark": marks[name]} for name in LOWEST},
    }


def completion(asked: Asked, text: str, *, seconds: float, finish: str = "stop") -> Json:
    """Return a response of the protocol around the text of an answer."""
    audio = max(1, round(seconds * TOKENS_A_SECOND)) if seconds else 0
    prompt = audio + len(asked.text) // CHARACTERS_A_TOKEN
    output = max(1, len(text) // CHARACTERS_A_TOKEN)
    return {
        "id": f"chatcmpl-{asked.name[:24]}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": STAND_IN_MODEL,
        "system_fingerprint": FINGERPRINT,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": finish,
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": output,
            "total_tokens": prompt + output,
            "prompt_tokens_details": {"audio_tokens": audio},
        },
    }


class Handler(BaseHTTPRequestHandler):
    """Answers one connection's requests."""

    protocol_version = "HTTP/1.1"
    server: StandInServer

    def do_POST(self) -> None:
        """Answer a question, or spoil the answer as the plan says."""
        body = self._body()
        behaviour = self.server.behaviour
        if body is None or self.path != PATH:
            self._refuse(404 if body is not None else 413, "no such address or too long")
            return
        if behaviour.key and self.headers.get("Authorization") != f"Bearer {behaviour.key}":
            self._refuse(401, "the key is not right")
            return
        try:
            asked = read_request(body)
            if asked.answer_format not in behaviour.formats:
                self._refuse(400, f"response_format {asked.answer_format} is not supported")
                return
            said = answer(asked, jitter=behaviour.jitter)
        except ValueError as error:
            self._refuse(400, str(error))
            return
        self._give(asked, said, behaviour.note(asked))

    def _give(self, asked: Asked, said: Json, fault: str) -> None:
        if fault == "rate-limit":
            self._refuse(
                429, "too many requests", {"Retry-After": self.server.behaviour.retry_after}
            )
            return
        if fault == "server-error":
            self._refuse(500, "an error on purpose")
            return
        if fault == "slow":
            time.sleep(self.server.behaviour.slow_seconds)
        text = json.dumps(_spoilt(asked, said, fault), ensure_ascii=False)
        finish = "stop"
        if fault in {"malformed", "truncated"}:
            text, finish = text[: len(text) // 2], "length" if fault == "truncated" else "stop"
        seconds = 0.0 if fault == "drop-audio" else len(asked.audio) / 32_000
        whole = completion(asked, text, seconds=seconds, finish=finish)
        self._send(200, whole, cut=fault == "cut")

    def _body(self) -> bytes | None:
        size = int(self.headers.get("Content-Length") or 0)
        return self.rfile.read(size) if size <= LARGEST_BODY else None

    def _refuse(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        self._send(status, {"error": {"message": message, "code": status}}, headers=headers)

    def _send(
        self,
        status: int,
        value: Json,
        *,
        headers: Mapping[str, str] | None = None,
        cut: bool = False,
    ) -> None:
        data = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        self.close_connection = self.close_connection or cut or status >= 400  # noqa: PLR2004  an error

    def log_message(self, *_: Any) -> None:
        """Say nothing: a request holds somebody's clip."""


class StandInServer(ThreadingHTTPServer):
    """Listens and answers each connection in a thread of its own."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], behaviour: StandIn) -> None:
        super().__init__(address, Handler)
        self.behaviour = behaviour

    @property
    def base_url(self) -> str:
        """The address that a definition names."""
        return f"http://{self.server_address[0]!s}:{self.server_port}/v1"

    def handle_error(self, *_: Any) -> None:
        """Let a caller that went away go."""


def _spoilt(asked: Asked, said: Json, fault: str) -> Json:
    if fault != "out-of-range":
        return said
    if asked.item is not None:
        return standin_words.spoilt(asked.item, said)
    return {**said, "marks": {**said["marks"], "N": {"reason": "on purpose", "mark": 7}}}


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until ended."""
    parser = argparse.ArgumentParser(prog="python -m grading.judges.standin", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8900)
    parser.add_argument("--faults", default="0", help="0.1, or name=share,…")
    parser.add_argument("--seed", type=int, default=0, help="decides which call gets which fault")
    parser.add_argument("--formats", default=",".join(FORMATS), help="response formats it accepts")
    parser.add_argument("--jitter", action="store_true", help="let replicates differ")
    parser.add_argument("--slow-seconds", type=float, default=2.0)
    parser.add_argument("--journal", type=Path, help="a file that gets a line for each call")
    parser.add_argument("--key-file", type=Path, help="a file with the key that it asks for")
    given = parser.parse_args(arguments)
    behaviour = StandIn(
        faults=read_plan(given.faults, given.seed),
        formats=given.formats.split(","),
        key=given.key_file.read_text("utf-8").strip() if given.key_file else "",
        jitter=given.jitter,
        slow_seconds=given.slow_seconds,
        journal=given.journal,
    )
    with StandInServer((given.host, given.port), behaviour) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
