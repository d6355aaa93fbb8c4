"""Links to sounds: whose they are, how long they are good, what they tell."""

from __future__ import annotations

import asyncio
import io
from contextlib import ExitStack
from datetime import timedelta

import pytest
import time_machine
from django.db import IntegrityError, transaction

from grading.enums import ProtocolState, RaterState, TaskState
from grading.models import AudioGrant, Rater, RatingProtocol, RatingTask
from grading.services.ratings import delivery, sessions
from grading.services.ratings.delivery import AudioGone, AudioUnavailable, AudioUnknown
from grading.views.rating.sound import CHUNK, PartResponse, Reading
from tests.factories.grading import NOW
from tests.factories.hearing import small_listening

pytestmark = pytest.mark.django_db
HALF_AN_HOUR = timedelta(minutes=30)


@pytest.fixture
def listening():
    return small_listening(NOW)


@pytest.fixture
def task(listening):
    return listening.open_task(listening.rater(), delivered=False)


def given(task, *, login: str = "here", now=NOW) -> str:
    return delivery.grant(session=task.session, task=task, login=login, now=now)


def redeem(task, token: str, *, login: str = "here", now=NOW, actor=None) -> AudioGrant:
    return delivery.redeem(token=token, actor=actor or task.rater.user, login=login, now=now)


def test_a_link_is_128_bits_and_only_its_digest_is_stored(task):
    token = given(task)
    assert len(bytes.fromhex(token)) == 16
    row = AudioGrant.objects.get()
    assert token not in "".join(map(str, vars(row).values()))
    assert "here" not in row.login
    assert redeem(task, token).stimulus == task.stimulus


def test_the_same_sound_in_the_same_log_in_keeps_its_link_and_any_other_gets_its_own(
    task, listening
):
    token = given(task)
    assert given(task, now=NOW + timedelta(minutes=29)) == token
    again = {given(task, login="elsewhere"), given(listening.open_task(listening.rater()))}
    again.add(delivery.grant(session=task.session, stimulus=task.stimulus, login="here", now=NOW))
    assert len(again | {token}) == 4
    assert len({delivery.entity_tag(one) for one in again | {token}}) == 4


def test_a_link_ends_half_an_hour_after_it_was_used_last(task):
    token = given(task)
    for minutes in (29, 58, 87):
        redeem(task, token, now=NOW + timedelta(minutes=minutes))
    last = NOW + timedelta(minutes=87) + HALF_AN_HOUR
    with pytest.raises(AudioGone):
        redeem(task, token, now=last)
    fresh = given(task, now=last)
    assert fresh != token
    with pytest.raises(AudioUnknown):
        redeem(task, token, now=last)
    redeem(task, fresh, now=last)


def test_a_link_is_good_for_one_log_in_of_one_rater(task, listening):
    token = given(task)
    with pytest.raises(AudioGone):
        redeem(task, token, login="elsewhere")
    with pytest.raises(AudioUnknown):
        redeem(task, token, actor=listening.rater().user)
    for wrong in ("", "0" * 32, token[:-1], token + "0", "../" + token):
        with pytest.raises(AudioUnknown):
            redeem(task, wrong)


@pytest.mark.parametrize("state", [TaskState.RELEASED, TaskState.BROKEN])
def test_a_link_ends_with_its_task_and_outlives_an_answer(task, state):
    token = given(task)
    RatingTask.objects.filter(pk=task.pk).update(
        state=TaskState.ANSWERED, lease_until=None, ended_at=NOW
    )
    redeem(task, token)
    RatingTask.objects.filter(pk=task.pk).update(state=state)
    with pytest.raises(AudioGone):
        redeem(task, token)


def test_a_link_ends_with_the_rating_and_with_the_rater(task):
    token = given(task)
    RatingProtocol.objects.update(state=ProtocolState.CLOSED, closed_at=NOW)
    with pytest.raises(AudioGone):
        redeem(task, token)
    RatingProtocol.objects.update(state=ProtocolState.OPEN, closed_at=None)
    Rater.objects.filter(pk=task.rater_id).update(state=RaterState.EXCLUDED, ended_at=NOW)
    with pytest.raises(AudioGone):
        redeem(task, token)


def test_old_links_are_forgotten(task):
    given(task)
    assert delivery.forget_old(now=NOW + timedelta(days=1)) == 0
    assert delivery.forget_old(now=NOW + timedelta(days=1, minutes=31)) == 1


def test_a_trial_can_be_heard_in_its_own_round_alone(listening):
    rater = listening.rater()
    session = sessions.start(actor=rater.user, rater=rater, language="en", now=NOW)
    tokens = [
        delivery.grant(session=session, check_sound=name, login="here", now=NOW)
        for name in (delivery.VOLUME, delivery.trial_name(0, 5), delivery.trial_name(1, 0))
    ]
    grants = [delivery.redeem(token=one, actor=rater.user, login="here", now=NOW) for one in tokens]
    for granted in grants[:2]:
        with delivery.opened(granted) as (file, size):
            assert len(file.read()) == size > 10_000
    with pytest.raises(AudioGone), delivery.opened(grants[2]):
        pass


def test_bytes_that_are_gone_are_a_503_and_not_an_error_of_ours(task):
    granted = redeem(task, given(task))
    granted.stimulus.storage_key = "uploads/00/00/gone"
    with pytest.raises(AudioUnavailable), delivery.opened(granted):
        pass


def test_the_database_holds_links_to_one_sound_each(task):
    given(task)
    row = AudioGrant.objects.get()
    for wrong in ({"check_sound": "volume"}, {"stimulus": None}, {"login": ""}, {"salt": ""}):
        with pytest.raises(IntegrityError), transaction.atomic():
            AudioGrant.objects.filter(pk=row.pk).update(**wrong)
    row.pk = None
    row.token_digest = "0" * 64
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)


class Counting(io.BytesIO):
    """A file that knows how much of it was read at once."""

    most = 0

    def read(self, size: int | None = -1) -> bytes:
        self.most = max(self.most, len(self.getvalue()) if size in (None, -1) else size)
        return super().read(size)


@pytest.mark.django_db
def test_a_long_sound_is_sent_in_pieces_and_its_file_let_go():
    data = bytes(range(256)) * 4_096
    file, held, let_go = Counting(data), ExitStack(), []
    held.callback(let_go.append, True)

    response = PartResponse(Reading(file, 10, 500_000, held))

    async def send() -> list[bytes]:
        return [piece async for piece in response]

    pieces = asyncio.run(send())
    response.close()  # outside of the loop, as Django's handler does: it looks after connections
    assert b"".join(pieces) == data[10:500_010]
    assert max(map(len, pieces)) <= CHUNK
    assert file.most <= CHUNK
    assert let_go == [True]


@pytest.mark.parametrize(
    ("range_header", "status"), [("", 200), ("bytes=0-9", 206), ("bytes=99999999-", 416)]
)
def test_the_page_of_a_sound_answers_by_the_range_and_notes_what_it_sent(
    client, task, range_header, status
):
    with time_machine.travel(NOW, tick=False):
        client.force_login(task.rater.user)
        token = given(task, login=client.session.session_key)
        extra = {"HTTP_RANGE": range_header} if range_header else {}
        assert client.head(f"/rate/audio/{token}/").status_code == 200
        task.refresh_from_db()
        assert task.delivered_at is None
        answer = client.get(f"/rate/audio/{token}/", **extra)
    assert answer.status_code == status
    body = answer.getvalue() if answer.streaming else answer.content
    assert len(body) == int(answer["Content-Length"])
    task.refresh_from_db()
    assert (task.delivered_at is not None) == (status != 416)
