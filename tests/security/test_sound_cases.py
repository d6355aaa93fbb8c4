"""The handed cases of waveforms, archives and ratings, against the real web server and worker."""

from __future__ import annotations

import concurrent.futures
import html
import json
import re
import time
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psutil
import pytest

from grading.scoring.messages import render
from tests.scoring.formats.challenge import CASES
from tests.scoring.formats.sounds import check
from tests.scoring.formats.test_shared_sounds import DECIDED, SOUNDS, by_id, ids_of
from tests.security.served import Installation, running
from tests.security.wire import Answer, exchange, request

pytestmark = pytest.mark.slow

LONGEST_WAIT = 400
UUID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
USUAL = {
    "EVALUATION_LEASE_SECONDS": "30", "EVALUATION_RENEW_SECONDS": "10", "SWEEP_SECONDS": "15",
    "RING_AGAIN_SECONDS": "120",
}  # fmt: skip
"""Times as they are outside tests: what waits in a long queue is not rung for every two seconds."""
OUTSIDE = ["passwd", "utt_0002.wav", "utt_0002", "evil", "pwned"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with running(tmp_path_factory.mktemp("sounds"), **USUAL) as made:
        yield made


@pytest.fixture(scope="module")
def places(site: Installation) -> dict[str, dict[str, str]]:
    """Where clips for each list of ids are sent, by whom."""
    return site.ask("sounds")


def place_of(places: dict[str, dict[str, str]], case: dict[str, Any]) -> dict[str, str]:
    return places[case.get("reference", "ref/track2_ids.json")]


def upload(site: Installation, place: dict[str, str], case: dict[str, Any]) -> Answer:
    headers = {
        "Authorization": f"Bearer {place['token']}",
        "Content-Type": "application/octet-stream",
        "Content-Disposition": f'attachment; filename="{Path(case["file"]).name}"',
    }
    body = (CASES / case["file"]).read_bytes()
    return exchange(site, request(place["path"], headers=headers, body=body))[-1]


def settled(site: Installation) -> dict[str, Any]:
    """Return what became of the uploads once none waits for a worker."""
    deadline = time.monotonic() + LONGEST_WAIT
    while site.ask("unchecked")["count"]:
        assert time.monotonic() < deadline, site.log("worker")[-3000:]
        time.sleep(0.5)
    return site.ask("clips")


@pytest.fixture(scope="module")
def sent(site: Installation, places: dict[str, dict[str, str]]) -> dict[str, str]:
    """Send every case, two at a time; return the code of each."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda case: upload(site, place_of(places, case), case), SOUNDS)
    answers = dict(zip(map(by_id, SOUNDS), found, strict=True))
    assert {name: one.status for name, one in answers.items() if one.status != 201} == {}
    return {name: one.json["code"] for name, one in answers.items()}


@pytest.fixture(scope="module")
def held(site: Installation, sent: dict[str, str]) -> dict[str, Any]:
    """What the worker made of them."""
    return settled(site)


def get(site: Installation, path: str, **headers: str) -> Answer:
    return exchange(site, request(path, method="GET", headers=headers))[-1]


def report_of(site: Installation, place: dict[str, str], code: str) -> dict[str, Any]:
    answer = get(
        site, f"/api/v1/submissions/{code}/report/", Authorization=f"Bearer {place['token']}"
    )
    assert answer.status == 200, answer
    return answer.json


@pytest.mark.parametrize("case", SOUNDS, ids=by_id)
def test_a_case_ends_with_the_verdict_and_words_of_the_offline_check(
    site, places, sent, held, case
) -> None:
    offline = check(CASES / case["file"], ids=ids_of(case))
    code = sent[case["id"]]
    decided = DECIDED.get(case["id"], (case["expect"] == "accept",))[0]
    assert held["states"][code] == ("accepted" if decided else "rejected")
    assert held["attempts"][code] == 1
    report = report_of(site, place_of(places, case), code)
    assert report["accepted"] is decided
    messages = [problem["message"] for problem in report["problems"]]
    whole = [render(one) for one in offline.report.problems]
    assert len(messages) == len(whole)
    assert all(map(str.endswith, whole, messages))
    said = "\n".join(
        f"{one['code']} {one['member']} {one['utt_id']} {one['message']}"
        for one in report["problems"]
    ).lower()
    wanted = [*case["reason_keywords"], *case.get("warn_keywords", [])]
    wanted += case["names"] if case["expect"] == "reject" else []
    assert [word for word in wanted if word.lower() not in said] == []
    assert not any(
        re.search(r"[\x00-\x1f]|traceback", message, re.IGNORECASE) for message in messages
    )


@pytest.mark.parametrize("case", SOUNDS, ids=by_id)
def test_the_clips_that_are_kept_of_a_case_are_those_that_were_checked(sent, held, case) -> None:
    offline = check(CASES / case["file"], ids=ids_of(case))
    kept = held["clips"][sent[case["id"]]]
    if not offline.report.accepted:
        assert kept == {}
        return
    assert {utt_id: one["frames"] for utt_id, one in kept.items()} == {
        utt_id: clip.frames for utt_id, clip in offline.clips.items()
    }
    assert all(one["is_whole"] for one in kept.values())


@pytest.mark.parametrize("case", SOUNDS, ids=by_id)
def test_the_page_of_a_case_says_it_to_people_and_runs_nothing_of_it(
    site, places, sent, held, case
) -> None:
    place = place_of(places, case)
    report = report_of(site, place, sent[case["id"]])
    answer = get(site, f"/submissions/{sent[case['id']]}/", Cookie=place["cookie"])
    page = answer.body.decode()
    assert answer.status == 200
    assert "Traceback" not in page
    assert "<svg onload" not in page
    text = " ".join(html.unescape(re.sub(r"<[^>]+>", "", page)).split())
    for problem in report["problems"]:
        assert " ".join(problem["message"].split()) in text


def test_nothing_is_written_but_where_uploads_and_clips_belong(site, sent, held) -> None:
    below = {path.relative_to(site.folder).parts[0] for path in site.folder.rglob("*")}
    files = [path for path in (site.folder / "files").rglob("*") if path.is_file()]
    named = [path.name for path in site.folder.rglob("*") if path.name.lower() in OUTSIDE]
    assert below <= {
        "broker", "cache", "files", "hidden", "locks", "mail", "outbox", "plaudit.sqlite3", "plaudit.sqlite3-shm",
        "plaudit.sqlite3-wal", "probe.log", "secret-key", "web.log", "work", "worker.log",
    }, below  # fmt: skip
    assert named == []
    assert not any(path.is_symlink() or path.is_fifo() for path in site.folder.rglob("*"))
    accepted = [one for clips in held["clips"].values() for one in clips.values()]
    assert held["stored"] == sorted({one["sha256"] for one in accepted})
    assert len(files) >= len(held["stored"])


def test_the_first_worker_is_still_the_one_that_works(site, sent, held) -> None:
    lines = [json.loads(line) for line in site.log("worker").splitlines() if line.startswith("{")]
    assert [line for line in lines if line["level"] in {"error", "critical"}] == []
    assert "Traceback" not in site.log("worker")
    [worker] = [
        one
        for one in psutil.process_iter(["cmdline", "environ"])
        if (one.info["environ"] or {}).get("PLAUDIT_VAR") == str(site.folder)
        and "config.celery" in (one.info["cmdline"] or [])
        and one.ppid() == psutil.Process().pid
    ]
    assert worker.is_running()


@pytest.fixture(scope="module")
def rating(site: Installation) -> dict[str, Any]:
    """A rater with a clip open, and clips that are not theirs to rate."""
    return site.ask("marking")


def mark(site: Installation, place: str, cookie: str, task: str, value: str) -> Answer:
    """Send a mark as the form of the page does, with its token against forgery."""
    page = get(site, f"{place}consent/", Cookie=cookie)
    found = SimpleCookie(page.headers["set-cookie"])["csrftoken"].value
    secret = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.body.decode())
    fields = {"csrfmiddlewaretoken": secret[1], "uuid": UUID, "N": value}
    headers = {
        "Cookie": f"{cookie}; csrftoken={found}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    path = f"{place}clips/{task}/answer/"
    return exchange(site, request(path, headers=headers, body=urlencode(fields).encode()))[-1]


def values_of(name: str) -> list[str]:
    found: list[str] = json.loads((CASES / "web" / f"{name}.json").read_text("utf-8"))["values"]
    return found


def test_a_mark_off_the_scale_is_refused_and_a_mark_on_it_is_the_only_one_kept(
    site, rating
) -> None:
    mine = rating["tasks"]["mine"]
    for value in values_of("p-rating-out-of-range"):
        answer = mark(site, rating["place"], rating["cookie"], mine, value)
        assert answer.status == 422, (value, answer)
        told = answer.body.decode()
        assert "score" in told, value
        assert "from 1 to 5" in told, value
    assert site.ask("ratings", mine) == {mine: []}
    assert mark(site, rating["place"], rating["cookie"], mine, "4").status == 302
    assert site.ask("ratings", mine) == {mine: [{"N": 4}]}


OF_OTHERS = {
    "item of another rater": ("another rater", "place", "cookie"),
    "item of own team": ("own team", "team_place", "team_cookie"),
    "item not in this phase": ("elsewhere", "place", "cookie"),
}


@pytest.mark.parametrize("item", values_of("p-rating-not-assigned"))
def test_a_clip_that_is_not_for_the_rater_takes_no_mark(site, rating, item) -> None:
    name, place, cookie = OF_OTHERS[item]
    task = rating["tasks"][name]
    answer = mark(site, rating[place], rating[cookie], task, "4")
    assert answer.status in {403, 404}, answer
    assert site.ask("ratings", task) == {task: []}


def test_nothing_of_all_this_was_an_error_of_the_server(site, sent, held) -> None:
    lines = [json.loads(line) for line in site.log("web").splitlines() if line.startswith("{")]
    assert [line for line in lines if line["level"] in {"error", "critical"}] == []
    assert [line for line in lines if line.get("status", 0) >= 500] == []
