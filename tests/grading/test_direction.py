"""Organizers direct boards and scoring: each act has a reason, a trace, and is told."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from accounts.enums import NoticeKind
from accounts.models import AuditEvent
from competition.enums import BoardAct, EntrantKind, Role
from competition.models import BoardChange, Competition, EntrantChange, Phase, RoleGrant
from competition.queries import may_see_board
from competition.services import publication
from competition.services.errors import (
    LastCaptain,
    NotOrganizer,
    ReasonMissing,
    WrongState,
)
from grading import queries
from grading.enums import EvaluationState, Priority, SubmissionState
from grading.models import Board, Evaluation, Notice
from grading.services import (
    administration,
    boards,
    doorbell,
    evaluations,
    pausing,
    standings,
    sweep,
    validation,
)
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW, join, scored, submit

pytestmark = pytest.mark.django_db
AFTER = NOW + timedelta(days=11)


@pytest.fixture
def organizer(arena):
    user = UserFactory()
    RoleGrant.objects.create(
        competition=arena.competition, user=user, role=Role.ORGANIZER, granted_at=NOW
    )
    return user


def act(arena, organizer, kind: BoardAct, now=NOW, reason: str = "because") -> BoardChange:
    return administration.change_board(
        actor=organizer, phase=arena.phase, act=kind, reason=reason, now=now
    )


def public_scores(arena, now=NOW) -> list[float]:
    boards.want_rebuild(phase_id=arena.phase.pk, now=now)
    standings.rebuild(board_id=Board.objects.get(phase=arena.phase).pk, now=now)
    phase = Phase.objects.select_related("track__competition").get(pk=arena.phase.pk)
    return [row["score"] for row in queries.board_rows(phase, None, "", now)]


def told(kind: NoticeKind) -> list[Notice]:
    return list(Notice.objects.filter(kind=kind).order_by("pk"))


def test_a_board_frozen_by_hand_stands_still_until_it_is_unfrozen(arena, organizer):
    scored(arena, arena.entrant, arena.captain, 50.0, at=NOW - timedelta(hours=1))
    act(arena, organizer, BoardAct.FREEZE)
    later = NOW + timedelta(hours=1)
    scored(arena, arena.entrant, arena.captain, 60.0, at=later)
    assert public_scores(arena, later) == [50.0]
    act(arena, organizer, BoardAct.UNFREEZE, later)
    assert public_scores(arena, later) == [60.0]


def test_it_stands_still_beyond_the_end_until_it_is_published(arena, organizer):
    scored(arena, arena.entrant, arena.captain, 50.0, at=NOW - timedelta(hours=1))
    act(arena, organizer, BoardAct.FREEZE)
    scored(arena, arena.entrant, arena.captain, 60.0, at=NOW + timedelta(hours=1))
    assert public_scores(arena, AFTER) == [50.0]
    act(arena, organizer, BoardAct.PUBLISH, AFTER)
    assert public_scores(arena, AFTER) == [60.0]


def test_a_board_taken_down_is_seen_by_overseers_alone_and_says_why(arena, organizer, client):
    scored(arena, arena.entrant, arena.captain, 50.0)
    act(arena, organizer, BoardAct.TAKE_DOWN, reason="a reference is wrong")
    phase = Phase.objects.select_related("track__competition").get(pk=arena.phase.pk)
    seen = {user: may_see_board(user, phase, AFTER) for user in (None, arena.captain, organizer)}
    assert seen == {None: False, arena.captain: False, organizer: True}
    slugs = (arena.competition.slug, arena.track.slug, arena.phase.slug)
    page = "/competitions/{}/tracks/{}/{}/".format(*slugs)
    assert "a reference is wrong" in client.get(f"{page}board/").content.decode()
    for name in ("board.json", "board.csv", "data.json"):
        assert client.get(page + name).status_code == 404
    act(arena, organizer, BoardAct.PUBLISH, reason="mended")
    assert client.get(f"{page}data.json").status_code == 200


def test_each_act_is_a_row_an_event_a_line_on_the_board_and_a_mail(arena, organizer, client):
    act(arena, organizer, BoardAct.FREEZE, reason="last day")
    change = BoardChange.objects.get()
    assert (change.act, change.reason, change.actor) == ("freeze", "last day", organizer)
    assert AuditEvent.objects.filter(kind="board.frozen").count() == 1
    assert [notice.context["act"] for notice in told(NoticeKind.BOARD)] == ["freeze"]
    public_scores(arena)
    data = Board.objects.get(phase=arena.phase).data
    assert data["acts"] == [{"act": "freeze", "at": NOW.isoformat(), "reason": "last day"}]
    with pytest.raises(IntegrityError), transaction.atomic():
        BoardChange.objects.update(reason="another")


def test_only_what_makes_sense_can_be_done(arena, organizer):
    phase = Phase.objects.get(pk=arena.phase.pk)
    assert publication.possible(phase, NOW) == {BoardAct.FREEZE, BoardAct.TAKE_DOWN}
    for kind in (BoardAct.UNFREEZE, BoardAct.PUBLISH):
        with pytest.raises(WrongState):
            act(arena, organizer, kind)
    with pytest.raises(ReasonMissing):
        act(arena, organizer, BoardAct.FREEZE, reason=" ")
    with pytest.raises(NotOrganizer):
        act(arena, arena.captain, BoardAct.FREEZE)
    act(arena, organizer, BoardAct.FREEZE)
    with pytest.raises(WrongState):
        act(arena, organizer, BoardAct.FREEZE)
    act(arena, organizer, BoardAct.PUBLISH, AFTER)
    with pytest.raises(WrongState):
        act(arena, organizer, BoardAct.PUBLISH, AFTER)
    assert BoardChange.objects.count() == 2


def test_unfreezing_ends_a_planned_freeze_and_keeps_its_date(arena, organizer):
    planned = NOW - timedelta(hours=2)
    Phase.objects.filter(pk=arena.phase.pk).update(frozen_from=planned)
    act(arena, organizer, BoardAct.UNFREEZE)
    phase = Phase.objects.get(pk=arena.phase.pk)
    assert phase.frozen_from is None
    assert [(one.field, one.old) for one in phase.deadline_changes.all()] == [
        ("frozen_from", planned)
    ]


@pytest.fixture
def unheard(monkeypatch):
    """Bells are noted instead of rung."""
    rung: list[tuple[str, int]] = []
    monkeypatch.setattr(doorbell, "_send", lambda name, row_id: rung.append((name, row_id)))
    return rung


def waiting(arena) -> Evaluation:
    submission = submit(arena, arena.perfect())
    validation.validate(submission_id=submission.pk, clock=lambda: NOW)
    submission.refresh_from_db()
    assert submission.state == SubmissionState.ACCEPTED
    return Evaluation.objects.get(submission=submission)


def pause(arena, organizer, reason="a broken reference"):
    return pausing.pause(actor=organizer, competition=arena.competition, reason=reason, now=NOW)


def test_while_scoring_is_paused_uploads_are_checked_and_nothing_is_scored(
    arena, organizer, unheard
):
    pause(arena, organizer)
    evaluation = waiting(arena)
    assert evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=lambda: NOW) is None
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempt) == (EvaluationState.QUEUED, 0)
    unheard.clear()
    assert sweep.sweep(now=NOW + timedelta(hours=1)).rung == 0


def test_when_scoring_goes_on_what_waited_is_rung_for_and_scored(
    arena, organizer, unheard, django_capture_on_commit_callbacks
):
    pause(arena, organizer)
    evaluation = waiting(arena)
    with django_capture_on_commit_callbacks(execute=True):
        pausing.resume(actor=organizer, competition=arena.competition, reason="mended", now=NOW)
    assert (doorbell.EVALUATE, evaluation.pk) in unheard
    done = evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=lambda: NOW)
    assert done.state == EvaluationState.SCORED


def test_scoring_again_goes_on_while_scoring_is_paused(arena, organizer, unheard):
    evaluation = waiting(arena)
    pause(arena, organizer)
    Evaluation.objects.filter(pk=evaluation.pk).update(priority=Priority.AGAIN)
    assert evaluations.claim(evaluation_id=evaluation.pk, worker="w", now=NOW) is not None


def test_a_pause_needs_a_reason_an_organizer_and_is_told(arena, organizer):
    with pytest.raises(ReasonMissing):
        pause(arena, organizer, "")
    with pytest.raises(NotOrganizer):
        pause(arena, arena.captain)
    pause(arena, organizer)
    with pytest.raises(WrongState):
        pause(arena, organizer)
    assert Competition.objects.get(pk=arena.competition.pk).paused_reason == "a broken reference"
    (notice,) = told(NoticeKind.SCORING)
    assert (notice.recipient, notice.context["reason"]) == (arena.captain, "a broken reference")
    kinds = AuditEvent.objects.filter(kind__startswith="scoring.").values_list("kind", flat=True)
    assert list(kinds) == ["scoring.paused"]


def test_the_database_keeps_a_pause_and_its_reason_together(arena):
    with pytest.raises(IntegrityError), transaction.atomic():
        Competition.objects.filter(pk=arena.competition.pk).update(paused_at=NOW)


def test_a_submissions_end_is_told_to_its_team_once(arena, unheard):
    evaluation = waiting(arena)
    evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=lambda: NOW)
    rejected = submit(arena, {"en_0000": "only one"})
    validation.validate(submission_id=rejected.pk, clock=lambda: NOW)
    assert [one.subject for one in told(NoticeKind.SCORED)] == [
        f"submission:{evaluation.submission.code}"
    ]
    assert [one.context["failed"] for one in told(NoticeKind.REJECTED)] == [False]
    said = str([one.context for one in Notice.objects.all()])
    assert "score" not in said.lower()


def test_decisions_about_an_entrant_are_told_to_its_people(arena, organizer):
    administration.set_kind(
        actor=organizer, entrant=arena.entrant, kind=EntrantKind.UNOFFICIAL, reason="late", now=NOW
    )
    administration.set_kind(
        actor=organizer, entrant=arena.entrant, kind=EntrantKind.UNOFFICIAL, reason="late", now=NOW
    )
    administration.disqualify(actor=organizer, entrant=arena.entrant, reason="copied", now=NOW)
    administration.reinstate(actor=organizer, entrant=arena.entrant, reason="own", now=NOW)
    arena.entrant.refresh_from_db()
    administration.withdraw(actor=organizer, entrant=arena.entrant, reason="asked", now=NOW)
    acts = [(one.context["act"], one.context["reason"]) for one in told(NoticeKind.ENTRANT)]
    assert acts == [
        ("unofficial", "late"),
        ("disqualified", "copied"),
        ("reinstated", "own"),
        ("withdrawn", "asked"),
    ]


def test_a_member_taken_out_is_told_with_the_team_and_the_reason_is_kept(arena, organizer):
    member = UserFactory()
    join(arena.entrant, member)
    arena.entrant.members.filter(user=arena.captain).update(role="captain")
    administration.remove_member(
        actor=organizer, entrant=arena.entrant, user=member, reason="left the lab", now=NOW
    )
    notices = told(NoticeKind.ENTRANT)
    assert {one.recipient for one in notices} == {member, arena.captain}
    change = EntrantChange.objects.get(field="member")
    assert (change.old, change.reason, change.actor) == (member.code, "left the lab", organizer)
    with pytest.raises(ReasonMissing):
        administration.remove_member(
            actor=organizer, entrant=arena.entrant, user=arena.captain, reason="", now=NOW
        )


def test_the_last_captain_of_several_stays(arena, organizer):
    join(arena.entrant, UserFactory())
    arena.entrant.members.filter(user=arena.captain).update(role="captain")
    with pytest.raises(LastCaptain):
        administration.remove_member(
            actor=organizer, entrant=arena.entrant, user=arena.captain, reason="x", now=NOW
        )


def test_a_moved_date_is_mailed_to_everybody_who_takes_part_once(arena, organizer):
    _, rival = arena.enter("Team Rival")
    for _ in range(2):
        administration.move_deadline(
            actor=organizer,
            phase=arena.phase,
            field="closes_at",
            new=NOW + timedelta(days=12),
            reason="storm",
            now=NOW,
        )
    notices = told(NoticeKind.DEADLINE)
    assert {one.recipient for one in notices} == {arena.captain, rival}
    assert len(notices) == 2
    assert notices[0].context["reason"] == "storm"
    assert notices[0].context["old"].endswith("AoE")
