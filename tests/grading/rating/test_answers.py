"""Answers: taken once, refused by name, late ones kept, corrections added."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from pathlib import Path

import pytest

from competition.models import EntrantMember
from grading.enums import RatingForm, TaskState
from grading.models import Rating, RatingNote, RatingTask
from grading.services.ratings import answers, errors, protocols, queue, results
from grading.services.ratings.answers import Answer
from tests.factories.grading import NOW
from tests.factories.rating import FINE, make_hall

pytestmark = pytest.mark.django_db
CASES = Path(__file__).parents[2] / "cases" / "web"


@pytest.fixture
def person():
    found = make_hall().rater()
    found.begin()
    return found


@pytest.fixture
def task(person):
    found = person.claim().open
    person.listen(found)
    return found


def submit(person, task, **changes):
    given = {"uuid": str(uuid.uuid4()), "marks": FINE, **changes}
    return answers.submit(actor=person.user, task=task, answer=Answer(**given), now=person.now)


def test_the_same_answer_twice_is_one_and_another_under_its_uuid_is_refused(person, task):
    key = str(uuid.uuid4())
    first = submit(person, task, uuid=key)
    again = submit(person, task, uuid=key)
    assert (again.pk, first.repeated, again.repeated) == (first.pk, False, True)
    with pytest.raises(errors.UuidReused):
        submit(person, task, uuid=key, marks={**FINE, "Q": 1})
    with pytest.raises(errors.TaskEnded):
        submit(person, task)  # the other tab
    assert Rating.objects.count() == 1


def test_marks_out_of_range_are_refused_each_by_name(person, task):
    case = json.loads((CASES / "p-rating-out-of-range.json").read_text("utf-8"))
    for value in [*case["values"], float("nan"), float("inf"), None, 2.5]:
        with pytest.raises(errors.MarksRefused) as refused:
            submit(person, task, marks={**FINE, "Q": value})
        (fault,) = refused.value.params["faults"]
        assert fault["mark"] == "Q"
        assert all(word in fault["message"] for word in ("score", "1", "5"))
    with pytest.raises(errors.MarksRefused) as refused:
        submit(person, task, marks={"A": 0, "P": 3, "N": 9})
    told = [(fault["mark"], fault["code"]) for fault in refused.value.params["faults"]]
    assert told == [
        ("N", "MARK_OUT_OF_RANGE"),
        ("Q", "MARK_MISSING"),
        ("E", "MARK_MISSING"),
        ("A", "ABSENT_INCONSISTENT"),
    ]
    assert not Rating.objects.exists()


def test_an_answer_before_the_sound_was_heard_is_refused_to_the_second(person):
    found = person.claim()
    task = found.open
    with pytest.raises(errors.NotDelivered):
        submit(person, task)
    sent = person.now
    queue.delivered(task=task, now=sent)
    queue.delivered(task=task, now=sent + timedelta(seconds=60))  # the first time counts
    task.refresh_from_db()
    person.now = sent + timedelta(seconds=1.899)  # two seconds of sound
    with pytest.raises(errors.TooEarly) as refused:
        submit(person, task)
    assert refused.value.params["seconds_left"] == 0.001
    person.now = sent + timedelta(seconds=1.9)
    submit(person, task)


def test_a_sound_that_was_fetched_ahead_counts_from_when_it_is_shown(person, task):
    ahead = person.claim().ahead
    queue.delivered(task=ahead, now=person.now)
    with pytest.raises(errors.TaskNotOpen):
        submit(person, ahead)
    submit(person, task)
    shown = person.claim().open
    assert shown == ahead
    with pytest.raises(errors.TooEarly):
        submit(person, shown)


def test_a_late_answer_is_kept_and_flagged(person, task):
    person.now += timedelta(hours=2)
    rating = submit(person, task)
    assert rating.is_late
    task.refresh_from_db()
    assert (task.state, task.slot is None or task.slot.done_at) != (TaskState.LATE, None)
    assert task.state == TaskState.ANSWERED


def test_what_is_not_assigned_cannot_be_rated(person, task):
    """Case p-rating-not-assigned: another rater's item, one of the own team, one of elsewhere."""
    hall_elsewhere = make_hall(seed="elsewhere")
    stranger = hall_elsewhere.rater()
    stranger.begin()
    with pytest.raises(errors.TaskUnknown):
        submit(stranger, task)
    if task.stimulus.system is None:
        submit(person, task)
        task = person.claim().open
        person.listen(task)
        while task.stimulus.system is None:
            submit(person, task)
            task = person.claim().open
            person.listen(task)
    entrant = task.stimulus.system.submission.entrant
    EntrantMember.objects.create(
        entrant=entrant, competition=entrant.competition, user=person.user, joined_at=NOW
    )
    with pytest.raises(errors.TaskUnknown):
        submit(person, task)
    assert not Rating.objects.filter(task=task).exists()
    shown = person.claim().open
    assert shown is None or shown.stimulus.system_id != task.stimulus.system_id


