"""Boards: order, snapshots, freezes, who is out, and one order everywhere."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from competition.enums import EntrantKind, EntrantState, Feedback, Role
from competition.models import Phase, RoleGrant
from grading import queries
from grading.models import Board, Evaluation, PhaseRecipe, Standing
from grading.services import boards, doorbell, standings
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW, Arena, scored

pytestmark = pytest.mark.django_db

ANYBODY = AnonymousUser()
LATER = NOW + timedelta(minutes=1)


def board_of(arena: Arena) -> Board:
    return Board.objects.get(phase=arena.phase)


def rebuild(arena: Arena, now=LATER) -> Board:
    boards.want_rebuild(phase_id=arena.phase.pk, now=now)
    return standings.rebuild(board_id=board_of(arena).pk, now=now)


def teams(rows) -> list[str]:
    return [row["entrant"]["team"] for row in rows]


def public_rows(arena: Arena, view: str = "", now=LATER):
    return queries.board_rows(phase_now(arena), ANYBODY, view, now)


def phase_now(arena: Arena) -> Phase:
    return Phase.objects.select_related("track__competition", "references").get(pk=arena.phase.pk)


def organizer(arena: Arena) -> User:
    user = UserFactory()
    RoleGrant.objects.create(
        competition=arena.competition, user=user, role=Role.ORGANIZER, granted_at=NOW
    )
    return user


def entered(arena: Arena, name: str, score: float | None, **fields) -> Evaluation:
    keys = ("half_width", "parts", "at")
    numbers = {key: fields.pop(key) for key in keys if key in fields}
    entrant, captain = arena.enter(name, **fields)
    return scored(arena, entrant, captain, score, **numbers)


def test_rows_stand_by_score_with_places_bands_and_ranges(arena):
    entered(arena, "Team Alder", 70.0, half_width=2.0)
    entered(arena, "Team Birch", 67.0, half_width=2.0)
    entered(arena, "Team Cedar", 50.0, half_width=2.0)
    rebuild(arena)
    rows = public_rows(arena)
    assert teams(rows) == ["Team Alder", "Team Birch", "Team Cedar"]
    assert [(row["place"], row["band"], row["range"]) for row in rows] == [
        (1, 1, [1, 2]),
        (2, 1, [1, 2]),
        (3, 3, [3, 3]),
    ]
    assert [row["position"] for row in rows] == [1, 2, 3]


def test_who_takes_no_place_stands_there_without_one(arena):
    entered(arena, "Baseline A", 80.0, kind=EntrantKind.BASELINE)
    entered(arena, "Team Birch", 70.0)
    entered(arena, "Team Cedar", 60.0, kind=EntrantKind.UNOFFICIAL)
    entered(arena, "Team Doum", None)
    rebuild(arena)
    rows = public_rows(arena)
    assert teams(rows) == ["Baseline A", "Team Birch", "Team Cedar", "Team Doum"]
    assert [row["place"] for row in rows] == [None, 1, None, None]
    assert [row["range"] for row in rows] == [None, [1, 1], None, None]
    assert rows[3]["score"] is None
    assert rows[3]["withheld_reason"] == "LANGUAGE_WITHOUT_UTTERANCES"


def test_who_is_out_keeps_a_line_without_numbers(arena):
    entered(arena, "Team Alder", 90.0, state=EntrantState.DISQUALIFIED, reason="copied")
    entered(arena, "Team Birch", 70.0)
    entered(arena, "Team Cedar", 80.0, state=EntrantState.WITHDRAWN)
    entered(arena, "Team Doum", 99.0, state=EntrantState.PENDING)
    rebuild(arena)
    rows = public_rows(arena)
    assert teams(rows) == ["Team Birch", "Team Alder", "Team Cedar"]
    assert [row["score"] for row in rows] == [70.0, None, None]
    assert [row["place"] for row in rows] == [1, None, None]
    assert rows[1]["entrant"]["state"] == "disqualified"
    assert "copied" not in repr(rows)
    assert "90.0" not in repr(rows)


def test_a_language_view_ranks_by_that_language(arena):
    one = entered(arena, "Team Alder", 70.0)
    two = entered(arena, "Team Birch", 60.0)
    languages = {
        "en": {**one.languages["en"], "score": 40.0, "interval": None},
        "zh": one.languages["zh"],
    }
    Evaluation.objects.filter(pk=one.pk).update(languages=languages)
    rebuild(arena)
    assert teams(public_rows(arena)) == ["Team Alder", "Team Birch"]
    rows = public_rows(arena, "en")
    assert teams(rows) == ["Team Birch", "Team Alder"]
    assert [(row["score"], row["interval"]) for row in rows] == [
        (60.0, [59.0, 61.0]),
        (40.0, None),
    ]
    assert two.submission.code == rows[0]["submission"]


def test_a_board_without_scores_has_no_rows(arena):
    rebuild(arena)
    assert public_rows(arena) == []
    data = queries.board_object(phase_now(arena), ANYBODY, LATER)
    assert data["format"] == "plaudit.board/1"
    assert set(data["views"]) == {"final", "en", "zh"}


def test_a_phase_without_a_recipe_has_an_empty_board(arena):
    PhaseRecipe.objects.all().delete()
    rebuild(arena)
    data = queries.board_object(phase_now(arena), ANYBODY, LATER)
    assert (data["recipe"], data["views"]) == (None, {})


def test_every_board_of_a_competition_follows_a_change_of_its_entrants(arena):
    boards.want_rebuild_of_competition(competition_id=arena.competition.pk, now=NOW)
    assert board_of(arena).wanted == 1


def test_rebuilding_twice_gives_the_same_rows_and_an_up_to_date_board_is_left_alone(arena):
    entered(arena, "Team Alder", 70.0)
    rebuild(arena)
    before = list(Standing.objects.order_by("pk").values())
    standings.rebuild(board_id=board_of(arena).pk, now=LATER)
    assert list(Standing.objects.order_by("pk").values()) == before
    rebuild(arena)
    after = list(Standing.objects.order_by("pk").values())
    without_ids = [{**row, "id": 0} for row in before]
    assert [{**row, "id": 0} for row in after] == without_ids


def test_a_score_that_comes_while_a_board_is_computed_makes_it_compute_again(arena, monkeypatch):
    entered(arena, "Team Alder", 70.0)
    taken = []
    honest = standings.take

    def take(board, now):
        snapshot = honest(board, now)
        if not taken:
            entered(arena, "Team Birch", 80.0)
            boards.want_rebuild(phase_id=arena.phase.pk, now=now)
        taken.append(snapshot.number)
        return snapshot

    monkeypatch.setattr(standings, "take", take)
    board = rebuild(arena)
    assert taken == [1, 2]
    assert (board.built, board.wanted) == (2, 2)
    assert teams(public_rows(arena)) == ["Team Birch", "Team Alder"]


def test_a_board_that_is_never_left_in_peace_is_still_written_and_rung_for(
    arena, monkeypatch, django_capture_on_commit_callbacks
):
    entered(arena, "Team Alder", 70.0)
    honest = standings.take
    rung = []

    def take(board, now):
        snapshot = honest(board, now)
        Board.objects.filter(pk=board.pk).update(wanted=board.wanted + 1)
        return snapshot

    monkeypatch.setattr(standings, "take", take)
    monkeypatch.setattr(doorbell, "_send", lambda name, row: rung.append(name))
    with django_capture_on_commit_callbacks(execute=True):
        board = rebuild(arena)
    assert (board.built, board.wanted) == (3, 4)
    assert rung == [doorbell.REBUILD, doorbell.REBUILD]


def test_an_overtaken_snapshot_is_dropped(arena):
    entered(arena, "Team Alder", 70.0)
    boards.want_rebuild(phase_id=arena.phase.pk, now=NOW)
    old = standings.take(Board.objects.get(phase=arena.phase), LATER)
    entered(arena, "Team Birch", 80.0)
    rebuild(arena)
    assert standings.write(board_id=board_of(arena).pk, snapshot=old, now=LATER)
    assert board_of(arena).built == 2
    assert len(public_rows(arena)) == 2


def test_a_freeze_holds_the_public_board_back_until_the_end(arena):
    phase = arena.phase
    Phase.objects.filter(pk=phase.pk).update(frozen_from=NOW + timedelta(hours=1))
    early = entered(arena, "Team Alder", 70.0, at=NOW)
    after = NOW + timedelta(hours=2)
    scored(arena, early.submission.entrant, early.submission.uploader, 90.0, at=after)
    entered(arena, "Team Birch", 80.0, at=after)
    rebuild(arena, now=after)
    assert [(row["entrant"]["team"], row["score"]) for row in public_rows(arena, now=after)] == [
        ("Team Alder", 70.0)
    ]
    seen = queries.board_rows(phase_now(arena), organizer(arena), "", after)
    assert [row["score"] for row in seen] == [90.0, 80.0]
    data = queries.board_object(phase_now(arena), ANYBODY, after)
    assert data["frozen_from"] == (NOW + timedelta(hours=1)).isoformat()
    rebuild(arena, now=phase.closes_at)
    assert [row["score"] for row in public_rows(arena, now=phase.closes_at)] == [90.0, 80.0]


def test_while_references_are_hidden_only_two_decimals_and_no_counts_are_published(arena):
    entered(arena, "Team Alder", 70.123456, parts=(0.55555, 0.44444, 0.33333))
    rebuild(arena)
    row = public_rows(arena)[0]
    assert (row["score"], row["interval"], row["has_counts"]) == (70.12, [69.12, 71.12], False)
    assert row["components"] == {"f1": 0.56, "mntd": 0.44, "error_rate": 0.33}
    assert "tp" not in row["languages"]["en"]
    assert row["languages"]["en"]["score"] == 70.12
    assert "70.123" not in repr(board_of(arena).data)
    exact = queries.board_rows(phase_now(arena), organizer(arena), "", LATER)[0]
    assert (exact["score"], exact["languages"]["en"]["tp"]) == (70.123456, 3)
    rebuild(arena, now=arena.phase.closes_at)
    after = public_rows(arena, now=arena.phase.closes_at)[0]
    assert (after["score"], after["has_counts"]) == (70.123456, True)


def test_feedback_none_publishes_no_rows_since_their_order_would_tell(arena):
    Phase.objects.filter(pk=arena.phase.pk).update(feedback=Feedback.NONE)
    one = entered(arena, "Team Alder", 70.0)
    rebuild(arena)
    assert public_rows(arena) == []
    own = queries.history(one.submission.entrant, phase_now(arena), one.submission.uploader, LATER)
    assert (own[0]["score"], own[0]["hidden"]) == (None, True)
    assert queries.history(one.submission.entrant, phase_now(arena), ANYBODY, LATER) == []


def test_the_leader_is_compared_with_the_others_on_the_same_utterances(arena):
    for number, score in enumerate((70.0, 60.0, 50.0)):
        entered(arena, f"Team {number}", score)
    rebuild(arena)
    first, second, third = public_rows(arena)
    assert first["difference"] == {}
    assert (
        second["difference"]["leader"] == third["difference"]["leader"] == first["entrant"]["code"]
    )
    assert second["difference"]["differs"] in (True, False)
    assert "p_value" not in second["difference"]
    exact = queries.board_rows(phase_now(arena), organizer(arena), "", LATER)
    assert 0 < exact[1]["difference"]["p_value"] <= exact[1]["difference"]["p_adjusted"] <= 1


scores = st.one_of(
    st.none(),
    st.sampled_from([50.0, 50.0, 50.0 + 1e-11, 60.0, 0.0, 100.0]),
    st.floats(0, 100, allow_nan=False),
)
rows = st.lists(
    st.tuples(scores, st.sampled_from(EntrantKind.values), st.sampled_from([None, 0.5, 5.0])),
    max_size=7,
)


@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(entries=rows)
def test_every_board_is_in_one_order_however_it_is_read(arena, entries):
    with transaction.atomic():
        for number, (score, kind, width) in enumerate(entries):
            entered(arena, f"Team {number}", score, kind=kind, half_width=width)
        rebuild(arena)
        shown = queries.board_rows(phase_now(arena), organizer(arena), "", LATER)
        _assert_in_order(shown)
        published = [row["submission"] for row in public_rows(arena)]
        stored = Standing.objects.filter(board=board_of(arena), view="", audience="public")
        exported = [row.evaluation.submission.code for row in stored.order_by("position")]
        assert published == [row["submission"] for row in shown] == exported
        assert len(shown) == len(entries)
        transaction.set_rollback(True)


def _assert_in_order(shown) -> None:
    numbers = [row["score"] for row in shown]
    known = [round(number, 9) for number in numbers if number is not None]
    assert known == sorted(known, reverse=True)
    assert all(number is None for number in numbers[len(known) :])
    places = [row["place"] for row in shown if row["place"] is not None]
    assert places == sorted(places)
    for row in shown:
        is_ranked = row["score"] is not None and row["entrant"]["kind"] == "official"
        assert (row["place"] is not None) == is_ranked
        if is_ranked:
            above = sum(
                other["place"] is not None and round(other["score"], 9) > round(row["score"], 9)
                for other in shown
            )
            assert row["place"] == above + 1
            assert row["range"][0] <= row["place"] <= row["range"][1]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("field", ["score", "low", "high"])
def test_the_database_refuses_rows_that_are_no_numbers(arena, field, value):
    evaluation = entered(arena, "Team Alder", 70.0)
    rebuild(arena)
    row = Standing.objects.filter(evaluation=evaluation).first()
    with pytest.raises(IntegrityError), transaction.atomic():
        Standing.objects.filter(pk=row.pk).update(**{field: value})
    row.refresh_from_db()
    assert row.score == 70.0
