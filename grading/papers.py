"""What selected systems have filed for verification, as it stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grading.enums import FilingKind, FilingVerdict
from grading.models import Filing, FilingCheck, FinalSystem

MISSING, FILED = "missing", "filed"


@dataclass(frozen=True, slots=True)
class Item:
    """One kind of paper of a system: the newest filing, and the newest word on it."""

    kind: FilingKind
    filing: Filing | None
    check: FilingCheck | None

    @property
    def state(self) -> str:
        """`missing`, `filed` (nobody has looked yet), `accepted` or `returned`."""
        if self.filing is None:
            return MISSING
        return FILED if self.check is None else str(self.check.verdict)

    @property
    def is_accepted(self) -> bool:
        """True when an organizer has accepted the newest filing."""
        return self.state == FilingVerdict.ACCEPTED


def items_of(systems: Iterable[FinalSystem]) -> dict[int, list[Item]]:
    """Return each system's papers in the order of the kinds, by the system's key."""
    keys = [system.pk for system in systems]
    rows = Filing.objects.filter(system__in=keys).select_related("filed_by")
    newest = {
        (row.system_id, row.kind): row
        for row in rows.prefetch_related("checks__checked_by").order_by("number")
    }
    return {
        key: [_item(FilingKind(kind), newest.get((key, kind))) for kind in FilingKind.values]
        for key in keys
    }


def _item(kind: FilingKind, filing: Filing | None) -> Item:
    found = None if filing is None else next(iter(filing.checks.all()), None)
    return Item(kind, filing, found)
