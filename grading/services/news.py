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
    EntrantMerge,
    PackIssue,
    Phase,
    Question,
)
from competition.texts import FALLBACK, text_of
from competition.timeline import format_moment
from grading.enums import SelectionReason, SubmissionKind
from grading.models import FilingCheck, FinalAct, FinalSelection, FinalSystem, Submission
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
    for change in changes.select_related("phase__track__competition"):
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


def entrants_merged(*, merge: EntrantMerge, people: Iterable[User], now: datetime) -> None:
    """Tell the people of both entrants that one has gone into the other."""
    competition = merge.competition
    notices.tell(
        recipients=people,
        kind=NoticeKind.ENTRANT,
        subject=f"merge:{merge.merged.code}",
        competition=competition,
        context={
            "path": reverse("competition:entrant-detail", args=[competition.slug]),
            "act": "merged",
            "team": merge.merged.team.name,
            "into": merge.kept.team.name,
            "reason": merge.reason,
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


def final_changed(*, change: FinalAct, now: datetime) -> None:
    """Tell everybody who takes part that a final board was published, frozen or taken down."""
    phase = change.board.phase
    competition = phase.track.competition
    notices.tell(
        recipients=notices.participants(competition),
        kind=NoticeKind.BOARD,
        subject=f"final:{change.pk}",
        competition=competition,
        context={
            "path": reverse("grading:final", args=[competition.slug, phase.track.slug, phase.slug]),
            "texts": {"phase": titles(phase)},
            "final": True,
            "act": change.act,
            "reason": change.reason,
        },
        now=now,
    )


def systems_selected(*, selection: FinalSelection, now: datetime) -> None:
    """Tell the people of every selected entrant that people rate their system, and what to file."""
    phase = selection.phase
    systems = selection.systems.select_related("submission__entrant__team").order_by("position")
    for system in systems.exclude(reason__in=[SelectionReason.REFERENCE, SelectionReason.ANCHOR]):
        _of_system(system, "selected", "", phase, now)


def filing_checked(*, check: FilingCheck, now: datetime) -> None:
    """Tell the entrant's people what an organizer found of what they filed."""
    system = check.filing.system
    act = f"filing-{check.verdict}"
    _of_system(system, act, check.note, system.selection.phase, now, subject=f"filing:{check.pk}")


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


def copy_changed(*, issue: PackIssue, act: str, now: datetime) -> None:
    """Tell its recipient that a copy is `issued`, `refused`, `revoked` or about to expire (`expires`)."""
    competition = issue.competition
    notices.tell(
        recipients=[issue.person],
        kind=NoticeKind.COPY,
        subject=copy_subject(issue.code, act),
        competition=competition,
        context={
            "path": reverse("competition:pack-list", args=[competition.slug]),
            "act": act,
            "pack": str(issue.pack),
            "number": issue.number,
            "until": _moment(issue.expires_at, closing=False),
            "reason": issue.reason,
        },
        now=now,
    )


def copy_subject(code: str, act: str) -> str:
    """Return under which subject a person is told, once, of an act on a copy."""
    return f"copy:{code}:{act}"


def titles(phase: Phase) -> dict[str, str]:
    """Return a phase's title by language, its slug where it has none; with its track's where there are several."""
    found = _by_language(phase.texts, "title") or {FALLBACK: str(phase.slug)}
    if not phase.track.competition.has_several_tracks:
        return found
    track = phase.track
    return {
        language: f"{title} · {text_of(track, 'title', language) or track.slug}"
        for language, title in found.items()
    }


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


def _of_system(
    system: FinalSystem, act: str, note: str, phase: Phase, now: datetime, *, subject: str = ""
) -> None:
    """Tell a selected system's people what became of it; the page is that of its papers."""
    entrant, competition = system.submission.entrant, phase.track.competition
    names = [competition.slug, phase.track.slug, phase.slug, system.submission.code]
    notices.tell(
        recipients=notices.members(entrant),
        kind=NoticeKind.ENTRANT,
        subject=subject or f"final:{system.selection.code}:{system.submission.code}",
        competition=competition,
        context={
            "path": reverse("grading:final-filings", args=names),
            "texts": {"phase": titles(phase)},
            "act": act,
            "team": entrant.team.name,
            "system": system.submission.system,
            "reason": note,
        },
        now=now,
    )


def _by_language(texts: Mapping[str, Mapping[str, str]], key: str) -> dict[str, str]:
    return {code: values[key] for code, values in texts.items() if values and values.get(key)}


def _moment(moment: datetime | None, *, closing: bool) -> str:
    return format_moment(moment, closing=closing) if moment else ""
