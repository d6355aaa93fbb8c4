"""Who sees what of a judge of words: how far it is, what it cost, and that a stand-in is none."""

from __future__ import annotations

import pytest
from django.urls import reverse

from grading.enums import EvaluationState, JudgeStop
from grading.models import Evaluation
from grading.presentation import judge_of
from grading.services import evaluations
from grading.services.verification.errors import HeldOutInvalid
from grading.services.verification.sets import _require_fit
from grading.views import judge_label
from tests.factories.grading import NOW
from tests.factories.words import JUDGE, SCALE, SECRET, waiting, words_arena
from tests.grading.judging.test_money_and_canaries import organizer
from tests.grading.judging.test_run import judge

pytestmark = pytest.mark.django_db
PRICE = {"currency": "EUR", "as_of": "2026-11-01", "input_per_million": 1000}
HIDDEN = ("EUR", "tokens", "127.0.0.1", "plaudit-stand-in", SECRET)


def console(arena, name, *args):
    return reverse(f"grading:{name}", args=[arena.competition.slug, *args])


def test_a_run_that_stopped_tells_the_team_why_and_organizers_what_it_cost(client, standin):
    arena = words_arena(price=PRICE, budget={"calls": 5})
    evaluation = waiting(arena)
    run = judge(evaluation)
    client.force_login(arena.captain)
    page = client.get(evaluation.submission.get_absolute_url()).content.decode()
    assert "5 of 12 answers of the judge" in page
    assert str(JudgeStop.BUDGET_CALLS.label) in page
    assert not any(hidden in page for hidden in HIDDEN)
    assert client.get(console(arena, "judging-run", run.code)).status_code == 403
    client.force_login(organizer(arena))
    page = client.get(console(arena, "judging-run", run.code)).content.decode()
    assert f"{run.cost_micro / 1e6:.4f} EUR" in page
    assert "Stand-in judge (stand-in, no judge)" in page
    assert "Audio" not in page
    assert SECRET not in page
    raw = client.get(console(arena, "judging-answers", run.code))
    assert SECRET not in raw.getvalue().decode()
    raw.close()


def test_a_score_of_a_stand_in_says_so_and_is_not_called_provisional(client, standin):
    arena = words_arena()
    evaluation = waiting(arena)
    judge(evaluation)
    evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=lambda: NOW)
    assert Evaluation.objects.get().state == EvaluationState.SCORED
    client.force_login(arena.captain)
    slugs = [arena.competition.slug, arena.track.slug]
    for address in (
        evaluation.submission.get_absolute_url(),
        reverse("grading:board", args=[*slugs, arena.phase.slug]),
    ):
        page = client.get(address).content.decode()
        assert "stand-in judge" in page
        assert "its marks say nothing about the answers" in page
        assert "rovisional" not in page
        assert SECRET not in page
    page = client.get(reverse("grading:methodology", args=slugs)).content.decode()
    assert "The judge is told what follows" in page
    assert "--marks marks.jsonl" in page
    assert SECRET not in page


def test_a_real_judge_leaves_no_label_and_a_recorded_one_does(standin):
    real = judge_of(waiting(words_arena(is_stand_in=False)).recipe)
    assert (judge_label.heading(real), judge_label.row_word(real), judge_label.note(real)) == (
        "",
    ) * 3
    told = {name: JUDGE[name] for name in ("model", "label")}
    told |= {"kind": "recorded", "recording_sha256": "0" * 64}
    arena = words_arena(params={"scale": SCALE, "judge": told})
    recorded = judge_of(waiting(arena).recipe)
    assert judge_label.heading(recorded) == judge_label.row_word(recorded) == "recorded judge"
    in_rows = words_arena(params={"scale": SCALE, "marks_in_rows": True, "judge": "Some Model"})
    assert judge_of(waiting(in_rows).recipe) is None


def test_a_track_that_a_judge_marks_has_no_held_out_set():
    arena = words_arena()

    class Version:
        class dataset:  # noqa: N801  as the row has it
            competition_id = arena.competition.pk

    with pytest.raises(HeldOutInvalid, match="made of marks"):
        _require_fit(arena.track, Version)
    plain = words_arena(params={"scale": SCALE})
    Version.dataset.competition_id = plain.competition.pk
    _require_fit(plain.track, Version)
