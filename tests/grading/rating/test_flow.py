"""A panel at work from the first to the last rating, with drop-outs and without."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import pairwise

import pytest

from grading.enums import TaskKind, TaskState
from grading.models import PlanSlot, RatingTask
from grading.services.ratings import exclusions, protocols, raters, results
from tests.factories.grading import NOW
from tests.factories.rating import Hall, make_hall

pytestmark = pytest.mark.django_db
BRIEF = {"texts": 3, "wanted": 1, "raters": 3, "repeats": 0}


def heard_in_a_row(hall: Hall) -> int:
    """Return how often a system followed itself in a sitting."""
    twice = 0
    for rater in hall.protocol.raters.all():
        for session in rater.sessions.all():
            chain = [
                task.stimulus.system_id
                for task in session.tasks.order_by("position")
                if task.stimulus.system_id is not None
            ]
            twice += sum(one == other for one, other in pairwise(chain))
    return twice


def votes(hall: Hall) -> Counter[tuple[str, str]]:
    rows = results.ratings(protocol=hall.protocol, screened=False)
    return Counter((one.system, one.utt_id) for one in rows)


@pytest.mark.slow
def test_a_full_panel_completes_its_plan_and_every_stimulus_has_its_ratings():
    hall = make_hall(settings={"wanted": 1, "raters": 3})
    panel = [hall.rater() for _ in range(3)]
    for person in panel:
        person.rate_all()
    slots = PlanSlot.objects.filter(language="en")
    assert not slots.filter(done_at__isnull=True).exists()
    assert set(votes(hall).values()) == {1}
    assert len(votes(hall)) == 3 * 6
    for person in panel:
        tasks = person.scored()
        assert len({task.rated_text_id for task in tasks}) == len(tasks) == 6
        heard = Counter(task.stimulus.system_id for task in tasks)
        assert max(heard.values()) - min(heard.values()) <= 1
    assert not heard_in_a_row(hall)
    kinds = Counter(RatingTask.objects.values_list("kind", flat=True))
    assert kinds[TaskKind.TRAP] == kinds[TaskKind.KNOWN] == 6
    assert kinds[TaskKind.REPEAT] > 0
    assert set(RatingTask.objects.values_list("state", flat=True)) == {TaskState.ANSWERED}


def test_a_drop_outs_rest_is_taken_over_and_the_plan_completes():
    hall = make_hall(
        settings={**BRIEF, "traps": 0, "traps_passed": 0, "known": 0, "known_right": 0}
    )
    panel = [hall.rater() for _ in range(3)]
    for person in panel[:2]:
        person.begin()
        person.rate(1)  # and are not seen again
    panel[2].rate_all()
    late = NOW + timedelta(hours=100)  # their hold has run out by then
    for _ in range(2):
        hall.rater(now=late).rate_all()
    assert set(votes(hall).values()) == {1}
    assert len(votes(hall)) == 9
    assert not heard_in_a_row(hall)
    for rater in hall.protocol.raters.all():
        texts = RatingTask.objects.filter(rater=rater, kind=TaskKind.SCORED)
        assert texts.count() == texts.values("rated_text").distinct().count()


def test_a_conflict_of_interest_is_never_given_and_others_fill_the_gap():
    hall = make_hall(settings=BRIEF)
    captain = hall.submissions[0].entrant.members.get().user
    near = hall.rater(email=f"friend@{captain.email.partition('@')[2]}")
    # The teams share example.org, so that nothing at all is left for a neighbor of theirs.
    with pytest.raises(protocols.errors.NothingToRate):
        near.begin()
    declared = hall.rater()
    entrant = hall.submissions[0].entrant
    raters.declare(actor=declared.user, rater=declared.rater, entrants=[entrant], now=NOW)
    declared.rate_all()
    systems = {task.stimulus.system.submission_id for task in declared.scored()}
    assert hall.submissions[0].pk not in systems
    for _ in range(2):
        hall.rater().rate_all()
    hall.rater().rate_all()  # one more fills what the conflict left open
    assert set(votes(hall).values()) == {1}
    assert len(votes(hall)) == 9


def test_an_excluded_raters_stimuli_are_rated_again_by_others():
    hall = make_hall(settings=BRIEF)
    panel = [hall.rater() for _ in range(3)]
    for person in panel:
        person.rate_all()
    exclusions.exclude(
        actor=hall.organizer,
        protocol=hall.protocol,
        target=panel[0].rater,
        reason="a robot",
        now=NOW,
    )
    assert sum(votes(hall).values()) == 6
    hall.rater().rate_all()
    assert len(votes(hall)) == 9
    assert results.kept_and_dropped(results.inspected(hall.protocol))["EXCLUDED"] == 3


def test_the_same_ratings_give_the_same_digest_whatever_is_asked_first():
    hall = make_hall(settings=BRIEF)
    hall.rater().rate_all()
    one = results.digest(protocol=hall.protocol)
    marks = results.human_marks(protocol=hall.protocol)
    assert (
        sum(len(given) for by in marks.values() for t in by.values() for given in t.values()) == 3
    )
    report = protocols.close(actor=hall.organizer, protocol=hall.protocol, now=NOW)
    assert report.report["kept"] == 3
    assert results.digest(protocol=hall.protocol) == one
    assert results.inspected(hall.protocol).digest == report.digest
