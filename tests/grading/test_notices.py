"""Mails about what happened: told once, sent with patience, in the reader's language, never holding anything up."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from datetime import timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.utils.translation import override

from accounts.carriers import Carriers
from accounts.enums import NoticeKind
from accounts.services import mails
from grading.enums import NoticeState
from grading.models import Notice
from grading.services import notices
from tests.factories.accounts import UnverifiedUserFactory, UserFactory
from tests.factories.grading import NOW

pytestmark = pytest.mark.django_db

CONTEXTS = {
    NoticeKind.SCORED: {"number": "0007", "team": "Team Alder", "system": "wav2nvv"},
    NoticeKind.REJECTED: {"number": "0007", "team": "Team Alder", "system": "wav2nvv"},
    NoticeKind.RESCORED: {"phase": "Final", "reason": "A reference was wrong."},
    NoticeKind.DEADLINE: {
        "phase": "Final", "field": "closes_at", "old": "2026-12-01 23:59 AoE",
        "new": "2026-12-02 23:59 AoE", "reason": "storm",
    },
    NoticeKind.ANNOUNCEMENT: {"texts": {"title": {"en": "News"}, "body": {"en": "R&D <b>"}}},
    NoticeKind.ANSWER: {"question": "May I?", "answer": "Yes.", "public": True},
    NoticeKind.ENTRANT: {"act": "disqualified", "team": "Team Alder", "reason": "copied"},
    NoticeKind.BOARD: {"act": "freeze", "phase": "Final", "reason": "last day"},
    NoticeKind.SCORING: {"paused": True, "reason": "a broken reference"},
    NoticeKind.COPY: {"act": "issued", "pack": "dev v1", "number": 7, "until": "2026-12-24"},
    NoticeKind.QUESTION: {"question": "May I?"},
}  # fmt: skip


def tell(*people, kind=NoticeKind.SCORED, subject="submission:abc", **more):
    return notices.tell(
        recipients=people,
        kind=kind,
        subject=subject,
        now=NOW,
        context={"path": "/submissions/abc/", **CONTEXTS[kind]},
        **more,
    )


def send(at=NOW) -> int:
    return notices.send_due(clock=lambda: at)


def test_nobody_is_told_twice_of_one_thing():
    one, other = UserFactory(), UserFactory()
    assert tell(one, other, one) == 2
    tell(one)
    tell(one, kind=NoticeKind.REJECTED)
    tell(one, subject="submission:def")
    assert Notice.objects.count() == 4
    assert send() == 4
    tell(one)
    assert send() == 0
    assert len(mail.outbox) == 4


def test_only_people_with_a_confirmed_address_who_want_the_kind_are_told():
    muted = UserFactory(muted_notices=["scored"])
    away = UserFactory(is_active=False)
    assert tell(muted, away, UnverifiedUserFactory()) == 0
    assert tell(muted, kind=NoticeKind.ANNOUNCEMENT) == 1


def test_who_switches_a_kind_off_gets_no_mail_that_waited():
    user = UserFactory()
    tell(user)
    user.muted_notices = ["scored"]
    user.save()
    assert send() == 0
    assert Notice.objects.get().state == NoticeState.DROPPED
    assert mail.outbox == []


@pytest.mark.parametrize("kind", list(NoticeKind))
@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
def test_every_kind_has_a_mail_in_every_language(arena, kind, language):
    user = UserFactory(language=language)
    tell(user, kind=kind, competition=arena.competition)
    assert send() == 1
    (message,) = mail.outbox
    assert message.subject.strip()
    assert "\n" not in message.subject
    assert "http://127.0.0.1:8000/submissions/abc/" in message.body
    assert "&" not in message.body.replace("R&D", "")
    assert message.body.replace("\n", "").isprintable()
    stop = message.extra_headers["List-Unsubscribe"]
    assert stop.strip("<>") in message.body
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert message.message().get_content_type() == "text/plain"


def test_texts_of_the_competition_come_in_the_readers_language_or_the_next_best():
    texts = {"title": {"en": "News", "zh-hans": "新闻"}, "body": {"en": "Read.", "zh-hans": "读。"}}
    for language in ("en", "zh-hans", "zh-hant"):
        notices.tell(
            recipients=[UserFactory(language=language)],
            kind=NoticeKind.ANNOUNCEMENT,
            subject="announcement:1",
            now=NOW,
            context={"texts": texts},
        )
    with override("zh-hans"):
        assert send() == 3
    assert ["读。" in message.body for message in mail.outbox] == [False, True, True]


def test_a_mail_links_to_a_page_that_stops_its_kind_without_a_log_in(client):
    user = UserFactory()
    tell(user)
    send()
    stop = mail.outbox[0].extra_headers["List-Unsubscribe"].strip("<>")
    path = stop.removeprefix("http://127.0.0.1:8000")
    assert client.get(path).status_code == 200
    user.refresh_from_db()
    assert user.muted_notices == []
    assert client.post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
    user.refresh_from_db()
    assert user.muted_notices == ["scored"]
    forged = path.replace("/scored/", "x/scored/")
    assert client.post(forged).status_code == 404
    assert client.post(path.replace("/scored/", "/nonsense/")).status_code == 404


def test_people_choose_their_mails_on_their_account_page(client):
    user = UserFactory()
    client.force_login(user)
    client.post("/accounts/account/notices/", {"wanted": ["answer", "deadline"]})
    user.refresh_from_db()
    assert set(user.muted_notices) == set(NoticeKind.values) - {"answer", "deadline"}
    page = client.get("/accounts/account/notices/").content.decode()
    assert page.count("checked") == 2
    client.logout()
    assert client.get("/accounts/account/notices/").status_code == 302


class Broken(EmailBackend):
    """A mail server that says what `error` says."""

    error: Exception | None = None
    tries = 0

    def send_messages(self, messages):
        type(self).tries += 1
        if self.error:
            raise self.error
        return super().send_messages(messages)


@pytest.fixture
def broken(monkeypatch):
    monkeypatch.setattr(Broken, "error", None)
    monkeypatch.setattr(Broken, "tries", 0)
    monkeypatch.setattr(mail, "get_connection", lambda **_: Broken())
    return Broken


@pytest.mark.parametrize(
    "error", [SMTPServerDisconnected("gone"), TimeoutError(), SMTPDataError(451, b"later")]
)
def test_a_mail_that_does_not_get_through_is_tried_again_later(broken, monkeypatch, error):
    tell(UserFactory())
    monkeypatch.setattr(broken, "error", error)
    assert send() == 0
    assert send(NOW + timedelta(seconds=59)) == 0
    assert broken.tries == 1
    monkeypatch.setattr(broken, "error", None)
    assert send(NOW + timedelta(seconds=60)) == 1
    assert Notice.objects.get().state == NoticeState.SENT
    assert send(NOW + timedelta(days=1)) == 0


def test_a_lost_connection_leaves_the_others_waiting_untried(broken, monkeypatch):
    tell(UserFactory(), UserFactory())
    monkeypatch.setattr(broken, "error", SMTPServerDisconnected("gone"))
    send()
    assert broken.tries == 1
    assert Notice.objects.filter(attempt=0).count() == 1


def test_a_refused_recipient_is_given_up_and_the_next_mail_goes_out(broken, monkeypatch):
    tell(UserFactory())
    refused = SMTPRecipientsRefused({"x@example.org": (550, b"no such box")})
    monkeypatch.setattr(broken, "error", refused)
    assert send() == 0
    notice = Notice.objects.get()
    assert (notice.state, notice.failure) == (NoticeState.FAILED, "SMTPRecipientsRefused")


def test_after_the_last_try_a_notice_has_failed(broken, monkeypatch):
    tell(UserFactory())
    monkeypatch.setattr(broken, "error", SMTPDataError(451, b"later"))
    for day in range(12):
        send(NOW + timedelta(days=2 * day))
    assert Notice.objects.get().state == NoticeState.FAILED
    assert broken.tries == len(notices.PAUSES) + 1


def test_every_try_of_a_notice_has_the_same_message_id():
    tell(UserFactory())
    notice = Notice.objects.select_related("recipient", "competition").get()
    ids = {notices.compose(notice).extra_headers["Message-ID"] for _ in range(2)}
    assert ids == {f"<notice.{notice.code}@127.0.0.1>"}


def test_two_senders_never_try_one_notice_at_once():
    tell(UserFactory())
    notice = Notice.objects.get()
    assert notices._claim(notice.pk, NOW) is not None
    assert notices._claim(notice.pk, NOW) is None
    assert notices._claim(notice.pk, NOW + notices.CLAIM) is not None


def test_what_ended_long_ago_is_forgotten():
    tell(UserFactory())
    send()
    assert notices.forget_old(NOW + timedelta(days=89)) == 0
    assert notices.forget_old(NOW + timedelta(days=91)) == 1


@contextmanager
def hanging_server():
    """A mail server that takes connections and never says a word."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(8)
        yield server.getsockname()[1]


