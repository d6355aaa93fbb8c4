"""The status page says how the server does to everybody, and nothing about anybody."""

from __future__ import annotations

import socket
from datetime import timedelta

import pytest

from grading.models import Evaluation, WorkerHeartbeat
from grading.services import canary, doorbell, pausing, status, validation
from grading.tasks import validate_submission
from tests.factories.grading import NOW, SubmissionFactory, submit
from tests.factories.tasks import run
from tests.site.markup import faults, read

pytestmark = pytest.mark.django_db


def page(client, query: str = ""):
    return client.get(f"/status/{query}")


def test_a_server_without_workers_says_so_to_everybody(client, arena):
    html = page(client).content.decode()
    assert faults(html) == []
    assert "No worker was heard of within a minute" in html
    assert "none has ended yet" in html


def test_a_server_that_works_says_so(client, arena):
    host = socket.gethostname()
    WorkerHeartbeat.objects.create(name=f"worker@{host}", kind="worker", at=NOW)
    sent = canary.start_if_due(now=NOW)
    run(validate_submission, sent.pk)
    Evaluation.objects.update(finished_at=NOW + timedelta(seconds=2))
    response = page(client)
    html = response.content.decode()
    assert "Everything works." in html
    assert "scored with the right digits" in read(html).text
    for secret in (host, "worker@", sent.code, canary.SLUG, arena.entrant.team.name):
        assert secret not in html
    assert "no-store" in response["Cache-Control"]


def test_the_oldest_waiting_is_shown_and_told_when_it_waits_long(client, arena):
    given = {"entrant": arena.entrant, "phase": arena.phase, "uploader": arena.captain}
    SubmissionFactory(**given, created_at=NOW - timedelta(minutes=11), received_at=NOW - timedelta(minutes=11))  # fmt: skip
    html = page(client).content.decode()
    assert "Submissions wait longer than usual." in html
    assert arena.entrant.team.name not in html


def test_what_a_pause_holds_back_is_no_alarm(arena, people, monkeypatch):
    monkeypatch.setattr(doorbell, "_send", lambda name, row_id: None)
    submission = submit(arena, arena.perfect())
    pausing.pause(actor=people["organizer"], competition=arena.competition, reason="wait", now=NOW)
    validation.validate(submission_id=submission.pk, clock=lambda: NOW)
    later = NOW + timedelta(hours=1)
    assert not status.status(now=later).is_late
    pausing.resume(actor=people["organizer"], competition=arena.competition, reason="on", now=NOW)
    assert status.status(now=later).is_late


def test_the_changing_part_comes_alone_for_the_page_that_polls(client, arena):
    html = page(client, "?live=1").content.decode()
    assert html.lstrip().startswith('<div id="live"')
    assert "<html" not in html


def test_the_page_takes_the_same_queries_whatever_waits(client, arena, django_assert_num_queries):
    given = {"entrant": arena.entrant, "phase": arena.phase, "uploader": arena.captain}
    with django_assert_num_queries(11):
        page(client)
    for _ in range(3):
        SubmissionFactory(**given)
    with django_assert_num_queries(11):
        page(client)
