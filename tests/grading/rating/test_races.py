"""Real threads on a real PostgreSQL: tabs, workers and raters at the same moment."""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from accounts.refusals import Refusal
from grading.enums import RatingForm, TaskState
from grading.models import AudioGrant, PlanRow, PlanSlot, Rating, RatingTask
from grading.services import doorbell
from grading.services.ratings import answers, delivery, protocols, queue, results, sessions
from grading.services.ratings.answers import Answer
from tests.factories.rating import FINE, HEARD, Hall, make_hall

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
CROWD = 12


@pytest.fixture
def hall(monkeypatch) -> Hall:
    monkeypatch.setattr(doorbell, "_send", lambda name, row: None)
    return make_hall(settings={"wanted": 4, "raters": 12})


def together(act: Callable[[int], object], crowd: int = CROWD) -> list[object]:
    """Do `act` in as many threads at the same moment; return what each returned or was refused."""
    barrier = threading.Barrier(crowd)

    def one(number: int) -> object:
        try:
            barrier.wait(timeout=30)
            return act(number)
        except Refusal as refusal:
            return refusal.code
        finally:
            connection.close()

    with ThreadPoolExecutor(crowd) as pool:
        return list(pool.map(one, range(crowd)))


def test_raters_who_begin_at_once_hold_a_plan_each_and_no_slot_twice(hall):
    panel = [hall.rater() for _ in range(CROWD)]
    together(lambda number: panel[number].begin())
    held = list(PlanRow.objects.filter(rater__isnull=False).values_list("rater", flat=True))
    assert len(held) == len(set(held)) == CROWD
    together(lambda number: panel[number].claim())
    slots = Counter(RatingTask.objects.filter(slot__isnull=False).values_list("slot", flat=True))
    assert set(slots.values()) == {1}
    assert RatingTask.objects.filter(state=TaskState.OPEN).count() == CROWD


def test_tabs_of_one_person_are_given_one_open_task(hall):
    person = hall.rater()
    person.begin()
    found = together(lambda _: person.claim().open.pk, 6)
    assert len(set(found)) == 1
    assert RatingTask.objects.filter(state=TaskState.OPEN).count() == 1
    assert RatingTask.objects.filter(state=TaskState.NEXT).count() == 1


def test_the_same_uuid_at_once_is_one_answer_and_two_tabs_are_one_too(hall):
    person = hall.rater()
    person.begin()
    task = person.claim().open
    person.listen(task)
    key = str(uuid.uuid4())

    def send(number: int) -> object:
        own = key if number % 2 else str(uuid.uuid4())
        rating = answers.submit(
            actor=person.user, task=task, answer=Answer(own, FINE), now=person.now
        )
        return rating.repeated

    found = together(send, 8)
    assert found.count(False) == 1
    assert Rating.objects.filter(task=task).count() == 1
    assert set(found) <= {False, True, "TASK_ENDED"}


def test_tabs_that_load_and_send_the_same_comparison_at_once_make_one_answer(monkeypatch):
    monkeypatch.setattr(doorbell, "_send", lambda name, row: None)
    person = make_hall(systems=3, form=RatingForm.COMOS).rater()
    person.begin()
    served = together(
        lambda _: (
            delivery.serve(
                actor=person.user, session=person.session, login="here", now=person.now
            ).tokens
        ),
        4,
    )
    assert all(tokens == served[0] for tokens in served)
    assert AudioGrant.objects.count() == 4  # two sounds of the open pair, two of the next
    task = person.claim().open
    together(lambda n: queue.delivered(task=task, now=person.now, part=n % 2), 6)
    person.now += HEARD
    task.refresh_from_db()
    assert task.delivered_at is not None
    assert task.second_delivered_at is not None
    key = str(uuid.uuid4())

    def send(_number: int) -> object:
        answer = Answer(key, {"C": 2})
        return answers.submit(actor=person.user, task=task, answer=answer, now=person.now).repeated

    found = together(send, 6)
    assert (found.count(False), found.count(True)) == (1, 5)
    assert Rating.objects.get(task=task).comparison == (-2 if task.system_first else 2)


def test_sittings_begun_in_two_tabs_are_one(hall):
    person = hall.rater()
    found = together(
        lambda _: (
            sessions.start(actor=person.user, rater=person.rater, language="en", now=person.now).pk
        ),
        6,
    )
    assert len(set(found)) == 1


def test_slots_that_are_left_go_to_one_each_and_nobody_waits_for_another(hall):
    PlanSlot.objects.filter(language="en").update(open_to_all=True, row=None)
    PlanRow.objects.filter(language="en").delete()
    panel = [hall.rater() for _ in range(6)]
    for person in panel:
        person.begin()
    together(lambda number: panel[number].rate(), 6)
    done = RatingTask.objects.filter(kind="scored", state=TaskState.ANSWERED)
    assert set(Counter(done.values_list("slot", flat=True)).values()) <= {1}
    texts = Counter(done.values_list("rater", "rated_text"))
    assert set(texts.values()) <= {1}


def test_an_answer_is_taken_before_a_closing_or_refused_after_it(hall):
    panel = [hall.rater() for _ in range(6)]
    tasks = []
    for person in panel:
        person.begin()
        tasks.append(person.claim().open)
        person.listen(tasks[-1])

    def act(number: int) -> object:
        if number == 6:
            return protocols.close(
                actor=hall.organizer, protocol=hall.protocol, now=panel[0].now
            ).digest
        panel[number].answer(tasks[number])
        return "taken"

    found = together(act, 7)
    assert set(found[:6]) <= {"taken", "PROTOCOL_NOT_OPEN"}
    assert Rating.objects.count() == found.count("taken")
    hall.protocol.refresh_from_db()
    assert results.inspected(hall.protocol).digest == found[6]


def test_leaving_while_the_next_is_claimed_leaves_no_lease(hall):
    person = hall.rater()
    person.begin()
    person.claim()

    def act(number: int) -> object:
        if number % 2:
            return sessions.leave(actor=person.user, session=person.session, now=person.now).state
        return queue.claim(actor=person.user, session=person.session, now=person.now).open is None

    together(act, 4)
    assert not RatingTask.objects.filter(lease_until__isnull=False).exists()
    assert not PlanSlot.objects.filter(lease_until__isnull=False).exists()
