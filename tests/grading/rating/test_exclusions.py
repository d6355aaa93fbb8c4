"""What is left out fills no place of the plan, also when it is answered afterwards."""

from __future__ import annotations

from datetime import timedelta

import pytest

from grading.enums import SessionState, TaskState
from grading.models import PlanSlot
from grading.services.ratings import consents, errors, exclusions, results
from tests.factories.grading import NOW
from tests.factories.rating import make_hall

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def leave_out(hall, target, now):
    return exclusions.exclude(
        actor=hall.organizer, protocol=hall.protocol, target=target, reason="A test.", now=now
    )


def scored_task(panelist):
    """Return the first scored task that is open, with those before it answered."""
    while True:
        task = panelist.claim().open
        panelist.listen(task)
        if task.slot_id is not None:
            return task
        panelist.answer(task)


def filled(hall) -> int:
    return PlanSlot.objects.filter(protocol=hall.protocol, done_at__isnull=False).count()


@pytest.mark.parametrize("what", ["session", "task"])
def test_what_is_answered_after_it_was_left_out_fills_no_place(what):
    hall = make_hall()
    panelist = hall.rater()
    session = panelist.begin()
    task = scored_task(panelist)
    before = filled(hall)
    leave_out(hall, session if what == "session" else task, panelist.now)
    session.refresh_from_db()
    ended = SessionState.LEFT if what == "session" else SessionState.RATING
    assert session.state == ended
    rating = panelist.answer(task)
    task.refresh_from_db()
    slot = task.slot
    assert task.state == TaskState.LATE
    assert (filled(hall), slot.done_at, slot.lease_until, slot.open_to_all) == (
        before,
        None,
        None,
        True,
    )
    (row,) = [one for one in results.inspected(hall.protocol).rows if one.key == task.code]
    assert row.is_excluded
    assert rating.pk


def test_a_sitting_that_is_left_out_gives_no_more_and_the_next_one_goes_on():
    hall = make_hall()
    panelist = hall.rater()
    panelist.begin()
    panelist.rate(2)
    leave_out(hall, panelist.session, panelist.now)
    with pytest.raises(errors.SessionEnded):
        panelist.claim()
    assert not PlanSlot.objects.filter(lease_until__isnull=False).exists()
    panelist.begin()
    assert panelist.claim().open is not None


@pytest.mark.parametrize("what", ["rater", "session", "task"])
def test_what_is_left_out_again_opens_no_place_twice(what):
    hall = make_hall()
    panelist = hall.rater()
    panelist.begin()
    panelist.rate()
    tasks = panelist.scored()
    target = {"rater": panelist.rater, "session": panelist.session, "task": tasks[0]}[what]
    covered = 1 if what == "task" else len(tasks)
    first = leave_out(hall, target, panelist.now)
    assert added(hall) == covered
    exclusions.lift(
        actor=hall.organizer, exclusion=first, reason="A slip.", now=panelist.now + HOUR
    )
    leave_out(hall, target, panelist.now + 2 * HOUR)
    assert added(hall) == covered


def test_what_was_rated_after_an_exclusion_was_lifted_is_replaced_when_it_is_left_out_again():
    hall = make_hall()
    panelist = hall.rater()
    panelist.begin()
    panelist.rate(3)
    first = leave_out(hall, panelist.rater, panelist.now)
    before = added(hall)
    panelist.now += HOUR
    exclusions.lift(actor=hall.organizer, exclusion=first, reason="A slip.", now=panelist.now)
    panelist.begin()
    panelist.rate()
    leave_out(hall, panelist.rater, panelist.now + HOUR)
    assert before < added(hall) == len(panelist.scored())


def test_who_withdraws_after_a_sitting_was_left_out_opens_its_places_once():
    hall = make_hall()
    protocol = hall.protocol
    consents.publish(
        actor=hall.organizer,
        protocol=protocol,
        texts={"en": "Again?"},
        keeps_ratings=False,
        now=NOW,
    )
    panelist = hall.rater()
    panelist.begin()
    panelist.rate()
    tasks = panelist.scored()
    leave_out(hall, panelist.session, panelist.now)
    consents.withdraw(actor=panelist.user, rater=panelist.rater, now=panelist.now + HOUR)
    assert added(hall) == len(tasks)


def added(hall) -> int:
    """Return how many places were added to the plan."""
    return PlanSlot.objects.filter(protocol=hall.protocol, row__isnull=True).count()