def test_the_last_five_answers_can_be_corrected_for_ten_minutes(person):
    ratings = person.rate(6)
    first, last = ratings[0], ratings[-1]

    def revise(rating, **changes):
        given = {"uuid": str(uuid.uuid4()), "marks": {**FINE, "N": 1}, **changes}
        return answers.revise(
            actor=person.user, task=rating.task, answer=Answer(**given), now=person.now
        )

    with pytest.raises(errors.NotRevisable):
        revise(first)  # the sixth from the end
    revised = revise(last)
    assert (revised.revision, revised.took_ms) == (1, last.took_ms)
    assert revise(last).revision == 2
    last.refresh_from_db()
    assert last.naturalness is not None
    assert last.revision == 0
    rows = {row.key: row for row in results.inspected(person.rater.protocol).rows}
    assert rows[last.task.code].marks["N"] == 1
    assert len(answers.revisable(rater=person.rater, now=person.now)) == 5
    person.now += timedelta(minutes=11)
    with pytest.raises(errors.NotRevisable):
        revise(last)


def test_a_comment_is_kept_beside_and_placements_fit_the_text(person, task):
    wanted = answers.targets(task.stimulus.text)
    assert len(wanted) == 1
    for bad in (["heard", "heard"], ["loud"]):
        with pytest.raises(errors.PlacementsInvalid):
            submit(person, task, placements=bad)
    with pytest.raises(errors.NoteTooLong):
        submit(person, task, note="x" * 1001)
    rating = submit(person, task, placements=["wrong"], note=" nice ")
    assert rating.placements == ["wrong"]
    assert RatingNote.objects.get(rating=rating).text == "nice"


@pytest.mark.parametrize("bad", ["", "7", "{}", None, "g" * 32, "0" * 32])
def test_an_answer_without_a_uuid_is_refused(person, task, bad):
    with pytest.raises(errors.UuidInvalid):
        submit(person, task, uuid=bad)


def test_drafts_are_small_objects_of_ones_own_open_task(person, task):
    for bad in ({"x": "y" * 9000}, {"x": float("nan")}, {"x": object()}):
        with pytest.raises(errors.DraftInvalid):
            answers.save_draft(actor=person.user, task=task, draft=bad, now=person.now)
    answers.save_draft(actor=person.user, task=task, draft={"A": "3"}, now=person.now)
    submit(person, task)
    task.refresh_from_db()
    assert task.draft is None
    with pytest.raises(errors.TaskEnded):
        answers.save_draft(actor=person.user, task=task, draft={}, now=person.now)


def test_a_mean_opinion_score_asks_for_naturalness_alone():
    hall = make_hall(form=RatingForm.MOS)
    person = hall.rater()
    person.session = None
    person.marker = lambda task: task.stimulus.expected or {"N": 3}
    from grading.services.ratings import sessions

    sitting = sessions.start(actor=person.user, rater=person.rater, language="en", now=NOW)
    right = [trial.quietest for trial in sessions.trials(session=sitting)]
    sessions.answer_check(actor=person.user, session=sitting, answers=right, now=NOW)
    for item in sessions.practice_items(session=sitting):
        sessions.practice_done(
            actor=person.user, session=sitting, stimulus=item, marks={"N": 3}, now=NOW
        )
    person.session = sitting
    made = person.rate()
    assert {rating.accuracy for rating in made} == {None}
    with pytest.raises(errors.FormWithoutMarks):
        results.ratings(protocol=hall.protocol)


def test_nothing_is_taken_once_the_rating_is_closed(person, task):
    protocol = person.rater.protocol
    protocols.close(actor=None, protocol=protocol, now=person.now)
    with pytest.raises(errors.ProtocolNotOpen):
        submit(person, task)
    assert not RatingTask.objects.filter(lease_until__isnull=False).exists()
