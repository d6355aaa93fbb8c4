"""What a rater's plan holds is rated by its holder, whatever others leave behind meanwhile."""

from __future__ import annotations

import pytest

from grading.enums import TaskKind, TaskState
from grading.models import PlanRow, PlanSlot, RatingTask
from grading.services.ratings import holding, places
from tests.factories.grading import NOW
from tests.factories.rating import make_hall

pytestmark = pytest.mark.django_db


@pytest.fixture
def person():
    rater = make_hall().rater()
    rater.begin()
    return rater


def seeker_of(person) -> holding.Seeker:
    settings = places.settings_of(person.rater.protocol)
    return holding.Seeker.of(person.rater, "en", settings, person.now)


def last_own(person) -> PlanSlot:
    """Return the one slot of the rater's plan that is left to do."""
    own = PlanRow.objects.get(rater=person.rater).slots.order_by("position")
    last = own.last()
    own.exclude(pk=last.pk).update(done_at=NOW)
    return last


def left_of(text, system) -> PlanSlot:
    """Return a slot of this text that its holder left, of another system."""
    slot = PlanSlot.objects.filter(rated_text=text).exclude(system=system).first()
    PlanSlot.objects.filter(pk=slot.pk).update(open_to_all=True)
    return slot


def test_what_others_left_never_takes_the_text_of_a_slot_that_must_wait(person):
    last = last_own(person)
    other = left_of(last.rated_text, last.system)
    slots = PlanSlot.objects.exclude(pk__in=[last.pk, other.pk])
    slots.update(done_at=NOW)
    assert holding.take_slot(seeker_of(person), last.system_id) is None
    assert holding.take_slot(seeker_of(person), None) == last


def test_a_slot_whose_text_its_holder_was_given_elsewhere_is_left_to_others(person):
    last = last_own(person)
    other = left_of(last.rated_text, last.system)
    RatingTask.objects.create(
        session=person.session,
        rater=person.rater,
        position=1000,
        kind=TaskKind.SCORED,
        stimulus=other.stimulus,
        rated_text=other.rated_text,
        slot=other,
        state=TaskState.LATE,
        created_at=NOW,
        opened_at=NOW,
        delivered_at=NOW,
        ended_at=NOW,
    )
    holding.take_row(seeker_of(person))
    last.refresh_from_db()
    assert last.open_to_all


def test_a_repeat_is_rather_not_of_the_system_that_comes_next():
    following, repeated = [], []
    for number in range(8):
        hall = make_hall(settings={"texts": 12, "scored": 12, "repeats": 2}, seed=f"seed {number}")
        person = hall.rater()
        person.begin()
        while person.rate(1):
            ahead = person.claim().ahead
            if ahead is not None and ahead.kind == TaskKind.REPEAT:
                following.append(holding.own_system(seeker_of(person)))
                repeated.append(ahead.stimulus.system_id)
    pairs = [(one, two) for one, two in zip(following, repeated, strict=True) if one is not None]
    assert len(pairs) == 16
    assert all(one != two for one, two in pairs)


@pytest.mark.parametrize("seed", ["one", "two"])
def test_whoever_stays_rates_their_own_plan_to_its_end_while_others_drop_out(seed):
    hall = make_hall(settings={"scored": 6, "repeats": 2}, seed=seed)
    people = [hall.rater() for _ in range(6)]
    for one in people:
        one.begin()
    for _ in range(4):
        for one in people:
            one.rate(1)
    for one in people[:2]:
        row = PlanRow.objects.get(rater=one.rater)
        PlanSlot.objects.filter(row=row, done_at=None).update(open_to_all=True)
    for _ in range(12):
        for one in people[2:]:
            one.rate(1)
    own = PlanSlot.objects.filter(row__rater__in=[one.rater for one in people[2:]])
    left = own.filter(done_at=None)
    assert own.count() == 24
    assert not left.exists()
    rated = RatingTask.objects.filter(slot__in=own, state=TaskState.ANSWERED)
    assert all(task.rater_id == task.slot.row.rater_id for task in rated)
