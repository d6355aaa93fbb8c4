"""Waveforms: bytes that are kept once, named by their SHA-256, on local disk or in the bucket.

The child process leaves the clips of an accepted archive in a work folder. What is new among them is
screened and stored before any row says so; rows are made with the submission's acceptance. Bytes
that a killed worker stored without rows are removed by the sweep, its work folder too.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from grading import screening, storage
from grading.models import Clip, Submission, Waveform
from grading.services import child
from grading.services.child import Bounds, ChildFailed, StorageDown
from grading.storage.local import older

WORK = "work"
AT_ONCE = 500

Json = dict[str, Any]
Watch = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Extracted:
    """A clip of an accepted archive: utt_id, name in it, SHA-256 (hex), bytes, 16 kHz samples."""

    utt_id: str
    member: str
    sha256: str
    size: int
    frames: int


@dataclass(frozen=True, slots=True)
class Kept:
    """Clips whose bytes are stored, and what is to be written of them by their SHA-256.

    `keys` has those that have no row yet or whose bytes had been lost, `screens` those that had no
    screen.
    """

    clips: tuple[Extracted, ...] = ()
    keys: Mapping[str, str] | None = None
    screens: Mapping[str, Json] | None = None


@contextmanager
def local_path(waveform: Waveform) -> Iterator[Path]:
    """Give a path with the bytes of a waveform while inside, exactly as they were sent.

    Raises StorageDown while disk or bucket do not answer, storage.BytesMissing when they are lost.
    """
    with ExitStack() as stack:
        try:
            path = stack.enter_context(storage.local_copy(waveform.storage_key))
        except OSError as error:
            raise StorageDown from error
        yield path


def read_bytes(waveform: Waveform) -> bytes:
    """Return the bytes of a waveform, exactly as they were sent. Raises what `local_path` raises."""
    with local_path(waveform) as path:
        try:
            return path.read_bytes()
        except OSError as error:
            raise StorageDown from error


@contextmanager
def work_folder(submission: Submission) -> Iterator[Path]:
    """Give an empty folder beside the storage while inside; those of earlier attempts are removed.

    Raises StorageDown when it cannot be made.
    """
    parent = Path(settings.PUBLIC_FILES) / WORK
    path = parent / f"{submission.code}.{submission.attempt}.{secrets.token_hex(4)}"
    try:
        for left in parent.glob(f"{submission.code}.*"):
            shutil.rmtree(left, ignore_errors=True)
        path.mkdir(parents=True)
    except OSError as error:
        raise StorageDown from error
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def remove_work_folders(before: datetime) -> int:
    """Remove work folders that nothing was written to since then; return how many."""
    removed = 0
    for path in older((Path(settings.PUBLIC_FILES) / WORK).glob("*"), before):
        shutil.rmtree(path, ignore_errors=True)
        removed += 1
    return removed


def screen(clips: Sequence[Extracted], folder: Path, watch: Watch) -> dict[str, Json]:
    """Return the screens, by SHA-256, of clips in the folder that have none yet.

    A screen that fails is a state: it refuses nobody. Raises what `watch` raises.
    """
    done = _screened({clip.sha256 for clip in clips})
    wanted = sorted({clip.sha256 for clip in clips} - done)
    if not wanted:
        return {}
    job = {"do": "screen", "paths": [str(folder / sha256) for sha256 in wanted]}
    try:
        found = child.run(job, bounds=Bounds.for_sounds(), watch=watch)["screens"]
    except ChildFailed as failure:
        found = [screening.failed(failure.code.value) for _ in wanted]
    return dict(zip(wanted, found, strict=True))


def store(clips: Sequence[Extracted], folder: Path, watch: Watch) -> dict[str, str]:
    """Store what is not there yet of the clips in a folder; return their keys by SHA-256.

    Raises StorageDown, and what `watch` raises.
    """
    keys: dict[str, str] = {}
    sizes = {clip.sha256: clip.size for clip in clips}
    known = _keys(set(sizes))
    try:
        for number, sha256 in enumerate(sorted(sizes), 1):
            key = known.get(sha256, "")
            if not storage.is_stored(key):
                keys[sha256] = _publish(folder / sha256, sha256, sizes[sha256])
            watch(number, len(sizes))
    except OSError as error:
        raise StorageDown from error
    return keys


def record(
    *, submission: Submission, kept: Kept, languages: Mapping[str, str | None], now: datetime
) -> None:
    """Write the rows of an accepted submission's clips; runs in the transaction that accepts it."""
    keys, screens = kept.keys or {}, kept.screens or {}
    by_sha256 = {clip.sha256: clip for clip in kept.clips}
    ids = _ids(set(by_sha256))
    new = [
        Waveform(
            sha256=sha256,
            size=by_sha256[sha256].size,
            frames=by_sha256[sha256].frames,
            storage_key=keys[sha256],
            screen=screens.get(sha256, {}),
            created_at=now,
        )
        for sha256 in sorted(set(keys) - set(ids))
    ]
    # Sorted, so that two validations never wait for each other; a row that another one made
    # meanwhile stays.
    Waveform.objects.bulk_create(new, batch_size=AT_ONCE, ignore_conflicts=True)
    _mend(ids, keys, screens)
    ids = _ids(set(by_sha256))
    Clip.objects.bulk_create(
        (
            Clip(
                submission=submission,
                utt_id=clip.utt_id,
                language=languages[clip.utt_id] or "",
                member=clip.member,
                waveform_id=ids[clip.sha256],
            )
            for clip in kept.clips
        ),
        batch_size=AT_ONCE,
    )


def _mend(ids: Mapping[str, int], keys: Mapping[str, str], screens: Mapping[str, Json]) -> None:
    """Write the new place of bytes that had been lost, and screens that had failed."""
    for sha256, pk in ids.items():
        if sha256 in keys:
            Waveform.objects.filter(pk=pk).update(storage_key=keys[sha256])
        if sha256 in screens:
            Waveform.objects.filter(pk=pk).update(screen=screens[sha256])


def _publish(path: Path, sha256: str, size: int) -> str:
    """Store a file of a work folder; return its key once the disk, or the bucket, has it."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
    return storage.store().publish(storage.Spooled(path, size, sha256, sha256))


def _screened(digests: set[str]) -> set[str]:
    rows = _rows(digests).filter(screen__state=screening.DONE)
    return set(rows.values_list("sha256", flat=True))


def _keys(digests: set[str]) -> dict[str, str]:
    return dict(_rows(digests).values_list("sha256", "storage_key"))


def _ids(digests: set[str]) -> dict[str, int]:
    return dict(_rows(digests).values_list("sha256", "pk"))


def _rows(digests: set[str]) -> Any:
    return Waveform.objects.filter(sha256__in=digests)
