"""The handed HTTP cases, and others of their kinds, against the real web server and worker."""

from __future__ import annotations

import concurrent.futures
import gzip
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.security.served import Installation, running
from tests.security.wire import Answer, exchange, read_all, request

pytestmark = pytest.mark.slow

CASES = Path(__file__).resolve().parents[1] / "cases"
BOUNDARY = "plauditcBOUNDARY"
FORM = f"multipart/form-data; boundary={BOUNDARY}"
LONGEST_WAIT = 90


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with running(tmp_path_factory.mktemp("site")) as made:
        yield made


def expected_of(name: str) -> dict[str, Any]:
    inputs = json.loads((CASES / "inputs.json").read_text())["cases"]
    return next(case for case in inputs if case["id"] == name)


def submit_path(site: Installation, phase: str = "cases") -> str:
    return f"{site.world['api']}/{phase}/submissions/"


def steps_of(site: Installation, name: str, phase: str = "cases") -> list[dict[str, Any]]:
    """Return the steps of a handed case, its addresses and fields filled in."""
    text = (CASES / "http" / f"{name}.json").read_text()
    places = {
        "{SUBMIT}": submit_path(site, phase),
        "{SUBMIT_RAW}": submit_path(site, phase),
        "{TEAM}": "/api/v1/teams/",
        "{AUTH}": f"Bearer {site.world['token']}",
        "{TOKEN}": site.world["token"],
        "{DOWNLOAD}": f"{site.world['api']}/{phase}/manifest/",
    }
    for mark, value in places.items():
        text = text.replace(mark, value)
    steps = json.loads(text)["steps"]
    for step in steps:
        sent = (CASES / step["body_file"]).read_bytes() if "body_file" in step else b""
        step["body"] = sent.replace(b"{FILE}", b"file")
        if "send_bytes" in step:
            step["send_bytes"] -= len(sent) - len(step["body"])
    return steps


def raw_of(step: dict[str, Any]) -> tuple[bytes, bytes]:
    """Return what is sent at once, and what is held back."""
    whole = request(
        step["target"], method=step["method"], headers=step["headers"], body=step["body"]
    )
    head = len(whole) - len(step["body"])
    cut = head + step.get("send_bytes", len(step["body"]))
    return whole[:cut], whole[cut:]


def play(site: Installation, step: dict[str, Any]) -> Answer:
    return exchange(site, raw_of(step)[0], then=step.get("then", ""))[-1]


def settle(site: Installation) -> dict[str, Any]:
    """Return the state once every upload has come to its end."""
    deadline = time.monotonic() + LONGEST_WAIT
    while True:
        state = site.ask("state")
        open_ones = [one for one in state["submissions"] if one[2] == "received"]
        open_ones += [one for one in state["evaluations"] if one[1] in {"queued", "running"}]
        if not open_ones:
            return state
        assert time.monotonic() < deadline, f"no end: {open_ones}\n{site.log('worker')[-3000:]}"
        time.sleep(0.3)


def codes(state: dict[str, Any]) -> list[str]:
    """Return the submissions that there are, whatever became of them."""
    return [code for code, _phase, _state in state["submissions"]]


REFUSED = [
    "h-api-depth",
    "h-api-int-overflow",
    "h-api-list",
    "h-api-surrogate",
    "h-api-surrogate-in-json",
    "h-cut-before-end-boundary",
    "h-cut-json-padded",
    "h-cut-raw-body",
    "h-empty-body",
    "h-file-as-text-field",
    "h-filename-empty",
    "h-gzip-body",
    "h-header-64k",
    "h-length-and-chunked",
    "h-length-huge",
    "h-text-plain",
    "h-token-query-api-key",
    "h-zip-as-json",
]