def test_a_mail_server_that_hangs_holds_up_no_request(
    client, settings, django_capture_on_commit_callbacks
):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = "127.0.0.1", 60
    settings.MAIL_IN_BACKGROUND = True
    user = UserFactory()
    with hanging_server() as settings.EMAIL_PORT:
        with django_capture_on_commit_callbacks(execute=True):
            response = client.post("/accounts/reset/", {"email": user.email})
        assert response.status_code == 302
        assert mails.CARRIERS._errands.unfinished_tasks == 1
    mails.CARRIERS.finish()


def test_a_mail_server_that_hangs_costs_the_sender_one_timeout_not_one_each(settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = "127.0.0.1", 0.3
    tell(*(UserFactory() for _ in range(5)))
    with hanging_server() as settings.EMAIL_PORT:
        assert send() == 0
    assert Notice.objects.filter(state=NoticeState.WAITING, attempt=0).count() == 5


def test_carriers_take_no_more_than_they_have_room_for_and_survive_an_error():
    gate, carriers = threading.Event(), Carriers(threads=1, room=1)
    assert carriers.take(gate.wait)
    while not carriers._errands.empty():
        time.sleep(0.001)
    done = []
    assert carriers.take(lambda: done.append(1 / 0))
    assert not carriers.take(lambda: done.append(2))
    gate.set()
    carriers.finish()
    assert carriers.take(lambda: done.append(3))
    carriers.finish()
    assert done == [3]
