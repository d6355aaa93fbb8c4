"""What happens seldom in a rating, and must cost neither an answer nor a slot, nor count twice."""

from __future__ import annotations

import csv
import io
import uuid
from datetime import timedelta

import pytest
import time_machine

from competition.enums import Role
from competition.services import roles
from grading.enums import SessionState, TaskKind
from grading.models import PlanRow, PlanSlot, Rater, Rating, RatingSession, RatingTask, Stimulus
from grading.services import erasure
from grading.services.ratings import (
    answers,
    consents,
    delivery,
    errors,
    exchange,
    exclusions,
    holding,
    protocols,
    raters,
    results,
    sessions,
)
from grading.services.ratings.answers import Answer
from grading.services.ratings.exchange_rows import columns_of
from grading.views.exports import csv_text
from tests.factories.accounts import PASSWORD
from tests.factories.grading import NOW
from tests.factories.hearing import small_listening
from tests.factories.rating import make_hall
from tests.grading.rating.test_own_plan import last_own, left_of, seeker_of

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
PLAIN = {"traps": 0, "known": 0, "traps_passed": 0, "known_right": 0, "repeats": 0}


def at_work(hall, **fields):
    person = hall.rater(**fields)
    person.begin()
    return person


def near(person, system) -> None:
    """The rater says that they are close to the team of a system."""
    raters.declare(
        actor=person.user,
        rater=person.rater,
        entrants=[system.submission.entrant],
        now=person.now,
    )


def leave_out(hall, target, now):
    return exclusions.exclude(
        actor=hall.organizer, protocol=hall.protocol, target=target, reason="no", now=now
    )


def lift(hall, exclusion, now) -> None:
    exclusions.lift(actor=hall.organizer, exclusion=exclusion, reason="again", now=now)


def counted(hall, rater, **how) -> int:
    found = results.ratings(protocol=hall.protocol, **how)
    return sum(one.rater == rater.pseudonym for one in found)


def row_of(slot, number=1, *, rater="Else", session="elsewhere", at=NOW) -> dict:
    """Return an answer as it stands in a file."""
    return {
        "rater": rater,
        "simulated": 0,
        "session": session,
        "language": "en",
        "kind": "scored",
        "utt_id": slot.stimulus.name,
        "system": slot.system.pseudonym,
        **dict.fromkeys("APNQE", 3),
        "opened_at": NOW.isoformat(),
        "answered_at": at.isoformat(),
        "took_ms": 8000,
        "plays": 1,
        "late": 0,
        "uuid": str(uuid.UUID(int=number)),
    }


def bring(hall, rows, now) -> None:
    written = io.StringIO()
    writer = csv.DictWriter(written, columns_of(hall.protocol.form))
    writer.writeheader()
    writer.writerows(rows)
    exchange.take(
        actor=hall.organizer,
        protocol=hall.protocol,
        text=written.getvalue(),
        reason="r",
        now=now,
    )


def free(stimulus) -> int:
    return PlanSlot.objects.filter(stimulus=stimulus, done_at=None).count()


def test_a_conflict_in_a_sitting_leaves_its_slots_to_others_at_once():
    hall = make_hall(settings={"scored": 6})
    person = at_work(hall)
    person.rate(2)
    row = PlanRow.objects.get(rater=person.rater)
    system = row.slots.filter(done_at=None).order_by("-position").first().system
    near(person, system)
    person.rate()
    person.session.refresh_from_db()
    assert person.session.state == SessionState.FINISHED
    stuck = row.slots.filter(done_at=None, system=system)
    other = hall.rater(now=person.now + 2 * DAY)
    assert stuck.exists()
    assert set(stuck) <= set(holding.free_slots(seeker_of(other)))


def test_no_sitting_begins_for_a_text_that_only_the_own_plan_may_take():
    hall = make_hall()
    person = at_work(hall)
    person.rate()
    person.now += DAY
    last = last_own(person)
    other = left_of(last.rated_text, last.system)
    PlanSlot.objects.exclude(pk__in=[last.pk, other.pk]).update(done_at=NOW, lease_until=None)
    Stimulus.objects.filter(pk=last.stimulus_id).update(held_at=NOW)
    with pytest.raises(errors.NothingToRate):
        person.begin()


@pytest.mark.parametrize("role", [Role.AUDITOR, Role.ORGANIZER])
def test_who_comes_to_oversee_the_competition_is_given_nothing_more(role):
    hall = make_hall()
    person = at_work(hall)
    person.rate(1)
    roles.grant(
        actor=hall.organizer,
        competition=hall.arena.competition,
        user=person.user,
        role=role,
        now=person.now,
    )
    later = person.rate()
    assert all(rating.task.stimulus.system_id is None for rating in later)


