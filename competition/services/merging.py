"""Team merges: one entrant goes into another for good, with its people and all that it used."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import EntrantState, MemberRole
from competition.models import Entrant, EntrantChange, EntrantMember, EntrantMerge
from competition.services.authority import (
    require_no_interest,
    require_organizer,
    require_reason,
)
from competition.services.errors import MergeRefused

MERGED, TOOK_IN = "merged", "took-in"
"""Fields of history rows: which entrant it went into, which one it took in (their codes)."""


def lock_both(one: Entrant, other: Entrant) -> tuple[Entrant, Entrant]:
    """Return both rows, locked in the order of their keys; the caller has a transaction."""
    rows = Entrant.objects.select_for_update(of=("self",)).select_related("competition", "team")
    found = {row.pk: row for row in rows.filter(pk__in=[one.pk, other.pk]).order_by("pk")}
    return found[one.pk], found[other.pk]


def require_mergeable(kept: Entrant, merged: Entrant) -> None:
    """Raise MergeRefused unless both are different accepted entrants of one competition."""
    if kept.pk == merged.pk or kept.competition_id != merged.competition_id:
        raise MergeRefused(_("Choose two different teams of this competition."))
    for entrant in (kept, merged):
        if entrant.state != EntrantState.ACCEPTED:
            raise MergeRefused(
                _("%(team)s cannot be merged: it is %(state)s.")
                % {"team": entrant.team.name, "state": entrant.get_state_display()},
                state=entrant.state,
            )


def merge(
    *,
    actor: User | None,
    kept: Entrant,
    merged: Entrant,
    reason: str,
    figures: Mapping[str, object],
    now: datetime,
) -> EntrantMerge:
    """Let `merged` go into `kept`: its people become members there, its own line is withdrawn.

    `figures` is the arithmetic that was confirmed; it is kept. Nothing takes a merge back. Refuses
    NotOrganizer, ReasonMissing, MergeRefused, ConflictOfInterest.
    """
    require_organizer(actor, kept.competition)
    text = require_reason(reason)
    with audit.audited():
        into, out = lock_both(kept, merged)
        require_mergeable(into, out)
        people = _move_people(into, out, now)
        if out.charged_at is not None:
            into.charged_at = min(out.charged_at, into.charged_at or out.charged_at)
            into.save(update_fields=["charged_at"])
        _withdraw(actor, into, out, text, now)
        made = EntrantMerge(
            competition=into.competition,
            kept=into,
            merged=out,
            figures=dict(figures),
            reason=text,
            actor=actor,
            merged_at=now,
        )
        _keep(made)
        _tell(made, people)
    return made


def _move_people(into: Entrant, out: Entrant, now: datetime) -> list[User]:
    places = out.members.filter(left_at__isnull=True).select_related("user").order_by("pk")
    people = [place.user for place in places]
    require_no_interest(into, people)
    out.members.filter(left_at__isnull=True).update(left_at=now)
    EntrantMember.objects.bulk_create(
        EntrantMember(
            entrant=into,
            competition=into.competition,
            user=user,
            role=MemberRole.MEMBER,
            joined_at=now,
        )
        for user in people
    )
    return people


def _withdraw(actor: User | None, into: Entrant, out: Entrant, reason: str, now: datetime) -> None:
    given = {"reason": reason, "actor": actor, "at": now}
    EntrantChange.objects.bulk_create(
        [
            EntrantChange(
                entrant=out, field="state", old=out.state, new=EntrantState.WITHDRAWN, **given
            ),
            EntrantChange(entrant=out, field=MERGED, old="", new=into.code, **given),
            EntrantChange(entrant=into, field=TOOK_IN, old="", new=out.code, **given),
        ]
    )
    out.state, out.reason, out.decided_at = EntrantState.WITHDRAWN, reason, now
    out.save(update_fields=["state", "reason", "decided_at"])


def _keep(merge: EntrantMerge) -> None:
    """Write the merge down, and one row for each entrant that the merged one had taken in before."""
    merge.save(force_insert=True)
    earlier = list(EntrantMerge.objects.filter(kept=merge.merged).order_by("pk"))
    EntrantMerge.objects.bulk_create(
        EntrantMerge(
            competition=merge.competition,
            kept=merge.kept,
            merged_id=one.merged_id,
            is_direct=False,
            reason=merge.reason,
            actor=merge.actor,
            merged_at=merge.merged_at,
        )
        for one in earlier
    )


def _tell(merge: EntrantMerge, people: list[User]) -> None:
    payload = {
        "people": sorted(audit.person(user) for user in people),
        "reason": audit.keyed_hash(merge.reason),
    }
    for kind, target, other in (
        ("entrant.merged", merge.merged, {"into": merge.kept.code}),
        ("entrant.took-in", merge.kept, {"merged": merge.merged.code}),
    ):
        audit.record(
            scope=merge.competition.audit_scope,
            kind=kind,
            actor=merge.actor,
            target=f"entrant:{target.code}",
            payload={**payload, **other},
            now=merge.merged_at,
        )
