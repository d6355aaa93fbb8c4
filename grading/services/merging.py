"""Team merges with the arithmetic of quotas: shown first, confirmed as it was seen, then done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.models import Entrant, EntrantMember, EntrantMerge, Phase
from competition.queries import members_of
from competition.services import merging
from competition.timeline import aoe_day
from grading.services import boards, news, notices, quota
from grading.services.errors import FiguresChanged
from grading.services.quota import Used


@dataclass(frozen=True, slots=True)
class Line:
    """One phase: what each has used, their sum, the most that one person brings along, and what is left.

    `used` is the larger of sum and `member`; limits and what is left are None where there is no limit.
    """

    phase: Phase
    kept: Used
    merged: Used
    total: Used
    member: Used
    used: Used
    left_today: int | None
    left_total: int | None


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """What a merge would do: a line for each phase, and the people who move."""

    kept: Entrant
    merged: Entrant
    lines: list[Line]
    moving: list[EntrantMember]
    uploads: int

    @property
    def figures(self) -> dict[str, Any]:
        """What is confirmed and kept: the counts of each phase, and who moves, by code."""
        return {
            "phases": {
                line.phase.code: {
                    name: asdict(getattr(line, name))
                    for name in ("kept", "merged", "total", "member", "used")
                }
                for line in self.lines
            },
            "people": sorted(place.user.code for place in self.moving),
        }

    @property
    def digest(self) -> str:
        """Return the SHA-256 of what is confirmed."""
        return audit.digest({**self.figures, "kept": self.kept.code, "merged": self.merged.code})


def arithmetic(*, kept: Entrant, merged: Entrant, now: datetime) -> Arithmetic:
    """Return what merging would come to as of `now`. Refuses MergeRefused."""
    merging.require_mergeable(kept, merged)
    phases = Phase.objects.filter(track__competition=kept.competition_id).select_related(
        "track__competition"
    )
    ordered = phases.order_by("track__position", "track__slug", "position", "slug")
    uploads = sum(
        quota.open_uploads(merged, phase).count() + quota.open_sets(merged, phase).count()
        for phase in ordered
    )
    return Arithmetic(
        kept=kept,
        merged=merged,
        lines=[_line(kept, merged, phase, now) for phase in ordered],
        moving=list(members_of(merged)),
        uploads=uploads,
    )


def merge(
    *,
    actor: User,
    kept: Entrant,
    merged: Entrant,
    reason: str,
    digest: str,
    now: datetime,
) -> EntrantMerge:
    """Merge as it was confirmed: boards follow, and the people of both are told.

    `digest` is that of the arithmetic that was seen. Refuses FiguresChanged when it has changed since,
    and what competition.services.merging.merge does; then nothing has changed.
    """
    with audit.audited():
        into, out = merging.lock_both(kept, merged)
        seen = arithmetic(kept=into, merged=out, now=now)
        if seen.digest != digest:
            raise FiguresChanged(
                _("The figures have changed since you saw them. Look at them again.")
            )
        people = list((notices.members(into) | notices.members(out)).distinct())
        made = merging.merge(
            actor=actor, kept=into, merged=out, reason=reason, figures=seen.figures, now=now
        )
        news.entrants_merged(merge=made, people=people, now=now)
        boards.want_rebuild_of_competition(competition_id=into.competition_id, now=now)
    return made


def _line(kept: Entrant, merged: Entrant, phase: Phase, now: datetime) -> Line:
    day = aoe_day(now)
    first = quota.own_use(entrant=kept, phase=phase, day=day)
    second = quota.own_use(entrant=merged, phase=phase, day=day, uploads=False)
    total = Used(today=first.today + second.today, total=first.total + second.total)
    member = _most(
        quota.use_of_member(user_id=user, phase=phase, day=day)
        for user in quota.came_from_elsewhere(kept) + quota.came_from_elsewhere(merged)
    )
    used = _most([total, member])
    return Line(
        phase=phase,
        kept=first,
        merged=second,
        total=total,
        member=member,
        used=used,
        left_today=quota.left_of(phase.quota_per_day, used.today),
        left_total=quota.left_of(phase.quota_total, used.total),
    )


def _most(uses: Iterable[Used]) -> Used:
    listed = list(uses)
    return Used(
        today=max((use.today for use in listed), default=0),
        total=max((use.total for use in listed), default=0),
    )