def test_an_answer_is_not_changed_after_a_conflict():
    person = at_work(make_hall(settings=PLAIN))
    (rating,) = person.rate(1)
    task = RatingTask.objects.get(pk=rating.task_id)
    near(person, task.stimulus.system)
    changed = Answer(uuid=str(uuid.uuid4()), marks=dict.fromkeys("APNQE", 1))
    with pytest.raises(errors.TaskUnknown):
        answers.revise(actor=person.user, task=task, answer=changed, now=person.now)


def test_a_repeat_is_never_of_a_system_in_conflict():
    person = at_work(make_hall(settings={**PLAIN, "texts": 12, "scored": 12}))
    person.rate(1)
    first = RatingTask.objects.get(session=person.session, state="answered")
    session = RatingSession.objects.get(pk=person.session.pk)
    session.layout = [*session.layout[: session.position], "scored", "repeat", "repeat"]
    session.save()
    near(person, first.stimulus.system)
    person.rate()
    of_it = first.stimulus.system_id
    rows = RatingTask.objects.filter(session=session, stimulus__system=of_it)
    assert list(rows.values_list("kind", flat=True)) == [TaskKind.SCORED]


def test_what_comes_for_somebody_who_is_left_out_fills_no_slot():
    hall = make_hall()
    person = at_work(hall)
    person.rate()
    leave_out(hall, person.rater, person.now)
    given = person.rater.tasks.filter(kind="scored").values("rated_text")
    slot = PlanSlot.objects.filter(language="en", done_at=None).exclude(rated_text__in=given)[0]
    before = free(slot.stimulus)
    bring(hall, [row_of(slot, rater=person.rater.pseudonym, at=person.now)], person.now)
    assert counted(hall, person.rater, screened=False) == 0
    assert free(slot.stimulus) == before


def test_what_came_in_a_file_is_replaced_when_its_rater_is_left_out_once_more():
    hall = make_hall()
    one, two = PlanRow.objects.filter(language="en").first().slots.order_by("position")[:2]
    bring(hall, [row_of(one, 1, session="a")], NOW)
    rater = Rater.objects.get(pseudonym="Else")
    lift(hall, leave_out(hall, rater, NOW + DAY), NOW + DAY)
    bring(hall, [row_of(two, 2, session="b")], NOW + 2 * DAY)
    left = free(two.stimulus)
    leave_out(hall, Rater.objects.get(pk=rater.pk), NOW + 3 * DAY)
    assert free(two.stimulus) == left + 1


def test_a_file_fills_a_slot_whose_lease_ran_out():
    hall = make_hall(settings=PLAIN)
    person = at_work(hall)
    task = person.claim().open
    PlanSlot.objects.filter(stimulus=task.stimulus).exclude(pk=task.slot_id).update(done_at=NOW)
    bring(hall, [row_of(task.slot, at=person.now)], person.now + 9 * DAY)
    assert free(task.stimulus) == 0
    task.refresh_from_db()
    assert task.state == "released"


def test_a_file_that_gives_a_rater_a_text_of_their_own_plan_leaves_its_slot_to_others():
    hall = make_hall(settings={"scored": 6})
    person = at_work(hall)
    person.rate(2)
    row = PlanRow.objects.get(rater=person.rater)
    last = row.slots.filter(done_at=None).order_by("position").last()
    other = PlanSlot.objects.filter(rated_text=last.rated_text, done_at=None)
    other = other.exclude(system=last.system).first()
    bring(hall, [row_of(other, rater=person.rater.pseudonym, at=person.now)], person.now)
    someone = hall.rater(now=person.now)
    assert holding.free_slots(seeker_of(someone)).filter(pk=last.pk).exists()


def test_a_sitting_that_comes_in_two_files_is_one():
    hall = make_hall()
    slots = PlanRow.objects.filter(language="en").first().slots.order_by("position")[:4]
    rows = [row_of(slot, number) for number, slot in enumerate(slots, 1)]
    bring(hall, rows[:2], NOW)
    bring(hall, rows, NOW)
    session = RatingSession.objects.get(rater__pseudonym="Else")
    assert sorted(session.tasks.values_list("position", flat=True)) == [0, 1, 2, 3]


def test_an_export_holds_no_repeat_of_what_is_left_out():
    hall = make_hall(settings={"texts": 3, "wanted": 1, "raters": 3})
    person = at_work(hall)
    person.rate()
    repeat = RatingTask.objects.get(rater=person.rater, kind="repeat")
    leave_out(hall, repeat.repeat_of, person.now)
    text = csv_text(exchange.records(hall.protocol), columns_of(hall.protocol.form))
    gone = Rating.objects.filter(task__in=[repeat, repeat.repeat_of])
    assert gone.count() == 2
    assert not any(str(key) in text for key in gone.values_list("uuid", flat=True))


