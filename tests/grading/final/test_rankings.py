"""Snapshots of a final board: golden scores through the stored path, what changes them, the same digits."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from competition.enums import EntrantKind
from grading.enums import FinalCheckOutcome
from grading.models import (
    FinalBoard,
    FinalCheck,
    FinalRanking,
    FinalStanding,
    Rater,
    RatingExclusion,
)
from grading.services import administration, doorbell
from grading.services.final import errors, marks, rankings, recomputing, settling
from tests.factories.finals import LATER, Stage, rate
from tests.factories.grading import NOW
from tests.scoring.golden import nvv
from tests.scoring.rating.finals import both


def view(board: FinalBoard, listing: str = "rated", name: str = "") -> dict[str, FinalStanding]:
    ranking = rankings.newest(board)
    rows = FinalStanding.objects.filter(ranking=ranking, listing=listing, view=name)
    return {row.submission.system: row for row in rows.select_related("submission")}


@pytest.fixture
def golden(stage) -> Stage:
    """The three systems of the golden values, heard by the judge and rated by people."""
    cases = nvv()["track2_combined"]
    for case in cases:
        stage.judged(case["name"], f"{case['lalm']:.2f}", system=case["name"])
    selection = stage.select(n=3)
    rate(selection, {case["name"]: both(f"{case['human']:.2f}") for case in cases})
    return stage


def test_the_golden_scores_come_out_of_stored_marks_and_ratings(golden):
    found = view(golden.rank())
    for place, case in enumerate(nvv()["track2_combined"], 1):
        row = found[case["name"]]
        assert row.score == pytest.approx(case["final"], abs=1e-9)
        assert row.judge == pytest.approx(case["lalm"], abs=1e-9)
        assert row.people == pytest.approx(case["human"], abs=1e-9)
        assert row.place == place
        assert row.low < row.score < row.high
        assert (row.is_provisional, row.ratings_least) == (False, 5)


def test_the_mean_of_the_languages_is_the_golden_final(stage):
    case = nvv()["track2_final"][0]
    scores = {"zh": "77.62", "en": "70.30"}
    stage.judged("x", scores)
    rate(stage.select(), {"x-tts": scores})
    board = stage.rank()
    row = view(board)["x-tts"]
    assert row.score == pytest.approx((77.62 + 70.30) / 2, abs=1e-9)
    assert row.score == pytest.approx(case["final"], abs=0.005)
    assert view(board, name="zh")["x-tts"].score == pytest.approx(77.62, abs=1e-9)


def test_before_anybody_rates_every_selected_system_is_withheld(stage):
    stage.judged("a", "70")
    stage.judged("b", "40")
    stage.select(n=1)
    board = stage.rank()
    row = view(board)["a-tts"]
    assert (row.score, row.place, row.people, row.judge) == (None, None, None, 70.0)
    assert row.withheld_reason
    assert view(board, "judged")["b-tts"].place == 1


def test_a_missing_rating_withholds_and_two_lists_are_never_one(stage):
    for team, score in (("a", "70"), ("b", "65"), ("c", "20")):
        stage.judged(team, score)
    selection = stage.select(n=2)
    rate(selection, {"a-tts": both("60")})
    found = view(stage.rank())
    assert found["b-tts"].withheld_reason == "MARKS_MISSING"
    assert (found["b-tts"].place, found["b-tts"].people) == (None, None)
    assert found["a-tts"].place == 1
    assert "c-tts" not in found


def test_the_board_follows_an_exclusion_and_says_what_went(golden):
    board = golden.rank()
    first = rankings.newest(board)
    rater = Rater.objects.get(pseudonym="S1-en-r0")
    RatingExclusion.objects.create(
        protocol=rater.protocol, kind="rater", rater=rater, reason="x", excluded_at=LATER
    )
    marks.note_change(phase_id=golden.phase.pk, now=LATER)
    board = golden.rank()
    last = rankings.newest(board)
    assert last.number > first.number
    assert last.changes["ratings_fewer"] == 25
    assert last.changes["raters_fewer"] == 1
    provisional = [one for one in view(board).values() if one.is_provisional]
    assert len(provisional) == 1
    assert provisional[0].ratings_least == 4
    moved = {one["system"] for one in last.changes["moved"]}
    assert provisional[0].submission.code in moved


@pytest.mark.slow
def test_the_board_follows_a_disqualification_and_its_taking_back(golden):
    board = golden.rank()
    before = {name: row.score for name, row in view(board).items()}
    leader = next(row for row in view(board).values() if row.place == 1).submission
    later = LATER + timedelta(minutes=5)
    administration.disqualify(
        actor=golden.organizer, entrant=leader.entrant, reason="cheated", now=later
    )
    board = golden.rank()
    out = view(board)[leader.system]
    assert (out.score, out.people, out.judge, out.place) == (None, None, None, None)
    assert out.withheld_reason == "ENTRANT_OUT"
    assert sorted(row.place for row in view(board).values() if row.place) == [1, 2]
    told = rankings.newest(board).changes["systems"]
    assert [(one["what"], one["after"]) for one in told] == [("state", "disqualified")]
    administration.reinstate(
        actor=golden.organizer, entrant=leader.entrant, reason="was wrong", now=later
    )
    board = golden.rank()
    assert {name: row.score for name, row in view(board).items()} == before


def test_an_unofficial_entrant_keeps_its_score_and_loses_its_place(golden):
    board = golden.rank()
    leader = next(row for row in view(board).values() if row.place == 1)
    administration.set_kind(
        actor=golden.organizer,
        entrant=leader.submission.entrant,
        kind=EntrantKind.UNOFFICIAL,
        reason="papers are missing",
        now=LATER,
    )
    row = view(golden.rank())[leader.submission.system]
    assert (row.score, row.place) == (leader.score, None)


def test_rebuilding_twice_adds_nothing_and_gives_the_same_digits(golden):
    board = golden.rank()
    first = rankings.newest(board)
    assert golden.rank().built == board.built
    marks.note_change(phase_id=golden.phase.pk, now=LATER)
    again = golden.rank()
    assert again.built > board.built
    assert FinalRanking.objects.filter(board=board).count() == 1
    found = rankings.take(again)
    assert (found.digest, found.inputs_digest) == (first.digest, first.inputs_digest)


def test_computing_again_compares_every_digit(golden):
    golden.rank()
    check = recomputing.request(actor=golden.organizer, phase=golden.phase, now=LATER)
    with pytest.raises(errors.CheckUnderWay):
        recomputing.request(actor=golden.organizer, phase=golden.phase, now=LATER)
    done = recomputing.run(check_id=check.pk, now=LATER)
    assert done.outcome == FinalCheckOutcome.SAME
    assert done.found == done.ranking.digest
    assert recomputing.run(check_id=check.pk, now=LATER) is None


def test_computing_again_finds_an_altered_digit_and_changed_marks(golden):
    board = golden.rank()
    found = rankings.take(board)
    # a snapshot that claims these inputs with other digits, as a fault of the disk would leave it
    other = FinalRanking.objects.create(
        board=board,
        number=board.built + 1,
        made_at=LATER,
        recipe=found.recipe,
        seed=str(found.seed),
        digest="0" * 64,
        inputs_digest=found.inputs_digest,
    )
    compared = recomputing.compare(other)
    assert compared.outcome == FinalCheckOutcome.DIFFERS
    assert len(compared.differences) == 9
    first = FinalRanking.objects.get(board=board, number=board.built)
    rater = Rater.objects.first()
    RatingExclusion.objects.create(
        protocol=rater.protocol, kind="rater", rater=rater, reason="x", excluded_at=LATER
    )
    assert recomputing.compare(first).outcome == FinalCheckOutcome.OUTDATED


def test_an_overtaken_snapshot_is_dropped(golden):
    board = FinalBoard.objects.get(phase=golden.phase)
    slow = rankings.take(board)
    marks.note_change(phase_id=golden.phase.pk, now=LATER)
    golden.rank()
    assert rankings.write(board_id=board.pk, snapshot=slow, now=LATER) is None
    board.refresh_from_db()
    assert board.built > slow.number


def test_bells_are_rung_once_a_minute_and_the_sweep_rings_for_the_rest(
    golden, monkeypatch, django_capture_on_commit_callbacks
):
    rung = []
    monkeypatch.setattr(doorbell, "_send", lambda name, row: rung.append((name, row)))
    board = FinalBoard.objects.get(phase=golden.phase)
    FinalBoard.objects.filter(pk=board.pk).update(rung_at=NOW)
    with django_capture_on_commit_callbacks(execute=True):
        for second in (10, 20, 61, 70):
            marks.note_change(phase_id=golden.phase.pk, now=NOW + timedelta(seconds=second))
    assert rung == [(doorbell.FINAL, board.pk)]
    assert settling.settle(now=NOW + timedelta(seconds=100)) == 0
    assert settling.settle(now=NOW + timedelta(seconds=130)) == 1


NOT_RANKED = [
    {"score": None, "place": 1, "withheld_reason": "x"},
    {"score": None, "place": None, "withheld_reason": ""},
    {"score": 50.0, "people": None},
    {"score": 50.0, "withheld_reason": "x"},
    {"score": float("nan")},
    {"low": 5.0, "high": 4.0},
    {"low": 5.0, "high": None},
    {"listing": "judged", "people": 4.0},
    {"listing": "all"},
]


def test_the_database_refuses_a_row_that_is_withheld_and_ranked(golden):
    ranking = rankings.newest(golden.rank())
    given = {
        "listing": "rated",
        "view": "xx",
        "position": 1,
        "submission": FinalStanding.objects.filter(ranking=ranking).first().submission,
        "score": 50.0,
        "judge": 50.0,
        "people": 50.0,
    }
    for fields in NOT_RANKED:
        with pytest.raises(IntegrityError), transaction.atomic():
            FinalStanding.objects.create(ranking=ranking, **given | fields)


def test_a_system_stands_in_one_list_only_and_snapshots_are_evidence(golden):
    board = golden.rank()
    row = FinalStanding.objects.filter(ranking=rankings.newest(board), view="").first()
    for act in (
        lambda: FinalStanding.objects.create(
            ranking=row.ranking,
            listing="judged",
            view="",
            position=1,
            submission=row.submission,
            score=1.0,
            judge=1.0,
        ),
        lambda: FinalStanding.objects.filter(pk=row.pk).update(place=9),
        lambda: FinalRanking.objects.filter(pk=row.ranking_id).update(digest="1" * 64),
        lambda: FinalRanking.objects.filter(pk=row.ranking_id).delete(),
        lambda: FinalCheck.objects.create(ranking=row.ranking, requested_at=NOW, outcome="same"),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            act()


@pytest.mark.slow
def test_the_command_computes_again_and_writes_nothing(golden, capsys):
    place = [golden.competition.slug, "generation", "final"]
    with pytest.raises(CommandError, match="no snapshot"):
        call_command("recompute_final", *place)
    board = golden.rank()
    call_command("recompute_final", *place)
    assert "every digit is the same" in capsys.readouterr().out
    assert not FinalCheck.objects.exists()
    found = rankings.newest(board)
    FinalRanking.objects.create(
        board=board,
        number=found.number + 1,
        made_at=LATER,
        recipe=found.recipe,
        seed=found.seed,
        digest="0" * 64,
        inputs_digest=found.inputs_digest,
    )
    with pytest.raises(CommandError, match="not the same"):
        call_command("recompute_final", *place)
