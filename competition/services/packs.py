"""Packs: made once from a dataset and texts of the organizers, offered, withdrawn."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import IntegrityError
from django.db.models import Max
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import Pool
from competition.models import Competition, DatasetClip, DatasetVersion, Pack, PackFile
from competition.packing import leaks
from competition.packing.manifest import (
    PackedFile,
    PackInvalid,
    canonical,
    checked,
    manifest_bytes,
    sha256,
)
from competition.services import references, vault
from competition.services.authority import require_organizer
from competition.services.errors import PackRefused, WrongState
from competition.services.vault import Area

BATCH = 2000
CLIPS_NAME = "clips.jsonl"
NAME_LIMIT = 64

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Content:
    """What goes into a pack: clips of a version, of some pools or of a list, and texts by their paths."""

    version: DatasetVersion | None = None
    pools: tuple[Pool, ...] = (Pool.OPEN,)
    utt_ids: frozenset[str] | None = None
    texts: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Terms:
    """How copies are given away: after an organizer's approval or at once, and for how many days."""

    approve: bool = True
    valid_days: int = 30
    note: str = ""


def make(
    *,
    actor: User | None,
    competition: Competition,
    name: str,
    content: Content,
    terms: Terms,
    now: datetime,
) -> Pack:
    """Make the next version of a pack; the same content again gives the version that there is.

    Bytes are stored before any row says so. Refuses NotOrganizer, and PackRefused for paths that
    are none, for nothing at all, and for texts or clips that name what is held out. Raises OSError.
    """
    require_organizer(actor, competition)
    _require_name(name)
    clips = _clips(competition, content)
    texts = {**content.texts, **({CLIPS_NAME: _listing(clips)} if clips else {})}
    _refuse_leaks(competition, texts)
    _require_something(content, texts)
    rows = _rows(clips, texts)
    keys = {one.audio.sha256: one.audio.storage_key for one in clips}
    keys |= {sha256(data): vault.store([data], Area.SERVED).key for data in texts.values()}
    with audit.audited():
        Competition.objects.select_for_update().get(pk=competition.pk)
        known = _same(competition, name, rows)
        if known is not None:
            return known
        pack = _new(competition, name, rows)
        pack.made_by, pack.made_at = actor, now
        pack.approve, pack.valid_days, pack.note = terms.approve, terms.valid_days, terms.note
        pack.save()
        _add_files(pack, rows, keys)
        _record(actor, pack, "pack.made", now, sha256=pack.sha256, files=pack.file_count)
    return pack


def offer(*, actor: User | None, pack: Pack, now: datetime) -> Pack:
    """Let entrants ask for copies; again changes nothing. Refuses NotOrganizer, WrongState."""
    require_organizer(actor, pack.competition)
    return _set(actor, pack, "pack.offered", now, offered_at=now)


def withdraw(*, actor: User | None, pack: Pack, now: datetime) -> Pack:
    """Let nobody ask for copies any more; those that were issued stay. Refuses NotOrganizer, WrongState."""
    require_organizer(actor, pack.competition)
    return _set(actor, pack, "pack.withdrawn", now, withdrawn_at=now)


def packed_files(pack: Pack) -> tuple[tuple[PackedFile, ...], dict[str, str]]:
    """Return a pack's files in the order of its zip, and the storage keys by path."""
    rows = pack.files.values_list("path", "size", "sha256", "crc32", "storage_key")
    keys = {}
    files = []
    for path, size, digest, crc32, key in rows:
        files.append(PackedFile(path, size, digest, crc32))
        keys[path] = key
    return checked(files), keys


def manifest_of(pack: Pack) -> bytes:
    """Return the bytes whose SHA-256 is the pack's identity."""
    return manifest_bytes(pack.name, pack.version, packed_files(pack)[0])


def _require_name(name: str) -> None:
    """Raise PackRefused for a name that could not stand in an address or a header."""
    if len(name) > NAME_LIMIT or _NAME.fullmatch(name) is None:
        raise PackRefused(
            _("A pack's name has 1 to 64 characters: a to z, 0 to 9 and hyphens between them."),
            field="name",
        )


def _require_something(content: Content, texts: Mapping[str, bytes]) -> None:
    """Raise PackRefused with the reason when there is no clip and no text to pack."""
    if texts:
        return
    if content.version is None:
        raise PackRefused(_("Nothing to pack: choose a dataset or write a README.txt."))
    if not content.pools:
        raise PackRefused(_("Nothing to pack: no pool is ticked."), field="pools")
    if not content.version.clips.exclude(audio__pool=Pool.HELD_OUT).exists():
        raise PackRefused(
            _("Nothing to pack: every clip of this dataset is held out."), field="version"
        )
    raise PackRefused(_("Nothing to pack: this dataset has no clip in the pools ticked."))


