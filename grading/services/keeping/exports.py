"""Everything of one competition in one archive, so that its organizers never depend on the server.

People go along as pseudonyms; passwords, tokens, addresses and private keys never do. The hidden
references are inside: the archive is for organizers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import ForeignKey

from accounts.chain import instant
from accounts.models import AuditChain, AuditEvent, User
from accounts.services import audit
from competition.models import Competition, ReferenceVersion, Track
from grading import receipts
from grading.models import PhaseRecipe, Recipe
from grading.services import receipt_keys
from grading.services.keeping import boards, databases, files, rows
from grading.services.keeping.archives import Writer, writing
from grading.services.keeping.parts import PARTS, PEOPLE, PERSON_COLUMNS, Part
from grading.services.keeping.snapshots import snapshot
from grading.storage import BytesMissing

FORMAT = "plaudit-competition/1"
FILES, HIDDEN, ROWS = "files/", "hidden/", "rows/"
STORED = frozenset(
    {
        "grading.submission",
        "grading.waveform",
        "grading.stimulus",
        "grading.filing",
        "grading.verificationrun",
    }
)
"""Tables whose rows name bytes in storage."""
KEYS, CHAIN, EVENTS = "keys/public.json", "log/chain.json", "log/events.jsonl"

HIDDEN_COLUMNS = {
    "competition.referenceversion": "storage_key",
    "competition.datasetversion": "texts_key",
    "competition.audio": "storage_key",
    "competition.packfile": "storage_key",
    "grading.heldoutset": "storage_key",
}
"""Where a row names a hidden file."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export holds; `missing` names the keys of files that the storage has lost."""

    rows: int
    files: int
    size: int
    missing: tuple[str, ...]


@dataclass(slots=True)
class _Seen:
    """What the rows that went by name: people by key, files by storage key."""

    rows: int = 0
    people: set[int] = field(default_factory=set)
    uploads: dict[str, None] = field(default_factory=dict)
    hidden: dict[str, None] = field(default_factory=dict)


def export(*, competition: Competition, path: Path, now: datetime) -> Exported:
    """Write a competition to `path`, as it is at one moment. Raises ArchiveExists, OSError."""
    seen = _Seen()
    with writing(path, kind=FORMAT) as writer:
        with snapshot():
            for part in PARTS:
                _add_rows(writer, part, competition, seen)
            _add_people(writer, seen)
            _add_log(writer, competition)
            writer.head = _head(competition, now)
        missing = [*_add_uploads(writer, seen.uploads), *_add_hidden(writer, seen.hidden)]
        writer.head["missing"] = missing
        document = receipts.keys_document(settings.SITE_URL, receipt_keys.known())
        writer.add(KEYS, [json.dumps(document, indent=1).encode("ascii")])
    stored = len(seen.uploads) + len(seen.hidden) - len(missing)
    exported = Exported(seen.rows, stored, path.stat().st_size, tuple(missing))
    audit.record(
        scope=competition.audit_scope,
        kind="competition.exported",
        actor=None,
        target=f"competition:{competition.code}",
        payload={"rows": exported.rows, "files": exported.files},
        now=now,
    )
    return exported


def _head(competition: Competition, now: datetime) -> Json:
    count, digest = audit.head(competition.audit_scope)
    return {
        "made_at": instant(now),
        "site": settings.SITE_URL,
        "competition": competition.code,
        "slug": competition.slug,
        "migrations": databases.version(),
        "log": {"scope": competition.audit_scope, "count": count, "head": digest},
        "boards": boards.digests(competition),
    }


def _add_rows(writer: Writer, part: Part, competition: Competition, seen: _Seen) -> None:
    found = rows.records(part.rows(competition))
    if part.model is Recipe:
        found = (_own(record, competition) for record in found)
    found = _watched(part, found, seen)
    writer.add(f"{ROWS}{part.label}.jsonl", rows.lines(found))


def _own(record: Json, competition: Competition) -> Json:
    """Return a recipe's record with a track and references of the competition that uses it.

    Equal parameters and references make one recipe, which names those that were first.
    """
    if Track.objects.filter(pk=record["track_id"], competition=competition).exists():
        return record
    bound = PhaseRecipe.objects.select_related("phase", "recipe__references")
    used = bound.filter(recipe=record["id"], phase__track__competition=competition)[0]
    alike = ReferenceVersion.objects.filter(
        track=used.phase.track_id, sha256=used.recipe.references.sha256
    ).first()
    references = alike.pk if alike else used.phase.references_id
    return {**record, "track_id": used.phase.track_id, "references_id": references}


def _watched(part: Part, found: Iterable[Json], seen: _Seen) -> Iterator[Json]:
    """Yield a table's records without what stays behind, noting what they name."""
    to_people = [
        str(column.attname)
        for column in rows.columns(part.model)
        if isinstance(column, ForeignKey) and column.related_model is User
    ]
    behind = dict.fromkeys(part.blank, "") | dict.fromkeys(part.emptied)
    for whole in found:
        record = {**whole, **behind}
        seen.rows += 1
        seen.people.update(record[name] for name in to_people if record[name] is not None)
        if part.label in STORED and record["storage_key"]:
            seen.uploads[record["storage_key"]] = None
        hidden = record[HIDDEN_COLUMNS[part.label]] if part.label in HIDDEN_COLUMNS else ""
        if hidden:
            seen.hidden[hidden] = None
        yield record


def _add_people(writer: Writer, seen: _Seen) -> None:
    people = sorted(seen.people)
    batches = (people[start : start + rows.BATCH] for start in range(0, len(people), rows.BATCH))
    found = (
        person
        for batch in batches
        for person in User.objects.filter(pk__in=batch).order_by("pk").values(*PERSON_COLUMNS)
    )
    writer.add(f"{ROWS}{PEOPLE}.jsonl", rows.lines(dict(person) for person in found))


def _add_log(writer: Writer, competition: Competition) -> None:
    chain = AuditChain.objects.filter(scope=competition.audit_scope)
    events = AuditEvent.objects.filter(chain__scope=competition.audit_scope)
    writer.add(CHAIN, rows.lines(rows.records(chain)))
    writer.add(EVENTS, rows.lines(rows.records(events)))


def _add_uploads(writer: Writer, keys: Iterable[str]) -> Iterator[str]:
    """Add the bytes of submissions; yield the keys of those that are gone."""
    for key in keys:
        try:
            _add_file(writer, FILES + key, files.upload_chunks(key))
        except (BytesMissing, FileNotFoundError):
            yield key


def _add_hidden(writer: Writer, keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        try:
            _add_file(writer, HIDDEN + key, files.hidden_chunks(key))
        except FileNotFoundError:
            yield key


def _add_file(writer: Writer, name: str, chunks: Iterator[bytes]) -> None:
    first = next(chunks, b"")  # before the member is begun: what is missing must not be in the list
    writer.add(name, files.joined(first, chunks))