def test_a_plan_of_one_language_stays_its_rater_s_while_they_rate_in_another():
    hall = make_hall(settings={**PLAIN, "scored": 1})
    person = hall.rater()
    both = {"actor": person.user, "rater": person.rater, "now": NOW}
    raters.set_languages(languages=["en", "zh"], **both)
    person.begin()
    person.rate()
    person.language = "zh"
    for _ in range(4):
        person.now += timedelta(hours=23, minutes=59)
        person.begin()
        person.rate()
    row = PlanRow.objects.get(rater=person.rater, language="en")
    other = hall.rater(now=person.now)
    assert not holding.free_slots(seeker_of(other)).filter(row=row).exists()


def test_an_answer_after_a_month_fits_its_column():
    person = at_work(make_hall())
    person.listen(person.claim().open)
    person.now += 30 * DAY
    task = RatingTask.objects.get(pk=person.claim().open.pk)
    assert person.answer(task).took_ms == 2**31 - 1


def test_who_is_left_out_may_withdraw_and_stays_left_out():
    hall = make_hall()
    person = at_work(hall)
    person.rate()
    made = leave_out(hall, person.rater, person.now)
    rater = consents.withdraw(actor=person.user, rater=person.rater, now=person.now)
    assert rater.user is None
    with pytest.raises(errors.RaterEnded):
        lift(hall, made, person.now)
    assert counted(hall, rater, screened=False) == 0


def test_ratings_that_went_with_a_left_out_person_s_account_never_come_back():
    hall = make_hall()
    texts = {"texts": {"en": "Again?"}, "keeps_ratings": False}
    consents.publish(actor=hall.organizer, protocol=hall.protocol, now=NOW, **texts)
    person = at_work(hall)
    person.rate()
    made = leave_out(hall, person.rater, person.now)
    person.user.set_password(PASSWORD)
    person.user.save()
    erasure.erase(actor=person.user, email=person.user.email, password=PASSWORD, now=person.now)
    with pytest.raises(errors.RaterEnded):
        lift(hall, made, person.now)
    assert counted(hall, person.rater, screened=False) == 0


def test_a_void_sitting_that_was_left_out_at_closing_is_void_when_it_counts_again():
    hall = make_hall()
    void, fine = at_work(hall), at_work(hall)
    void.marker = lambda task: dict.fromkeys("APNQE", 3)  # fails the trap
    made = []
    for person in (void, fine):
        person.rate()
        made.append(leave_out(hall, person.session, person.now))
    protocols.close(actor=hall.organizer, protocol=hall.protocol, now=fine.now)
    for exclusion in made:
        lift(hall, exclusion, fine.now)
    hall.protocol.refresh_from_db()
    assert counted(hall, void.rater) == 0
    assert counted(hall, fine.rater) > 0
    assert counted(hall, void.rater, screened=False) > 0


def test_a_clip_that_comes_again_and_that_the_browser_has_counts_as_sent(client):
    listening = small_listening(NOW)
    task = listening.open_task(listening.rater(), delivered=False)
    with time_machine.travel(NOW, tick=False):
        client.force_login(task.rater.user)
        login = client.session.session_key
        token = delivery.grant(session=task.session, task=task, login=login, now=NOW)
        first = client.get(f"/rate/audio/{token}/")
        first.getvalue()
        RatingTask.objects.filter(pk=task.pk).update(delivered_at=None)
        again = client.get(f"/rate/audio/{token}/", headers={"If-None-Match": first["ETag"]})
    task.refresh_from_db()
    assert again.status_code == 304
    assert task.delivered_at == NOW


def test_sessions_say_that_there_is_work_only_where_something_can_be_taken():
    hall = make_hall()
    person = at_work(hall)
    last = last_own(person)
    other = left_of(last.rated_text, last.system)
    PlanSlot.objects.exclude(pk__in=[last.pk, other.pk]).update(done_at=NOW)
    settings = protocols.settings_of(hall.protocol)
    for held_at, wanted in ((NOW, None), (None, last)):
        Stimulus.objects.filter(pk=last.stimulus_id).update(held_at=held_at)
        has = sessions.has_work(person.rater, "en", settings, person.now)
        assert has == (wanted is not None)
        assert holding.take_slot(seeker_of(person), None) == wanted


def test_one_answer_that_was_left_out_at_closing_voids_nothing_when_it_counts_again():
    hall = make_hall()
    person = at_work(hall)
    person.rate()
    before = counted(hall, person.rater)
    scored = RatingTask.objects.filter(rater=person.rater, kind="scored").first()
    made = leave_out(hall, scored, person.now)
    assert counted(hall, person.rater) == before - 1
    protocols.close(actor=hall.organizer, protocol=hall.protocol, now=person.now)
    lift(hall, made, person.now)
    hall.protocol.refresh_from_db()
    assert counted(hall, person.rater) == before > 1
