"""A board that is composed of others: it follows them, and is never a number over missing pillars."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from competition.enums import BoardVisibility, Feedback
from competition.models import Phase
from grading import sandbox
from grading.demo import showcase
from grading.models import Board, Submission
from grading.services import (
    boards,
    checking,
    child,
    composing,
    errors,
    evaluations,
    intake,
    standings,
    validation,
)

pytestmark = pytest.mark.django_db

TEAMS = ("Team Tram", "Team Lantern")


@pytest.fixture
def stack(monkeypatch) -> Phase:
    """The composed phase of the example, with what two teams sent and nothing scored yet."""

    def run(job, **_more) -> Any:
        return json.loads(json.dumps(sandbox.DOERS[job["do"]](job, lambda *_told: None)))

    monkeypatch.setattr(child, "run", run)
    slug = showcase.EXAMPLES[0]
    chosen = [one for one in showcase.entries_of(slug) if one["team"] in TEAMS]
    monkeypatch.setattr(showcase, "entries_of", lambda _slug: chosen)
    monkeypatch.setattr(showcase, "EXAMPLES", (slug,))
    organizer = User.objects.create_superuser("admin@example.org", "a long password")
    showcase.prepare_examples(organizer=organizer, now=timezone.now(), say=lambda _text: None)
    return Phase.objects.select_related("track__competition").get(track__kind="pillars")


def score(track: str, team: str) -> None:
    submission = Submission.objects.get(phase__track__slug=track, entrant__team__name=team)
    done = validation.validate(submission_id=submission.pk, clock=timezone.now)
    evaluation = evaluations.live_of(done)
    evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=timezone.now)


def built(stack: Phase) -> dict[str, Any]:
    board = standings.rebuild(board_id=Board.objects.get(phase=stack).pk, now=timezone.now())
    data: dict[str, Any] = board.data
    return data


def rows(data: dict[str, Any], view: str) -> dict[str, dict[str, Any]]:
    return {row["entrant"]["team"]: row for row in data["views"][view]["rows"]}


def test_it_follows_its_pillars_and_waits_for_those_that_were_entered(stack):
    score("asr", "Team Tram")
    score("llm", "Team Tram")
    score("asr", "Team Lantern")
    score("llm", "Team Lantern")
    data = built(stack)
    core = rows(data, "final")
    assert core["Team Tram"]["score"] == pytest.approx(
        (20 * 87.498895271763 + 25 * 69.270833333333) / 45
    )
    assert core["Team Tram"]["interval"] is not None
    full = rows(data, "asr-llm-tts")
    assert full["Team Lantern"]["score"] is None
    assert full["Team Lantern"]["place"] is None
    assert full["Team Lantern"]["withheld_reason"] in data["reasons"]
    score("tts", "Team Lantern")
    assert Board.objects.get(phase=stack).wanted > data["number"]
    again = rows(built(stack), "asr-llm-tts")["Team Lantern"]
    assert again["score"] is not None
    assert set(again["pillars"]) == {"asr", "llm", "tts"}


def test_the_sweep_finds_a_board_that_is_behind_its_pillars(stack):
    built(stack)
    assert composing.behind() == []
    Board.objects.filter(phase=stack).update(built_at=timezone.now() - timedelta(hours=1))
    assert composing.behind() == [stack.pk]


def test_it_shows_no_more_than_its_pillars_do(stack):
    score("asr", "Team Tram")
    score("llm", "Team Tram")
    pillar = Phase.objects.get(track__slug="asr")
    public = {"feedback": Feedback.FULL, "board_visibility": BoardVisibility.PUBLIC}
    for change, feedback, shown in (
        ({"feedback": Feedback.NONE}, "hidden", 0),
        ({"board_visibility": BoardVisibility.ORGANIZERS}, "hidden", 0),
        ({"feedback": Feedback.ROUNDED}, "rounded", 2),
    ):
        Phase.objects.filter(pk=pillar.pk).update(**public | change)
        boards.want_rebuild(phase_id=stack.pk, now=timezone.now())
        data = built(stack)
        assert (data["feedback"], len(rows(data, "final"))) == (feedback, shown)
        for row in rows(data, "final").values():
            assert row["score"] is None or row["score"] == round(row["score"], 2)


def test_nothing_is_sent_to_it(stack):
    captain = Submission.objects.first().uploader
    for admit in (intake.admit, checking.admit):
        with pytest.raises(errors.FilesNotTaken):
            admit(actor=captain, phase=stack, now=timezone.now())


def test_it_waits_for_a_pillar_as_soon_as_a_file_for_it_is_looked_at(stack):
    score("asr", "Team Lantern")
    score("llm", "Team Lantern")
    number = built(stack)["number"]
    sent = Submission.objects.get(phase__track__slug="tts", entrant__team__name="Team Lantern")
    validation.validate(submission_id=sent.pk, clock=timezone.now)
    assert Board.objects.get(phase=stack).wanted > number
    assert rows(built(stack), "asr-llm-tts")["Team Lantern"]["score"] is None
