"""An export of a chain, verified on its own and held to the chain that this server keeps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from accounts.chain import GENESIS, link_hash
from accounts.models import AuditEvent
from accounts.services.audit import Break, ChainVerdict, Pin

LINK: Final = ("scope", "number", "kind", "actor", "target", "payload", "at", "previous")
LINE_LIMIT: Final = 1_000_000


class NotAnExport(ValueError):
    """A line that is no event of an export; the text says which."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether the chain on this server begins with an export: None where it has no such chain."""

    agrees: bool | None
    later: int


def verify_lines(lines: Iterable[bytes], pin: Pin | None = None) -> ChainVerdict:
    """Recompute the chain of an export as JSON Lines, oldest first, with nothing but its lines.

    The first break is told, or where a pinned head does not fit. Raises NotAnExport.
    """
    scope, count, digest = "", 0, GENESIS
    for place, line in enumerate(lines, start=1):
        link, stored = _read(line, place)
        scope = scope or str(link["scope"])
        reason = _why_not(link, stored, scope, count, digest)
        if reason:
            return ChainVerdict(scope, count, digest, Break(count + 1, reason))
        count, digest = count + 1, stored
        if pin is not None and pin.count == count and pin.hash != digest:
            return ChainVerdict(
                scope, count, digest, Break(count, "its hash is not the pinned one")
            )
    if pin is not None and pin.count > count:
        reason = f"the pin names {pin.count} events; the last ones are missing"
        return ChainVerdict(scope, count, digest, Break(count + 1, reason))
    return ChainVerdict(scope, count, digest, None)


def compared(verdict: ChainVerdict) -> Comparison:
    """Return whether this server's chain of that name has the export's last event at its place."""
    events = AuditEvent.objects.filter(chain__scope=verdict.scope)
    last = events.order_by("-number").first()
    if last is None or not verdict.count:
        return Comparison(None, 0)
    stands = events.filter(number=verdict.count, hash=verdict.head).exists()
    return Comparison(stands, max(0, last.number - verdict.count))


def _read(line: bytes, place: int) -> tuple[Mapping[str, Any], str]:
    try:
        row = json.loads(line[:LINE_LIMIT])
        link = {name: row[name] for name in LINK}
        stored = row["hash"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise NotAnExport(f"line {place} is no event of an export: {error}") from error
    texts = [value for name, value in link.items() if name != "number"]
    if type(link["number"]) is not int or not all(isinstance(t, str) for t in [*texts, stored]):
        raise NotAnExport(f"line {place} is no event of an export: its values are of other types")
    return link, stored


def _why_not(link: Mapping[str, Any], stored: str, scope: str, count: int, previous: str) -> str:
    if link["scope"] != scope:
        return "it belongs to another chain"
    if link["number"] != count + 1:
        return "the event is missing"
    if link["previous"] != previous:
        return "it does not follow the event before it"
    if stored != link_hash(link):
        return "its content does not match its hash"
    return ""
