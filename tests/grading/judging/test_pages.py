"""Organizers see what a judge took and why it stopped; entrants see how far it is, and no cost."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from grading.enums import FailureCode, JudgeRunState, JudgeStop
from grading.models import JudgeRun
from grading.services import evaluations, measures
from tests.factories.judging import IDS, judged_arena, waiting
from tests.grading.judging.test_money_and_canaries import PRICE, organizer
from tests.grading.judging.test_run import judge, marks_of
from tests.site.markup import faults

pytestmark = pytest.mark.django_db


@pytest.fixture
def stopped(standin):
    """A run that its budget stopped, with its arena."""
    arena = judged_arena(price=PRICE, budget={"calls": 3})
    evaluation = waiting(arena)
    return arena, evaluation, judge(evaluation)


def console(arena, name, *args):
    return reverse(f"grading:{name}", args=[arena.competition.slug, *args])


def test_an_organizer_sees_cost_and_reason_and_lets_the_run_go_on(
    client, stopped, django_capture_on_commit_callbacks
):
    arena, evaluation, run = stopped
    client.force_login(organizer(arena))
    page = client.get(console(arena, "console-judging")).content.decode()
    assert "3 of 8" in page
    assert str(JudgeStop.BUDGET_CALLS.label) in page
    assert "Stand-in judge (stand-in, no judge)" in page
    detail = client.get(console(arena, "judging-run", run.code)).content.decode()
    assert f"{run.cost_micro / 1e6:.4f} EUR" in detail
    assert "Let the judging go on" in detail
    fragment = client.get(console(arena, "judging-run", run.code), {"live": "1"}).content.decode()
    assert fragment.strip().startswith('<div id="live">')
    sent = {"reason": "Enough money", "most_calls": "20"}
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(console(arena, "judging-resume", run.code), sent)
    assert answer.status_code == 302
    run.refresh_from_db()
    assert run.state == JudgeRunState.DONE
    assert run.most_calls == 20
    assert len(marks_of(evaluation)) == 4


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"reason": ""}, "required"),
        ({"reason": "x", "most_calls": "2"}, "larger than the old one"),
        ({"reason": "x", "most_calls": "-1"}, "greater than or equal to 1"),
        ({"reason": "x", "most_cost_micro": "1e400"}, "number"),
    ],
)
def test_a_bound_that_is_none_is_told_and_the_run_stays_stopped(client, stopped, sent, said):
    arena, _, run = stopped
    client.force_login(organizer(arena))
    page = client.post(console(arena, "judging-resume", run.code), sent)
    assert said in page.content.decode()
    run.refresh_from_db()
    assert run.state == JudgeRunState.STOPPED


def test_an_entrant_sees_how_far_it_is_and_why_it_waits_but_no_cost(client, stopped):
    arena, evaluation, _ = stopped
    client.force_login(arena.captain)
    page = client.get(evaluation.submission.get_absolute_url()).content.decode()
    assert "3 of 8 answers of the judge" in page
    assert str(JudgeStop.BUDGET_CALLS.label) in page
    for hidden in ("EUR", "tokens", "127.0.0.1", "plaudit-stand-in"):
        assert hidden not in page
    assert client.get(console(arena, "console-judging")).status_code == 403


@pytest.mark.parametrize(
    ("detail", "said"),
    [
        ({"canary": "en_laugh_4", "marks": ["A", "P"]},
         ["Clip with known marks: en_laugh_4.", "Marks that changed: A, P."]),
        ({"count": 2, "ids": ["gen_en_2", "gen_zh_2"]}, ["How many: 2.", "Clips: gen_en_2, gen_zh_2."]),
        ({"references": True}, ["The references cannot be read."]),
        ({"set": "demo"}, ["Set of clips: demo."]),
        ({"error": "no such file"}, ["Error: no such file."]),
    ],
    ids="-".join,
)  # fmt: skip
def test_what_a_run_stopped_over_is_told_in_words(client, stopped, detail, said):
    arena, _, run = stopped
    JudgeRun.objects.filter(pk=run.pk).update(stop_detail=detail)
    client.force_login(organizer(arena))
    page = client.get(console(arena, "judging-run", run.code)).content.decode()
    assert [words for words in said if words not in page] == []


def test_raw_answers_are_a_file_of_lines_with_no_text_that_was_to_be_said(client, stopped):
    arena, _, run = stopped
    client.force_login(organizer(arena))
    answer = client.get(console(arena, "judging-answers", run.code))
    body = answer.getvalue()
    answer.close()
    lines = [json.loads(line) for line in body.splitlines()]
    assert [line["utt_id"] for line in lines] == sorted(line["utt_id"] for line in lines)
    assert len(lines) == 3
    assert json.loads(lines[0]["raw"])["marks"]["A"]["mark"] >= 0
    assert answer["Content-Disposition"] == f'attachment; filename="judge-{run.code}.jsonl"'
    assert "You should have seen it" not in body.decode()


def test_the_pages_of_a_run_under_way_ask_again_by_themselves(client, stopped):
    arena, _, run = stopped
    client.force_login(organizer(arena))
    places = [console(arena, "console-judging"), console(arena, "judging-run", run.code)]
    for moving in (False, True):
        if moving:
            JudgeRun.objects.filter(pk=run.pk).update(
                state=JudgeRunState.RUNNING, stop_reason="", lease_until=timezone.now()
            )
        for place in places:
            html = client.get(place).content.decode()
            assert faults(html) == []
            assert ("hx-trigger" in html) == moving


def test_another_competitions_run_is_not_there(client, stopped):
    _, _, run = stopped
    other = judged_arena(IDS[:2], label="other")
    client.force_login(organizer(other))
    for name in ("judging-run", "judging-resume", "judging-answers"):
        assert client.get(console(other, name, run.code)).status_code == 404


def test_a_stopped_run_is_not_rung_for_and_is_in_the_measures(stopped):
    text = measures.rendered(measures.measures(now=timezone.now()))
    assert 'plaudit_judge_runs{state="stopped"} 1' in text
    assert "plaudit_judge_calls_total 3" in text
    assert 'plaudit_queue_depth{queue="judge"} 0' in text


def test_an_evaluation_that_does_not_wait_is_not_judged(standin):
    evaluation = waiting(judged_arena())
    evaluations.fail_waiting(
        evaluation_id=evaluation.pk, code=FailureCode.JUDGE_FAILED, now=timezone.now()
    )
    assert judge(evaluation) is None
    assert not JudgeRun.objects.exists()
