"""What organizers and people write to each other; each goes out as a mail too."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from accounts.models import User
from accounts.services import audit
from competition.models import Announcement, Competition, Question
from competition.services import announcing, questions
from grading.services import news


def announce(
    *, actor: User, competition: Competition, texts: Mapping[str, Mapping[str, str]], now: datetime
) -> Announcement:
    """Publish news and mail it; refuses what competition.services.announcing.announce does."""
    with audit.audited():
        announcement = announcing.announce(
            actor=actor, competition=competition, texts=texts, now=now
        )
        news.announced(announcement=announcement, now=now)
    return announcement


def ask(*, actor: User, competition: Competition, text: str, now: datetime) -> Question:
    """Put a question and tell the organizers; refuses what competition.services.questions.ask does."""
    with audit.audited():
        question = questions.ask(actor=actor, competition=competition, text=text, now=now)
        news.asked(question=question, now=now)
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
    """Answer a question and mail it; refuses what questions.answer does."""
    with audit.audited():
        answered = questions.answer(
            actor=actor,
            question=question,
            text=text,
            shown_text=shown_text,
            is_public=is_public,
            now=now,
        )
        news.answered(question=answered, now=now)
    return answered
