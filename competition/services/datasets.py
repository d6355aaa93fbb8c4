"""Datasets: a frozen list of clips, loaded from rows and a folder; and the pools of their audio."""

from __future__ import annotations

import hashlib
import wave
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import Pool
from competition.models import Audio, Competition, Dataset, DatasetClip, DatasetVersion
from competition.packing.listing import ListedClip, ListingFault, dataset_manifest, read_listing
from competition.packing.manifest import canonical
from competition.services import references, vault
from competition.services.authority import require_organizer
from competition.services.errors import DatasetInvalid
from competition.services.pools import area_of

BATCH = 2000


@dataclass(frozen=True, slots=True)
class _Found:
    """A listed clip whose audio was looked at."""

    clip: ListedClip
    path: Path
    sha256: str
    crc32: int
    size: int
    milliseconds: int


@dataclass(frozen=True, slots=True)
class Loading:
    """What is to be loaded: names, the rows, the folder of the audio, and the pool it goes into."""

    slug: str
    title: str
    rows: bytes
    folder: Path
    pool: Pool


def load(
    *, actor: User | None, competition: Competition, loading: Loading, now: datetime
) -> DatasetVersion:
    """Load a version of a dataset; the same rows and audio again give the version that there is.

    Bytes are stored before any row says so. Refuses NotOrganizer, and DatasetInvalid with every
    fault and its line: rows, audio that cannot be read, audio that is in another pool already.
    Raises OSError where disk or bucket refuse.
    """
    require_organizer(actor, competition)
    found = _look(loading)
    area = area_of(loading.pool)
    keys = {one.sha256: vault.store_file(one.path, area).key for one in found}
    rows = [_row(one) for one in found]
    sha256 = dataset_manifest(loading.slug, rows)[1]
    texts = b"".join(
        canonical({"utt_id": one.clip.utt_id, "text": one.clip.text})
        for one in found
        if one.clip.text
    )
    stored = references.store_bytes(texts) if texts else ("", "")
    with audit.audited():
        Competition.objects.select_for_update().get(pk=competition.pk)
        dataset = _dataset(competition, loading, now)
        known = dataset.versions.filter(sha256=sha256).first()
        if known is not None:
            return known
        version = _version(actor, dataset, sha256, len(found), now)
        version.texts_key, version.texts_sha256 = stored
        version.save()
        _add_clips(version, found, keys, loading.pool, now)
        _record(actor, version, loading.pool, now)
    return version


def _look(loading: Loading) -> list[_Found]:
    listing = read_listing(loading.rows)
    faults = list(listing.faults)
    found: list[_Found] = []
    by_hash: dict[str, str] = {}
    for clip in listing.clips if not faults else ():
        try:
            one = _look_at(clip, loading.folder)
        except (OSError, EOFError, wave.Error) as error:
            why = f"{clip.utt_id}: {clip.audio} cannot be read as WAV: {_why(error)}"
            faults.append(ListingFault(0, why))
            continue
        if one.sha256 in by_hash:
            twin = by_hash[one.sha256]
            faults.append(ListingFault(0, f"{clip.utt_id} has the same audio as {twin}"))
        by_hash.setdefault(one.sha256, clip.utt_id)
        found.append(one)
    faults += _other_pools(by_hash, loading.pool)
    if faults:
        raise DatasetInvalid(_("The dataset cannot be loaded."), faults=tuple(faults))
    return found


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or "it ends early"


def _look_at(clip: ListedClip, folder: Path) -> _Found:
    path = folder / clip.audio
    if not path.resolve().is_relative_to(folder.resolve()):
        raise OSError("it lies outside the folder")
    with path.open("rb") as file, wave.open(file) as sound:
        milliseconds = round(1000 * sound.getnframes() / sound.getframerate())
    digest, crc32, size = hashlib.sha256(), 0, 0
    with path.open("rb") as file:
        while chunk := file.read(vault.CHUNK):
            digest.update(chunk)
            crc32, size = zlib.crc32(chunk, crc32), size + len(chunk)
    return _Found(clip, path, digest.hexdigest(), crc32, size, milliseconds)


