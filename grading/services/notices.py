"""Mails about what happened. Rows are the queue: told once per person, kind and subject, sent with retries.

Nothing but the thread that sends waits for a mail server: whoever tells only inserts rows.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException
from typing import Any

from django.conf import settings
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import QuerySet

from accounts.enums import NoticeKind
from accounts.models import User
from accounts.services import links, mails
from competition.enums import EntrantState, Role
from competition.models import Competition, Entrant, EntrantMember, RoleGrant
from competition.texts import pick, text_of
from grading.enums import NoticeState
from grading.models import Notice

AT_ONCE = 50
CLAIM = timedelta(minutes=5)
"""How long one try may take before another sender tries again."""
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 720, 1440))
"""After each failed try; after the last one the notice has failed."""
KEPT = timedelta(days=90)
FOR_GOOD = 500
"""From this reply code on a mail server will never take the mail (RFC 5321, 4.2.1)."""
STANDING = (EntrantState.PENDING, EntrantState.ACCEPTED)

Json = dict[str, Any]
log = logging.getLogger(__name__)


def tell(
    *,
    recipients: Iterable[User],
    kind: NoticeKind,
    subject: str,
    now: datetime,
    competition: Competition | None = None,
    context: Mapping[str, Any] | None = None,
) -> int:
    """Put a mail to each person in the queue, in the caller's transaction; return to how many.

    `subject` names what it is about (`submission:CODE`): nobody is told of it twice. People who
    have switched the kind off, or never confirmed their address, are left out. `context` is JSON
    for the templates `grading/mail/<kind>.*.txt`: `path` is the page that the mail leads to, and
    `texts` maps names to {language: text}. Call it before boards are marked: people are locked first.
    """
    people = {user.pk: user for user in recipients if _wants(user, kind)}
    Notice.objects.bulk_create(
        [
            Notice(
                recipient=user,
                competition=competition,
                kind=kind,
                subject=subject,
                context=dict(context or {}),
                created_at=now,
                due_at=now,
            )
            for _, user in sorted(people.items())
        ],
        ignore_conflicts=True,
    )
    return len(people)


def members(entrant: Entrant) -> QuerySet[User]:
    """Return the people who take part with the entrant."""
    places = EntrantMember.objects.filter(entrant=entrant, left_at__isnull=True)
    return User.objects.filter(pk__in=places.values("user_id"))


def participants(competition: Competition) -> QuerySet[User]:
    """Return everybody who takes part in the competition, waiting entrants included."""
    places = EntrantMember.objects.filter(
        competition=competition, left_at__isnull=True, entrant__state__in=STANDING
    )
    return User.objects.filter(pk__in=places.values("user_id"))


def organizers(competition: Competition) -> QuerySet[User]:
    """Return the people who organize the competition."""
    grants = RoleGrant.objects.filter(
        competition=competition, role=Role.ORGANIZER, revoked_at__isnull=True
    )
    return User.objects.filter(pk__in=grants.values("user_id"))


def send_due(*, clock: Callable[[], datetime]) -> int:
    """Send what is due, at most 50 mails over one connection; return how many went out.

    A server that cannot be reached leaves the rest of them waiting; it is tried again with the
    next call.
    """
    due = list(_due(clock()).values_list("pk", flat=True)[:AT_ONCE])
    if not due:
        return 0
    connection = mail.get_connection()
    sent = 0
    try:
        connection.open()
        for notice_id in due:
            sent += _try(notice_id, connection, clock)
        connection.close()
    except (OSError, SMTPException) as error:
        log.warning("notices.server-away", extra={"error": type(error).__name__})
    return sent


def waiting(now: datetime) -> tuple[int, datetime | None]:
    """Return how many notices wait and since when the oldest does."""
    rows = Notice.objects.filter(state=NoticeState.WAITING)
    oldest = rows.order_by("created_at").values_list("created_at", flat=True).first()
    return rows.count(), oldest


def failed_since(moment: datetime) -> int:
    """Return how many notices were given up since then."""
    return Notice.objects.filter(state=NoticeState.FAILED, ended_at__gte=moment).count()


def forget_old(now: datetime) -> int:
    """Delete notices that ended over 90 days ago; return how many."""
    return Notice.objects.filter(ended_at__lt=now - KEPT).delete()[0]


def compose(notice: Notice) -> EmailMessage:
    """Return the mail of a notice in its reader's language: plain text, with a way to switch it off.

    Every try of one notice has the same Message-ID.
    """
    reader = notice.recipient
    token = links.make_token(links.NOTICES, reader, notice.created_at)
    stop = links.address("notice-stop", token, notice.kind)
    language = mails.known_language(reader.language)
    return mails.compose(
        to=reader.email,
        language=language,
        template=f"grading/mail/{notice.kind}",
        context={**_said(notice, language), "stop": stop},
        headers={
            "Message-ID": f"<notice.{notice.code}@{_host()}>",
            "Auto-Submitted": "auto-generated",
            "List-Unsubscribe": f"<{stop}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
    )


def _said(notice: Notice, language: str) -> Json:
    """Return what the templates say: the context, its texts in the reader's language, and the link."""
    site = settings.SITE_URL.rstrip("/")
    given = dict(notice.context)
    texts = {name: str(pick(text, language)) for name, text in given.pop("texts", {}).items()}
    title = str(text_of(notice.competition, "title", language)) if notice.competition else ""
    slug = notice.competition.slug if notice.competition else ""
    path = given.pop("path", "/")
    return {**given, **texts, "competition": title or slug, "link": f"{site}{path}"}


