"""What stands still until somebody acts is said by the doctor, on the console and in the measures."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse

from grading.enums import JudgeRunState, JudgeStop, ProtocolState
from grading.models import FinalBoard, JudgeRun, RatingProtocol, Stimulus
from grading.services import health
from grading.services.findings import Finding
from grading.services.measures import measures
from grading.services.ratings import errors, stimuli
from tests.factories.grading import NOW
from tests.factories.judging import judged_arena, waiting
from tests.factories.rating import make_hall

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


def look(part: str) -> Finding:
    (found,) = health.examine(now=LATER, parts=(part,))
    return found


def measured(name: str) -> float:
    (found,) = (one for one in measures(now=LATER) if one.name == name)
    (sample,) = found.samples
    return sample.value


def test_a_judge_that_stopped_is_told_with_its_reason_until_it_goes_on():
    assert look("judge").ok
    run = JudgeRun.objects.create(
        evaluation=waiting(judged_arena()),
        definition_digest="0" * 64,
        state=JudgeRunState.STOPPED,
        stop_reason=JudgeStop.BUDGET_COST,
        created_at=NOW,
    )
    found = look("judge")
    assert (found.ok, found.said) == (False, "1 runs are stopped (BUDGET_COST 1)")
    JudgeRun.objects.filter(pk=run.pk).update(state=JudgeRunState.QUEUED, stop_reason="")
    assert look("judge").ok


def test_a_final_board_that_lacks_marks_for_long_is_told_and_one_that_is_due_is_not():
    hall = make_hall()
    built = LATER - timedelta(minutes=40)
    board = FinalBoard.objects.create(
        phase=hall.selection.phase, wanted=1, built=1, built_at=built, rung_at=built
    )
    assert look("finals").ok
    assert measured("final_behind_seconds") == 0
    person = hall.rater(now=LATER - timedelta(minutes=31))
    person.begin()
    person.rate(1)
    FinalBoard.objects.filter(pk=board.pk).update(rung_at=LATER)
    found = look("finals")
    assert not found.ok
    assert found.said == "1 are behind, one for 30 minutes"
    assert 30 * 60 <= measured("final_behind_seconds") <= 31 * 60
    FinalBoard.objects.filter(pk=board.pk).update(built_at=LATER - timedelta(minutes=1))
    assert look("finals").ok


def test_sounds_that_failed_are_told_named_on_the_page_and_tried_again(client):
    hall = make_hall(is_open=False)
    assert look("sounds").ok
    broken = Stimulus.objects.filter(protocol=hall.protocol, system__isnull=False).first()
    Stimulus.objects.filter(pk=broken.pk).update(
        prepare_error="CLIP_LOST", prepared_at=None, storage_key="", sha256="", size=None,
        frames=None, gain_cdb=None,
    )  # fmt: skip
    found = look("sounds")
    assert (found.ok, found.said) == (False, "1 recordings for raters are not ready (CLIP_LOST 1)")
    assert measured("sounds_failed") == 1
    client.force_login(hall.organizer)
    place = [hall.arena.competition.slug, hall.protocol.code]
    page = client.get(reverse("grading:rating-protocol", args=place)).content.decode()
    assert "1 recording cannot be prepared." in page
    assert f"{broken.name} · English · {broken.system.pseudonym} · <code>CLIP_LOST</code>" in page
    console = client.get(reverse("grading:console", args=place[:1])).content.decode()
    assert found.said in console
    again = reverse("grading:rating-act", args=[*place, "prepare"])
    assert client.post(again, {"confirm": "prepare"}).status_code == 302
    broken.refresh_from_db()
    assert (broken.prepare_error, broken.rung_at) == ("", None)
    assert look("sounds").ok
    with pytest.raises(errors.NothingFailed):
        stimuli.try_again(actor=hall.organizer, protocol=hall.protocol, now=LATER)


def test_what_failed_in_a_rating_that_is_closed_needs_nobody():
    hall = make_hall()
    Stimulus.objects.filter(pk=hall.protocol.stimuli.first().pk).update(
        prepare_error="CLIP_LOST", prepared_at=None, storage_key="", sha256="", size=None,
        frames=None, gain_cdb=None,
    )  # fmt: skip
    assert not look("sounds").ok
    RatingProtocol.objects.filter(pk=hall.protocol.pk).update(
        state=ProtocolState.CLOSED, closed_at=LATER
    )
    assert look("sounds").ok
