from __future__ import annotations

import csv
import io
import re
from datetime import timedelta

import pytest
import time_machine

from competition.enums import Feedback, Selection
from grading.enums import EvaluationState, QuotaState, SubmissionState
from grading.models import Evaluation, Submission, ValidationProblem
from grading.services import recipes
from tests.factories.grading import CANARY, NOW, SubmissionFactory, quota_entry, scored
from tests.site.markup import faults, read

pytestmark = pytest.mark.django_db

STATES = ("received", "checking", "queued", "running", "rejected", "failed", "cancelled", "scored")


def received(arena, **changes) -> Submission:
    given = {"entrant": arena.entrant, "phase": arena.phase, "uploader": arena.captain}
    submission = SubmissionFactory(**given | changes)
    quota_entry(submission)
    return submission


def accepted(arena, state: str, **numbers) -> Submission:
    submission = received(
        arena, state=SubmissionState.ACCEPTED, validated_at=NOW, problems_total=0, errors_total=0
    )
    recipe = recipes.live_recipe(arena.phase)
    Evaluation.objects.create(
        submission=submission, recipe=recipe, state=state, queued_at=NOW, **numbers
    )
    return submission


def rejected(arena, problems: int = 3, listed: int = 100) -> Submission:
    submission = received(
        arena,
        state=SubmissionState.REJECTED,
        validated_at=NOW,
        ended_at=NOW,
        rows=16,
        reading="jsonl",
        problems_total=problems,
        errors_total=problems,
    )
    ValidationProblem.objects.bulk_create(
        ValidationProblem(
            submission=submission,
            position=number,
            code="UNSUPPORTED_NVV_TAG" if number % 4 else "EMPTY_NVV_TAG",
            severity="error",
            line=number,
            utt_id=f"en_{number:04d}",
            params={"found": "[laughs]", "column": 3, "suggestion": "laugh"},
        )
        for number in range(1, min(problems, listed) + 1)
    )
    return submission


def made(arena, state: str) -> Submission:
    lease = NOW + timedelta(minutes=1)
    if state == "rejected":
        return rejected(arena)
    if state == "scored":
        return scored(arena, arena.entrant, arena.captain, 66.0).submission
    if state == "queued":
        return accepted(arena, EvaluationState.QUEUED)
    if state == "running":
        progress = {"progress_done": 4, "progress_total": 16}
        return accepted(arena, EvaluationState.RUNNING, lease_until=lease, **progress)
    changes = {
        "received": {},
        "checking": {"lease_until": lease},
        "failed": {"state": SubmissionState.FAILED, "failure_code": "SCORER_TIMEOUT"},
        "cancelled": {"state": SubmissionState.CANCELLED, "ended_at": NOW},
    }
    return received(arena, **changes[state])


def page_of(client, arena, submission, query: str = "") -> str:
    client.force_login(arena.captain)
    response = client.get(submission.get_absolute_url() + query)
    assert response.status_code == 200
    html = response.content.decode()
    assert faults(html) == []
    return html


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("received", "Waiting to be checked next in the queue"),
        ("checking", "Checking the file"),
        ("queued", "Waiting to be scored next in the queue"),
        ("running", "4 of 16 utterances"),
        ("rejected", "This file was rejected and cost no quota."),
        ("failed", "Scoring took longer than the limit"),
        ("cancelled", "This submission was cancelled and cost no quota."),
        ("scored", "66.00"),
    ],
)
def test_every_state_says_what_happened(client, arena, state, says):
    assert says in read(page_of(client, arena, made(arena, state))).text


@pytest.mark.parametrize("state", STATES)
def test_a_page_asks_again_until_the_submission_is_final(client, arena, rebuild, state):
    submission = made(arena, state)
    rebuild()
    html = page_of(client, arena, submission)
    is_final = state in {"rejected", "failed", "cancelled", "scored"}
    assert ("hx-get" in html) != is_final
    polled = client.get(submission.get_absolute_url(), {"seen": "something else"})
    assert polled.status_code == (286 if is_final else 200)
    assert "<html" not in polled.content.decode()
    assert ("hx-get" in polled.content.decode()) != is_final


def test_a_poll_that_finds_nothing_new_draws_nothing(client, arena):
    submission = made(arena, "received")
    page = read(page_of(client, arena, submission))
    address = next(e.attributes["hx-get"] for e in page.elements if "hx-get" in e.attributes)
    assert client.get(address).status_code == 204
    Submission.objects.filter(pk=submission.pk).update(lease_until=NOW + timedelta(minutes=1))
    changed = client.get(address)
    assert changed.status_code == 200
    assert 'hx-swap-oob="innerHTML"' in changed.content.decode()


