"""What is told to whom when something happens; the mails themselves are `notices`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.urls import reverse

from accounts.enums import NoticeKind
from accounts.models import User
from competition.models import (
    Announcement,
    BoardChange,
    Competition,
    DeadlineChange,
    Entrant,
    Phase,
    Question,
)
from competition.texts import FALLBACK
from competition.timeline import format_moment
from grading.enums import SubmissionKind
from grading.models import Submission
from grading.services import notices


def submission_scored(*, submission: Submission, now: datetime) -> None:
    """Tell the team that its submission is scored; the mail holds no number."""
    _of_submission(submission, NoticeKind.SCORED, {}, now)


def submission_ended(*, submission: Submission, failed: bool, now: datetime) -> None:
    """Tell the team that its submission was rejected, or could not be processed."""
    _of_submission(submission, NoticeKind.REJECTED, {"failed": failed}, now)


def deadlines_moved(*, competition: Competition, now: datetime) -> None:
    """Tell everybody who takes part of each date that was moved at `now`."""
    changes = DeadlineChange.objects.filter(phase__track__competition=competition, at=now)
    for change in changes.select_related("phase"):
        closing = change.field == "closes_at"
        notices.tell(
            recipients=notices.participants(competition),
            kind=NoticeKind.DEADLINE,
            subject=f"deadline:{change.pk}",
            competition=competition,
            context={
                "path": reverse("competition:timeline", args=[competition.slug]),
                "texts": {"phase": titles(change.phase)},
                "field": change.field,
                "old": _moment(change.old, closing=closing),
                "new": _moment(change.new, closing=closing),
                "reason": change.reason,
            },
            now=now,
        )


def entrant_changed(
    *,
    entrant: Entrant,
    act: str,
    reason: str,
    now: datetime,
    people: Iterable[User] | None = None,
    person: User | None = None,
) -> None:
    """Tell an entrant's people what was decided of it.

    `people` are those from before, where the act took some out; `person` is who was taken out.
    """
    competition = entrant.competition
    notices.tell(
        recipients=notices.members(entrant) if people is None else people,
        kind=NoticeKind.ENTRANT,
        subject=f"entrant:{entrant.code}:{act}:{now.isoformat()}",
        competition=competition,
        context={
            "path": reverse("competition:competition-detail", args=[competition.slug]),
            "act": act,
            "team": entrant.team.name,
            "reason": reason,
            "person": person.name if person else "",
        },
        now=now,
    )


def board_changed(*, change: BoardChange, now: datetime) -> None:
    """Tell everybody who takes part that a board was frozen, published or taken down."""
    phase = change.phase
    competition = phase.track.competition
    names = [competition.slug, phase.track.slug, phase.slug]
    notices.tell(
        recipients=notices.participants(competition),
        kind=NoticeKind.BOARD,
        subject=f"board:{change.pk}",
        competition=competition,
        context={
            "path": reverse("grading:board", args=names),
            "texts": {"phase": titles(phase)},
            "act": change.act,
            "reason": change.reason,
        },
        now=now,
    )


def scoring_changed(*, competition: Competition, paused: bool, reason: str, now: datetime) -> None:
    """Tell everybody who takes part that scoring is paused or goes on."""
    notices.tell(
        recipients=notices.participants(competition),
        kind=NoticeKind.SCORING,
        subject=f"scoring:{competition.code}:{now.isoformat()}",
        competition=competition,
        context={
            "path": reverse("competition:competition-detail", args=[competition.slug]),
            "paused": paused,
            "reason": reason,
        },
        now=now,
    )


def announced(*, announcement: Announcement, now: datetime) -> None:
    """Send an announcement to everybody who takes part."""
    competition = announcement.competition
    texts: Mapping[str, Mapping[str, str]] = announcement.texts
    notices.tell(
        recipients=notices.participants(competition),
        kind=NoticeKind.ANNOUNCEMENT,
        subject=f"announcement:{announcement.pk}",
        competition=competition,
        context={
            "path": reverse("competition:announcements", args=[competition.slug]),
            "texts": {key: _by_language(texts, key) for key in ("title", "body")},
        },
        now=now,
    )


def asked(*, question: Question, now: datetime) -> None:
    """Tell the organizers of a question; not who asks."""
    competition = question.competition
    names = [competition.slug, question.code]
    notices.tell(
        recipients=notices.organizers(competition),
        kind=NoticeKind.QUESTION,
        subject=f"question:{question.code}",
        competition=competition,
        context={
            "path": reverse("grading:question-answer", args=names),
            "question": question.text,
        },
        now=now,
    )


def answered(*, question: Question, now: datetime) -> None:
    """Send the answer to whoever asked."""
    competition = question.competition
    at = question.answered_at.isoformat() if question.answered_at else ""
    notices.tell(
        recipients=[question.asker],
        kind=NoticeKind.ANSWER,
        subject=f"question:{question.code}:{at}",
        competition=competition,
        context={
            "path": reverse("grading:question-list", args=[competition.slug]),
            "question": question.text,
            "answer": question.answer,
            "public": question.is_public,
        },
        now=now,
    )


def titles(phase: Phase) -> dict[str, str]:
    """Return a phase's title by language, its slug where it has none."""
    return _by_language(phase.texts, "title") or {FALLBACK: str(phase.slug)}


def _of_submission(
    submission: Submission, kind: NoticeKind, more: Mapping[str, Any], now: datetime
) -> None:
    if submission.kind != SubmissionKind.ENTRY:
        return
    notices.tell(
        recipients=notices.members(submission.entrant),
        kind=kind,
        subject=f"submission:{submission.code}",
        competition=submission.phase.track.competition,
        context={
            "path": submission.get_absolute_url(),
            "number": f"{submission.number:04d}",
            "team": submission.entrant.team.name,
            "system": submission.system,
            **more,
        },
        now=now,
    )


def _by_language(texts: Mapping[str, Mapping[str, str]], key: str) -> dict[str, str]:
    return {code: values[key] for code, values in texts.items() if values and values.get(key)}


def _moment(moment: datetime | None, *, closing: bool) -> str:
    return format_moment(moment, closing=closing) if moment else ""
