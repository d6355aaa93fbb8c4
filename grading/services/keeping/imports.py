"""A competition out of an archive into an installation that does not have it, verified as a whole.

Keys of rows are given anew; codes, numbers, moments and hashes stay. People come as pseudonyms that
cannot log in until an administrator gives them an address.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import IntegrityError
from django.db.models import ForeignKey, Model
from django.utils.translation import gettext as _

from accounts.models import AuditChain, AuditEvent, User
from accounts.services import audit
from competition.models import Competition
from grading import receipts
from grading.identity import Digests
from grading.models import ReceiptKey
from grading.services.keeping import boards, databases, files, rows
from grading.services.keeping.archives import Reader, reading
from grading.services.keeping.errors import ArchiveBroken, ArchiveUnsuited, EvidenceBroken, NotEmpty
from grading.services.keeping.exports import CHAIN, EVENTS, FILES, FORMAT, HIDDEN, KEYS, ROWS
from grading.services.keeping.parts import PARTS, PEOPLE, Part

Json = dict[str, Any]
Ids = dict[int, int]

HASHED = {
    "competition.referenceversion": HIDDEN,
    "grading.waveform": FILES,
    "grading.filing": FILES,
    "grading.stimulus": FILES,
    "grading.heldoutset": HIDDEN,
}
"""Tables whose rows hold the SHA-256 of their file, and where the archive has it."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import brought."""

    competition: Competition
    rows: int
    files: int


@dataclass(slots=True)
class _Keys:
    """The new key of each row by table and old key, and how many rows there are."""

    of: dict[type[Model], Ids] = field(default_factory=dict)
    rows: int = 0


def bring_in(*, path: Path, now: datetime) -> Imported:
    """Read a competition's archive into this installation; all of it or nothing of its rows.

    Raises ArchiveBroken, ArchiveUnsuited, NotEmpty (its code or slug is here), EvidenceBroken.
    """
    with reading(path, kind=FORMAT) as reader:
        _check_fits(reader)
        reader.verify()
        _check_files(reader)
        placed = _place_files(reader)
        try:
            with audit.audited():
                keys = _load(reader)
                competition = Competition.objects.get(code=reader.head["competition"])
                _check_evidence(reader, competition)
                audit.record(
                    kind="competition.imported",
                    actor=None,
                    target=f"competition:{competition.code}",
                    payload={"site": reader.head["site"], "made_at": reader.head["made_at"]},
                    now=now,
                )
        except IntegrityError as error:
            raise NotEmpty(_("Some of this competition is here already.")) from error
    databases.gather_statistics()
    return Imported(competition, keys.rows, placed)


def _check_fits(reader: Reader) -> None:
    if reader.head["migrations"] != databases.version():
        raise ArchiveUnsuited(
            _("The archive was made by another version of Plaudit. Import it with that one.")
        )
    here = Competition.objects.filter(code=reader.head["competition"])
    if here.exists() or Competition.objects.filter(slug=reader.head["slug"]).exists():
        raise NotEmpty(_("Some of this competition is here already."))


def _check_files(reader: Reader) -> None:
    """Compare the bytes with what their rows say of them. Raises ArchiveBroken."""
    for row in _unique(reader, "grading.submission"):
        digests = Digests()
        for chunk in reader.chunks(FILES + row["storage_key"]):
            digests.update(chunk)
        if (digests.content_id, digests.size) != (row["content_id"], row["size"]):
            raise _wrong(row["storage_key"])
    files.check_hidden(reader, HIDDEN)
    for label, folder in HASHED.items():
        for row in _unique(reader, label):
            member = reader.members.get(folder + row["storage_key"])
            if member is None or member.sha256 != row["sha256"]:
                raise _wrong(row["storage_key"])


def _unique(reader: Reader, label: str) -> Iterator[Json]:
    """Yield one row for each stored file that a table names and the archive has not named missing."""
    seen = set(reader.head["missing"])
    for row in rows.read(reader, f"{ROWS}{label}.jsonl"):
        key = row["storage_key"]
        if key and key not in seen:
            seen.add(key)
            yield row


def _wrong(key: str) -> ArchiveBroken:
    return ArchiveBroken(_("%(name)s is not what its row says.") % {"name": key}, member=key)


def _place_files(reader: Reader) -> int:
    uploads, hidden = reader.names(FILES), reader.names(HIDDEN)
    for name in uploads:
        files.place_upload(reader, name, name.removeprefix(FILES))
    for name in hidden:
        files.place_hidden(reader, name, name.removeprefix(HIDDEN))
    return len(uploads) + len(hidden)


def _load(reader: Reader) -> _Keys:
    keys = _Keys()
    keys.of[User] = _load_people(reader)
    for part in PARTS:
        _load_part(reader, part, keys)
    _load_log(reader)
    _load_public_keys(reader)
    return keys