@pytest.mark.parametrize("name", REFUSED)
def test_a_case_is_refused_with_a_reason_and_leaves_nothing(site: Installation, name: str) -> None:
    before = site.ask("state")
    expected = expected_of(name)
    statuses = {int(word) for word in expected["reason_keywords"] if word.isdigit()}
    for step in steps_of(site, name):
        answer = play(site, step)
        assert answer.status in statuses, answer
        if answer.headers.get("content-type", "").startswith("application/problem+json"):
            assert answer.json["code"]
        words = [word for word in expected["reason_keywords"] if not word.isdigit()]
        assert all(word in answer.body.decode().lower() for word in words), answer.body
        assert b"Traceback" not in answer.body
    after = site.ask("state")
    assert codes(after) == codes(before)
    assert len(after["quota"]) == len(before["quota"])
    assert after["teams"] == before["teams"]


def test_the_refusal_of_a_huge_length_names_the_limit(site: Installation) -> None:
    [step] = steps_of(site, "h-length-huge")
    assert re.search(rb"\d{5,}", play(site, step).body)


def test_a_giant_header_leaves_no_giant_line_in_the_log(site: Installation) -> None:
    [step] = steps_of(site, "h-header-64k")
    play(site, step)
    assert max(map(len, site.log("web").splitlines()), default=0) < 5_000


def fresh(body: bytes, number: int) -> bytes:
    """Return the same predictions with a text that no other test sends."""
    return body.replace(b"last train", f"last train {number}".encode())


def test_two_clicks_in_the_same_instant_are_one_submission(site: Installation) -> None:
    [step] = steps_of(site, "h-double-click")
    step["body"] = fresh(step["body"], 1)
    before = settle(site)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        both = list(pool.map(lambda _: play(site, step), range(2)))
    assert {answer.status for answer in both} <= {200, 201}
    assert len({answer.json["code"] for answer in both}) == 1
    after = settle(site)
    assert len(after["submissions"]) == len(before["submissions"]) + 1
    charged = [one for one in after["quota"] if one[0] == both[0].json["code"]]
    assert charged == [[both[0].json["code"], "charged"]]


def test_a_rejected_upload_uses_no_quota_and_is_on_no_board(site: Installation) -> None:
    bad, good = steps_of(site, "h-failed-does-not-count")
    good["body"] = fresh(good["body"], 2)
    first, second = play(site, bad), play(site, good)
    assert (first.status, second.status) == (201, 201), (first, second)
    state = settle(site)
    states = {code: state for code, _phase, state in state["submissions"]}
    quota = dict(state["quota"])
    assert states[first.json["code"]] == "rejected"
    assert quota[first.json["code"]] == "released"
    assert quota[second.json["code"]] == "charged"
    assert first.json["code"] not in state["standings"]


def test_the_same_key_and_body_give_the_same_submission(site: Installation) -> None:
    steps = steps_of(site, "h-key-same-body")
    for step in steps:
        step["body"] = fresh(step["body"], 3)
    first, second = (play(site, step) for step in steps)
    assert first.status == 201
    assert second.status in {200, 201}
    assert first.json["code"] == second.json["code"]


