"""Everything that this server holds about one person, for that person."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Case, F, IntegerField, QuerySet, When

from accounts.chain import instant
from accounts.models import ApiToken, AuditEvent, TeamMembership, User
from accounts.services import audit
from competition.models import EntrantMember, PackIssue, Question, RoleGrant, TermsAcceptance
from grading.models import (
    BrokenReport,
    DeclaredConflict,
    FileSet,
    Filing,
    Notice,
    Rater,
    RaterConsent,
    RaterInvitation,
    Rating,
    Submission,
    UploadSession,
    VerificationRun,
)

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
        "papers": _rows(Filing.objects.filter(filed_by=actor), PAPER),
        "uploads": _rows(UploadSession.objects.filter(person=actor), UPLOAD),
        "file_sets": _rows(FileSet.objects.filter(person=actor), FILE_SET),
        "outputs": _rows(VerificationRun.objects.filter(uploader=actor), OUTPUT),
        "copies": _rows(PackIssue.objects.filter(person=actor), COPY),
        "raters": _rows(Rater.objects.filter(user=actor), RATER),
        "consents": _rows(RaterConsent.objects.filter(rater__user=actor), CONSENT),
        "conflicts": _rows(DeclaredConflict.objects.filter(rater__user=actor), CONFLICT),
        "ratings": _rows(Rating.objects.filter(rater__user=actor), RATING),
        "reports": _rows(BrokenReport.objects.filter(rater__user=actor), REPORT),
        "invitations": _rows(_invitations(actor), INVITATION),
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
FILE_SET = {
    "code": "code",
    **_PHASE,
    "system": "system",
    "note": "note",
    "state": "state",
    "created_at": "created_at",
    "ended_at": "ended_at",
}
OUTPUT = {
    "code": "code",
    "competition": "named__verification__phase__track__competition__slug",
    "filename": "filename",
    "size": "size",
    "content_id": "content_id",
    "received_at": "received_at",
}
COPY = {
    "code": "code",
    "competition": "competition__slug",
    "pack": "pack__name",
    "number": "number",
    "state": "state",
    "zip_sha256": "zip__sha256",
    "requested_at": "requested_at",
    "last_sent_at": "sent_at",
}
_RATED_IN = "protocol__selection__phase__track__competition__slug"
RATER = {
    "competition": _RATED_IN,
    "pseudonym": "pseudonym",
    "languages": "languages",
    "state": "state",
    "joined_at": "joined_at",
    "seen_at": "seen_at",
    "ended_at": "ended_at",
}
CONSENT = {
    "competition": f"rater__{_RATED_IN}",
    "version": "text__version",
    "language": "text__language",
    "given_at": "given_at",
}
CONFLICT = {
    "competition": f"rater__{_RATED_IN}",
    "team": "entrant__team__name",
    "declared_at": "declared_at",
}
# As it was pressed: how it counts would say which of the two sounds was the system's.
_PRESSED = Case(
    When(system_first=True, then=F("comparison") * -1),
    default=F("comparison"),
    output_field=IntegerField(),
)
# Neither kind nor name of what was heard: they would say which items are controls.
RATING: dict[str, str | Case] = {
    "clip": "task__code",
    "A": "accuracy",
    "P": "effect",
    "N": "naturalness",
    "Q": "quality",
    "E": "expression",
    "C": _PRESSED,
    "heard": "placements",
    "plays": "plays",
    "took_ms": "took_ms",
    "comment": "note__text",
    "sent_at": "created_at",
}
REPORT = {"clip": "task__code", "note": "note", "reported_at": "reported_at"}
INVITATION = {
    "competition": _RATED_IN,
    "created_at": "created_at",
    "expires_at": "expires_at",
    "accepted_at": "accepted_at",
    "revoked_at": "revoked_at",
}
PAPER = {
    "code": "code",
    "submission": "system__submission__code",
    "kind": "kind",
    "text": "text",
    "link": "link",
    "filename": "filename",
    "filed_at": "filed_at",
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


def _invitations(person: User) -> QuerySet[RaterInvitation]:
    """Return what was mailed to the person's address, once it is known to be theirs."""
    found = RaterInvitation.objects.filter(email=person.email)
    return found if person.is_verified else found.none()


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


def _rows(rows: QuerySet[Any], fields: Mapping[str, str | Case]) -> list[Json]:
    """Return rows in the order they were made, each field under the name that is given for it."""
    named = {
        f"own_{name}": F(path) if isinstance(path, str) else path for name, path in fields.items()
    }
    found = rows.order_by("pk").values(**named)
    return [{name: _plain(row[f"own_{name}"]) for name in fields} for row in found.iterator()]


def _plain(value: object) -> object:
    return instant(value) if isinstance(value, datetime) else value
