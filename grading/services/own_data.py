"""Everything that this server holds about one person, for that person."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet

from accounts.chain import instant
from accounts.models import ApiToken, AuditEvent, TeamMembership, User
from accounts.services import audit
from competition.models import EntrantMember, Question, RoleGrant, TermsAcceptance
from grading.models import Notice, Submission, UploadSession

FORMAT = "plaudit-own-data-1"

Json = dict[str, Any]


def collect(*, actor: User, now: datetime) -> Json:
    """Return a person's own data as JSON values; that it was taken stands in the log.

    Scores are not in it: they are shown, by the rules of each phase, on the page of a submission.
    Nothing is in it that others wrote, but the answers to the person's own questions.
    """
    found = {
        "format": FORMAT,
        "made_at": instant(now),
        "account": _account(actor),
        "tokens": _rows(ApiToken.objects.filter(user=actor), TOKEN),
        "teams": _rows(TeamMembership.objects.filter(user=actor), TEAM),
        "entrants": _rows(EntrantMember.objects.filter(user=actor), ENTRANT),
        "roles": _rows(RoleGrant.objects.filter(user=actor), ROLE),
        "terms": _rows(TermsAcceptance.objects.filter(user=actor), TERMS),
        "questions": _rows(Question.objects.filter(asker=actor), QUESTION),
        "submissions": _rows(Submission.objects.filter(uploader=actor), SUBMISSION),
        "uploads": _rows(UploadSession.objects.filter(person=actor), UPLOAD),
        "mails": _rows(Notice.objects.filter(recipient=actor), MAIL),
        "acts": _rows(AuditEvent.objects.filter(actor=audit.person(actor)), ACT),
    }
    audit.record(kind="data.taken", actor=actor, target=f"person:{actor.code}", payload={}, now=now)
    return found


_PHASE = {
    "competition": "phase__track__competition__slug",
    "track": "phase__track__slug",
    "phase": "phase__slug",
}
TOKEN = {
    name: name
    for name in ("name", "prefix", "created_at", "last_used_at", "expires_at", "revoked_at")
}
TEAM = {
    "team": "team__name",
    "affiliation": "team__affiliation",
    "role": "role",
    "joined_at": "joined_at",
    "left_at": "left_at",
}
ENTRANT = {
    "competition": "competition__slug",
    "team": "entrant__team__name",
    "role": "role",
    "joined_at": "joined_at",
    "left_at": "left_at",
}
ROLE = {
    "competition": "competition__slug",
    "role": "role",
    "granted_at": "granted_at",
    "revoked_at": "revoked_at",
}
TERMS = {
    "competition": "terms__competition__slug",
    "version": "terms__version",
    "typed_name": "typed_name",
    "accepted_at": "accepted_at",
}
QUESTION = {
    "competition": "competition__slug",
    "text": "text",
    "asked_at": "asked_at",
    "answer": "answer",
    "answered_at": "answered_at",
}
SUBMISSION = {
    "code": "code",
    **_PHASE,
    "number": "number",
    "system": "system",
    "note": "note",
    "filename": "filename",
    "size": "size",
    "content_id": "content_id",
    "sha256": "sha256",
    "state": "state",
    "created_at": "created_at",
    "received_at": "received_at",
}
UPLOAD = {
    "code": "code",
    **_PHASE,
    "system": "system",
    "note": "note",
    "filename": "filename",
    "size": "size",
    "state": "state",
    "created_at": "created_at",
    "ended_at": "ended_at",
}
MAIL = {
    "kind": "kind",
    "about": "subject",
    "state": "state",
    "created_at": "created_at",
    "ended_at": "ended_at",
}
ACT = {
    "kind": "kind",
    "target": "target",
    "at": "at",
    "address": "private__address",
    "user_agent": "private__user_agent",
}


def _account(person: User) -> Json:
    return {
        "code": person.code,
        "name": person.name,
        "email": person.email,
        "email_verified_at": _plain(person.email_verified_at),
        "language": person.language,
        "muted_notices": person.muted_notices,
        "created_at": _plain(person.created_at),
        "last_login": _plain(person.last_login),
    }


def _rows(rows: QuerySet[Any], fields: dict[str, str]) -> list[Json]:
    """Return rows in the order they were made, each field under the name that is given for it."""
    named = {f"own_{name}": F(path) for name, path in fields.items()}
    found = rows.order_by("pk").values(**named)
    return [{name: _plain(row[f"own_{name}"]) for name in fields} for row in found.iterator()]


def _plain(value: object) -> object:
    return instant(value) if isinstance(value, datetime) else value