def test_a_page_waits_for_the_board_after_a_score_but_not_for_ever(client, arena, rebuild):
    submission = made(arena, "scored")
    board = rebuild()
    board.wanted += 1
    board.save()
    assert "hx-get" in page_of(client, arena, submission)
    with time_machine.travel(NOW + timedelta(minutes=2), tick=False):
        assert "hx-get" not in page_of(client, arena, submission)


@pytest.mark.parametrize("state", STATES)
def test_a_submission_is_not_there_for_others(seen_by, arena, state):
    submission = made(arena, state)
    seen = {
        who: seen_by(who, submission.get_absolute_url()).status_code
        for who in ("anonymous", "outsider", "rival", "auditor", "captain", "organizer")
    }
    assert seen == {
        "anonymous": 302,
        "outsider": 404,
        "rival": 404,
        "auditor": 404,
        "captain": 200,
        "organizer": 200,
    }


def test_a_score_shows_interval_place_range_and_band(client, arena, rebuild):
    entrant, captain = arena.enter("Team Alder")
    scored(arena, entrant, captain, 90.0)
    submission = made(arena, "scored")
    rebuild()
    text = read(page_of(client, arena, submission)).text
    assert "66.00 65.00–67.00 95 % interval" in text
    assert "Place 2 of 2 official" in text
    assert "Rank range 2 Band 2" in text


def test_what_moved_is_told_against_the_best_before(client, arena, rebuild):
    for score in (60.0, 64.0, 62.0):
        scored(arena, arena.entrant, arena.captain, score, parts=(0.5, 0.5, 0.5))
    last = scored(arena, arena.entrant, arena.captain, 66.5, parts=(0.6, 0.4, 0.4))
    rebuild()
    best = Submission.objects.get(evaluations__score=64.0)
    text = read(page_of(client, arena, last.submission)).text
    assert f"this and the previous best ({best.number:04d})" in text
    assert "Where the +2.50 points come from" in text
    assert "F1, weight 0.70 +7.00" in text
    assert "mNTD, weight 0.20 +2.00" in text
    assert "The intervals do not overlap" in text


def test_another_submission_that_counts_is_told(client, arena, rebuild):
    best = made(arena, "scored")
    worse = scored(arena, arena.entrant, arena.captain, 50.0).submission
    rebuild()
    assert "another submission of the team counts" in page_of(client, arena, worse)
    assert "another submission" not in page_of(client, arena, best)


@pytest.mark.parametrize(
    ("feedback", "shown", "hidden"),
    [
        (Feedback.ROUNDED, ["66.12", "two decimals while the phase is open"], ["66.123456"]),
        (Feedback.FULL, ["66.12", "66.123456"], []),
        (Feedback.NONE, ["shown when the phase closes"], ["66.12"]),
    ],
)
def test_the_page_shows_what_the_feedback_allows(client, arena, rebuild, feedback, shown, hidden):
    arena.phase.feedback = feedback
    arena.phase.save()
    submission = scored(arena, arena.entrant, arena.captain, 66.123456).submission
    rebuild()
    html = page_of(client, arena, submission)
    assert [text for text in shown if text not in html] == []
    assert [text for text in hidden if text in html] == []


def test_counts_and_labels_show_once_the_phase_has_closed(client, arena, rebuild):
    evaluation = scored(arena, arena.entrant, arena.captain, 66.0)
    counts = {
        "tp": 3,
        "fp": 1,
        "fn": 2,
        "labels": {"laugh": {"tp": 3, "fp": 1, "fn": 2, "f1": 0.67}},
    }
    evaluation.languages = {name: {**part, **counts} for name, part in evaluation.languages.items()}
    evaluation.save()
    rebuild()
    assert "By label" not in page_of(client, arena, evaluation.submission)
    with time_machine.travel(NOW + timedelta(days=11), tick=False):
        text = read(page_of(client, arena, evaluation.submission)).text
    assert "By label" in text
    assert "laugh 0.67 3 · 1 · 2" in text


def test_a_report_of_300_problems_counts_by_code_and_lists_100_in_pages(client, arena):
    submission = rejected(arena, problems=300)
    text = read(page_of(client, arena, submission)).text
    assert "300 errors" in text
    assert "100 of 300 problems are listed, errors first, then by line." in text
    assert "UNSUPPORTED_NVV_TAG 75 error" in text
    assert "EMPTY_NVV_TAG 25 error" in text
    assert "Page 1 of 4" in text
    assert "[laughs]" in text
    assert "en_0026" not in text
    assert "en_0026" in page_of(client, arena, submission, "?page=2")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?code=EMPTY_NVV_TAG", 25),
        ("?q=en_0042", 1),
        ("?q=EN_0042", 1),
        ("?q=nothing", 0),
        ("?severity=warning", 0),
        ("?severity=error&q=laugh", 100),
    ],
)
def test_a_report_is_filtered_by_code_severity_and_text(client, arena, query, found):
    text = read(page_of(client, arena, rejected(arena, problems=300), query)).text
    if found == 100:
        assert "100 of 300 problems are listed" in text
    elif found:
        assert f"{found} of 100 listed problems fit the search." in text
    else:
        assert "Nothing in the report fits this search." in text


