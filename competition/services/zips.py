"""The SHA-256 of each person's whole zip: what a file that turns up somewhere is looked up by.

All bytes before ISSUE.json are the same in every copy of a pack, so one reading of the pack gives the
hashes of all its copies: the state of the hash is kept there and gone on with for each of them.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from datetime import datetime
from typing import Any, Final

from django.db.models import QuerySet

from accounts.services import audit
from competition.models import CopyHash, Pack, PackIssue
from competition.packing.layout import Layout
from competition.packing.manifest import manifest_bytes, sha256
from competition.services import downloads, packs

PREFIXES_KEPT: Final = 8
"""So many states of a hash are remembered by a process: the next copy of the pack costs no reading."""

_prefixes: OrderedDict[str, Any] = OrderedDict()


def unhashed() -> QuerySet[PackIssue]:
    """Return the copies that were issued, revoked ones too, whose zip has no hash yet."""
    return PackIssue.objects.filter(zip__isnull=True).exclude(note=b"")


def hash_due(*, now: datetime) -> int:
    """Write down the hash of every copy that has none; return how many. Raises OSError."""
    waiting = unhashed().order_by("pack_id").values_list("pack_id", flat=True).distinct()
    return sum(
        hash_copies(pack=pack, now=now) for pack in Pack.objects.filter(pk__in=list(waiting))
    )


def hash_copies(*, pack: Pack, now: datetime) -> int:
    """Write down the hashes of a pack's copies that have none, reading its files once; return how many.

    Memory does not grow with the pack. Raises OSError.
    """
    files, keys = packs.packed_files(pack)
    manifest = manifest_bytes(pack.name, pack.version, files)
    rows = list(unhashed().filter(pack=pack).select_related("competition").order_by("number"))
    made = []
    for issue in rows:
        layout = Layout(manifest, files, bytes(issue.note))
        digest = _prefix(pack.sha256, layout, keys).copy()
        for piece in downloads.pieces(layout, keys, layout.common_size, layout.size):
            digest.update(piece)
        made.append(
            CopyHash(
                issue=issue,
                sha256=digest.hexdigest(),
                note_sha256=sha256(bytes(issue.note)),
                size=layout.size,
                hashed_at=now,
            )
        )
    return sum(_keep(one, now) for one in made)


def _prefix(name: str, layout: Layout, keys: dict[str, str]) -> Any:
    """Return the state of the hash after all bytes that the copies of a pack share."""
    if name not in _prefixes:
        digest = hashlib.sha256()
        for piece in downloads.pieces(layout, keys, 0, layout.common_size):
            digest.update(piece)
        _prefixes[name] = digest
        while len(_prefixes) > PREFIXES_KEPT:
            _prefixes.popitem(last=False)
    _prefixes.move_to_end(name)
    return _prefixes[name]


def _keep(found: CopyHash, now: datetime) -> bool:
    """Keep a hash unless somebody else did meanwhile; return whether it is new."""
    with audit.audited():
        PackIssue.objects.select_for_update().get(pk=found.issue_id)
        if CopyHash.objects.filter(issue=found.issue_id).exists():
            return False
        found.save(force_insert=True)
        audit.record(
            scope=found.issue.competition.audit_scope,
            kind="issue.hashed",
            actor=None,
            target=f"issue:{found.issue.code}",
            payload={"sha256": found.sha256, "size": found.size},
            now=now,
        )
    return True
