"""`/metrics`: readable by this machine or with the token, in Prometheus' format, without names."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from config.latency import Latencies
from grading.services.measures import rendered
from tests.factories.grading import NOW, make_arena, scored

pytestmark = pytest.mark.django_db
LINE = re.compile(r'plaudit_[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [-+0-9.e]+')


@pytest.fixture(autouse=True)
def _own_files(settings, tmp_path) -> None:
    settings.PUBLIC_FILES = tmp_path / "files"
    settings.HIDDEN_FILES = tmp_path / "hidden"


def test_this_machine_reads_every_measure_in_the_right_format(client: Client) -> None:
    arena = make_arena()
    scored(arena, arena.entrant, arena.captain, 50.0)
    client.get("/healthz")
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = answer.content.decode().splitlines()
    assert [line for line in lines if not line.startswith("#") and not LINE.fullmatch(line)] == []
    assert 'plaudit_queue_depth{queue="score"} 0' in lines
    assert 'plaudit_evaluations{state="scored"} 1' in lines
    assert 'plaudit_canary{state="none"} 1' in lines
    assert any(line.startswith("plaudit_request_seconds_bucket{area=") for line in lines)
    declared = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(declared) == len(set(declared))
    for name in (arena.entrant.team.name, arena.captain.email, arena.competition.slug):
        assert name not in answer.content.decode()


@pytest.mark.parametrize(
    "headers",
    [
        {"REMOTE_ADDR": "192.0.2.7"},
        {"HTTP_X_FORWARDED_FOR": "192.0.2.7"},
        {"HTTP_FORWARDED": "for=192.0.2.7"},
        {"HTTP_X_FORWARDED_PROTO": "https"},
        {"HTTP_VIA": "1.1 proxy"},
        {"REMOTE_ADDR": ""},
    ],
)
def test_others_are_told_that_there_is_nothing(client: Client, headers: dict[str, str]) -> None:
    assert client.get("/metrics", **headers).status_code == 404


def test_with_a_token_only_the_token_opens_it(client: Client, settings) -> None:
    settings.METRICS_TOKEN = "t" * 40
    assert client.get("/metrics").status_code == 404
    wrong = client.get("/metrics", headers={"Authorization": "Bearer " + "x" * 40})
    assert wrong.status_code == 404
    right = {"headers": {"Authorization": "Bearer " + "t" * 40}, "REMOTE_ADDR": "192.0.2.7"}
    assert client.get("/metrics", **right).status_code == 200


def test_requests_are_counted_in_buckets_that_add_up() -> None:
    latencies = Latencies()
    for seconds in (0.004, 0.01, 0.0101, 40.0):
        latencies.note("/competitions/a/tracks/b/c/board/", 200, seconds)
    latencies.note("/api/v1/", 503, 0.2)
    text = rendered([latencies.measure()])
    assert 'request_seconds_bucket{area="board",status="2xx",le="0.01"} 2' in text
    assert 'request_seconds_bucket{area="board",status="2xx",le="30.0"} 3' in text
    assert 'request_seconds_bucket{area="board",status="2xx",le="+Inf"} 4' in text
    assert 'request_seconds_count{area="api",status="5xx"} 1' in text


def test_the_queries_do_not_grow_with_what_there_is(
    client: Client, django_assert_max_num_queries
) -> None:
    arena = make_arena()
    for number in range(3):
        scored(arena, arena.entrant, arena.captain, 50.0 + number, at=NOW)
    with django_assert_max_num_queries(20):
        client.get("/metrics")