def _clips(competition: Competition, content: Content) -> list[DatasetClip]:
    if content.version is None:
        return []
    rows = content.version.clips.filter(
        version__dataset__competition=competition, audio__pool__in=content.pools
    ).select_related("audio")
    # Not by the database: each has an order of texts of its own, and the list is part of the identity.
    found = sorted(rows, key=lambda clip: clip.utt_id)
    if content.utt_ids is None:
        return found
    chosen = [clip for clip in found if clip.utt_id in content.utt_ids]
    missing = content.utt_ids - {clip.utt_id for clip in chosen}
    if missing:
        raise PackRefused(
            _("%(count)s of the listed clips cannot go into a pack.") % {"count": len(missing)}
        )
    return chosen


def path_of(clip: DatasetClip) -> str:
    """Return where a clip lies in a pack."""
    return f"audio/{clip.language}/{clip.utt_id}.wav"


def _listing(clips: Sequence[DatasetClip]) -> bytes:
    """Return the list of the clips that goes into the pack: no text, no tier."""
    return b"".join(
        canonical({"utt_id": one.utt_id, "language": one.language, "path": path_of(one)})
        for one in clips
    )


def _rows(clips: Sequence[DatasetClip], texts: Mapping[str, bytes]) -> tuple[PackedFile, ...]:
    files = [
        PackedFile(path_of(one), one.audio.size, one.audio.sha256, one.audio.crc32) for one in clips
    ]
    files += [
        PackedFile(path, len(data), sha256(data), zlib.crc32(data)) for path, data in texts.items()
    ]
    try:
        return checked(files)
    except PackInvalid as error:
        raise PackRefused(_("These files are no pack: %(why)s.") % {"why": error}) from error


def _refuse_leaks(competition: Competition, texts: Mapping[str, bytes]) -> None:
    secrets = held_out_secrets(competition)
    for path, data in sorted(texts.items()):
        for sort in leaks.named_in(data, secrets):
            what = _("an id") if sort == "id" else _("a text")
            raise PackRefused(
                _("%(path)s names %(what)s of a clip that is held out.")
                % {"path": path, "what": what},
                path=path,
            )


def held_out_secrets(competition: Competition) -> leaks.Secrets:
    """Return the ids and texts of the competition's held-out clips. Raises OSError."""
    held = DatasetClip.objects.filter(
        version__dataset__competition=competition, audio__pool=Pool.HELD_OUT
    )
    ids = set(held.values_list("utt_id", flat=True))
    versions = DatasetVersion.objects.filter(clips__in=held).exclude(texts_key="").distinct()
    texts = [
        row["text"]
        for version in versions
        for row in map(json.loads, _texts_of(version).splitlines())
        if row["utt_id"] in ids
    ]
    return leaks.Secrets.of(ids, texts)


def _texts_of(version: DatasetVersion) -> bytes:
    return references.read_key(version.texts_key, version.texts_sha256)


def _same(competition: Competition, name: str, rows: Sequence[PackedFile]) -> Pack | None:
    """Return the latest version when it holds the same files."""
    latest = competition.packs.filter(name=name).order_by("-version").first()
    if latest is None:
        return None
    wanted = hashlib.sha256(manifest_bytes(name, latest.version, rows)).hexdigest()
    return latest if latest.sha256 == wanted else None


def _new(competition: Competition, name: str, rows: Sequence[PackedFile]) -> Pack:
    top = competition.packs.filter(name=name).aggregate(top=Max("version"))["top"] or 0
    return Pack(
        competition=competition,
        name=name,
        version=top + 1,
        sha256=sha256(manifest_bytes(name, top + 1, rows)),
        file_count=len(rows),
        content_size=sum(one.size for one in rows),
    )


def _add_files(pack: Pack, rows: Sequence[PackedFile], keys: Mapping[str, str]) -> None:
    try:
        PackFile.objects.bulk_create(
            (
                PackFile(
                    pack=pack,
                    path=one.path,
                    size=one.size,
                    sha256=one.sha256,
                    crc32=one.crc32,
                    storage_key=keys[one.sha256],
                )
                for one in rows
            ),
            batch_size=BATCH,
        )
    except IntegrityError as error:
        raise PackRefused(_("A clip of this pack is held out.")) from error


def _set(actor: User | None, pack: Pack, kind: str, now: datetime, **moment: datetime) -> Pack:
    (name,) = moment
    with audit.audited():
        locked = Pack.objects.select_for_update().get(pk=pack.pk)
        if getattr(locked, name) is not None:
            return locked
        if name == "offered_at" and locked.withdrawn_at is not None:
            raise WrongState(_("A pack that was withdrawn is not offered again."))
        if name == "withdrawn_at" and locked.offered_at is None:
            raise WrongState(_("This pack is not on offer."))
        setattr(locked, name, now)
        locked.save(update_fields=[name])
        _record(actor, locked, kind, now)
    return locked


def _record(actor: User | None, pack: Pack, kind: str, now: datetime, **payload: object) -> None:
    audit.record(
        scope=pack.competition.audit_scope,
        kind=kind,
        actor=actor,
        target=f"pack:{pack.code}",
        payload={"name": pack.name, "version": pack.version, **payload},
        now=now,
    )
