"""Mail to people, in their language, sent once the transaction has committed."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from smtplib import SMTPException

from django.conf import settings
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import translation

from accounts.carriers import Carriers
from accounts.services.audit import keyed_hash

log = logging.getLogger(__name__)

PAUSE_SECONDS = 60
CARRIERS = Carriers(threads=2, room=1000)


def send(*, to: str, language: str, template: str, context: Mapping[str, object]) -> None:
    """Send `<template>.subject.txt` and `<template>.body.txt` on commit.

    A mail server that is down is logged, without the address; whoever waits asks again.
    """
    message = compose(to=to, language=language, template=template, context=context)
    transaction.on_commit(lambda: _hand_over(message, template))


def compose(
    *,
    to: str,
    language: str,
    template: str,
    context: Mapping[str, object],
    headers: Mapping[str, str] | None = None,
) -> EmailMessage:
    """Return the mail that the two templates make, in plain text and in the language."""
    given = {"site": settings.SITE_URL, **context}
    with translation.override(known_language(language)):
        subject = " ".join(render_to_string(f"{template}.subject.txt", given).split())
        body = render_to_string(f"{template}.body.txt", given)
    return EmailMessage(subject, body, to=[to], headers=dict(headers or {}))


def may_send(*, to: str, template: str) -> bool:
    """Return True at most once a minute per address and template: nobody's mailbox is flooded."""
    return cache.add(f"mail:{template}:{keyed_hash(to)}", 1, timeout=PAUSE_SECONDS)


def known_language(language: str) -> str:
    """Return the language if the site has it, else the site's own."""
    return language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def _hand_over(message: EmailMessage, template: str) -> None:
    """Deliver at once, or let a thread do it where a mail server might hang."""
    if not settings.MAIL_IN_BACKGROUND:
        _deliver(message, template)
    elif not CARRIERS.take(lambda: _deliver(message, template)):
        log.error("mail.failed", extra={"template": template, "error": "too many wait"})


def _deliver(message: EmailMessage, template: str) -> None:
    try:
        message.send()
    except (OSError, SMTPException) as error:
        log.error("mail.failed", extra={"template": template, "error": type(error).__name__})  # noqa: TRY400  the traceback of a refused recipient holds the address
