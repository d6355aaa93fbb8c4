"""Leases, tabs, leaving and coming back: nothing lost, nothing twice."""

from __future__ import annotations

from datetime import timedelta

import pytest

from grading.enums import SessionState, TaskState
from grading.models import PlanRow, PlanSlot, RatingTask, Stimulus
from grading.services.ratings import answers, errors, exclusions, queue, results, sessions
from tests.factories.grading import NOW
from tests.factories.rating import make_hall

pytestmark = pytest.mark.django_db
LEASE = timedelta(seconds=1800)
HOLD = timedelta(hours=72)


@pytest.fixture
def hall():
    return make_hall()


def at_work(hall, **fields):
    person = hall.rater(**fields)
    person.begin()
    return person


def test_two_tabs_are_given_the_same_open_task_and_the_same_one_ahead(hall):
    person = at_work(hall)
    one, two = person.claim(), person.claim()
    assert one.open == two.open
    assert one.ahead == two.ahead != one.open
    assert RatingTask.objects.count() == 2


def test_the_one_ahead_is_opened_once_the_open_one_is_answered(hall):
    person = at_work(hall)
    found = person.claim()
    person.listen(found.open)
    person.answer(found.open)
    assert person.claim().open == found.ahead


def test_a_lapsed_lease_is_renewed_when_its_rater_comes_back(hall):
    person = at_work(hall)
    task = person.claim().open
    person.now += LEASE + timedelta(minutes=5)
    again = person.claim().open
    assert again == task
    assert again.lease_until == person.now + LEASE


def test_a_heartbeat_extends_both_leases_and_tells_who_lost_theirs(hall):
    person = at_work(hall)
    found = person.claim()
    person.now += timedelta(minutes=20)
    until = queue.heartbeat(actor=person.user, session=person.session, now=person.now)
    assert until == person.now + LEASE
    for task in (found.open, found.ahead):
        task.refresh_from_db()
        assert task.lease_until == until
    RatingTask.objects.filter(pk=found.open.pk).update(
        state=TaskState.RELEASED, lease_until=None, ended_at=person.now
    )
    with pytest.raises(errors.TaskEnded):
        queue.heartbeat(actor=person.user, session=person.session, now=person.now)


def test_what_a_lost_raters_lease_held_is_given_to_another_and_a_late_answer_is_kept(hall):
    person = at_work(hall)
    task = person.claim().open
    while task.kind != "scored":
        person.listen(task)
        person.answer(task)
        task = person.claim().open
    person.listen(task)
    later = person.now + HOLD + timedelta(hours=1)
    PlanRow.objects.exclude(rater=person.rater).delete()  # one plan alone, so that it is taken over
    other = at_work(hall, now=later)
    other.rate()
    task.refresh_from_db()
    assert task.state == TaskState.RELEASED
    person.now = later + timedelta(hours=1)
    rating = person.answer(task)
    assert rating.is_late
    task.refresh_from_db()
    assert task.state == TaskState.LATE
    assert task.slot.tasks.filter(state=TaskState.ANSWERED).count() == 1


def test_leaving_frees_what_was_open_and_it_comes_again_in_the_next_sitting(hall):
    person = at_work(hall)
    task = person.claim().open
    answers.save_draft(actor=person.user, task=task, draft={"A": 3}, now=person.now)
    sessions.leave(actor=person.user, session=person.session, now=person.now)
    assert not PlanSlot.objects.filter(lease_until__isnull=False).exists()
    person.begin()
    seen = {person.claim().open.pk, person.claim().ahead.pk}
    if task.kind == "scored":
        assert task.pk in seen
        task.refresh_from_db()
        assert task.draft == {"A": 3}
        assert task.delivered_at is None


def test_a_sitting_ends_after_its_last_task_and_two_are_enough_for_a_day(hall):
    person = at_work(hall)
    person.rate()
    person.session.refresh_from_db()
    assert person.session.state == SessionState.FINISHED
    assert person.claim().open is None
    sessions.start(actor=person.user, rater=person.rater, language="en", now=person.now)
    person.begin()
    person.rate(1)
    sessions.leave(actor=person.user, session=person.session, now=person.now)
    with pytest.raises(errors.SessionsUsed) as refused:
        person.begin()
    wait = refused.value.params["retry_after"]
    assert 23 * 3600 < wait <= 24 * 3600
    person.now += timedelta(seconds=wait)
    person.begin()


def test_a_recording_that_is_held_back_is_taken_from_the_desk(hall):
    person = at_work(hall)
    task = person.claim().open
    Stimulus.objects.filter(pk=task.stimulus_id).update(held_at=person.now)
    assert person.claim().open != task
    task.refresh_from_db()
    assert task.state == TaskState.RELEASED


