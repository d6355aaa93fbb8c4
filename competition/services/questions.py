"""Questions of people to the organizers, answered to them alone or, without their name, to everybody."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from accounts.services.membership import require_verified
from competition.models import Competition, Question
from competition.queries import entrant_of
from competition.services.authority import require_organizer
from competition.services.errors import TooManyQuestions
from competition.services.writing import accepted_text

TEXT_LIMIT = 2000
ANSWER_LIMIT = 4000
OPEN_AT_ONCE = 5
PER_DAY = 20


def ask(*, actor: User, competition: Competition, text: str, now: datetime) -> Question:
    """Put a question to the organizers; the same one again, while it waits, is that one.

    Refuses NotVerified, TextInvalid, and TooManyQuestions: 5 without an answer, or 20 within a day.
    """
    require_verified(actor)
    wanted = accepted_text(text, limit=TEXT_LIMIT, field="text")
    with audit.audited():
        # The person's row is the lock under which their questions are counted.
        User.objects.select_for_update().get(pk=actor.pk)
        mine = Question.objects.filter(asker=actor, competition=competition)
        known: Question | None = mine.filter(text=wanted, answered_at__isnull=True).first()
        if known is not None:
            return known
        _check_room(mine, now)
        question = Question.objects.create(
            competition=competition,
            asker=actor,
            entrant=entrant_of(actor, competition),
            text=wanted,
            asked_at=now,
        )
        _record("question.asked", actor, question, now)
    return question


def answer(
    *,
    actor: User,
    question: Question,
    text: str,
    shown_text: str,
    is_public: bool,
    now: datetime,
) -> Question:
    """Answer a question, or put another answer in the place of the one it has; the same changes nothing.

    A public answer stands beside `shown_text`, the question as everybody may read it.
    Refuses NotOrganizer, TextInvalid.
    """
    require_organizer(actor, question.competition)
    given = accepted_text(text, limit=ANSWER_LIMIT, field="text")
    shown = accepted_text(shown_text, limit=TEXT_LIMIT, field="shown_text") if is_public else ""
    with audit.audited():
        rows = Question.objects.select_for_update(of=("self",)).select_related(
            "competition", "asker"
        )
        locked: Question = rows.get(pk=question.pk)
        if (locked.answer, locked.is_public, locked.shown_text) == (given, is_public, shown):
            return locked
        locked.answer, locked.answered_at, locked.answered_by = given, now, actor
        locked.is_public, locked.shown_text = is_public, shown
        locked.save(
            update_fields=["answer", "answered_at", "answered_by", "is_public", "shown_text"]
        )
        _record("question.answered", actor, locked, now, public=is_public)
    return locked


def _check_room(mine: QuerySet[Question], now: datetime) -> None:
    if mine.filter(answered_at__isnull=True).count() >= OPEN_AT_ONCE:
        raise TooManyQuestions(
            _("%(limit)s of your questions wait for an answer already.") % {"limit": OPEN_AT_ONCE},
            field="text",
            limit=OPEN_AT_ONCE,
        )
    if mine.filter(asked_at__gt=now - timedelta(days=1)).count() >= PER_DAY:
        raise TooManyQuestions(
            _("At most %(limit)s questions a day can be asked.") % {"limit": PER_DAY},
            field="text",
            limit=PER_DAY,
        )


def _record(kind: str, actor: User, question: Question, now: datetime, **payload: object) -> None:
    audit.record(
        scope=question.competition.audit_scope,
        kind=kind,
        actor=actor,
        target=f"question:{question.code}",
        payload=payload,
        now=now,
    )