def _other_pools(by_hash: Mapping[str, str], pool: Pool) -> list[ListingFault]:
    hashes = sorted(by_hash)
    faults = []
    for start in range(0, len(hashes), BATCH):
        known = Audio.objects.filter(sha256__in=hashes[start : start + BATCH]).exclude(pool=pool)
        faults += [
            ListingFault(0, f"the audio of {by_hash[one.sha256]} is in the pool {one.pool}")
            for one in known
        ]
    return faults


def _row(one: _Found) -> dict[str, Any]:
    text = one.clip.text
    return {
        "utt_id": one.clip.utt_id,
        "language": one.clip.language,
        "tier": one.clip.tier,
        "audio": one.sha256,
        "milliseconds": one.milliseconds,
        "text": hashlib.sha256(text.encode()).hexdigest() if text else None,
    }


def _dataset(competition: Competition, loading: Loading, now: datetime) -> Dataset:
    dataset, _is_new = Dataset.objects.get_or_create(
        competition=competition,
        slug=loading.slug,
        defaults={"title": loading.title, "created_at": now},
    )
    return dataset


def _version(
    actor: User | None,
    dataset: Dataset,
    sha256: str,
    count: int,
    now: datetime,
) -> DatasetVersion:
    top = dataset.versions.aggregate(top=Max("number"))["top"] or 0
    return DatasetVersion(
        dataset=dataset,
        number=top + 1,
        sha256=sha256,
        clip_count=count,
        loaded_by=actor,
        loaded_at=now,
    )


def _add_clips(
    version: DatasetVersion,
    found: Sequence[_Found],
    keys: Mapping[str, str],
    pool: Pool,
    now: datetime,
) -> None:
    known = _keys_of(list(keys))
    fresh = (
        Audio(
            sha256=one.sha256,
            crc32=one.crc32,
            size=one.size,
            storage_key=keys[one.sha256],
            pool=pool,
            stored_at=now,
        )
        for one in found
        if one.sha256 not in known
    )
    with _kept_apart():
        Audio.objects.bulk_create(fresh, batch_size=BATCH)
    # Once more under the lock: another load may have put the same audio elsewhere in this moment.
    if faults := _other_pools({one.sha256: one.clip.utt_id for one in found}, pool):
        raise DatasetInvalid(_("The dataset cannot be loaded."), faults=tuple(faults))
    rows = _keys_of(list(keys))
    clips = (
        DatasetClip(
            version=version,
            utt_id=one.clip.utt_id,
            language=one.clip.language,
            tier=one.clip.tier,
            milliseconds=one.milliseconds,
            audio_id=rows[one.sha256],
        )
        for one in found
    )
    with _kept_apart():
        DatasetClip.objects.bulk_create(clips, batch_size=BATCH)


@contextmanager
def _kept_apart() -> Iterator[None]:
    """Say in words what the database refuses: it sees what another transaction did just now as well."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        why = (
            "a clip would be held out whose audio is in a pack, or whose id a phase asks for;"
            " or its audio came into another pool in this moment"
        )
        raise DatasetInvalid(
            _("The dataset cannot be loaded."), faults=(ListingFault(0, why),)
        ) from error


def _keys_of(hashes: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for start in range(0, len(hashes), BATCH):
        rows = Audio.objects.filter(sha256__in=hashes[start : start + BATCH])
        found |= dict(rows.values_list("sha256", "pk"))
    return found


def _record(actor: User | None, version: DatasetVersion, pool: Pool, now: datetime) -> None:
    audit.record(
        scope=version.dataset.competition.audit_scope,
        kind="dataset.loaded",
        actor=actor,
        target=f"dataset:{version.dataset.code}",
        payload={
            "version": version.number,
            "sha256": version.sha256,
            "clips": version.clip_count,
            "pool": str(pool),
        },
        now=now,
    )
