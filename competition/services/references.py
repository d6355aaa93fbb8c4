"""The hidden area: references are stored under their SHA-256 and read by the scorer alone.

With a bucket they lie there, and each machine keeps what it has fetched in its own hidden folder.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from competition import bucket
from competition.models import ReferenceUtterance, ReferenceVersion, Track
from competition.services.errors import (
    NamesHeldOut,
    ReferencesMissing,
    ReferencesUnreachable,
)

FOLDER_MODE = 0o700
FILE_MODE = 0o600


@dataclass(frozen=True, slots=True)
class StoredReferences:
    """References that lie in the hidden area; `languages` maps utt_id -> language."""

    storage_key: str
    sha256: str
    size: int
    counts: Mapping[str, int]
    languages: Mapping[str, str]


def store_bytes(data: bytes) -> tuple[str, str]:
    """Write the bytes into the hidden area and return (storage key, SHA-256 in hex).

    The same bytes are stored once. Never call this inside a transaction. Raises OSError where disk
    or bucket refuse.
    """
    digest = hashlib.sha256(data).hexdigest()
    key = f"references/{digest[:2]}/{digest}"
    path = _area() / key
    if not _holds(path, digest):
        _keep(path, data)
    if bucket.is_on() and bucket.size_of(key) != len(data):
        bucket.put_file(path, key, digest)
    return key, digest


def keep_version(
    *, track: Track, name: str, given: StoredReferences, now: datetime
) -> ReferenceVersion:
    """Return the row of stored references under a name: the one there is, else the next version.

    Part of the caller's transaction, which holds the track or the competition. Refuses NamesHeldOut.
    """
    known = ReferenceVersion.objects.filter(track=track, name=name, sha256=given.sha256).first()
    if known is not None:
        return known
    versions = ReferenceVersion.objects.filter(track=track, name=name)
    made = ReferenceVersion.objects.create(
        track=track,
        name=name,
        version=(versions.aggregate(top=Max("version"))["top"] or 0) + 1,
        sha256=given.sha256,
        storage_key=given.storage_key,
        size=given.size,
        counts=dict(given.counts),
        loaded_at=now,
    )
    _add_utterances(made, given.languages)
    return made


def _add_utterances(made: ReferenceVersion, languages: Mapping[str, str]) -> None:
    rows = (
        ReferenceUtterance(references=made, utt_id=utt_id, language=language)
        for utt_id, language in languages.items()
    )
    try:
        with transaction.atomic():
            ReferenceUtterance.objects.bulk_create(rows, batch_size=2000)
    except IntegrityError as error:
        raise NamesHeldOut(
            _("References of %(name)s name a clip that is held out; no phase can ask for it.")
            % {"name": made.name},
            name=made.name,
        ) from error


def path_of(version: ReferenceVersion) -> Path:
    """Return where the bytes lie on this machine; only the scorer's child process opens it."""
    return _area() / version.storage_key


def bring(version: ReferenceVersion) -> Path:
    """Return where the bytes lie on this machine; as `bring_key`."""
    return bring_key(version.storage_key, version.sha256, version.size)


def bring_key(key: str, sha256: str, size: int) -> Path:
    """Return where bytes that `store_bytes` kept lie here, fetched from the bucket where they are not.

    Raises ReferencesMissing when the bucket has not got them, ReferencesUnreachable while it
    does not answer or the disk takes nothing.
    """
    path = _area() / key
    if bucket.is_on() and not _holds(path, sha256):
        try:
            data = b"".join(bucket.fetch(key, limit=size))
            _require_same(data, sha256)
            _keep(path, data)
        except FileNotFoundError as error:
            raise ReferencesMissing(_("The references of this phase cannot be read.")) from error
        except OSError as error:
            raise ReferencesUnreachable(
                _("The references of this phase cannot be read.")
            ) from error
    return path


def read_bytes(version: ReferenceVersion) -> bytes:
    """Return the bytes; raises ReferencesMissing when they are gone or are not the same any more."""
    path = bring(version)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ReferencesMissing(_("The references of this phase cannot be read.")) from error
    _require_same(data, version.sha256)
    return data


def read_key(key: str, sha256: str) -> bytes:
    """Return bytes that `store_bytes` kept; raises ReferencesMissing as `read_bytes` does, and OSError."""
    path = _area() / key
    if bucket.is_on() and not _holds(path, sha256):
        _keep(path, b"".join(bucket.fetch(key)))
    data = path.read_bytes()
    _require_same(data, sha256)
    return data


def _holds(path: Path, sha256: str) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    except OSError:
        return False


def _require_same(data: bytes, sha256: str) -> None:
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ReferencesMissing(_("The references of this phase are not what was loaded."))


def _area() -> Path:
    return Path(settings.HIDDEN_FILES)


def _make_folders(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    area = _area()
    for made in (area, *(area / part for part in _steps(folder.relative_to(area)))):
        made.chmod(FOLDER_MODE)


def _steps(relative: Path) -> list[Path]:
    return [Path(*relative.parts[: depth + 1]) for depth in range(len(relative.parts))]


def _keep(path: Path, data: bytes) -> None:
    """Write a file that appears whole or not at all."""
    _make_folders(path.parent)
    handle, name = tempfile.mkstemp(dir=path.parent)  # mkstemp makes it readable by the owner alone
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    Path(name).chmod(FILE_MODE)
    Path(name).replace(path)
