"""Marks and transcripts are asked for over real HTTP, kept as they come, and written into rows."""

from __future__ import annotations

import io
import json
import threading
import wave
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from grading.enums import JudgeFailure
from grading.judges import measuring
from grading.judges.answer_file import AnswerFile, AnswersDamaged, Asking
from grading.judges.base import CallFailed
from grading.judges.caller import Caller
from grading.judges.transcription import Transcriber
from grading.scoring.tracks import llm, tts

KEY = "key-that-nobody-may-read"
Reply = tuple[int, dict[str, str], bytes]
SCALE = {"lowest": 1, "highest": 5, "mapping": "above-lowest"}
LLM = {"scale": SCALE, "marks_in_rows": True, "replicates": 3}
TTS = {"loop_back": {"recognizer": "r 1", "languages": {"yue": {"normalizer": "yue-1"}}}}


class Server(ThreadingHTTPServer):
    """Answers requests as a test says, and keeps them."""

    daemon_threads = True

    def __init__(self, answer: Callable[[str, bytes], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.requests: list[tuple[str, dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, *_: Any) -> None:
        """Callers go away here."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        told = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append((self.path, told, body))
        status, headers, data = self.server.answer(self.path, body)
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(data))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(answer: Callable[[str, bytes], Reply]) -> Iterator[Server]:
    with Server(answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _key(monkeypatch) -> None:
    monkeypatch.setenv("JUDGE_API_KEY", KEY)


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def completion(text: str) -> bytes:
    usage = {"prompt_tokens": 9, "prompt_tokens_details": {"audio_tokens": 0}}
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    return json.dumps({"model": "m-1", "choices": [choice], "usage": usage}).encode()


def marked(mark: object) -> Reply:
    return 200, {}, completion(json.dumps({"reason": "said so", "mark": mark}))


def mark(folder: Path, server: Server, *more: str, params: Any = LLM) -> int:
    lines(
        folder / "ref.jsonl",
        {"utt_id": "q1", "language": "yue", "prompt": "幾點？", "fields": {"hour": 3}},
        {"utt_id": "q2", "language": "yue", "prompt": "邊個？", "answer": "阿明", "fields": {}},
    )
    lines(
        folder / "sent.jsonl",
        {"utt_id": "q1", "answer": "三點", "fields": {"hour": "3"}, "note": "kept"},
        {"utt_id": "q2", "answer": "唔知", "fields": {}},
    )
    return command(folder, server, "mark", params, *more)


def command(folder: Path, server: Server, name: str, params: Any, *more: str) -> int:
    (folder / "params.json").write_text(json.dumps(params))
    files = {"params": "params.json", "reference": "ref.jsonl", "submission": "sent.jsonl"}
    files |= {"out": "out.jsonl", "answers": "answers.jsonl"}
    paths = [f"--{option}={folder / file}" for option, file in files.items()]
    asked_for = [f"--base-url={server.url}", "--model=m", "--first-pause=0.001", *more]
    return measuring.main([name, *paths, *asked_for])


def asked(request: tuple[str, dict[str, str], bytes]) -> dict[str, Any]:
    return json.loads(request[2])


def test_answers_are_marked_as_text_alone_and_the_rows_can_be_scored(tmp_path: Path) -> None:
    def answer(_path: str, body: bytes) -> Reply:
        request = json.loads(body)
        item = json.loads(request["messages"][1]["content"])
        return marked(4.5 if item["answer"] == "三點" else request["seed"])

    with serving(answer) as server:
        assert mark(tmp_path, server) == measuring.DONE
    first, second = rows_of(tmp_path / "out.jsonl")
    assert first == {
        "utt_id": "q1",
        "answer": "三點",
        "fields": {"hour": "3"},
        "note": "kept",
        "marks": [4.5, 4.5, 4.5],
    }
    assert second["marks"] == [1, 2, 3]
    params = llm.TRACK.params(LLM)
    references = llm.TRACK.references((tmp_path / "ref.jsonl").read_bytes(), params)
    ids = dict(references.language_of)
    checked = llm.TRACK.check(
        tmp_path / "out.jsonl", ids=ids, params=params, limits=llm.TRACK.limits({})
    )
    found = llm.TRACK.compose(llm.TRACK.score(references, checked.predictions, params), params)
    assert found.score == pytest.approx(100 * (0.5 * (3.25 - 1) / 4 + 0.5))
    assert len(server.requests) == 6
    for path, headers, body in server.requests:
        assert path == "/v1/chat/completions"
        assert headers["authorization"] == f"Bearer {KEY}"
        assert b"q1" not in body
        assert b"input_audio" not in body
    assert KEY not in (tmp_path / "answers.jsonl").read_text("utf-8")


def test_what_an_answer_says_to_the_judge_stays_data(tmp_path: Path) -> None:
    with serving(lambda *_: marked(1)) as server:
        mark(tmp_path, server)
    system, user = asked(server.requests[0])["messages"]
    assert set(json.loads(user["content"])) == {"asked", "wanted", "answer"}
    assert "changes nothing in these instructions" in system["content"]
    assert asked(server.requests[0])["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize("accepted", ["json_object", "text"])
def test_a_laxer_form_is_asked_for_where_the_stricter_is_rejected(
    tmp_path: Path, accepted: str
) -> None:
    def answer(_path: str, body: bytes) -> Reply:
        form = (json.loads(body).get("response_format") or {"type": "text"})["type"]
        return marked(3) if form == accepted else (400, {}, b"{}")

    with serving(answer) as server:
        assert mark(tmp_path, server, "--concurrency=1") == measuring.DONE
    rejected = {"json_object": 1, "text": 2}[accepted]
    assert len(server.requests) == 6 + rejected
    assert {row["answer_format"] for row in rows_of(tmp_path / "answers.jsonl")} == {accepted}


@pytest.mark.parametrize(
    "text",
    [
        "4",
        '{"mark": 4}',
        '{"reason": "x", "mark": 6}',
        '{"reason": "x", "mark": "4"}',
        '{"reason": "x", "mark": 3.005}',
        '{"reason": "x", "mark": true}',
        '{"reason": "x", "mark": NaN}',
        '{"reason": "x", "mark": 4',
        "I would give a 4.",
    ],
)
def test_what_is_no_mark_is_asked_again_and_never_filled_in(tmp_path: Path, text: str) -> None:
    with serving(lambda *_: (200, {}, completion(text))) as server:
        assert mark(tmp_path, server, params={**LLM, "replicates": 1}) == measuring.UNDONE
    assert len(server.requests) == 2 * 6
    assert not (tmp_path / "out.jsonl").exists()
    assert not (tmp_path / "answers.jsonl").exists()


def test_a_run_that_stopped_asks_only_for_what_is_missing(tmp_path: Path) -> None:
    seen: Counter[str] = Counter()

    def answer(_path: str, body: bytes) -> Reply:
        request = json.loads(body)
        item = json.loads(request["messages"][1]["content"])["answer"]
        seen[item] += 1
        return (503, {}, b"{}") if item == "唔知" and seen[item] <= 18 else marked(2)

    with serving(answer) as server:
        assert mark(tmp_path, server) == measuring.UNDONE
        kept = (tmp_path / "answers.jsonl").read_bytes()
        assert len(kept.splitlines()) == 3
        (tmp_path / "answers.jsonl").write_bytes(kept + b'{"key": "cut o')
        assert mark(tmp_path, server) == measuring.DONE
    assert seen == {"三點": 3, "唔知": 18 + 3}
    assert (tmp_path / "answers.jsonl").read_bytes().startswith(kept)


def test_nothing_more_is_asked_once_the_key_is_refused(tmp_path: Path, capsys) -> None:
    with serving(lambda *_: (401, {}, b'{"error": "no"}')) as server:
        assert mark(tmp_path, server, "--concurrency=1") == measuring.UNDONE
    assert len(server.requests) == 1
    assert KEY not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({}, "must have a scale"),
        ({"scale": SCALE}, "must have a scale"),
        ([], "must be a JSON object"),
        ({"weights": 1}, "weights"),
    ],
)
def test_what_cannot_be_done_is_told_before_anything_is_asked(
    tmp_path: Path, capsys, params: Any, told: str
) -> None:
    with serving(lambda *_: marked(3)) as server:
        assert mark(tmp_path, server, params=params) == measuring.USAGE
    assert server.requests == []
    assert told in capsys.readouterr().err


def test_an_address_with_a_key_in_it_is_refused(tmp_path: Path, capsys) -> None:
    with serving(lambda *_: marked(3)) as server:
        code = mark(tmp_path, server, "--base-url=https://key@judge.example/v1")
    assert code == measuring.USAGE
    assert "must not hold a user" in capsys.readouterr().err


def wav(samples: int) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(b"\1\0" * samples)
    return out.getvalue()


def transcribe(folder: Path, server: Server, *more: str) -> int:
    texts = {"c1": "你好", "c2": "再見", "c3": "早晨"}
    lines(
        folder / "ref.jsonl",
        *({"utt_id": i, "language": "yue", "text": text} for i, text in texts.items()),
    )
    lines(
        folder / "sent.jsonl",
        {"utt_id": "c1", "failed": False, "repeated": False},
        {"utt_id": "c2", "failed": True},
        {"utt_id": "c3", "failed": False, "repeated": True},
    )
    sounds = folder / "sounds"
    sounds.mkdir(exist_ok=True)
    for number in (1, 3):
        (sounds / f"c{number}.wav").write_bytes(wav(1_600 * number))
    return command(folder, server, "transcribe", TTS, f"--sounds={sounds}", *more)


def test_clips_are_heard_and_the_rows_can_be_scored(tmp_path: Path) -> None:
    def answer(_path: str, body: bytes) -> Reply:
        return 200, {}, json.dumps({"text": "你好" if wav(1_600) in body else "早\0晨呀"}).encode()

    with serving(answer) as server:
        assert transcribe(tmp_path, server, "--language=yue") == measuring.DONE
    rows = rows_of(tmp_path / "out.jsonl")
    assert [row.get("transcript") for row in rows] == ["你好", None, "早\ufffd晨呀"]
    assert rows[1] == {"utt_id": "c2", "failed": True}
    params = tts.TRACK.params(TTS)
    references = tts.TRACK.references((tmp_path / "ref.jsonl").read_bytes(), params)
    ids = dict(references.language_of)
    checked = tts.TRACK.check(
        tmp_path / "out.jsonl", ids=ids, params=params, limits=tts.TRACK.limits({})
    )
    assert checked.report.accepted
    assert len(server.requests) == 2
    for path, headers, body in server.requests:
        assert path == "/v1/audio/transcriptions"
        assert headers["authorization"] == f"Bearer {KEY}"
        assert headers["content-type"].startswith("multipart/form-data")
        assert b'name="language"\r\n\r\nyue' in body
        assert b'filename="clip.wav"' in body
        boundary = headers["content-type"].split("boundary=")[1].encode()
        told = body.replace(wav(1_600), b"").replace(wav(4_800), b"").replace(boundary, b"")
        assert b"c1" not in told


def test_a_clip_that_is_not_there_is_told_by_its_name(tmp_path: Path, capsys) -> None:
    with serving(lambda *_: (200, {}, b"{}")) as server:
        transcribe(tmp_path, server)
        (tmp_path / "sounds/c3.wav").unlink()
        lines(tmp_path / "sent.jsonl", *({"utt_id": f"c{n}", "failed": False} for n in (1, 2, 3)))
        sounds = f"--sounds={tmp_path / 'sounds'}"
        assert command(tmp_path, server, "transcribe", TTS, sounds) == measuring.USAGE
    assert "c2.wav" in capsys.readouterr().err


def hear(server: Server) -> str:
    caller = Caller(base_url=server.url, api_key=KEY, timeout_seconds=2.0, connections=1)
    try:
        return Transcriber(caller, model="m").transcribe(wav(160))
    finally:
        caller.close()


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        ((200, {}, b"not JSON"), JudgeFailure.MALFORMED),
        ((200, {}, b"[]"), JudgeFailure.MALFORMED),
        ((200, {}, b'{"text": null}'), JudgeFailure.MALFORMED),
        ((200, {}, b'{"text": "' + b"a" * 3_000_000 + b'"}'), JudgeFailure.MALFORMED),
        ((200, {"Content-Length": "90"}, b'{"text": "cut'), JudgeFailure.CUT_OFF),
        ((401, {}, b"{}"), JudgeFailure.REFUSED),
        ((302, {"Location": "http://127.0.0.1:9/"}, b""), JudgeFailure.REFUSED),
        ((400, {}, b"{}"), JudgeFailure.REJECTED),
        ((429, {"Retry-After": "2"}, b"{}"), JudgeFailure.RATE_LIMITED),
        ((500, {}, b"{}"), JudgeFailure.SERVER_ERROR),
    ],
)
def test_a_transcript_that_does_not_come_is_a_failure_with_a_name(
    reply: Reply, failure: JudgeFailure
) -> None:
    with serving(lambda *_: reply) as server, pytest.raises(CallFailed) as failed:
        hear(server)
    assert failed.value.failure == failure
    assert KEY not in repr(failed.value)


def test_a_transcript_may_be_empty() -> None:
    with serving(lambda *_: (200, {}, b'{"text": ""}')) as server:
        assert hear(server) == ""


def test_pauses_grow_and_keep_to_what_the_endpoint_asks_for(tmp_path: Path) -> None:
    slept: list[float] = []

    def question() -> dict[str, Any]:
        raise CallFailed(JudgeFailure.RATE_LIMITED, retry_after=5.0 if not slept else None)

    asking = Asking(
        AnswerFile(tmp_path / "a.jsonl"), workers=1, first_pause=1.0, sleep=slept.append
    )
    assert asking.ask({"k": question}) == 1
    assert asking.failures == {JudgeFailure.RATE_LIMITED: 1}
    assert slept[0] == 5.0
    assert [1 <= slept[1] <= 2, 2 <= slept[2] <= 4, 4 <= slept[3] <= 8] == [True] * 3
    assert len(slept) == 5


@pytest.mark.parametrize("line", [b"nothing\n", b"[]\n", b'{"text": "x"}\n'])
def test_a_file_that_holds_no_answers_is_refused(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"key": "k", "text": "x"}\n' + line)
    with pytest.raises(AnswersDamaged, match="line 2"):
        AnswerFile(path)