def test_a_report_is_exported_whole(client, arena):
    submission = rejected(arena, problems=300)
    client.force_login(arena.captain)
    data = client.get(f"{submission.get_absolute_url()}report.json").json()
    assert (data["accepted"], data["problems_total"], len(data["problems"])) == (False, 300, 100)
    assert data["problems"][0]["suggestion"] == "[laugh]"
    text = client.get(f"{submission.get_absolute_url()}report.csv").content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["line"] for row in rows] == [str(line) for line in range(1, 101)]


def test_participants_text_in_a_report_is_escaped(client, arena):
    submission = rejected(arena, problems=1)
    submission.problems.update(params={"found": "<script>alert(1)</script>", "column": 1})
    assert "<script>alert" not in page_of(client, arena, submission)


def test_cancel_gives_the_slot_back(client, arena):
    submission = made(arena, "received")
    client.force_login(arena.captain)
    response = client.post(f"{submission.get_absolute_url()}cancel/", follow=True)
    submission.refresh_from_db()
    assert submission.state == SubmissionState.CANCELLED
    assert submission.quota.state == QuotaState.RELEASED
    assert "its slot is free again" in response.content.decode()


def test_cancel_after_scoring_began_tells_why_not(client, arena):
    submission = made(arena, "running")
    html = page_of(client, arena, submission)
    cancel = next(
        e for e in read(html).all("button") if e.attributes.get("aria-describedby") == "cancel-why"
    )
    assert "disabled" in cancel.attributes
    response = client.post(f"{submission.get_absolute_url()}cancel/", follow=True)
    assert "cannot be cancelled any more" in response.content.decode()
    submission.refresh_from_db()
    assert submission.state == SubmissionState.ACCEPTED


def test_marking_makes_a_worse_submission_count_until_it_is_taken_back(client, arena, rebuild):
    made(arena, "scored")
    worse = scored(arena, arena.entrant, arena.captain, 50.0).submission
    client.force_login(arena.captain)
    client.post(f"{worse.get_absolute_url()}mark/")
    rebuild()
    assert "it is the one that counts" in page_of(client, arena, worse)
    client.post(f"{worse.get_absolute_url()}unmark/")
    worse.refresh_from_db()
    assert worse.marked_at is None


def test_marking_where_the_best_counts_gives_its_reason(client, arena):
    arena.phase.selection = Selection.BEST
    arena.phase.save()
    submission = made(arena, "scored")
    assert "In this phase the best submission counts." in page_of(client, arena, submission)


@pytest.mark.parametrize("act", ["cancel", "mark", "unmark"])
def test_acts_are_for_the_team_alone(client, people, arena, act):
    submission = made(arena, "received")
    path = f"{submission.get_absolute_url()}{act}/"
    client.force_login(people["rival"])
    assert client.post(path).status_code == 404
    client.force_login(people["organizer"])
    client.post(path)
    submission.refresh_from_db()
    assert (submission.state, submission.marked_at) == (SubmissionState.RECEIVED, None)
    assert client.get(path).status_code == 405


def test_no_page_of_a_participant_holds_a_reference(client, arena, rebuild):
    submission = made(arena, "scored")
    rebuild()
    assert CANARY not in page_of(client, arena, submission)


def test_a_page_takes_as_many_queries_after_three_submissions_as_after_one(
    client, arena, rebuild, django_assert_num_queries
):
    first = made(arena, "scored")
    rebuild()
    client.force_login(arena.captain)
    client.get(first.get_absolute_url())
    with django_assert_num_queries(18):
        client.get(first.get_absolute_url())
    for score in (50.0, 40.0):
        scored(arena, arena.entrant, arena.captain, score)
    rebuild()
    with django_assert_num_queries(18):
        client.get(first.get_absolute_url())


def test_the_table_by_language_has_the_unit_of_each_number(client, arena):
    submission = scored(arena, arena.entrant, arena.captain, 66.7, at=NOW).submission
    client.force_login(arena.captain)
    html = client.get(submission.get_absolute_url()).content.decode()
    table = html[html.index('id="bylang"') :]
    table = table[: table.index("</table>")]
    assert faults(html) == []
    heads = table[: table.index("</thead>")]
    assert re.findall("<small>(.*?)</small>", heads) == ["0–100", "0–1", "0–1", "≥ 0"]
    assert 'data-label="Score, 0–100"' in table
    assert 'data-label="F1, 0–1"' in table
