"""What must hold is held by the database: each line tries to break one promise."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction

from grading.enums import RaterState, RatingForm, TaskState
from grading.models import (
    AudioGrant,
    ConsentText,
    PlanRow,
    PlanSlot,
    QualityReport,
    Rater,
    Rating,
    RatingExclusion,
    RatingOpening,
    RatingProtocol,
    RatingTask,
    Stimulus,
)
from grading.services.ratings import exclusions, protocols
from tests.factories.grading import NOW
from tests.factories.rating import Hall, Panelist, make_hall

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall() -> Hall:
    return make_hall(settings={"traps": 0, "traps_passed": 0, "known": 0, "known_right": 0})


@pytest.fixture
def person(hall: Hall) -> Panelist:
    found = hall.rater()
    found.begin()
    found.rate(1)
    return found


def refused(act) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        act()


def another(rating: Rating, **changes) -> Rating:
    fields = {
        field.attname: getattr(rating, field.attname)
        for field in Rating._meta.concrete_fields
        if not field.primary_key
    }
    return Rating(**fields | {"uuid": uuid.uuid4(), "revision": 7} | changes)


def test_a_rating_is_one_a_task_and_a_uuid(person):
    rating = person.given[0]
    refused(lambda: another(rating, revision=0).save())
    refused(lambda: another(rating, uuid=rating.uuid).save())
    another(rating).save()


BAD_MARKS = [
    {"accuracy": 6},
    {"accuracy": -1},
    {"naturalness": 0},
    {"quality": 0},
    {"expression": 6},
    {"naturalness": None},
    {"accuracy": 0, "effect": 3},
    {"accuracy": 3, "effect": 0},
    {"accuracy": None, "effect": None},
    {"form": "mos"},
]
RAW = (
    "INSERT INTO grading_rating (uuid, task_id, rater_id, revision, form, accuracy, effect,"
    " naturalness, quality, expression, placements, plays, took_ms, is_late, created_at)"
    " SELECT %s, task_id, rater_id, 9, form, accuracy, effect, {value}, quality, expression,"
    " placements, plays, took_ms, is_late, created_at FROM grading_rating"
)


def test_marks_are_whole_in_range_and_agree(person):
    for marks in BAD_MARKS:
        refused(lambda marks=marks: another(person.given[0], **marks).save())


def test_no_mark_is_anything_but_a_number(person):
    for value in ("'NaN'", "'Infinity'", "9e99", "'x'"):
        with (
            pytest.raises(DatabaseError),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(RAW.format(value=value), [uuid.uuid4().hex])


def test_ratings_and_what_was_frozen_are_never_changed(hall, person):
    rating = person.given[0]
    refused(lambda: Rating.objects.filter(pk=rating.pk).update(quality=1))
    refused(lambda: Rating.objects.filter(pk=rating.pk).delete())
    refused(lambda: RatingOpening.objects.update(settings={}))
    refused(lambda: ConsentText.objects.update(text="other"))
    exclusions.exclude(
        actor=hall.organizer, protocol=hall.protocol, target=rating.task, reason="x", now=NOW
    )
    refused(lambda: RatingExclusion.objects.update(reason="y"))
    refused(lambda: RatingExclusion.objects.all().delete())
    protocols.close(actor=hall.organizer, protocol=hall.protocol, now=person.now)
    refused(lambda: QualityReport.objects.update(report={}))


def test_no_rater_is_given_a_text_twice_nor_has_two_open(person):
    task = person.claim().open
    assert task.kind == "scored"
    done = RatingTask.objects.get(state=TaskState.ANSWERED)
    copy = {
        "session": task.session,
        "rater": task.rater,
        "kind": "scored",
        "stimulus": done.stimulus,
        "rated_text": done.rated_text,
        "created_at": NOW,
        "ended_at": NOW,
        "state": TaskState.RELEASED,
    }
    refused(lambda: RatingTask.objects.create(position=90, **copy))
    for state in (TaskState.OPEN, TaskState.NEXT):
        fields = {
            "position": 91,
            "kind": "trap",
            "rated_text": None,
            "state": state,
            "ended_at": None,
            "lease_until": NOW,
            "opened_at": NOW if state == TaskState.OPEN else None,
        }
        refused(lambda fields=fields: RatingTask.objects.create(**copy | fields))


def test_states_agree_with_their_fields(hall, person):
    task = person.claim().open
    rows = RatingTask.objects.filter(pk=task.pk)
    refused(lambda: rows.update(lease_until=None))
    refused(lambda: rows.update(state=TaskState.ANSWERED))
    refused(lambda: rows.update(opened_at=None))
    refused(lambda: rows.update(state="lost"))
    refused(lambda: rows.update(rated_text=None))
    refused(lambda: rows.update(draft={"A": 1}))
    slots = PlanSlot.objects.filter(pk=task.slot_id)
    refused(lambda: slots.update(done_at=NOW))  # its lease runs
    refused(lambda: PlanSlot.objects.filter(row__isnull=False).update(row=None))
    raters = Rater.objects.filter(pk=person.rater.pk)
    refused(lambda: raters.update(state=RaterState.WITHDRAWN, ended_at=NOW))  # the person is there
    refused(lambda: raters.update(state=RaterState.EXCLUDED))
    protocol = RatingProtocol.objects.filter(pk=hall.protocol.pk)
    refused(lambda: protocol.update(state="closed"))
    refused(lambda: protocol.update(opened_at=None))
    stimuli = Stimulus.objects.filter(pk=task.stimulus_id)
    refused(lambda: stimuli.update(frames=None))
    refused(lambda: stimuli.update(expected={"A": 1}))
    row = PlanRow.objects.filter(rater=person.rater)
    refused(lambda: row.update(held_at=None))
    refused(
        lambda: PlanRow.objects.filter(rater__isnull=True, language="en").update(
            rater=person.rater, held_at=NOW
        )
    )


def test_a_slot_has_one_live_task(hall, person):
    task = person.claim().open
    other = hall.rater()
    session = other.begin()
    refused(
        lambda: RatingTask.objects.create(
            session=session,
            rater=other.rater,
            position=50,
            kind="scored",
            stimulus=task.stimulus,
            rated_text=task.rated_text,
            slot=task.slot,
            state=TaskState.NEXT,
            lease_until=NOW + timedelta(minutes=1),
            created_at=NOW,
        )
    )


def test_a_comparison_is_whole_with_its_order_and_of_its_form_alone():
    hall = make_hall(
        systems=3, form=RatingForm.COMOS, settings={"null_every": 2, "texts": 3, "scored": 3}
    )
    person = hall.rater()
    person.begin()
    person.rate()
    rating = next(one for one in person.given if one.task.kind == "scored")
    for changes in (
        {"comparison": 4},
        {"comparison": -4},
        {"comparison": None},
        {"system_first": None},
        {"naturalness": 3},
        {"form": "mos", "naturalness": 3},
        {"form": "mos", "naturalness": 3, "comparison": None},
        {"form": "nvv"},
    ):
        refused(lambda changes=changes: another(rating, **changes).save())
    for revision, value in enumerate((-3, 3), 7):
        another(rating, comparison=value, revision=revision).save()
    null = RatingTask.objects.filter(kind="null")
    assert null.exists()
    for changes in ({"system_first": True}, {"system_first": None, "second_delivered_at": None}):
        refused(lambda changes=changes: null.update(**changes))
    scored = RatingTask.objects.filter(pk=rating.task_id)
    refused(lambda: scored.update(system_first=None))
    link = {"login": "x", "made_at": NOW, "expires_at": NOW + timedelta(hours=1), "part": 1}
    stimulus = rating.task.stimulus
    refused(
        lambda: AudioGrant.objects.create(
            session=person.session, stimulus=stimulus, token_digest="a", **link
        )
    )
    sounds = Stimulus.objects.filter(kind="compared", rated_text__isnull=False)
    other, system = sounds.first(), rating.task.stimulus.system
    for changes in ({"compared_with": other}, {"system": system}, {"expected": {"C": 1}}):
        refused(lambda changes=changes: sounds.filter(pk=other.pk).update(**changes))
    refused(
        lambda: (
            sounds.exclude(pk=other.pk)
            .filter(protocol=hall.protocol)
            .update(rated_text=other.rated_text)
        )
    )


def test_a_protocol_names_what_is_compared_with_exactly_where_its_form_compares(hall):
    mine = RatingProtocol.objects.filter(pk=hall.protocol.pk)
    refused(lambda: mine.update(form="comos"))
    refused(lambda: mine.update(compared_with=hall.selection.systems.first()))
    fields = {"selection": hall.selection, "created_at": NOW}
    refused(lambda: RatingProtocol.objects.create(form="nvv", **fields))
    RatingProtocol.objects.create(form="mos", **fields)
    refused(lambda: RatingProtocol.objects.create(form="best", **fields))
