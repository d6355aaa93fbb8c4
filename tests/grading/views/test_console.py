from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from competition.enums import EntrantKind, EntrantState
from competition.models import DeadlineChange
from grading.enums import EvaluationState, QuotaState, SubmissionState
from grading.models import Board, Evaluation, ValidationProblem, WorkerHeartbeat
from grading.services import evaluations, recipes, validation
from tests.factories.grading import (
    CANARY,
    NOW,
    SubmissionFactory,
    quota_entry,
    scored,
    submit,
)
from tests.grading.views.addresses import of_competition
from tests.site.markup import faults, read

pytestmark = pytest.mark.django_db

PAGES = ("console", "console-submissions", "console-entrants", "console-deadlines")


def received(arena, **changes):
    given = {"entrant": arena.entrant, "phase": arena.phase, "uploader": arena.captain}
    submission = SubmissionFactory(**given | changes)
    quota_entry(submission, QuotaState.CHARGED)
    return submission


@pytest.fixture
def busy(arena):
    """Something in every state, two workers of which one is silent."""
    received(arena, received_at=NOW, created_at=NOW - timedelta(seconds=72))
    running = received(arena, state=SubmissionState.ACCEPTED, validated_at=NOW)
    Evaluation.objects.create(
        submission=running,
        recipe=recipes.live_recipe(arena.phase),
        state=EvaluationState.RUNNING,
        queued_at=NOW,
        started_at=NOW - timedelta(seconds=3),
        lease_until=NOW + timedelta(minutes=1),
        worker="score-1",
        progress_done=3,
        progress_total=4,
    )
    rejected = received(arena, state=SubmissionState.REJECTED, validated_at=NOW)
    ValidationProblem.objects.create(
        submission=rejected, position=1, code="UNSUPPORTED_NVV_TAG", severity="error"
    )
    received(arena, state=SubmissionState.FAILED, failure_code="SCORER_MEMORY", ended_at=NOW)
    scored(arena, arena.entrant, arena.captain, 50.0)
    WorkerHeartbeat.objects.create(name="score-1", kind="worker", at=NOW - timedelta(seconds=3))
    WorkerHeartbeat.objects.create(name="score-2", kind="worker", at=NOW - timedelta(seconds=64))
    return arena


def test_the_console_shows_figures_queue_workers_failures_and_quota(seen_by, busy):
    html = seen_by("organizer", of_competition("console", busy)).content.decode()
    text = read(html).text
    assert faults(html) == []
    assert "1 running, 1 waiting" in text
    assert "75 %" in text
    assert "score-2 is silent." in text
    assert "UNSUPPORTED_NVV_TAG 1 0.0 s ago A tag is not one of the labels." in text
    assert "SCORER_MEMORY 1 0.0 s ago Scoring needed too much memory." in text
    assert f"{busy.entrant.team.name} 4 full 4" in text


def test_an_idle_console_says_that_no_worker_lives(seen_by, arena):
    html = seen_by("organizer", of_competition("console", arena)).content.decode()
    assert faults(html) == []
    assert "No worker lives: uploads are kept and wait." in html
    assert "Nothing waits and nothing runs." in html


@pytest.mark.parametrize("name", PAGES)
def test_the_console_is_for_organizers_and_for_auditors_to_look(seen_by, arena, name):
    scored(arena, arena.entrant, arena.captain, 50.0)
    path = of_competition(name, arena)
    seen = {
        who: seen_by(who, path).status_code
        for who in ("anonymous", "outsider", "captain", "rival", "organizer", "auditor")
    }
    assert seen == {
        "anonymous": 302,
        "outsider": 403,
        "captain": 403,
        "rival": 403,
        "organizer": 200,
        "auditor": 200,
    }


@pytest.mark.parametrize("name", PAGES)
def test_an_auditor_is_offered_nothing_to_change_and_no_submission(seen_by, busy, name):
    html = seen_by("auditor", of_competition(name, busy)).content.decode()
    page = read(html)
    assert faults(html) == []
    assert [e for e in page.all("form") if e.attributes.get("method") == "post"][2:] == []
    assert not any(e.attributes.get("href", "").startswith("/submissions/") for e in page.all("a"))
    assert busy.captain.email not in html


def acts(arena) -> list[str]:
    code = arena.entrant.code
    return [
        of_competition("entrant-decide", arena, code),
        of_competition("entrant-kind", arena, code),
        of_competition("entrant-disqualify", arena, code),
        of_competition("deadline-move", arena, arena.phase.code),
    ]


@pytest.mark.parametrize("who", ["outsider", "captain", "auditor"])
def test_nobody_but_an_organizer_acts(client, people, arena, who):
    client.force_login(people[who])
    for path in acts(arena):
        assert client.post(path, {"reason": "x"}).status_code == 403
    arena.entrant.refresh_from_db()
    assert (arena.entrant.state, arena.entrant.kind) == (
        EntrantState.ACCEPTED,
        EntrantKind.OFFICIAL,
    )


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 5),
        ("?state=failed", 1),
        ("?state=running", 1),
        ("?state=scored", 1),
        ("?state=nonsense", 5),
        ("?entrant=none", 0),
        ("?entrant=%00", 5),
    ],
)
def test_submissions_are_filtered_by_state_and_entrant(seen_by, busy, query, count):
    html = seen_by(
        "organizer", of_competition("console-submissions", busy) + query
    ).content.decode()
    assert f"{count} submission" in read(html).text


