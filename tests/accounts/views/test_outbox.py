from __future__ import annotations

import pytest
from django.core.mail import EmailMessage, get_connection
from django.urls import reverse

from accounts.outbox import read_outbox
from tests.site.markup import faults, read

pytestmark = pytest.mark.django_db


def send(folder, *messages: tuple[str, str]) -> None:
    connection = get_connection(
        "django.core.mail.backends.filebased.EmailBackend", file_path=str(folder)
    )
    connection.send_messages(
        [
            EmailMessage(subject, body, "a@example.org", ["b@example.org"])
            for subject, body in messages
        ]
    )


def test_there_is_no_outbox_outside_the_demo(client, settings):
    settings.OUTBOX = False
    assert client.get(reverse("accounts:outbox")).status_code == 404
    assert "/outbox/" not in client.get("/").content.decode()


def test_the_demo_shows_its_mails_with_links_to_follow(client, settings, tmp_path):
    settings.OUTBOX, settings.VAR_DIR = True, tmp_path
    send(tmp_path / "outbox", ("Hello <b>", "Open http://testserver/accounts/verify/abc/ now."))
    html = client.get(reverse("accounts:outbox")).content.decode()
    assert faults(html) == []
    assert "Hello <b>" in read(html).text
    links = [e.attributes["href"] for e in read(html).all("a")]
    assert "http://testserver/accounts/verify/abc/" in links
    assert "/outbox/" in client.get("/").content.decode()


def test_an_empty_outbox_says_what_fills_it(client, settings, tmp_path):
    settings.OUTBOX, settings.VAR_DIR = True, tmp_path
    assert "No mail yet." in read(client.get(reverse("accounts:outbox")).content.decode()).text


def test_mails_of_one_file_are_told_apart_and_chinese_is_read(tmp_path):
    send(tmp_path, ("确认", "打开链接"), ("Second", "line one\nline two"))
    mails = read_outbox(tmp_path)
    assert {(mail.subject, mail.body) for mail in mails} == {
        ("确认", "打开链接"),
        ("Second", "line one\nline two"),
    }
    assert {mail.to for mail in mails} == {"b@example.org"}
