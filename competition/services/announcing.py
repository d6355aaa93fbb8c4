"""News that organizers tell everybody, per language; what was announced is never edited."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from accounts.services.names import accepted_name
from competition.models import Announcement, Competition
from competition.services.authority import require_organizer
from competition.services.errors import AlreadyAnnounced, TextInvalid
from competition.services.writing import accepted_text

TITLE_LIMIT = 120
BODY_LIMIT = 10_000

Texts = dict[str, dict[str, str]]


def announce(
    *, actor: User, competition: Competition, texts: Mapping[str, Mapping[str, str]], now: datetime
) -> Announcement:
    """Publish news: `texts` maps language -> {title, body}, the body in Markdown.

    Refuses NotOrganizer, NameInvalid, TextInvalid, and AlreadyAnnounced for the same news again.
    """
    require_organizer(actor, competition)
    accepted = checked(texts)
    with audit.audited():
        Competition.objects.select_for_update().get(pk=competition.pk)
        if any(known.texts == accepted for known in competition.announcements.all()[:20]):
            raise AlreadyAnnounced(_("This is announced already."))
        news = Announcement.objects.create(
            competition=competition, texts=accepted, published_at=now, author=actor
        )
        audit.record(
            scope=competition.audit_scope,
            kind="announcement.published",
            actor=actor,
            target=f"announcement:{news.pk}",
            payload={"sha256": audit.digest(accepted)},
            now=now,
        )
    return news


def checked(texts: Mapping[str, Mapping[str, str]]) -> Texts:
    """Return the texts as they are kept, languages without any left out. Refuses as `announce` does."""
    written = {code: given for code, given in texts.items() if any(given.values())}
    if not written:
        raise TextInvalid(_("Write the news in at least one language."))
    return {
        code: {
            "title": accepted_name(given["title"], limit=TITLE_LIMIT, field=f"title_{code}"),
            "body": accepted_text(given["body"], limit=BODY_LIMIT, field=f"body_{code}"),
        }
        for code, given in written.items()
    }
