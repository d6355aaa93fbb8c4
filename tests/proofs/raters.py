"""A crowd rates at once over HTTP on PostgreSQL; a quarter drops out, and the plan completes.

`python -m tests.proofs.raters --minutes 10` runs 40 simulated raters against a real web server. Some
send an answer twice at the same moment, open two tabs, or load the page again; a quarter is not seen
again half-way, or withdraws. Ends with 1 when a rating was lost or taken twice, somebody was given a
text twice or a system they have a conflict of interest with, systems are not balanced within one,
something of the plan is left, or the 95th percentile of "next stimulus" is over 100 ms.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
import psycopg

from scripts.prove import commit
from tests.proofs.installation import ROOT, Installation, free_port
from tests.proofs.servers import Postgres

CROWD = 40
LANGUAGE = "en"
QUARTER = CROWD // 4
SLOWEST_MS = 100.0
SOUND_SECONDS = 0.6
ITEMS_A_TEXT = 1.25
STARTED_WITHIN = 5.0
TIRED_AFTER = 12
TASK = re.compile(r'data-task="([a-z0-9]+)"')
ACTION = re.compile(r'<form class="desk" method="post" action="([^"]+)"')
UUID = re.compile(r'name="uuid" value="([0-9a-f-]{36})"')
SOUND = re.compile(r'<audio[^>]* src="([^"]+)"')
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
TARGETS = re.compile(r'name="(t\d+)"')
FORM = re.compile(r"/rate/[a-z0-9]+/form/$")
SCRIPT = {"X-Fragment": "1"}


class Hall(Installation):
    """The installation of this proof."""

    def ask(self, *arguments: str) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-m", "tests.proofs.raters_probe", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return answer

    def milliseconds(self) -> list[float]:
        """Return how long the server took for each "next stimulus", by its own log."""
        found = []
        for line in (self.folder / "web.log").read_text("utf-8", "replace").splitlines():
            if '"request.done"' not in line:
                continue
            row = json.loads(line)
            if FORM.search(row["path"]) and row["method"] == "GET":
                found.append(float(row["milliseconds"]))
        return sorted(found)


@dataclass
class Person:
    """One simulated rater with a browser's manners, until the plan is done or they drop out."""

    base: str
    code: str
    cookie: str
    pause: float
    seed: int
    stopped: threading.Event
    drops_after: int | None = None
    sent: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    idle: int = 0

    def run(self) -> None:
        """Rate until there is nothing left, or it is time to drop out."""
        self.chance = random.Random(self.seed)  # noqa: S311
        with httpx.Client(
            base_url=self.base, cookies={"sessionid": self.cookie}, timeout=60
        ) as self.http:
            self._pass(self.chance.random() * STARTED_WITHIN)
            while not self.stopped.is_set() and self.idle < TIRED_AFTER:
                if self.drops_after is not None and len(self.sent) >= self.drops_after:
                    return
                self._step()

    def _step(self) -> None:
        page = self.http.get(f"/rate/{self.code}/form/", headers=SCRIPT)
        if page.status_code == HTTPStatus.NO_CONTENT:
            self._start()
            return
        if page.status_code != HTTPStatus.OK or not TASK.search(page.text):
            self.troubles.append(f"form: {page.status_code} {page.text[:200]}")
            self.idle += 1
            return
        self.idle = 0
        if self.chance.random() < 0.05:  # another tab, or loaded again
            again = self.http.get(f"/rate/{self.code}/form/", headers=SCRIPT)
            if _first(TASK, again.text) != _first(TASK, page.text):
                self.troubles.append("two tabs were given two tasks")
        self._listen(page.text)
        self._answer(page.text)

    def _start(self) -> None:
        place = self.http.get(f"/rate/{self.code}/")
        token = _first(TOKEN, place.text)
        self.http.post(
            f"/rate/{self.code}/start/", data={"csrfmiddlewaretoken": token, "language": "en"}
        )
        shown = self.http.get(f"/rate/{self.code}/form/", headers=SCRIPT)
        if shown.status_code == HTTPStatus.NO_CONTENT:
            self.idle += 1
            self._pass(self.pause)

    def _listen(self, text: str) -> None:
        sound = self.http.get(_first(SOUND, text), headers={"Range": "bytes=0-"})
        if sound.status_code != HTTPStatus.PARTIAL_CONTENT:
            self.troubles.append(f"sound: {sound.status_code}")
        self._pass(SOUND_SECONDS + self.pause * (0.5 + self.chance.random()))

    def _answer(self, text: str) -> None:
        form = text.split("</form>", maxsplit=1)[0]
        fields = {
            "csrfmiddlewaretoken": _first(TOKEN, form),
            "uuid": str(uuid.UUID(int=self.chance.getrandbits(128), version=4)),
            **{name: str(self.chance.randint(1, 5)) for name in "APNQE"},
            **dict.fromkeys(TARGETS.findall(form), "heard"),
        }
        action = _first(ACTION, form)
        copies = 2 if self.chance.random() < 0.1 else 1
        if copies == 1:
            answers = [self._post(action, fields)]
        else:
            with ThreadPoolExecutor(copies) as pool:
                answers = list(pool.map(lambda _: self._post(action, fields), range(copies)))
        if any(answer.status_code == HTTPStatus.OK for answer in answers):
            self.sent.append(fields["uuid"])
        for answer in answers:
            if answer.status_code != HTTPStatus.OK:
                self.troubles.append(f"answer: {answer.status_code} {answer.text[:200]}")

    def _post(self, action: str, fields: dict[str, str]) -> httpx.Response:
        answer = self.http.post(action, data=fields, headers=SCRIPT)
        while answer.status_code == HTTPStatus.CONFLICT and "TOO_EARLY" in answer.text:
            # the page's script waits as long as it is told, and sends the same again
            self._pass(float(answer.json()["seconds_left"]))
            answer = self.http.post(action, data=fields, headers=SCRIPT)
        return answer

    def _pass(self, seconds: float) -> None:
        self.stopped.wait(seconds)


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    assert found, f"no {pattern.pattern} in {text[:400]}"
    return found[1]


