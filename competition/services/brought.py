"""Audio of a dataset that lies in the server's bucket: brought to this machine for as long as it is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from competition import bucket
from competition.packing.listing import read_listing

MARK = "bucket:"
"""What stands before a prefix of the bucket where a folder could be named."""


@contextmanager
def folder_of(named: str, rows: bytes) -> Iterator[Path]:
    """Give the folder that a name stands for: one of the disk, or `bucket:PREFIX` of the server's bucket.

    Of the bucket only what the rows list is fetched, into a folder that is removed afterwards; what is not
    there is left out, so that loading names it with its clip. Raises OSError, BucketUnavailable, and
    NotADirectoryError where there is no bucket.
    """
    if not named.startswith(MARK):
        yield Path(named)
        return
    if not bucket.is_on():
        raise NotADirectoryError(0, "there is no bucket: S3_BUCKET is not set", named)
    base = Path(settings.VAR_DIR)
    base.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=base, prefix="dataset-") as made:
        _fetch(named.removeprefix(MARK).strip("/"), rows, Path(made))
        yield Path(made)


def _fetch(prefix: str, rows: bytes, folder: Path) -> None:
    # Rows with a fault bring nothing: then none of their paths was looked at.
    listing = read_listing(rows)
    for clip in () if listing.faults else listing.clips:
        target = folder / clip.audio
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            _keep(bucket.fetch(f"{prefix}/{clip.audio}" if prefix else clip.audio), target)
        except FileNotFoundError:
            target.unlink(missing_ok=True)


def _keep(chunks: Iterator[bytes], target: Path) -> None:
    with target.open("wb") as file:
        for chunk in chunks:
            file.write(chunk)
