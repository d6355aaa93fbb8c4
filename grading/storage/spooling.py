"""An upload's way to a temporary file on local disk: hashed while it streams, bounded, never in memory."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from grading.identity import Digests
from grading.storage.refusals import EmptyUpload, UploadTooLarge, storing

INCOMING = "incoming"


@dataclass(frozen=True, slots=True)
class Spooled:
    """A temporary file: its path, size in bytes, SHA-256 (hex) and identity."""

    path: Path
    size: int
    sha256: str
    content_id: str


@contextmanager
def spool(chunks: Iterable[bytes], *, limit: int, durable: bool = True) -> Iterator[Spooled]:
    """Yield a temporary file with the chunks; it is gone afterwards, unless it was moved away.

    It survives a power cut only when `durable`.
    Raises UploadTooLarge beyond `limit` bytes, EmptyUpload without a byte, StorageUnavailable.
    """
    with temporary() as path:
        digests = _write(chunks, path, limit, durable=durable)
        yield Spooled(path, digests.size, digests.sha256, digests.content_id)


@contextmanager
def temporary() -> Iterator[Path]:
    """Yield the path of a file that may be made; it is gone afterwards."""
    folder = Path(settings.PUBLIC_FILES) / INCOMING
    with storing():
        folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{secrets.token_hex(16)}.part"
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _write(chunks: Iterable[bytes], path: Path, limit: int, *, durable: bool) -> Digests:
    digests = Digests()
    with storing():
        target = path.open("xb")
    with target:
        for chunk in chunks:
            digests.update(chunk)
            if digests.size > limit:
                raise UploadTooLarge.over(limit)
            with storing():
                target.write(chunk)
        with storing():
            target.flush()
            if durable:
                os.fsync(target.fileno())
    if digests.size == 0:
        raise EmptyUpload(_("The file is empty. Nothing was stored and no quota was used."))
    return digests