def run(minutes: float, texts: int, seed: int) -> dict[str, Any]:
    """Let the crowd rate; return the figures."""
    with tempfile.TemporaryDirectory(prefix="plaudit-raters-") as name:
        folder = Path(name)
        postgres = Postgres(folder / "postgres", free_port())
        postgres.prepare()
        postgres.start()
        try:
            hall = Hall(folder, {"DATABASE_URL": postgres.url, "WEB_PROCESSES": "2"})
            prepared = hall.ask("prepare", str(CROWD), str(QUARTER), str(texts))
            with hall.web(), psycopg.connect(postgres.url, autocommit=True) as database:
                return _rate(hall, database, prepared, minutes, texts, seed)
        finally:
            postgres.stop()


def _rate(
    hall: Hall,
    database: psycopg.Connection[Any],
    prepared: dict[str, Any],
    minutes: float,
    texts: int,
    seed: int,
) -> dict[str, Any]:
    stopped = threading.Event()
    # Those who stay are done after two thirds of the time; whoever takes over has the rest.
    pause = max(0.1, minutes * 60 * 0.6 / (texts * ITEMS_A_TEXT) - SOUND_SECONDS)
    people = [
        Person(
            base=f"http://127.0.0.1:{hall.port}",
            code=one["code"],
            cookie=one["session"],
            pause=pause,
            seed=seed + number,
            stopped=stopped,
            drops_after=texts // 2 if number % 4 == 3 and number < CROWD else None,
        )
        for number, one in enumerate(prepared["people"])
    ]
    crowd, spare = people[:CROWD], people[CROWD:]
    dropping = [person for person in crowd if person.drops_after is not None]
    began = time.monotonic()
    with ThreadPoolExecutor(len(people)) as pool:
        started = [pool.submit(person.run) for person in crowd]
        leaving = [started[crowd.index(person)] for person in dropping]
        for one in leaving:
            one.result()
        half = len(dropping) // 2
        hall.ask("vanish", *(person.code for person in dropping[:half]))
        hall.ask("withdraw", *(person.code for person in dropping[half:]))
        started += [pool.submit(person.run) for person in spare]
        while _is_left(database) and time.monotonic() - began < minutes * 60 * 3:
            time.sleep(2)
        stopped.set()
        for one in started:
            one.result()
    return _figures(hall, people, len(dropping), time.monotonic() - began)


def _is_left(database: psycopg.Connection[Any]) -> bool:
    """Return whether anything waits to be rated; a process for each look would slow the server down."""
    row = database.execute(
        "SELECT EXISTS (SELECT 1 FROM grading_planslot WHERE language = %s AND done_at IS NULL)",
        [LANGUAGE],
    ).fetchone()
    return bool(row and row[0])


def _figures(hall: Hall, people: list[Person], dropped: int, seconds: float) -> dict[str, Any]:
    found = hall.ask("report")
    sent = [key for person in people for key in person.sent]
    taken = set(found.pop("uuids"))
    took = hall.milliseconds()
    return {
        "raters": CROWD,
        "dropped_out": dropped,
        "took_their_place": QUARTER,
        "seconds": round(seconds),
        "answers_sent": len(sent),
        "lost": len(set(sent) - taken),
        "taken_but_not_answered": len(taken - set(sent)),
        **found,
        "next_stimulus": {
            "asked": len(took),
            **{
                f"p{part}_ms": took[min(len(took) - 1, len(took) * part // 100)]
                for part in (50, 95, 99)
            },
        },
        "troubles": sorted({trouble for person in people for trouble in person.troubles})[:20],
    }


def faults(found: dict[str, Any]) -> list[str]:
    """Return which promises did not hold."""
    never = (
        "lost", "taken_but_not_answered", "tasks_rated_twice", "texts_twice", "conflicts_met",
        "in_a_row", "left",
    )  # fmt: skip
    broken = [f"{name}: {found[name]}" for name in never if found[name]]
    counts = found["systems"].values()
    if max(counts) - min(counts) > 1:
        broken.append(f"systems are not balanced: {found['systems']}")
    if found["spread_of_whole_plans"] > 1:
        broken.append(f"a rater's systems differ by {found['spread_of_whole_plans']}")
    if found["next_stimulus"]["p95_ms"] > SLOWEST_MS:
        broken.append(
            f"next stimulus: {found['next_stimulus']['p95_ms']} ms at the 95th percentile"
        )
    return broken + found["troubles"]


def main() -> int:
    """Return 1 when a promise did not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--texts", type=int, default=48)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--evidence", type=Path)
    given = parser.parse_args()
    found = run(given.minutes, given.texts, given.seed)
    print(json.dumps(found, indent=1))  # noqa: T201
    if given.evidence is not None:
        given.evidence.mkdir(parents=True, exist_ok=True)
        path = given.evidence / f"{datetime.now(UTC):%Y-%m-%d}-{commit()}-raters.json"
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    broken = faults(found)
    print("held" if not broken else "\n".join(["FAILED", *broken]))  # noqa: T201
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
