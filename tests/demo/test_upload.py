from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus

import httpx
import pytest

from accounts.models import ApiToken
from grading.demo import upload as uploads
from grading.demo.api_client import Api, UploadError
from grading.demo.entrants import ENTRANTS
from grading.demo.prepare import prepare
from grading.models import Evaluation, QuotaEntry, Standing, Submission
from tests.wsgi import Site

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
FEW = tuple(e for e in ENTRANTS if e.team in {"Team Kelp", "Team Lagoon", "Baseline B"})


class StopsAfter(Site):
    """The site in this process, whose uploads fail after the first few."""

    def __init__(self, uploads_left: int) -> None:
        super().__init__()
        self.uploads_left = uploads_left

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            self.uploads_left -= 1
            if self.uploads_left < 0:
                return httpx.Response(HTTPStatus.INTERNAL_SERVER_ERROR, request=request)
        return super().handle_request(request)


@pytest.fixture
def few_entrants(settings, tmp_path, monkeypatch) -> None:
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr("grading.demo.people.ENTRANTS", FEW)
    monkeypatch.setattr("grading.demo.prepare.ENTRANTS", FEW)
    monkeypatch.setattr("grading.demo.upload.ENTRANTS", FEW)
    prepare(now=NOW, say=lambda _: None)


def run(transport: httpx.BaseTransport) -> tuple[int, list[tuple[str, int, int]]]:
    shown: list[tuple[str, int, int]] = []
    with httpx.Client(transport=transport, base_url="http://testserver") as http:
        sent = uploads.upload_all(
            Api(http), now=NOW, show=lambda what, done, total: shown.append((what, done, total))
        )
    return sent, shown


def kept() -> dict[str, int]:
    models = (Submission, Evaluation, QuotaEntry, Standing)
    return {model.__name__: model.objects.count() for model in models}


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_uploads_that_were_stopped_go_on_and_end_with_each_file_scored_once(few_entrants) -> None:
    with pytest.raises(UploadError, match="500"):
        run(StopsAfter(2))
    assert Submission.objects.count() == 2
    assert not ApiToken.objects.filter(revoked_at=None).exists()

    sent, shown = run(StopsAfter(99))
    assert sent == 2
    assert shown[-1] == ("scored", 2, 2)
    states = Submission.objects.values_list("entrant__team__name", "state")
    assert sorted(states) == [
        ("Baseline B", "accepted"),
        ("Team Kelp", "accepted"),
        ("Team Kelp", "rejected"),
        ("Team Lagoon", "accepted"),
    ]
    places = Standing.objects.filter(view="", audience="public").values_list(
        "place", "entrant__team__name"
    )
    assert set(places) == {(1, "Team Kelp"), (2, "Team Lagoon"), (None, "Baseline B")}

    complete = kept()
    assert run(StopsAfter(0)) == (0, [("uploading", 0, 0)])
    assert kept() == complete
    assert not ApiToken.objects.filter(revoked_at=None).exists()


class Clock:
    """A clock that goes on when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Queue:
    """An API that tells of one upload: it is received until so many seconds have gone."""

    def __init__(self, clock: Clock, scored_after: float) -> None:
        self.clock, self.scored_after = clock, scored_after

    def stage(self, _token: str, _code: str) -> str:
        return "scored" if self.clock.now >= self.scored_after else "received"


def follow(monkeypatch, *, others_end: bool) -> None:
    clock = Clock()
    monkeypatch.setattr(uploads, "time", clock)
    monkeypatch.setattr(
        uploads, "_ended_anywhere", lambda: int(clock.now / 60) if others_end else 0
    )
    uploads._follow(Queue(clock, 900.0), {"code": "token"}, lambda *_: None, uploads.SETTLED)
    assert clock.now == 900.0


def test_what_waits_behind_the_files_of_others_is_waited_for(monkeypatch) -> None:
    follow(monkeypatch, others_end=True)


def test_a_worker_that_ends_nothing_for_five_minutes_is_told(monkeypatch) -> None:
    with pytest.raises(UploadError, match="no score for five minutes, 1 still"):
        follow(monkeypatch, others_end=False)
