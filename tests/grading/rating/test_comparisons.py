"""A system's sound against another's: order drawn and undone, both heard, null pairs in no mean."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest

from competition.models import EntrantMember
from grading.enums import RatingForm, StimulusKind, TaskKind
from grading.models import FinalSystem, Rating, RatingTask, Stimulus
from grading.scoring.rating import plans
from grading.services.ratings import answers, delivery, errors, figures, protocols, queue, sessions
from grading.services.ratings.answers import Answer
from grading.views.rating.desk_page import kept_of_rating
from tests.factories.grading import NOW
from tests.factories.rating import Hall, Panelist, make_hall

pytestmark = pytest.mark.django_db
FEW = {
    "texts": 4,
    "wanted": 1,
    "raters": 3,
    "scored": 4,
    "repeats": 0,
    "null_every": 3,
    "draws": 100,
}


@pytest.fixture
def hall() -> Hall:
    return make_hall(systems=4, settings=FEW, form=RatingForm.COMOS)


@pytest.fixture
def person(hall: Hall) -> Panelist:
    found = hall.rater()
    found.begin()
    return found


def submit(person: Panelist, task: RatingTask, mark: object, key: str = "") -> Rating:
    answer = Answer(uuid=key or str(uuid.uuid4()), marks={"C": mark})
    return answers.submit(actor=person.user, task=task, answer=answer, now=person.now)


def test_the_other_system_is_heard_beside_every_one_and_is_not_rated_itself(hall):
    protocol = hall.protocol
    other = protocol.compared_with.submission
    assert other == hall.submissions[-1]
    assert {one.submission for one in protocol.systems.all()} == set(hall.submissions[:-1])
    scored = protocol.stimuli.filter(kind=StimulusKind.SCORED)
    assert scored.count() == 3 * 2 * 4
    for one in scored:
        clip = other.clips.get(utt_id=one.name)
        assert one.compared_with.waveform == clip.waveform
        assert one.compared_with.rated_text == one.rated_text
    assert protocol.slots.filter(stimulus__kind=StimulusKind.COMPARED).count() == 0


def test_the_order_follows_from_the_seed_and_is_undone_in_what_is_stored(hall):
    for _ in range(3):
        hall.rater().rate_all()
    tasks = RatingTask.objects.filter(kind=TaskKind.SCORED)
    assert tasks.count() == 12
    assert {task.system_first for task in tasks} == {True, False}
    for task in tasks:
        told = (hall.protocol.seed, "order", "scored", task.stimulus.key, task.rater.pseudonym)
        assert task.system_first == plans.is_first(*told)
        other = task.stimulus.compared_with
        heard = (task.stimulus, other) if task.system_first else (other, task.stimulus)
        assert task.sounds == heard
        rating = task.ratings.get()
        assert rating.system_first == task.system_first
        # As it was pressed, a mark says how the second compares with the first.
        pressed = rating.shown["C"]
        assert rating.comparison == (-pressed if task.system_first else pressed)
        assert kept_of_rating(rating) == {"C": str(pressed)}


def test_a_pressed_mark_counts_for_the_system_in_either_order(person):
    task = person.claim().open
    for first, stored in ((True, -2), (False, 2)):
        task.system_first = first
        assert answers.for_system(task, {"C": 2}) == {"C": stored}
        task.system_first = first
        assert answers.for_system(task, {"C": 0}) == {"C": 0}


def test_an_answer_waits_for_the_sum_of_both_sounds_and_for_both_to_be_sent(person):
    task = person.claim().open
    with pytest.raises(errors.NotDelivered):
        submit(person, task, 1)
    queue.delivered(task=task, now=person.now)
    person.now += timedelta(seconds=60)
    task.refresh_from_db()
    with pytest.raises(errors.NotDelivered, match="both"):
        submit(person, task, 1)
    person.now -= timedelta(seconds=60)
    queue.delivered(task=task, now=person.now, part=1)
    task.refresh_from_db()
    assert answers.needed_seconds(task) == pytest.approx(0.95 * (2 + 2))
    person.now += timedelta(seconds=3.7)
    with pytest.raises(errors.TooEarly) as refused:
        submit(person, task, 1)
    assert refused.value.params["seconds_left"] == pytest.approx(0.1)
    person.now += timedelta(seconds=0.2)
    assert submit(person, task, 1).plays == 0


@pytest.mark.parametrize("mark", ["+1", "-0", "4", "-4", "1.0", " 1", "−1", "", None, True, 2.0])
def test_nothing_but_a_whole_number_from_minus_three_to_three_is_a_comparison(person, mark):
    task = person.claim().open
    person.listen(task)
    with pytest.raises(errors.MarksRefused, match="−3"):
        submit(person, task, mark)
    assert not Rating.objects.exists()


def test_the_same_comparison_twice_is_one_and_a_correction_keeps_the_order(person):
    task = person.claim().open
    person.listen(task)
    key = str(uuid.uuid4())
    first = submit(person, task, "-2", key)
    again = submit(person, task, -2, key)
    assert (again.pk, again.repeated) == (first.pk, True)
    with pytest.raises(errors.UuidReused):
        submit(person, task, 2, key)
    changed = answers.revise(
        actor=person.user,
        task=task,
        answer=Answer(uuid=str(uuid.uuid4()), marks={"C": 3}),
        now=person.now,
    )
    assert (changed.revision, changed.system_first) == (1, first.system_first)
    assert changed.comparison == (-3 if first.system_first else 3)


def test_null_pairs_are_one_clip_twice_and_enter_no_mean(hall):
    people = [hall.rater() for _ in range(3)]
    for person, pressed in zip(people, (1, 0, 2), strict=True):
        fair = person.marker
        person.marker = lambda task, pressed=pressed, fair=fair: (
            {"C": pressed} if task.kind == TaskKind.NULL else fair(task)
        )
        person.rate_all()
    nulls = RatingTask.objects.filter(kind=TaskKind.NULL)
    # Four scored pairs and one null pair for every two others: two each.
    assert nulls.count() == 6
    for task in nulls:
        assert task.sounds == (task.stimulus, task.stimulus)
        assert (task.slot, task.rated_text, task.system_first) == (None, None, False)
        earlier = task.session.tasks.filter(kind=TaskKind.SCORED, position__lt=task.position)
        assert task.stimulus in [one.stimulus for one in earlier]
    side = figures.Figures(hall.protocol, screened=False)
    assert side.null_pairs.total == figures.NullBias(6, 2, 1.0)
    by_rater = {
        person.rater.pseudonym: figures.NullBias(2, 2 * (pressed == 0), float(pressed))
        for person, pressed in zip(people, (1, 0, 2), strict=True)
    }
    assert side.null_pairs.raters == by_rater
    assert sum(line.ratings for line in side.systems) == 12
    assert not side.has_scores
    assert side.range == (-3, 3)


def test_nobody_near_to_the_other_system_is_given_any_pair(hall):
    near = hall.rater()
    entrant = hall.protocol.compared_with.submission.entrant
    EntrantMember.objects.create(
        entrant=entrant, competition=entrant.competition, user=near.user, joined_at=NOW
    )
    with pytest.raises(errors.NothingToRate):
        near.begin()
    assert sessions.has_work(
        hall.rater(email="away@ears.example").rater,
        "en",
        protocols.settings_of(hall.protocol),
        NOW,
    )


def test_two_links_lead_to_the_sounds_of_a_pair_and_no_two_have_a_tag_in_common(person):
    served = delivery.serve(actor=person.user, session=person.session, login="here", now=person.now)
    again = delivery.serve(actor=person.user, session=person.session, login="here", now=person.now)
    assert again.tokens == served.tokens
    task = served.claimed.open
    tokens = served.tokens[task.pk]
    found = [
        delivery.redeem(token=token, actor=person.user, login="here", now=person.now)
        for token in tokens
    ]
    assert [one.stimulus for one in found] == list(task.sounds)
    assert [one.part for one in found] == [0, 1]
    every = [token for pair in served.tokens.values() for token in pair]
    assert len({delivery.entity_tag(token) for token in every}) == 4


def draft(hall: Hall, form: RatingForm, other: FinalSystem | None):
    return protocols.draft(
        actor=hall.organizer, selection=hall.selection, form=form, compared_with=other, now=NOW
    )


def test_one_selection_has_a_rating_of_each_form_and_comparisons_name_a_system_of_it(hall):
    mine, elsewhere = hall.selection.systems.first(), make_hall().selection.systems.first()
    draft(hall, RatingForm.MOS, None)
    for form, other, refused in (
        (RatingForm.MOS, None, errors.ProtocolExists),
        (RatingForm.COMOS, mine, errors.ProtocolExists),
        (RatingForm.NVV, mine, errors.ComparisonInvalid),
        (RatingForm.COMOS, None, errors.ComparisonInvalid),
        (RatingForm.COMOS, elsewhere, errors.ComparisonInvalid),
    ):
        with pytest.raises(refused):
            draft(hall, form, other)
    draft(hall, RatingForm.NVV, None)
    assert hall.selection.ratings.count() == 3


def test_the_other_sound_of_a_text_is_made_anew_with_every_pair_where_its_clip_is_another():
    hall = make_hall(systems=3, settings=FEW, form=RatingForm.COMOS, is_open=False)
    before = protocols.plan_digest(hall.protocol)
    lost = hall.protocol.texts.filter(language="en").first()
    other = hall.protocol.compared_with.submission
    Stimulus.objects.filter(kind=StimulusKind.COMPARED, rated_text=lost).update(
        waveform=other.clips.exclude(utt_id=lost.utt_id).first().waveform
    )
    found = protocols.lay_out(actor=hall.organizer, protocol=hall.protocol, now=NOW)
    assert [line.missing for line in found.languages] == [0, 0]
    made = hall.protocol.stimuli.filter(rated_text=lost)
    assert made.filter(prepared_at__isnull=True).count() == 3
    assert protocols.plan_digest(hall.protocol) != before