def test_accepting_a_waiting_entrant_marks_the_boards(client, people, arena):
    entrant, _ = arena.enter("Team Waiting", state=EntrantState.PENDING)
    wanted = Board.objects.get(phase=arena.phase).wanted
    client.force_login(people["organizer"])
    path = of_competition("entrant-decide", arena, entrant.code)
    response = client.post(path, {"decision": "accept"}, follow=True)
    entrant.refresh_from_db()
    assert entrant.state == EntrantState.ACCEPTED
    assert "Team Waiting is accepted." in response.content.decode()
    assert Board.objects.get(phase=arena.phase).wanted == wanted + 1


def test_the_status_changes_with_a_reason_and_history(client, people, arena):
    client.force_login(people["organizer"])
    path = of_competition("entrant-kind", arena, arena.entrant.code)
    without = client.post(path, {"kind": "unofficial", "reason": ""})
    assert without.status_code == 200
    assert faults(without.content.decode()) == []
    client.post(path, {"kind": "unofficial", "reason": "no system description"})
    arena.entrant.refresh_from_db()
    assert arena.entrant.kind == EntrantKind.UNOFFICIAL
    assert "no system description" in client.get(path).content.decode()


def test_disqualifying_needs_the_teams_name_typed(client, people, arena):
    client.force_login(people["organizer"])
    path = of_competition("entrant-disqualify", arena, arena.entrant.code)
    wrong = client.post(path, {"reason": "copied output", "confirm": "yes"})
    arena.entrant.refresh_from_db()
    assert "Nothing was changed." in wrong.content.decode()
    assert arena.entrant.state == EntrantState.ACCEPTED
    client.post(path, {"reason": "copied output", "confirm": arena.entrant.team.name})
    arena.entrant.refresh_from_db()
    assert (arena.entrant.state, arena.entrant.reason) == (
        EntrantState.DISQUALIFIED,
        "copied output",
    )
    client.post(path, {"reason": "shown to be their own", "confirm": arena.entrant.team.name})
    arena.entrant.refresh_from_db()
    assert arena.entrant.state == EntrantState.ACCEPTED


def test_a_moved_deadline_keeps_the_old_one_with_the_reason(client, people, arena):
    client.force_login(people["organizer"])
    path = of_competition("deadline-move", arena, arena.phase.code)
    sent = {"field": "closes_at", "new": "2026-12-20 23:59 AoE", "reason": "storm"}
    response = client.post(path, sent, follow=True)
    old = arena.phase.closes_at
    arena.phase.refresh_from_db()
    assert arena.phase.closes_at == datetime(2026, 12, 21, 12, tzinfo=UTC)
    change = DeadlineChange.objects.get()
    assert (change.old, change.reason) == (old, "storm")
    page = read(response.content.decode()).text
    assert "storm" in page
    assert "closes_at" not in page


@pytest.mark.parametrize(
    ("new", "says"),
    [
        ("tomorrow", "Write it like 2026-12-01 23:59 AoE."),
        ("2020-01-01 00:00 AoE", "A phase cannot close in the past."),
        ("", "A phase needs a beginning and an end."),
    ],
)
def test_a_date_that_does_not_fit_is_told_beside_its_field(client, people, arena, new, says):
    client.force_login(people["organizer"])
    path = of_competition("deadline-move", arena, arena.phase.code)
    html = client.post(path, {"field": "closes_at", "new": new, "reason": "x"}).content.decode()
    assert faults(html) == []
    assert says in html
    assert not DeadlineChange.objects.exists()


@pytest.fixture
def looked_into(arena):
    """A submission that really went through the scorer."""
    submission = submit(arena, arena.flawed(1))
    validation.validate(submission_id=submission.pk, clock=lambda: NOW)
    evaluation = evaluations.live_of(submission)
    evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=lambda: NOW)
    return submission


def test_an_organizer_looks_at_every_utterance_with_its_alignment(seen_by, arena, looked_into):
    path = of_competition("console-utterances", arena, looked_into.code)
    html = seen_by("organizer", path).content.decode()
    assert faults(html) == []
    assert "16 utterances" in html
    chosen = seen_by("organizer", f"{path}?utt=en_0004").content.decode()
    assert faults(chosen) == []
    assert CANARY in chosen
    assert "[gasp]" in chosen
    assert seen_by("organizer", f"{path}?utt=none").status_code == 404
    for who in ("auditor", "captain", "outsider"):
        response = seen_by(who, f"{path}?utt=en_0004")
        assert response.status_code == 403
        assert CANARY not in response.content.decode()


@pytest.mark.parametrize(
    ("name", "queries"), [("console", 41), ("console-submissions", 12), ("console-entrants", 7)]
)
def test_pages_take_as_many_queries_for_three_rows_as_for_one(
    client, people, arena, django_assert_num_queries, name, queries
):
    client.force_login(people["organizer"])
    path = of_competition(name, arena)
    scored(arena, arena.entrant, arena.captain, 50.0)
    client.get(path)
    with django_assert_num_queries(queries):
        client.get(path)
    for number in range(2):
        entrant, captain = arena.enter(f"Team {number}")
        scored(arena, entrant, captain, 50.0)
    with django_assert_num_queries(queries):
        client.get(path)
