"""What happened to an entrant, or to a person, in one competition: read from its chain, newest first.

Everything that counts stands in the log under the code of its object or its actor; a timeline is the part
of it that concerns one of them. No address and no reason is in it: those who may read reasons find them on
the pages that the lines lead to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Model, Q, QuerySet, Value
from django.db.models.functions import Concat

from accounts.models import AuditEvent, Team, User
from accounts.services import audit
from competition.models import (
    Competition,
    DrawWindow,
    Entrant,
    EntrantMember,
    EntrantMerge,
    Pack,
    PackIssue,
    Phase,
)
from grading.models import FileSet, Submission, UploadSession

FAMILIES = {
    "submissions": ("submission.", "upload.", "file-set.", "evaluation.", "judging."),
    "copies": ("issue.", "download.", "terms."),
    "standing": ("entrant.", "role.", "link.", "verification.", "filing."),
    "dates": ("deadline.",),
}
"""Words by which a timeline is narrowed, and how the kinds of their events begin."""


@dataclass(frozen=True, slots=True)
class Named:
    """What the codes on a page mean, for a reader: objects by target, people by code."""

    objects: dict[str, str]
    people: dict[str, str]


def of_entrant(entrant: Entrant) -> QuerySet[AuditEvent]:
    """Return the events on the entrant and on what is its: submissions, uploads, copies; and moved dates."""
    wanted = (
        Q(target=f"entrant:{entrant.code}")
        | Q(target__in=_targets("submission", Submission.objects.filter(entrant=entrant)))
        | Q(target__in=_targets("upload", UploadSession.objects.filter(entrant=entrant)))
        | Q(target__in=_targets("file-set", FileSet.objects.filter(entrant=entrant)))
        | Q(target__in=_targets("issue", PackIssue.objects.filter(entrant=entrant)))
        | Q(kind__startswith="deadline.")
    )
    return _events(entrant.competition).filter(wanted)


def of_person(competition: Competition, user: User) -> QuerySet[AuditEvent]:
    """Return what the person did in the competition, and what was done about them and their copies."""
    code = audit.person(user)
    wanted = (
        Q(actor=code)
        | Q(target=f"person:{code}")
        | Q(target__in=_targets("issue", PackIssue.objects.filter(person=user)))
        | Q(target__startswith="entrant:", payload__contains=f'"{code}"')
    )
    return _events(competition).filter(wanted)


def narrowed(events: QuerySet[AuditEvent], family: str) -> QuerySet[AuditEvent]:
    """Return the events of one family of kinds, all for a word that names none."""
    wanted = Q()
    for beginning in FAMILIES.get(family, ()):
        wanted |= Q(kind__startswith=beginning)
    return events.filter(wanted)


def people_of(competition: Competition) -> QuerySet[User]:
    """Return everybody who has or had a place or a role in the competition, by name."""
    places = EntrantMember.objects.filter(competition=competition).values("user_id")
    roles = competition.grants.values("user_id")
    return User.objects.filter(Q(pk__in=places) | Q(pk__in=roles)).order_by("name", "code")


def named(events: Iterable[AuditEvent]) -> Named:
    """Return what the codes of some events mean, in a few statements whatever their number."""
    listed = list(events)
    codes: dict[str, set[str]] = {}
    for event in listed:
        sort, _, code = event.target.partition(":")
        codes.setdefault(sort, set()).add(code)
    people = {event.actor for event in listed if event.actor} | codes.get("person", set())
    return Named(
        dict(_objects(codes)),
        dict(User.objects.filter(code__in=people).values_list("code", "name")),
    )


def trace_of(entrant: Entrant) -> QuerySet[EntrantMerge]:
    """Return the merges that the entrant was part of, the first first."""
    rows = EntrantMerge.objects.filter(Q(kept=entrant) | Q(merged=entrant), is_direct=True)
    return rows.select_related("kept__team", "merged__team", "actor").order_by("merged_at", "pk")


def _events(competition: Competition) -> QuerySet[AuditEvent]:
    rows = AuditEvent.objects.filter(chain__scope=competition.audit_scope)
    return rows.order_by("-number")


def _targets(sort: str, rows: QuerySet[Any]) -> QuerySet[Any]:
    found: QuerySet[Any] = rows.annotate(log_target=Concat(Value(f"{sort}:"), "code"))
    return found.values("log_target")


_NAMES: Final[dict[str, tuple[type[Model], tuple[str, ...], str]]] = {
    "entrant": (Entrant, ("team__name",), "{}"),
    "submission": (Submission, ("number", "system"), "{:04d} {}"),
    "issue": (PackIssue, ("number", "pack__name", "pack__version"), "{}, {} v{}"),
    "pack": (Pack, ("name", "version"), "{} v{}"),
    "window": (DrawWindow, ("version__dataset__title",), "{}"),
    "phase": (Phase, ("track__slug", "slug"), "{}/{}"),
    "team": (Team, ("name",), "{}"),
    "person": (User, ("name",), "{}"),
}
"""How an object is named that a target stands for: its table, the columns, and how they are written."""


def _objects(codes: dict[str, set[str]]) -> Iterator[tuple[str, str]]:
    for sort in codes.keys() & _NAMES.keys():
        model, fields, pattern = _NAMES[sort]
        rows: Any = model._default_manager.filter(code__in=codes[sort])
        for code, *values in rows.values_list("code", *fields):
            yield f"{sort}:{code}", pattern.format(*values)