def _host() -> str:
    return str(settings.SITE_URL).split("://")[-1].split("/")[0].split(":")[0]


def _wants(user: User, kind: str) -> bool:
    return user.is_active and user.is_verified and kind not in user.muted_notices


def _due(now: datetime) -> QuerySet[Notice]:
    waiting_ones = Notice.objects.filter(state=NoticeState.WAITING, due_at__lte=now)
    return waiting_ones.order_by("due_at", "pk")


def _try(notice_id: int, connection: BaseEmailBackend, clock: Callable[[], datetime]) -> int:
    """Send one notice unless another sender has it; a lost connection goes on to the caller."""
    notice = _claim(notice_id, clock())
    if notice is None:
        return 0
    if not _wants(notice.recipient, notice.kind):
        _end(notice, NoticeState.DROPPED, clock())
        return 0
    try:
        connection.send_messages([compose(notice)])
    except (OSError, SMTPException) as error:
        _put_off(notice, error, clock())
        if not _is_about_the_mail(error):
            raise
        return 0
    _end(notice, NoticeState.SENT, clock())
    return 1


def _claim(notice_id: int, now: datetime) -> Notice | None:
    """Take one due notice for the time of a try; None when somebody else did."""
    notice = Notice.objects.select_related("recipient", "competition").get(pk=notice_id)
    taken = _due(now).filter(pk=notice_id, attempt=notice.attempt)
    if not taken.update(attempt=notice.attempt + 1, due_at=now + CLAIM):
        return None
    notice.attempt += 1
    return notice


def _put_off(notice: Notice, error: Exception, now: datetime) -> None:
    failure = type(error).__name__
    if _is_final(error) or notice.attempt > len(PAUSES):
        _end(notice, NoticeState.FAILED, now, failure)
        return
    pause = PAUSES[notice.attempt - 1]
    _mine(notice).update(due_at=now + pause, failure=failure)


def _end(notice: Notice, state: NoticeState, now: datetime, failure: str = "") -> None:
    _mine(notice).update(state=state, ended_at=now, failure=failure)


def _mine(notice: Notice) -> QuerySet[Notice]:
    return Notice.objects.filter(pk=notice.pk, state=NoticeState.WAITING, attempt=notice.attempt)


def _is_about_the_mail(error: Exception) -> bool:
    return isinstance(error, SMTPRecipientsRefused | SMTPResponseException)


def _is_final(error: Exception) -> bool:
    """Return whether the server will never take this mail."""
    if isinstance(error, SMTPRecipientsRefused):
        return all(code >= FOR_GOOD for code, _ in error.recipients.values())
    code = error.smtp_code if isinstance(error, SMTPResponseException) else 0
    return code >= FOR_GOOD
