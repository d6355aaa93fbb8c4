from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from grading.demo.crowd import Ear, enroll, lead, sit
from grading.enums import ProtocolState, SessionState, TaskKind
from grading.judges.hearing_marks import Heard
from grading.models import Rater, Rating, RatingProtocol, RatingSession
from grading.services.ratings import errors, raters, results
from tests.factories.listening import make_listening

pytestmark = pytest.mark.django_db
START = datetime(2026, 11, 25, 9, tzinfo=UTC)
SETTINGS = {
    "texts": 4, "wanted": 2, "least": 1, "scored": 4, "traps": 1, "known": 1, "repeats": 1,
    "practice": 2, "trials": 3, "trials_right": 2, "traps_passed": 1, "known_right": 1,
}  # fmt: skip


class Time:
    """A clock that goes on when somebody waits; stopped by `until` seconds, as by Ctrl-C."""

    def __init__(self, until: float = float("inf")) -> None:
        self.passed = 0.0
        self.until = until

    def now(self) -> datetime:
        return START + timedelta(seconds=self.passed)

    def wait(self, seconds: float) -> None:
        self.passed += seconds
        if self.passed > self.until:
            raise KeyboardInterrupt


@pytest.fixture
def protocol() -> RatingProtocol:
    made = make_listening(
        languages=("en", "zh"), systems=3, now=START - timedelta(hours=1), **SETTINGS
    )
    return made.protocol


def heard(number: int) -> Heard:
    """Return what differs from clip to clip, as speech does and the tones of this rating do not."""
    marks = {name: 1 + (number + place) % 5 for place, name in enumerate("APNQE")}
    return Heard(marks, {}, "", (), 1.0)


def simulate(protocol: RatingProtocol, numbers: list[int], time: Time) -> None:
    listeners = [enroll(protocol, number, time.now()) for number in numbers]
    ear = Ear({pk: heard(pk) for pk in protocol.stimuli.values_list("pk", flat=True)})
    lead(
        [sit(listener, ear, time.now) for listener in listeners],
        wait=time.wait,
        show=lambda _done, _total: None,
    )


def sessions() -> Counter[str]:
    return Counter(RatingSession.objects.values_list("state", flat=True))


def answers() -> Counter[str]:
    return Counter(Rating.objects.values_list("task__kind", flat=True))


def test_simulated_raters_rate_whole_sessions_and_are_told_apart_from_people(protocol) -> None:
    time = Time()
    simulate(protocol, [1, 2, 3, 4], time)
    assert sessions() == {SessionState.FINISHED: 4}
    assert answers() == {
        TaskKind.SCORED: 16,
        TaskKind.TRAP: 4,
        TaskKind.KNOWN: 4,
        TaskKind.REPEAT: 4,
    }
    assert Counter(r.languages[0] for r in Rater.objects.all()) == {"en": 2, "zh": 2}
    assert set(Rater.objects.values_list("is_simulated", flat=True)) == {True}
    people = User.objects.filter(raters__protocol=protocol)
    assert {user.name.rpartition(" ")[0] for user in people} == {"Simulated rater"}
    assert not any(user.has_usable_password() for user in people)
    # seven clips with thinking, the check and the practice: no answer came before its sound was heard
    assert time.passed > 7 * 3


def test_the_ear_hears_the_clip_itself_once(protocol) -> None:
    ear = Ear({})
    stimulus = protocol.stimuli.first()
    assert ear.listen(stimulus) is ear.listen(stimulus)
    assert set(ear.listen(stimulus).marks) == set("APNQE")


def test_attentive_ones_count_and_one_who_only_clicks_does_not(protocol) -> None:
    simulate(protocol, [1, 2, 31], Time())
    kept = {rating.rater for rating in results.ratings(protocol=protocol)}
    careless = Rater.objects.get(user__name="Simulated rater 31")
    assert len(kept) == 2
    assert careless.pseudonym not in kept
    everybody = {rating.rater for rating in results.ratings(protocol=protocol, screened=False)}
    assert careless.pseudonym in everybody


def test_stopped_in_the_middle_they_go_on_where_they_were(protocol) -> None:
    with pytest.raises(KeyboardInterrupt):
        simulate(protocol, [1, 2], Time(until=30))
    assert 0 < sum(answers().values()) < 14
    later = Time()
    later.passed = 60
    simulate(protocol, [1, 2], later)
    complete = answers()
    assert sessions() == {SessionState.FINISHED: 2}
    assert sum(complete.values()) == 14
    simulate(protocol, [1, 2], later)
    assert answers() == complete


def test_when_nothing_is_left_to_rate_more_of_them_do_nothing(protocol) -> None:
    simulate(protocol, [1, 3, 5, 7, 9, 11], Time())
    before = answers()
    later = Time()
    later.passed = 600
    simulate(protocol, [13], later)
    assert answers() == before
    # what may be left is held by those who heard its system last and could not take it
    assert 12 <= before[TaskKind.SCORED] <= 24


def test_a_closed_rating_takes_no_simulated_rater(protocol) -> None:
    RatingProtocol.objects.filter(pk=protocol.pk).update(
        state=ProtocolState.CLOSED, closed_at=START
    )
    protocol.refresh_from_db()
    with pytest.raises(errors.ProtocolNotOpen):
        simulate(protocol, [1], Time())
    assert not Rating.objects.exists()


def test_they_are_no_people_who_could_be_invited_again(protocol) -> None:
    first = enroll(protocol, 1, START)
    again = enroll(protocol, 1, START)
    assert (first.rater, first.user) == (again.rater, again.user)
    assert raters.has_consented(first.rater)


def test_the_command_says_what_to_do_where_no_rating_of_the_demo_is_open(protocol) -> None:
    # a rating of another competition is none of its business
    with pytest.raises(CommandError, match="run demo"):
        call_command("simulate_raters", stdout=StringIO())
    assert not Rater.objects.exists()