def test_the_same_key_with_another_body_is_refused(site: Installation) -> None:
    first, second = steps_of(site, "h-key-same-body")
    for number, step in enumerate((first, second)):
        step["headers"]["Idempotency-Key"] = "another-key"
        step["body"] = fresh(step["body"], 30 + number)
    assert play(site, first).status == 201
    answer = play(site, second)
    assert (answer.status, answer.json["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")


def test_an_odd_file_name_is_taken_shown_and_used_for_nothing(site: Installation) -> None:
    [step] = steps_of(site, "h-filename-odd")
    step["body"] = fresh(step["body"], 4)
    answer = play(site, step)
    assert answer.status == 201, answer
    name = answer.json["filename"]
    assert not re.search(r"[\r\n\0/]", name)
    assert "x-evil" not in answer.headers
    stored = [path.name for path in (site.folder / "files").rglob("*") if path.is_file()]
    assert stored
    assert not any("Evil" in one or name in one for one in stored)


def test_an_upload_that_begins_before_the_end_and_ends_after_it_counts(site: Installation) -> None:
    phase = site.ask("closing", "6")["phase"]
    [step] = steps_of(site, "h-upload-across-deadline", phase)
    began, rest = raw_of(step)
    with site.connect() as opened:
        opened.sendall(began)
        time.sleep(7)  # the case is about the clock: the phase closes meanwhile
        opened.sendall(rest)
        head, _, body = read_all(opened).partition(b"\r\n\r\n")
    assert b" 201 " in head.split(b"\r\n")[0], body
    late = exchange(site, b"".join(raw_of({**step, "body": fresh(step["body"], 5)})))[-1]
    assert (late.status, late.json["code"]) == (403, "WINDOW_CLOSED")


def stalls(site: Installation) -> dict[str, bytes]:
    """Return requests of which the rest never comes, by what is missing."""
    [step] = steps_of(site, "h-stall")
    begun, _ = raw_of(step)
    head = begun.partition(b"\r\n\r\n")[0]
    chunked = {"Transfer-Encoding": "chunked", **step["headers"]}
    return {
        "nothing sent": b"",
        "half a request line": b"POST /api",
        "half the headers": head[:120],
        "no end of headers": head + b"\r\n",
        "no body": head + b"\r\n\r\n",
        "half the body": begun,
        "half a chunk": request(step["target"], headers=chunked, body=b"20\r\nabc"),
        "no last chunk": request(step["target"], headers=chunked, body=b"3\r\nabc\r\n"),
    }


def stalled(site: Installation, raw: bytes) -> tuple[int, float]:
    began = time.monotonic()
    answer = exchange(site, raw, timeout=60)[-1]
    return answer.status, time.monotonic() - began


def dripped(site: Installation) -> int:
    """Send one header byte a second; return the status of the answer."""
    with site.connect(60) as opened:
        try:
            for byte in b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " + b"a" * 60:
                opened.sendall(bytes([byte]))
                time.sleep(1)
        except OSError:
            pass
        first = read_all(opened).split(b"\r\n")[0]
    return int(first.split()[1]) if first else 0


def test_stalled_and_dripping_requests_end_while_others_are_served(site: Installation) -> None:
    before = site.ask("state")
    kinds = stalls(site)
    with concurrent.futures.ThreadPoolExecutor(max_workers=60) as pool:
        drips = [pool.submit(dripped, site) for _ in range(20)]
        ends = {name: pool.submit(stalled, site, raw) for name, raw in kinds.items()}
        waits = []
        for _ in range(20):
            began = time.monotonic()
            [answer] = exchange(site, request("/healthz", method="GET"), timeout=10)
            waits.append(time.monotonic() - began)
            assert answer.status == 200
            time.sleep(0.2)
        found = {name: end.result() for name, end in ends.items()}
        assert {drip.result() for drip in drips} <= {408, 0}
    assert sorted(waits)[len(waits) // 2] < 1
    assert {name: status for name, (status, _) in found.items()} == dict.fromkeys(kinds, 408)
    assert max(seconds for _, seconds in found.values()) < 35
    assert codes(site.ask("state")) == codes(before)


def head(site: Installation, *lines: str, path: str = "") -> bytes:
    target = path or submit_path(site)
    given = [f"Authorization: Bearer {site.world['token']}", "Host: 127.0.0.1", *lines]
    return "\r\n".join([f"POST {target} HTTP/1.1", *given, "", ""]).encode()


OCTETS = "Content-Type: application/octet-stream"
DOUBLY_FRAMED = {
    "two lengths": [OCTETS, "Content-Length: 5", "Content-Length: 6"],
    "two equal lengths": [OCTETS, "Content-Length: 5", "Content-Length: 5"],
    "a list of lengths": [OCTETS, "Content-Length: 5, 5"],
    "a signed length": [OCTETS, "Content-Length: +5"],
    "a negative length": [OCTETS, "Content-Length: -5"],
    "a hexadecimal length": [OCTETS, "Content-Length: 0x5"],
    "a length with a space": [OCTETS, "Content-Length: 5 5"],
    "a length in other digits": [OCTETS, "Content-Length: ٥"],
    "chunked and a length": [OCTETS, "Transfer-Encoding: chunked", "Content-Length: 5"],
    "chunked twice": [OCTETS, "Transfer-Encoding: chunked, chunked"],
    "an unknown coding": [OCTETS, "Transfer-Encoding: xchunked"],
    "identity": [OCTETS, "Transfer-Encoding: identity"],
    "chunked not last": [OCTETS, "Transfer-Encoding: chunked, gzip"],
    "a space before the colon": [OCTETS, "Transfer-Encoding : chunked"],
    "a folded header": [OCTETS, "Transfer-Encoding:", " chunked"],
    "a vertical tab": [OCTETS, "Transfer-Encoding: \x0bchunked", "Content-Length: 5"],
}


@pytest.mark.parametrize("kind", DOUBLY_FRAMED)
def test_an_ambiguous_framing_never_makes_a_submission(site: Installation, kind: str) -> None:
    before = codes(site.ask("state"))
    smuggled = request("/healthz", method="GET")
    raw = head(site, *DOUBLY_FRAMED[kind]) + b"0\r\n\r\n" + smuggled
    found = exchange(site, raw, then="close")
    assert len(found) == 1, f"a smuggled request was answered: {found}"
    assert found[0].status in {400, 401, 408, 411, 413, 415, 501}, found
    assert codes(site.ask("state")) == before


BROKEN_CHUNKS = {
    "a size that is no number": b"zz\r\nhello\r\n0\r\n\r\n",
    "a negative size": b"-5\r\nhello\r\n0\r\n\r\n",
    "a size beyond 64 bits": b"fffffffffffffffff\r\nhello\r\n0\r\n\r\n",
    "more than its size": b"2\r\nhello\r\n0\r\n\r\n",
    "an endless trailer": b"5\r\nhello\r\n0\r\n" + b"X-A: " + b"a" * 100_000 + b"\r\n\r\n",
}


@pytest.mark.parametrize("kind", BROKEN_CHUNKS)
def test_broken_chunks_are_refused(site: Installation, kind: str) -> None:
    before = codes(site.ask("state"))
    raw = head(site, OCTETS, "Transfer-Encoding: chunked", "Connection: close")
    found = exchange(site, raw + BROKEN_CHUNKS[kind], then="close")
    assert found[-1].status in {400, 413, 431}, found
    assert codes(site.ask("state")) == before


def predictions(number: int) -> bytes:
    return fresh((CASES / "control" / "track1.jsonl").read_bytes(), number)


def test_a_chunked_upload_is_taken_whole(site: Installation) -> None:
    data = predictions(40)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(line), line) for line in data.splitlines(True))
    disposition = "Content-Disposition: attachment; filename=run.jsonl"
    lines = [OCTETS, disposition, "Transfer-Encoding: chunked", "Connection: close"]
    answer = exchange(site, head(site, *lines) + chunks + b"0\r\n\r\n")[-1]
    assert (answer.status, answer.json["size"]) == (201, len(data))


