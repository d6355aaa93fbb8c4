"""The endpoint is asked as it can be, is never told more than it must, and its key goes nowhere else."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.utils import timezone

from accounts.models import AuditEvent
from grading.enums import AnswerSource, JudgeFailure, JudgeRunState, JudgeStop
from grading.judges import wire
from grading.judges.patience import asked_for
from grading.judges.standin_faults import FAULTS, FaultPlan
from grading.models import JudgeAnswer, JudgeAttempt, JudgeGate, JudgeRun
from grading.services import judging_export
from grading.services.judging_endpoint import origin_of
from tests.factories.judging import IDS, judged_arena, waiting
from tests.grading.judging.test_run import expected, judge, marks_of

pytestmark = pytest.mark.django_db
KEY = "key-that-nobody-may-read"
DRIP_SECONDS = 0.2


class Scripted(ThreadingHTTPServer):
    """Answers requests with what a test says, and keeps them."""

    daemon_threads = True

    def __init__(self, answer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer, self.requests = answer, []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_) -> None:
        """Callers go away here."""


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        told = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append((told, json.loads(body)))
        status, headers, pieces = self.server.answer(len(self.server.requests))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        for piece in pieces:
            self.wfile.write(piece)
            self.wfile.flush()

    def do_CONNECT(self) -> None:
        """Keep what a proxy would be asked for."""
        self.server.requests.append((self.path, None))

    def log_message(self, *_) -> None:
        """Say nothing."""


@contextmanager
def scripted(answer) -> Iterator[Scripted]:
    with Scripted(answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def said(text: str, **changes) -> bytes:
    usage = {"prompt_tokens": 9, "prompt_tokens_details": {"audio_tokens": 5}}
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    return json.dumps({"model": "m-1", "choices": [choice], "usage": usage} | changes).encode()


GOOD = json.dumps(
    {
        "heard": "x",
        "vocalization": "clear",
        "issues": [],
        "marks": {name: {"reason": "x", "mark": 4} for name in "APNQE"},
    }
)


def plain(body: bytes):
    return 200, {"Content-Length": str(len(body))}, [body]


@pytest.fixture
def one(settings):
    """An evaluation of two clips, one call each, and short pauses."""
    settings.JUDGE_PAUSE_SECONDS = 0.01
    settings.JUDGE_API_KEY = KEY

    def make(**changes):
        return waiting(judged_arena(IDS[:2], **{"replicates": 1} | changes))

    return make


@pytest.mark.parametrize("formats", [("json_object", "text"), ("text",)])
def test_a_laxer_form_is_asked_for_where_the_stricter_is_refused(standin, behaviour, formats):
    behaviour.formats = formats
    evaluation = waiting(judged_arena())
    run = judge(evaluation)
    assert (run.state, run.answer_format) == (JudgeRunState.DONE, formats[0])
    rejected = run.attempts.filter(failure=JudgeFailure.REJECTED)
    assert rejected.count() == 3 - len(formats)
    assert set(JudgeAnswer.objects.values_list("answer_format", flat=True)) == {formats[0]}
    assert marks_of(evaluation) == expected(evaluation)


def test_in_words_a_bad_answer_is_shown_once_with_what_is_wrong(settings, one):
    def answer(number):
        if number <= 2:
            return 400, {"Content-Length": "0"}, []
        is_mended = len(server.requests[number - 1][1]["messages"]) > 2
        return plain(said(GOOD if is_mended else "Sorry, I cannot."))

    with scripted(answer) as server:
        settings.JUDGE_BASE_URL = server.url
        run = judge(one())
    assert (run.state, run.answer_format) == (JudgeRunState.DONE, "text")
    asked = [[message["role"] for message in body["messages"]] for _, body in server.requests]
    first, mending = ["system", "user"], ["system", "user", "assistant", "user"]
    assert asked[:3] == [first] * 3
    assert sorted(asked[3:]) == [first, mending, mending]
    repair = next(body["messages"] for _, body in server.requests if len(body["messages"]) > 2)
    assert repair[2]["content"] == "Sorry, I cannot."
    assert "there is no JSON object" in repair[3]["content"]


def test_a_question_has_audio_text_and_schema_and_no_name_of_anybody(settings, one):
    with scripted(lambda _: plain(said(GOOD))) as server:
        settings.JUDGE_BASE_URL = server.url
        evaluation = one(temperature="0.5", max_tokens=321, seeds=[11])
        judge(evaluation)
    headers, body = server.requests[0]
    assert headers["authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["temperature"], body["max_tokens"], body["seed"]) == (
        "stand-in", 0.5, 321, 11,
    )  # fmt: skip
    assert body["response_format"]["json_schema"]["strict"] is True
    audio = body["messages"][1]["content"][0]
    assert (audio["type"], audio["input_audio"]["format"]) == ("input_audio", "wav")
    told = json.dumps(body | {"messages": [body["messages"][0], body["messages"][1]["content"][1]]})
    submission = evaluation.submission
    for name in (submission.code, submission.system, submission.entrant.team.name, "gen_en_1"):
        assert name not in told


def test_a_wait_that_is_asked_for_is_kept_by_all_calls(settings, one):
    def answer(number):
        if number == 1:
            return 429, {"Retry-After": "0.6", "Content-Length": "0"}, []
        return plain(said(GOOD))

    with scripted(answer) as server:
        settings.JUDGE_BASE_URL = server.url
        began = time.monotonic()
        run = judge(one())
    assert run.state == JudgeRunState.DONE
    assert time.monotonic() - began >= 0.6
    first, second, *_ = run.attempts.order_by("started_at")
    assert (second.started_at - first.ended_at).total_seconds() >= 0.55


def test_a_wait_may_be_a_date_and_nonsense_is_none():
    now = timezone.now().replace(microsecond=0)
    later = (now + timezone.timedelta(seconds=30)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    assert asked_for({"retry-after": later}, now) == 30
    assert asked_for({"retry-after": "-5"}, now) == 0
    assert asked_for({"retry-after": "1e9"}, now) == 3600
    for text in ("", "soon", "nan", "inf"):
        assert asked_for({"retry-after": text}, now) is None


def test_a_redirect_is_not_followed_and_proxies_are_not_used(settings, one, monkeypatch):
    with scripted(lambda _: plain(said(GOOD))) as other:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, other.url)
        sends_on = {"Location": f"{other.url}/chat/completions", "Content-Length": "0"}
        with scripted(lambda _: (307, sends_on, [])) as server:
            settings.JUDGE_BASE_URL = server.url
            run = judge(one())
        assert (run.state, run.stop_reason) == (JudgeRunState.STOPPED, JudgeStop.REFUSED)
        assert server.requests
        assert other.requests == []


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_stops_the_run_at_once(settings, one, status):
    with scripted(lambda _: (status, {"Content-Length": "0"}, [])) as server:
        settings.JUDGE_BASE_URL = server.url
        run = judge(one())
    assert (run.stop_reason, run.stop_detail) == (JudgeStop.REFUSED, {"http_status": status})
    assert len(server.requests) == 1


def test_an_answer_that_drips_or_never_ends_is_cut(settings, one):
    def dripping():
        while True:
            time.sleep(DRIP_SECONDS)
            yield b" "

    def flood():
        for _ in range(100):
            yield b" " * 65_536

    answers = {1: (200, {}, dripping()), 2: (200, {}, flood())}
    with scripted(lambda n: answers.get(n) or plain(said(GOOD))) as server:
        settings.JUDGE_BASE_URL = server.url
        began = time.monotonic()
        run = judge(one(timeout_seconds=1))
        assert time.monotonic() - began < 8
    kinds = list(run.attempts.order_by("pk").values_list("failure", flat=True))
    assert kinds[:2] == [JudgeFailure.TIMED_OUT, JudgeFailure.MALFORMED]
    assert run.state == JudgeRunState.DONE


def test_an_endpoint_that_is_away_stops_the_run_and_is_charged_nothing(settings, one):
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    settings.JUDGE_PATIENCE_SECONDS = 0.1
    run = judge(one())
    assert (run.stop_reason, run.calls, run.audio_ms) == (JudgeStop.UNREACHABLE, 0, 0)
    assert set(run.attempts.values_list("was_sent", flat=True)) == {False}


def test_the_key_goes_only_where_the_operator_said(settings, one, standin):
    settings.JUDGE_BASE_URL = ""
    run = judge(one(base_url=standin.base_url))
    assert (run.stop_reason, run.calls) == (JudgeStop.NOT_ALLOWED, 0)
    settings.JUDGE_ORIGINS = [origin_of(standin.base_url) + "/"]
    assert judge(one(base_url=standin.base_url, label="again")).state == JudgeRunState.DONE
    assert origin_of("http://a.example:80/v1") != origin_of("http://a.example:81/v1")
    assert origin_of("http://a.example/v1") != origin_of("https://a.example/v1")


def test_a_stand_in_is_never_taken_for_a_judge(standin, one):
    run = judge(one(is_stand_in=False))
    assert (run.state, run.stop_reason) == (JudgeRunState.STOPPED, JudgeStop.STAND_IN)
    assert JudgeAnswer.objects.count() == 0


def test_the_key_is_in_no_log_row_or_export_whatever_fails(
    settings, standin, behaviour, one, caplog
):
    caplog.set_level(logging.DEBUG)
    behaviour.key = KEY
    behaviour.faults = FaultPlan(dict.fromkeys(FAULTS, 0.08), seed=4)
    good = judge(one(replicates=3, timeout_seconds=1))
    settings.JUDGE_API_KEY = f"wrong-{KEY}"
    bad = judge(one(replicates=1, model="other"))
    assert (good.state, bad.stop_reason) == (JudgeRunState.DONE, JudgeStop.REFUSED)
    rows = [
        str(list(model.objects.values()))
        for model in (AuditEvent, JudgeAnswer, JudgeAttempt, JudgeGate, JudgeRun)
    ]
    rows.append(b"".join(judging_export.answer_lines(good)).decode())
    assert KEY not in "".join(rows)
    ours = [record for record in caplog.records if not record.name.startswith(SILENCED)]
    assert KEY not in "".join(str(vars(record)) for record in ours)
    assert KEY not in str(settings.LOGGING)


SILENCED = ("openai", "httpx2", "httpcore2")


def test_the_clients_own_loggers_are_silenced(settings):
    levels = settings.LOGGING["loggers"]
    assert all(levels[name] == {"level": "WARNING"} for name in SILENCED)


def test_a_recording_replays_an_evaluation_without_a_model(settings, standin, behaviour, tmp_path):
    import hashlib

    behaviour.jitter = True
    evaluation = waiting(judged_arena())
    lines = b"".join(judging_export.answer_lines(judge(evaluation)))
    sha256 = hashlib.sha256(lines).hexdigest()
    settings.JUDGE_RECORDINGS = tmp_path
    (tmp_path / f"{sha256}.jsonl").write_bytes(lines)
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    recorded = {"kind": "recorded", "base_url": None, "recording_sha256": sha256}
    again = waiting(judged_arena(**recorded))
    run = judge(again)
    assert run.state == JudgeRunState.DONE
    assert marks_of(again) == marks_of(evaluation)
    used = JudgeAnswer.objects.filter(ratings__run=run)
    assert set(used.values_list("source", flat=True)) == {AnswerSource.RECORDED}
    missing = waiting(judged_arena(**recorded, replicates=3))
    stopped = judge(missing)
    assert stopped.stop_reason == JudgeStop.UNANSWERED
    (tmp_path / f"{sha256}.jsonl").write_bytes(lines + b"\n")
    changed = waiting(judged_arena(**recorded, label="x"))
    assert judge(changed).stop_reason == JudgeStop.NOT_ALLOWED


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        (b"", JudgeFailure.MALFORMED),
        (b"[1]", JudgeFailure.MALFORMED),
        (said(""), JudgeFailure.MALFORMED),
        (said(GOOD, choices=[]), JudgeFailure.MALFORMED),
        (said(GOOD, choices="x"), JudgeFailure.MALFORMED),
        (said(GOOD, usage={"prompt_tokens_details": {"audio_tokens": 0}}), JudgeFailure.AUDIO_DROPPED),
        (said(GOOD, usage=None), JudgeFailure.AUDIO_DROPPED),
        (said(GOOD, usage={"prompt_tokens_details": {"audio_tokens": -3}}), JudgeFailure.AUDIO_DROPPED),
        (said(GOOD, choices=[{"message": {"content": GOOD}, "finish_reason": "length"}]), JudgeFailure.TRUNCATED),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_named(body, failure):
    with pytest.raises(wire.CallFailed) as failed:
        wire.read_reply(body, latency_ms=1, needs_audio=True)
    assert failed.value.failure == failure


def test_a_server_that_counts_no_audio_may_be_trusted_by_the_definition():
    assert wire.read_reply(said(GOOD, usage=None), latency_ms=1, needs_audio=False).text == GOOD