def _load_people(reader: Reader) -> Ids:
    """Return the key here of each person; one who came with another competition is the same."""
    found: Ids = {}
    for row in rows.read(reader, f"{ROWS}{PEOPLE}.jsonl"):
        person = User.objects.filter(code=row["code"]).first()
        if person is None:
            person = User.objects.create_user(
                f"{row['code']}@imported.invalid",
                None,
                name=f"Person {row['code']}",
                code=row["code"],
                is_active=False,
            )
        found[row["id"]] = person.pk
    return found


def _load_part(reader: Reader, part: Part, keys: _Keys) -> None:
    """Store a table's rows; one that names an earlier one of the same table comes after it."""
    found = keys.of[part.model] = {}
    batch: dict[int, Model] = {}
    names_own = _columns_to(part.model, part.model)
    for record in rows.read(reader, f"{ROWS}{part.label}.jsonl"):
        keys.rows += 1
        if any(record[name] in batch for name in names_own):
            found |= _stored(part.model, batch)
            batch = {}
        given = _given(part.model, record, keys)
        known = _known(part, given)
        if known is not None:
            found[record["id"]] = known
            continue
        batch[record["id"]] = part.model(**given)
        if len(batch) == rows.BATCH:
            found |= _stored(part.model, batch)
            batch = {}
    found |= _stored(part.model, batch)


def _columns_to(model: type[Model], named: type[Model]) -> list[str]:
    """Return the columns of a model that name rows of another, or of itself."""
    return [
        str(column.attname)
        for column in rows.columns(model)
        if isinstance(column, ForeignKey) and column.related_model is named
    ]


def _known(part: Part, given: Json) -> int | None:
    """Return the key of a row that came with another competition: it is the same."""
    if not part.shared:
        return None
    same = {name: given[name] for name in part.shared}
    return part.model._default_manager.filter(**same).values_list("pk", flat=True).first()


def _given(model: type[Model], record: Json, keys: _Keys) -> Json:
    given = rows.values(model, record)
    del given["id"]
    for column in rows.columns(model):
        if isinstance(column, ForeignKey) and given[column.attname] is not None:
            given[column.attname] = _key(model, column, given[column.attname], keys)
    _check_hash(model, given)
    return given


def _key(model: type[Model], column: ForeignKey[Any, Any], old: int, keys: _Keys) -> int:
    try:
        return keys.of[column.related_model][old]
    except KeyError as error:
        raise ArchiveBroken(
            _("A row of %(name)s names one that is missing.") % {"name": model._meta.label}
        ) from error


def _check_hash(model: type[Model], given: Json) -> None:
    if model._meta.label_lower != "grading.evaluationtallies":
        return
    if hashlib.sha256(given["data"]).hexdigest() != given["sha256"]:
        raise ArchiveBroken(_("The tallies of a score are not what their hash says."))


def _stored(model: type[Model], batch: dict[int, Model]) -> Ids:
    made = model._default_manager.bulk_create(list(batch.values()))
    return {old: new.pk for old, new in zip(batch, made, strict=True)}


def _load_log(reader: Reader) -> None:
    for record in rows.read(reader, CHAIN):
        given = rows.values(AuditChain, record)
        del given["id"]
        chain = AuditChain.objects.create(**given)
        batch: list[AuditEvent] = []
        for event in rows.read(reader, EVENTS):
            named = rows.values(AuditEvent, event)
            del named["id"]
            batch.append(AuditEvent(**{**named, "chain_id": chain.pk}))
            if len(batch) == rows.BATCH:
                AuditEvent.objects.bulk_create(batch)
                batch = []
        AuditEvent.objects.bulk_create(batch)


def _load_public_keys(reader: Reader) -> None:
    """Keep the other site's public keys; one in use there ends, for us, when the archive was made."""
    made_at = rows.moment(reader.head["made_at"])
    for key in _public_keys(reader):
        until = key.valid_until or max(made_at, key.valid_from)
        ReceiptKey.objects.get_or_create(
            public_key=key.public_key,
            defaults={
                "key_id": key.key_id,
                "server": key.server,
                "valid_from": key.valid_from,
                "valid_until": until,
            },
        )


def _public_keys(reader: Reader) -> list[receipts.PublicKey]:
    try:
        return receipts.parse_keys(b"".join(reader.chunks(KEYS)))
    except receipts.ReceiptFault as fault:
        raise ArchiveBroken(_("The archive's public keys cannot be read.")) from fault


def _check_evidence(reader: Reader, competition: Competition) -> None:
    """Compare log and boards with what the archive says of them. Raises EvidenceBroken."""
    wanted = reader.head["log"]
    (chain,) = audit.verify(competition.audit_scope).chains
    if chain.broken or (chain.count, chain.head) != (wanted["count"], wanted["head"]):
        raise EvidenceBroken(_("The log of the competition does not hold."))
    if boards.digests(competition) != reader.head["boards"]:
        raise EvidenceBroken(_("A board is not what it was."))