def test_http_1_0_is_answered_and_closed(site: Installation) -> None:
    raw = request("/healthz", method="GET", version="1.0")
    [answer] = exchange(site, raw)
    assert answer.status == 200


def test_pipelined_uploads_are_answered_in_order(site: Installation) -> None:
    whole = b""
    for number in (41, 42):
        data = predictions(number)
        lines = [OCTETS, f"Content-Length: {len(data)}"]
        whole += head(site, *lines, *(["Connection: close"] if number == 42 else [])) + data
    found = exchange(site, whole)
    assert [answer.status for answer in found] == [201, 201]
    assert found[0].json["code"] != found[1].json["code"]


def test_a_body_longer_than_its_length_is_not_part_of_it(site: Installation) -> None:
    data = predictions(43)
    raw = head(site, OCTETS, f"Content-Length: {len(data)}", "Connection: close")
    found = exchange(site, raw + data + b'{"utt_id": "more"}\n')
    assert (found[0].status, found[0].json["size"]) == (201, len(data))


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "gzip, gzip"])
def test_a_compressed_body_is_refused_with_the_reason(site: Installation, coding: str) -> None:
    data = gzip.compress(predictions(44))
    lines = [OCTETS, f"Content-Encoding: {coding}", f"Content-Length: {len(data)}"]
    answer = exchange(site, head(site, *lines, "Connection: close") + data)[-1]
    assert answer.status == 415
    assert "compressed" in answer.json["detail"]


