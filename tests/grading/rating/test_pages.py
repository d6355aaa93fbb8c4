"""Pages of raters: who sees what, what the form takes and refuses, with and without its script."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.urls import reverse

from accounts.models import User
from grading.enums import ProtocolState, RaterState, RatingForm, SessionState, TaskState
from grading.models import ConsentText, Rater, Rating, RatingProtocol, RatingTask
from grading.services.ratings import queue, sessions
from tests.factories.grading import NOW
from tests.factories.hearing import ANSWER, OTHER_UUID, SMALL, UUID, place_of, small_listening
from tests.factories.listening import listener, make_listening, organizer_of

pytestmark = pytest.mark.django_db
CASES = Path(__file__).resolve().parents[2] / "cases" / "web"
SCRIPT = {"HTTP_X_FRAGMENT": "rating"}


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def listening():
    return small_listening(NOW)


@pytest.fixture
def place(listening, client):
    """A rater who is logged in, with a clip open since a minute."""
    made = place_of(listening, organizer_of(listening), listener(), NOW)
    client.force_login(made.rater.user)
    return made


def url(name: str, place, **parts: str) -> str:
    kwargs = {"code": place.rater.code, **parts}
    return reverse(f"grading:rate-{name}", kwargs=kwargs)


def send(client, place, *, task=None, script: bool = False, **changed: str):
    fields = {**ANSWER, "uuid": UUID, **changed}
    path = url("answer", place, task=(task or place.task).code)
    return client.post(path, fields, **(SCRIPT if script else {}))


def count(place) -> int:
    return Rating.objects.filter(task=place.task).count()


@pytest.mark.parametrize("script", [True, False], ids=["script", "page"])
@pytest.mark.parametrize(
    "value", json.loads((CASES / "p-rating-out-of-range.json").read_text())["values"]
)
def test_a_mark_that_is_none_is_refused_by_the_server_with_its_range(client, value, script):
    listening = make_listening(now=NOW, form=RatingForm.MOS, systems=2, **SMALL)
    rater = listening.rater()
    task = listening.open_task(rater)
    client.force_login(rater.user)
    with time_machine.travel(NOW + timedelta(minutes=1), tick=False):
        path = reverse("grading:rate-answer", kwargs={"code": rater.code, "task": task.code})
        answer = client.post(path, {"N": value, "uuid": UUID}, **(SCRIPT if script else {}))
    assert answer.status_code == 422
    told = answer.content.decode()
    assert "score" in told
    assert re.search(r"from 1 to 5", told)
    assert not Rating.objects.exists()


def test_a_clip_that_was_not_given_to_the_rater_is_not_there(client, place, listening):
    other = place_of(listening, organizer_of(listening), listener(), NOW)
    apart = small_listening(NOW)
    elsewhere = place_of(apart, organizer_of(apart), place.rater.user, NOW)
    for task in (other.task, elsewhere.task):
        for name in ("answer", "draft", "broken"):
            answer = client.post(url(name, place, task=task.code), {**ANSWER, "uuid": UUID})
            assert answer.status_code == 404, name
        assert client.get(url("revise", place, task=task.code)).status_code == 404
    assert not Rating.objects.filter(task__in=[other.task, elsewhere.task]).exists()


def test_nobody_is_given_a_clip_of_their_own_team_nor_can_send_marks_for_it(client, listening):
    captain = User.objects.get(entries__entrant=listening.submissions[0].entrant)
    User.objects.filter(pk=captain.pk).update(email="captain@ears.example.net")
    rater = listening.rater(User.objects.get(pk=captain.pk))
    session = listening.sitting(rater)
    claimed = queue.claim(actor=rater.user, session=session, now=NOW)
    given = [task.stimulus.system.submission for task in (claimed.open, claimed.ahead) if task]
    assert listening.submissions[0] not in given


@pytest.mark.parametrize("name", ["place", "consent", "languages", "withdraw", "desk", "rest"])
def test_a_place_is_there_for_its_rater_alone(client, place, name):
    path = url(name, place)
    assert client.get(path).status_code == 200
    client.force_login(listener())
    assert client.get(path).status_code == 404
    client.logout()
    assert client.get(path).status_code == 302
    assert client.get(path, **SCRIPT).status_code == 401


def test_no_page_names_a_system_and_none_is_kept_by_the_browser(client, place, listening):
    for name in ("place", "consent", "withdraw", "desk", "rest"):
        answer = client.get(url(name, place))
        told = f"{dict(answer.items())} {answer.content.decode()}"
        assert [word for word in listening.secrets if word in told] == [], name
        assert answer["Cache-Control"] == "no-store"
    answer = client.get(url("revise", place, task=place.answered.code))
    assert [word for word in listening.secrets if word in answer.content.decode()] == []


def test_an_answer_is_taken_once_and_the_next_clip_follows(client, place):
    answer = send(client, place, note="  a hiss ")
    assert (answer.status_code, answer["Location"]) == (302, url("desk", place))
    rating = Rating.objects.get(task=place.task)
    assert rating.marks == {"A": 4, "P": 4, "N": 3, "Q": 5, "E": 3}
    assert rating.note.text == "a hiss"
    assert send(client, place, script=True).json() == {"late": False}
    assert count(place) == 1
    again = send(client, place, script=True, uuid=OTHER_UUID)
    assert (again.status_code, again.json()["code"]) == (409, "TASK_ENDED")
    other = send(client, place, script=True, N="1")
    assert (other.status_code, other.json()["code"]) == (409, "UUID_REUSED")
    assert count(place) == 1


def test_the_box_for_an_absent_sound_stands_for_two_marks(client, place):
    assert send(client, place, absent="on", A="4", P="2").status_code == 302
    rating = Rating.objects.get(task=place.task)
    assert (rating.accuracy, rating.effect) == (0, 0)


def test_without_the_box_the_two_marks_must_agree(client, place):
    answer = send(client, place, A="0", P="2")
    assert answer.status_code == 422
    assert "A and P are both 0" in answer.content.decode()
    assert count(place) == 0


def test_a_page_that_was_refused_keeps_what_was_marked_and_says_what_is_missing(client, place):
    fields = {**ANSWER, "uuid": UUID}
    del fields["Q"]
    answer = client.post(url("answer", place, task=place.task.code), fields)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'name="A" value="4" required checked' in page
    assert 'name="Q" value="5" required>' in page
    assert "fault-Q" in page
    assert "fault-N" not in page


def test_an_answer_that_comes_too_soon_is_kept_on_the_page_and_taken_later(client, place):
    RatingTask.objects.filter(pk=place.task.pk).update(delivered_at=NOW)
    early = send(client, place)
    assert early.status_code == 409
    assert "Listen to the end" in early.content.decode()
    assert 'name="E" value="3" required checked' in early.content.decode()
    told = send(client, place, script=True).json()
    assert (told["code"], told["seconds_left"] > 0) == ("TOO_EARLY", True)
    with time_machine.travel(NOW + timedelta(seconds=1), tick=False):
        assert send(client, place).status_code == 302


def test_a_draft_is_kept_and_the_form_comes_back_as_it_was(client, place):
    path = url("draft", place, task=place.task.code)
    sent = {**ANSWER, "note": "<b>half", "at": "1", "plays": "2", "role": "admin", "N": "2"}
    del sent["E"]
    assert client.post(path, sent, **SCRIPT).status_code == 204
    place.task.refresh_from_db()
    assert "role" not in place.task.draft
    page = client.get(url("desk", place)).content.decode()
    assert 'name="N" value="2" required checked' in page
    assert not re.search(r'name="E" value="\d" required checked', page)
    assert "&lt;b&gt;half" in page
    assert 'data-plays="2"' in page
    assert count(place) == 0


@pytest.mark.parametrize("plays", ["-1", "NaN", "٣", "9" * 400, "1e9", ""])
def test_odd_numbers_of_plays_do_no_harm(client, place, plays):
    path = url("draft", place, task=place.task.code)
    assert client.post(path, {"plays": plays}).status_code in {204, 422}
    assert client.get(url("desk", place)).status_code == 200
    assert send(client, place, plays=plays).status_code == 302


def test_a_heartbeat_holds_the_clip_and_says_when_it_is_over(client, place, listening):
    beat = url("beat", place)
    assert client.post(beat, {"task": place.task.code}, **SCRIPT).status_code == 204
    place.task.refresh_from_db()
    assert place.task.lease_until > NOW + timedelta(minutes=29)
    over = client.post(beat, {"task": place.answered.code}, **SCRIPT)
    assert (over.status_code, over.json()) == (409, {"code": "TASK_ENDED", "answered": True})
    session = place.session
    sessions.leave(actor=place.rater.user, session=session, now=NOW)
    ended = client.post(beat, {"task": place.task.code}, **SCRIPT)
    assert ended.json()["code"] == "SESSION_ENDED"


def test_the_script_is_told_where_to_go_when_a_sitting_is_over(client, place):
    place.session.refresh_from_db()
    sessions.leave(actor=place.rater.user, session=place.session, now=NOW)
    answer = client.get(url("desk", place), **SCRIPT)
    assert (answer.status_code, answer["Content-Location"]) == (204, url("place", place))


def test_a_broken_sound_is_reported_after_a_question(client, place):
    path = url("broken", place, task=place.task.code)
    asked = client.post(path, {"note": "clicks"})
    assert asked.status_code == 200
    assert "clicks" in asked.content.decode()
    place.task.refresh_from_db()
    assert place.task.state == TaskState.OPEN
    assert client.post(path, {"note": "clicks", "sure": "1"}).status_code == 302
    place.task.refresh_from_db()
    assert place.task.state == TaskState.BROKEN
    assert client.post(path, {"sure": "1"}, **SCRIPT).status_code == 200


def test_one_of_the_last_answers_is_changed_for_ten_minutes(client, place):
    path = url("revise", place, task=place.answered.code)
    assert 'name="A" value="4" required checked' in client.get(path).content.decode()
    answer = client.post(path, {**ANSWER, "N": "1", "uuid": UUID})
    assert answer.status_code == 302
    newest = place.answered.ratings.order_by("-revision").first()
    assert (newest.revision, newest.naturalness) == (1, 1)
    with time_machine.travel(NOW + timedelta(minutes=9), tick=False):
        assert client.get(path).status_code == 302


def test_consent_is_to_the_text_that_was_shown(client, listening, place):
    rater = Rater.objects.create(
        protocol=listening.protocol, user=listener(), pseudonym="Rx", joined_at=NOW, seen_at=NOW
    )
    client.force_login(rater.user)
    path = reverse("grading:rate-consent", kwargs={"code": rater.code})
    shown = listening.protocol.consent_texts.get(language="en")
    assert shown.text in client.get(path).content.decode()
    ConsentText.objects.create(
        protocol=listening.protocol, version=2, language="en", text="Other words.",
        sha256="1" * 64, keeps_ratings=False, created_at=NOW,
    )  # fmt: skip
    for fields in ({"version": str(shown.pk), "agree": "on"}, {"agree": "on"}, {}):
        client.post(path, fields)
        rater.refresh_from_db()
        assert rater.state == RaterState.JOINED
    newest = listening.protocol.consent_texts.get(version=2)
    answer = client.post(path, {"version": str(newest.pk), "agree": "on"})
    assert answer["Location"] == reverse("grading:rate-languages", kwargs={"code": rater.code})
    rater.refresh_from_db()
    assert rater.state == RaterState.ACTIVE


def test_languages_and_conflicts_are_kept_and_odd_ones_refused(client, place, listening):
    path, entrant = url("languages", place), listening.submissions[1].entrant
    for wrong in ({}, {"languages": ["xx"]}, {"languages": ["en"], "conflicts": ["nobody"]}):
        assert client.post(path, wrong).status_code == 200
    answer = client.post(path, {"languages": ["en"], "conflicts": [entrant.code]})
    assert answer.status_code == 302
    assert list(place.rater.conflicts.values_list("entrant", flat=True)) == [entrant.pk]


def test_consent_is_withdrawn_by_typing_and_the_place_is_gone(client, place):
    path = url("withdraw", place)
    client.post(path, {"confirm": "yes"})
    assert client.get(path).status_code == 200
    client.post(path, {"confirm": "withdraw"})
    place.rater.refresh_from_db()
    assert (place.rater.state, place.rater.user) == (RaterState.WITHDRAWN, None)
    assert client.get(path).status_code == 404
    assert client.get(reverse("grading:rate-home")).status_code == 200


def test_an_invitation_is_for_whom_it_was_sent_to(client, place):
    path = reverse("grading:rate-invitation", kwargs={"secret": place.secret})
    assert "Accept and go on" in client.get(path).content.decode()
    client.force_login(listener())
    assert "sent to another address" in client.get(path).content.decode()
    assert client.post(path).status_code == 403
    client.logout()
    assert "Log in to accept it" in client.get(path).content.decode()
    wrong = reverse("grading:rate-invitation", kwargs={"secret": "nonsense"})
    assert client.get(wrong).status_code == 404


def step(client, path: str):
    answer = client.get(path)
    return client.get(answer["Location"]) if answer.status_code == 302 else answer


def test_two_failed_rounds_of_the_headphones_check_end_the_sitting(client, listening):
    rater = listening.rater()
    client.force_login(rater.user)
    session = sessions.start(actor=rater.user, rater=rater, language="en", now=NOW)
    path = reverse("grading:rate-check", kwargs={"code": rater.code})
    assert "Answer every sound" in client.post(path, {"trial0": "0"}).content.decode()
    for number in range(2):
        session.refresh_from_db()
        wrong = {
            f"trial{trial.number}": str((trial.quietest + 1) % 3)
            for trial in sessions.trials(session=session)
        }
        odd = {**wrong, "trial0": "7", "round": str(number)}
        client.post(path, odd)
        answer = client.post(path, {**wrong, "round": str(number)})
    assert "/sittings/" in answer["Location"]
    assert "not passed" in client.get(answer["Location"]).content.decode()
    session.refresh_from_db()
    assert (session.state, session.check_results) == (SessionState.UNFIT, [0, 0])


def test_practice_says_how_marks_compare_and_why(client, listening):
    rater = listening.rater()
    client.force_login(rater.user)
    session = sessions.start(actor=rater.user, rater=rater, language="en", now=NOW)
    right = [trial.quietest for trial in sessions.trials(session=session)]
    sessions.answer_check(actor=rater.user, session=session, answers=right, now=NOW)
    path = reverse("grading:rate-practice", kwargs={"code": rater.code})
    item = re.search(r'name="item" value="(\w+)"', client.get(path).content.decode())[1]
    assert client.post(path, {"item": item, "A": "4"}).status_code == 422
    page = client.post(path, {"item": item, **ANSWER, "Q": "1"}).content.decode()
    assert "The laugh is plain to hear." in page
    assert page.count("within one") == 4
    assert page.count("apart") == 1
    assert client.post(path, {"item": "0" * 32, **ANSWER}).status_code == 302
    chinese = client.post(path, {"item": item, **ANSWER}, HTTP_ACCEPT_LANGUAGE="zh-hans")
    assert "笑声很清楚" in chinese.content.decode()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"state": ProtocolState.CLOSED, "closed_at": NOW}, "This rating is closed."),
        ({"state": ProtocolState.DRAFT, "opened_at": None}, "has not begun yet"),
    ],
    ids=["closed", "draft"],
)
def test_a_rating_that_is_not_open_says_so_wherever_one_looks(client, place, change, words):
    RatingProtocol.objects.filter(pk=place.rater.protocol_id).update(**change)
    for name in ("place", "desk", "check", "practice"):
        assert words in step(client, url(name, place)).content.decode()
    assert send(client, place, script=True).json()["code"] == "PROTOCOL_NOT_OPEN"
    assert count(place) == 0


def test_somebody_excluded_is_told_and_sends_nothing_more(client, place):
    Rater.objects.filter(pk=place.rater.pk).update(state=RaterState.EXCLUDED, ended_at=NOW)
    assert "have ended your part" in step(client, url("desk", place)).content.decode()
    assert send(client, place, script=True).status_code == 403


def test_who_has_heard_everything_is_told_that_there_is_nothing(client, listening):
    rater = listening.rater()
    client.force_login(rater.user)
    RatingProtocol.objects.get().slots.update(done_at=NOW)
    path = reverse("grading:rate-start", kwargs={"code": rater.code})
    page = client.post(path, {"language": "en"}, follow=True).content.decode()
    assert "nothing for you to rate" in page


def test_a_break_is_offered_after_three_quarters_of_an_hour(client, place):
    assert "for a while" not in client.get(url("desk", place)).content.decode()
    with time_machine.travel(NOW + timedelta(minutes=46), tick=False):
        client.force_login(place.rater.user)
        assert "for a while" in client.get(url("desk", place)).content.decode()
        assert client.post(url("rest", place), {"act": "rest"})["Location"] == url("rest", place)
        assert "for a while" not in client.get(url("desk", place)).content.decode()


def test_the_place_says_when_there_is_nothing_to_rate_and_when_it_was_enough_for_today(
    client, listening
):
    rater = listening.rater(languages=["en", "zh"])
    client.force_login(rater.user)
    path = reverse("grading:rate-place", kwargs={"code": rater.code})
    page = client.get(path).content.decode()
    assert page.count(">Begin<") == 1  # nothing is rated in zh
    assert "There is nothing for you to rate at the moment." in page
    for _ in range(2):
        session = listening.sitting(rater)
        sessions.leave(actor=rater.user, session=session, now=NOW)
    page = client.get(path).content.decode()
    assert ">Begin<" not in page
    assert page.count("That was enough for today") == 2
