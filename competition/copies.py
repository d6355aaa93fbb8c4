"""A person's packs: what is on offer to them, and what they were given. Read by pages and API alike."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from accounts.models import User
from competition.enums import IssueState
from competition.models import Competition, Pack, PackIssue
from competition.packing.layout import Layout
from competition.packing.manifest import manifest_bytes
from competition.services import issues, packs


@dataclass(frozen=True, slots=True)
class Offer:
    """A pack, the person's latest copy of it, and whether that may be downloaded now."""

    pack: Pack
    issue: PackIssue | None
    is_live: bool
    is_over: bool

    @property
    def may_ask(self) -> bool:
        """Whether another copy can be asked for."""
        waits = self.issue is not None and self.issue.state == IssueState.REQUESTED
        return self.pack.withdrawn_at is None and not self.is_live and not waits


def offers_of(user: User, competition: Competition, now: datetime) -> list[Offer]:
    """Return the packs that the person may ask for or has a copy of, in the order of their names."""
    own = {
        issue.pack_id: issue
        for issue in PackIssue.objects.filter(person=user, competition=competition)
        .select_related("pack", "zip", "competition", "entrant__team", "acceptance__terms")
        .order_by("number")
    }
    visible = Pack.objects.visible_to(user).filter(
        competition=competition, offered_at__isnull=False
    )
    rows = {pack.pk: pack for pack in visible if pack.withdrawn_at is None or pack.pk in own}
    rows |= {issue.pack_id: issue.pack for issue in own.values()}
    ordered = sorted(rows.values(), key=lambda pack: (pack.name, -pack.version))
    return [_offer(pack, own.get(pack.pk), now) for pack in ordered]


def file_name(issue: PackIssue) -> str:
    """Return the name of a copy's zip: slugs and numbers alone, so that nothing in it ends a header."""
    return f"{issue.pack.name}-v{issue.pack.version}-issue{issue.number}.zip"


def zip_size(issue: PackIssue) -> int:
    """Return how many bytes the zip of a copy that was issued has."""
    files, _keys = packs.packed_files(issue.pack)
    manifest = manifest_bytes(issue.pack.name, issue.pack.version, files)
    return Layout(manifest, files, bytes(issue.note)).size


def _offer(pack: Pack, issue: PackIssue | None, now: datetime) -> Offer:
    is_live = issue is not None and issues.is_live(issue, now)
    over = {IssueState.ACTIVE, IssueState.EXPIRED}
    is_over = issue is not None and issue.state in over and not is_live
    return Offer(pack, issue, is_live, is_over)