ODD_NAMES = [
    "../../../etc/passwd",
    "..\\..\\windows\\system32\\a.jsonl",
    "a\u202egnp.jsonl",
    "a\u200bb.jsonl",
    "C:\\a.jsonl",
    "con.jsonl",
    ".",
    "..",
    "/",
    "a" * 300 + ".jsonl",
    "=cmd|' /C calc'!A0.jsonl",
    '<svg onload=alert(1)>".jsonl',
    "名前.jsonl",
]


@pytest.mark.parametrize("number", range(len(ODD_NAMES)))
def test_any_file_name_is_taken_and_none_is_used(site: Installation, number: int) -> None:
    name = ODD_NAMES[number]
    data = predictions(50 + number)
    part = f'Content-Disposition: form-data; name="file"; filename="{name}"'.encode()
    body = b"\r\n".join(
        [f"--{BOUNDARY}".encode(), part, b"", data, f"--{BOUNDARY}--".encode(), b""]
    )
    lines = [f"Content-Type: {FORM}", f"Content-Length: {len(body)}", "Connection: close"]
    answer = exchange(site, head(site, *lines) + body)[-1]
    assert answer.status in {201, 400}, answer
    if answer.status == 201:
        assert not re.search("[\x00-\x1f/\\\\\u202e\u200b]", answer.json["filename"])
        assert len(answer.json["filename"]) <= 255


FORMS = {
    "no boundary": ("multipart/form-data", b"x"),
    "an empty boundary": ("multipart/form-data; boundary=", b"x"),
    "a giant boundary": ("multipart/form-data; boundary=" + "b" * 5000, b"x"),
    "no parts": (FORM, f"--{BOUNDARY}--\r\n".encode()),
    "garbage": (FORM, bytes(range(256)) * 20),
    "a thousand fields": (
        FORM,
        b"".join(
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f{n}"\r\n\r\nx\r\n'.encode()
            for n in range(2000)
        )
        + f"--{BOUNDARY}--\r\n".encode(),
    ),
    "base64 that is none": (
        FORM,
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n'
        f"Content-Transfer-Encoding: base64\r\n\r\n!!!\r\n--{BOUNDARY}--\r\n".encode(),
    ),
    "an unknown charset": ("application/json; charset=utf-99", b"{}"),
    "a type without a subtype": ("application", b"{}"),
}


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("where", ["submissions", "teams", "page"])
def test_a_broken_form_is_refused(site: Installation, kind: str, where: str) -> None:
    content_type, body = FORMS[kind]
    paths = {
        "submissions": submit_path(site),
        "teams": "/api/v1/teams/",
        "page": f"{site.world['pages']}/cases/submit/",
    }
    lines = [f"Content-Type: {content_type}", f"Content-Length: {len(body)}", "Connection: close"]
    answer = exchange(site, head(site, *lines, path=paths[where]) + body)[-1]
    if where == "submissions" and kind == "an unknown charset":
        assert answer.status == 201  # the file itself is the body; its bytes are judged later
        return
    assert 400 <= answer.status < 500 or (where == "page" and answer.status == 302), answer


def test_a_task_delivered_twice_scores_once(site: Installation) -> None:
    [step] = steps_of(site, "h-scored-twice")
    step["body"] = fresh(step["body"], 6)
    answer = play(site, step)
    assert answer.status == 201
    code = answer.json["code"]
    site.ask("ring", code, "5")
    state = settle(site)
    assert [one for one in state["evaluations"] if one[0] == code] == [[code, "scored"]]
    assert [one for one in state["quota"] if one[0] == code] == [[code, "charged"]]
    assert state["standings"].count(code) <= 1
    assert state["log_holds"]


def test_nothing_of_all_this_was_an_error_of_the_server(site: Installation) -> None:
    settle(site)
    lines = [json.loads(line) for line in site.log("web").splitlines() if line.startswith("{")]
    errors = [line for line in lines if line["level"] in {"error", "critical"}]
    # what Django calls suspicious is answered 400, and logged as an error all the same
    assert [e for e in errors if not e["logger"].startswith("django.security")] == []
    assert [line for line in lines if line.get("status", 0) >= 500] == []
