"""Selecting systems: what is proposed, recorded once, told, and refused."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from accounts.models import AuditEvent
from competition.enums import EntrantKind, EntrantState
from competition.services.errors import NotOrganizer
from grading.enums import EvaluationState, SelectionReason
from grading.models import Board, Evaluation, FinalBoard, FinalSelection, FinalSystem, Notice
from grading.services.final import choosing, errors
from grading.services.final.choosing import Wish
from tests.factories.accounts import UserFactory
from tests.factories.finals import CLOSES, Stage
from tests.factories.grading import NOW


def chosen(stage: Stage, **wish: object) -> list[tuple[str, str]]:
    stage.board()
    proposal = choosing.propose(stage.phase, wish=Wish(**wish), now=NOW)
    return [(one.submission.system, str(one.reason)) for one in proposal.lines]


def test_the_first_n_of_the_board_are_proposed_and_the_baseline_beside_them(stage):
    for place in range(4):
        stage.judged(f"t{place}", f"{80 - 8 * place}.00")
    stage.judged("base", "30", kind=EntrantKind.BASELINE)
    stage.judged("guest", "95", kind=EntrantKind.UNOFFICIAL)
    assert chosen(stage, n=2) == [
        ("t0-tts", "top"),
        ("t1-tts", "top"),
        ("base-tts", "baseline"),
    ]


def test_fewer_than_n_are_all_proposed(stage):
    stage.judged("only", "60")
    assert chosen(stage) == [("only-tts", "top")]


def test_a_tie_at_the_last_place_brings_both_and_an_overlap_is_told_apart(stage):
    for team, score in (("a", "70"), ("b", "60"), ("c", "60"), ("near", "59.50"), ("far", "20")):
        stage.judged(team, score)
    assert chosen(stage, n=2) == [
        ("a-tts", "top"),
        ("b-tts", "top"),
        ("c-tts", "top"),
        ("near-tts", "overlap"),
    ]


@pytest.mark.parametrize("state", [EntrantState.DISQUALIFIED, EntrantState.WITHDRAWN])
def test_who_is_out_is_not_selected_not_even_as_the_baseline(stage, state):
    stage.judged("a", "70")
    stage.judged("out", "80", state=state, reason="x")
    stage.judged("base", "30", state=state, reason="x", kind=EntrantKind.BASELINE)
    assert chosen(stage) == [("a-tts", "top")]


def test_a_withheld_score_is_not_selected(stage):
    stage.judged("a", "70")
    other = stage.judged("b", "80")
    Evaluation.objects.filter(submission=other).update(
        score=None, low=None, high=None, withheld_reason="MARKS_MISSING"
    )
    assert chosen(stage) == [("a-tts", "top")]


def test_a_reference_and_an_anchor_stand_outside_the_rank(stage):
    stage.judged("a", "70")
    voice = stage.judged("voice", "90", kind=EntrantKind.UNOFFICIAL)
    noise = stage.judged("noise", "5", kind=EntrantKind.UNOFFICIAL)
    assert chosen(stage, reference=voice.code, anchor=noise.code) == [
        ("a-tts", "top"),
        ("voice-tts", "reference"),
        ("noise-tts", "anchor"),
    ]
    for wish in ({"reference": "nobody"}, {"reference": noise.code, "anchor": noise.code}):
        with pytest.raises(errors.SelectionInvalid):
            chosen(stage, **wish)


def test_an_official_system_or_one_chosen_already_is_no_reference(stage):
    official = stage.judged("a", "70")
    base = stage.judged("base", "40", kind=EntrantKind.BASELINE)
    for code in (official.code, base.code):
        with pytest.raises(errors.SelectionInvalid):
            chosen(stage, reference=code)


def test_recording_keeps_digits_and_the_boards_number_and_tells_the_entrants(stage):
    stage.judged("a", "70.12")
    stage.judged("b", "60.34")
    selection = stage.select(n=2)
    board = Board.objects.get(phase=stage.phase)
    assert (selection.board_number, selection.n) == (board.built, 2)
    first, second = selection.systems.all()
    assert (first.score, first.place, first.reason) == (70.12, 1, "top")
    assert second.evaluation.score == second.score == 60.34
    assert selection.rule["recipe_digest"] == selection.recipe.digest
    assert FinalBoard.objects.get(phase=stage.phase).wanted >= 1
    notices = Notice.objects.filter(kind="entrant")
    assert {one.context["team"] for one in notices} == {"a", "b"}
    assert not any("70.1" in str(one.context) for one in notices)
    event = AuditEvent.objects.get(kind="final.selected")
    assert event.target == f"phase:{stage.phase.code}"


def test_a_selection_is_recorded_once(stage):
    stage.judged("a", "70")
    stage.select()
    with pytest.raises(errors.SelectionStands):
        stage.select()
    assert FinalSelection.objects.count() == 1


def test_what_moved_since_the_preview_is_not_recorded(stage):
    stage.judged("a", "70")
    stage.board()
    looked_at = choosing.propose(stage.phase, wish=Wish(), now=NOW)
    stage.judged("b", "80")
    stage.board()
    with pytest.raises(errors.BoardMoved):
        choosing.record(
            actor=stage.organizer, phase=stage.phase, wish=Wish(), digest=looked_at.digest, now=NOW
        )
    assert not FinalSelection.objects.exists()


def test_nothing_is_selected_before_the_end_or_from_a_board_that_is_behind(stage):
    stage.judged("a", "70")
    with pytest.raises(errors.BoardBehind):
        choosing.propose(stage.phase, wish=Wish(), now=NOW)
    stage.board()
    with pytest.raises(errors.PhaseStillOpen):
        choosing.propose(stage.phase, wish=Wish(), now=CLOSES - timedelta(days=2))


def test_a_track_without_marks_has_no_final(arena):
    with pytest.raises(errors.NoFinalHere):
        choosing.propose(arena.phase, wish=Wish(), now=NOW + timedelta(days=20))


def test_an_empty_board_and_numbers_out_of_range_are_refused(stage):
    stage.judged("base", "30", kind=EntrantKind.BASELINE)
    with pytest.raises(errors.NothingToSelect):
        chosen(stage)
    for wish in ({"n": 0}, {"n": 13, "limit": 13}, {"n": 5, "limit": 4}):
        with pytest.raises(errors.SelectionInvalid):
            chosen(stage, **wish)


def test_submissions_without_a_score_are_counted(stage):
    stage.judged("a", "70")
    waiting = stage.judged("b", "60")
    Evaluation.objects.filter(submission=waiting).update(
        state=EvaluationState.WAITING, finished_at=None, score=None, low=None, high=None
    )
    stage.board()
    assert choosing.propose(stage.phase, wish=Wish(), now=NOW).unfinished == 1


def test_only_organizers_record(stage):
    stage.judged("a", "70")
    stage.board()
    digest = choosing.propose(stage.phase, wish=Wish(), now=NOW).digest
    with pytest.raises(NotOrganizer):
        choosing.record(actor=UserFactory(), phase=stage.phase, wish=Wish(), digest=digest, now=NOW)


NOT_CHOSEN = [
    (SelectionReason.TOP, {"place": None}),
    (SelectionReason.TOP, {"score": None}),
    (SelectionReason.TOP, {"score": float("inf")}),
    (SelectionReason.BASELINE, {"place": 3}),
    (SelectionReason.TOP, {"position": 15}),
    (SelectionReason.TOP, {"position": 1}),
    ("favourite", {}),
]


def test_the_database_refuses_a_system_that_was_not_chosen_by_rule(stage):
    one, other = stage.judged("a", "70"), stage.judged("b", "60")
    selection = stage.select(n=1)
    given = {
        "position": 9,
        "submission": other,
        "evaluation": other.evaluations.get(),
        "place": 2,
        "score": 60.0,
    }
    for reason, fields in NOT_CHOSEN:
        with pytest.raises(IntegrityError), transaction.atomic():
            FinalSystem.objects.create(selection=selection, reason=reason, **given | fields)
    with pytest.raises(IntegrityError), transaction.atomic():
        FinalSystem.objects.create(
            selection=selection, reason="top", **given | {"submission": one, "position": 5}
        )


def test_a_selection_is_evidence(stage):
    stage.judged("a", "70")
    selection = stage.select()
    for act in (
        lambda: FinalSelection.objects.filter(pk=selection.pk).update(n=3),
        lambda: FinalSystem.objects.filter(selection=selection).delete(),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            act()