def test_the_headphones_check_has_one_retry(hall):
    person = hall.rater()
    session = sessions.start(actor=person.user, rater=person.rater, language="en", now=NOW)
    first = [trial.quietest for trial in sessions.trials(session=session)]
    wrong = [(one + 1) % 3 for one in first]

    def check(given, **more):
        return sessions.answer_check(
            actor=person.user, session=session, answers=given, now=NOW, **more
        )

    for bad in ([], [0], [3, 0], [0, 0, 0], ["0", 1]):
        with pytest.raises(errors.CheckInvalid):
            check(bad)
    outcome = check(wrong, round_number=0)
    assert (outcome.passed, outcome.rounds_left, outcome.right) == (False, 1, 0)
    with pytest.raises(errors.NotDue):
        check(wrong, round_number=0)  # the other tab
    second = [trial.quietest for trial in sessions.trials(session=session)]
    outcome = check([(one + 1) % 3 for one in second])
    assert (outcome.passed, outcome.rounds_left) == (False, 0)
    assert session.state == SessionState.UNFIT
    with pytest.raises(errors.SessionEnded):
        check(second)


def test_practice_is_due_again_after_seven_days(hall):
    person = hall.rater()
    session = person.begin()
    assert session.practiced
    sessions.leave(actor=person.user, session=session, now=person.now)
    person.now += timedelta(days=6)
    assert not person.begin().practiced
    sessions.leave(actor=person.user, session=person.session, now=person.now)
    person.now += timedelta(days=2)
    assert person.begin().practiced


def test_a_break_is_offered_after_45_minutes_and_again_as_long_after(hall):
    person = at_work(hall)
    session = person.session

    def is_due():
        session.refresh_from_db()
        return sessions.progress(session=session, now=person.now).break_due

    assert not is_due()
    person.now += timedelta(minutes=45)
    assert is_due()
    sessions.rest(actor=person.user, session=session, now=person.now)
    assert not is_due()


def test_another_raters_things_are_unknown(hall):
    person, other = at_work(hall), at_work(hall)
    task = person.claim().open
    with pytest.raises(errors.TaskUnknown):
        queue.task(user=other.user, code=task.code)
    with pytest.raises(errors.TaskUnknown):
        queue.claim(actor=other.user, session=person.session, now=NOW)
    with pytest.raises(errors.TaskUnknown):
        answers.save_draft(actor=other.user, task=task, draft={}, now=NOW)
    with pytest.raises(errors.TaskUnknown):
        answers.report_broken(actor=other.user, task=task, note="", now=NOW)


def test_two_reports_hold_a_recording_back_and_one_does_not(hall):
    first, second = at_work(hall), at_work(hall)
    task = first.claim().open
    while task.kind != "scored":
        first.listen(task)
        first.answer(task)
        task = first.claim().open
    answers.report_broken(actor=first.user, task=task, note="", now=first.now)
    stimulus = Stimulus.objects.get(pk=task.stimulus_id)
    assert stimulus.held_at is None
    slot = PlanSlot.objects.get(pk=task.slot_id)
    assert slot.open_to_all
    mine = RatingTask.objects.create(
        session=second.session,
        rater=second.rater,
        position=99,
        kind="scored",
        stimulus=stimulus,
        rated_text=task.rated_text,
        slot=slot,
        state="open",
        lease_until=NOW + LEASE,
        created_at=NOW,
        opened_at=NOW,
    )
    answers.report_broken(actor=second.user, task=mine, note="", now=second.now)
    stimulus.refresh_from_db()
    assert stimulus.held_at is not None
    exclusions.decide_broken(
        actor=hall.organizer, stimulus=stimulus, outcome="kept", reason="as sent", now=NOW
    )
    stimulus.refresh_from_db()
    assert stimulus.held_at is None
    with pytest.raises(errors.NothingReported):
        exclusions.decide_broken(
            actor=hall.organizer, stimulus=stimulus, outcome="kept", reason="as sent", now=NOW
        )


def test_what_was_marked_offline_of_the_clip_ahead_is_kept_after_somebody_else_got_it(hall):
    person = at_work(hall)
    found = person.claim()
    while found.ahead.slot is None:
        person.listen(found.open)
        person.answer(found.open)
        found = person.claim()
    ahead = found.ahead
    queue.delivered(task=ahead, now=person.now)
    sent = person.now
    later = person.now + HOLD + timedelta(hours=1)
    PlanRow.objects.exclude(rater=person.rater).delete()
    at_work(hall, now=later).rate()
    ahead.refresh_from_db()
    assert (ahead.state, ahead.opened_at) == (TaskState.RELEASED, None)
    person.now = later + timedelta(hours=1)
    rating = person.answer(ahead)
    ahead.refresh_from_db()
    assert (rating.is_late, ahead.state, ahead.opened_at) == (True, TaskState.LATE, sent)
    assert ahead.slot.tasks.filter(state=TaskState.ANSWERED).count() == 1
    (row,) = [one for one in results.inspected(hall.protocol).rows if one.key == ahead.code]
    assert not row.is_excluded


def test_a_clip_whose_sound_was_never_sent_cannot_be_answered_once_it_is_gone(hall):
    person = at_work(hall)
    ahead = person.claim().ahead
    sessions.leave(actor=person.user, session=person.session, now=person.now)
    with pytest.raises(errors.TaskEnded):
        person.answer(ahead)
