"""Takes the clips out of an archive that was accepted: each is written once, named by its SHA-256."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grading.scoring.formats.gzips import gunzip
from grading.scoring.formats.sources import ByteStream
from grading.scoring.formats.tarfiles import read_entries
from grading.scoring.formats.waveforms import opened
from grading.scoring.formats.zipfiles import read_members, read_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grading.scoring.audio.limits import AudioLimits
    from grading.scoring.formats.sources import Source
    from grading.scoring.formats.waveforms import CheckedSounds
    from grading.scoring.types import Progress


@dataclass(frozen=True, slots=True)
class ExtractedClip:
    """A clip that lies in the folder under its SHA-256 (hex): whose it is, bytes, 16 kHz samples."""

    utt_id: str
    member: str
    sha256: str
    size: int
    frames: int


class ArchiveChanged(Exception):
    """The archive does not hold what was accepted: it is another file than the one that was checked."""


def extract_clips(
    source: Path | bytes,
    checked: CheckedSounds,
    *,
    folder: Path,
    limits: AudioLimits,
    progress: Progress | None = None,
) -> list[ExtractedClip]:
    """Write the clips of an accepted archive into a folder and return them, sorted by utt_id.

    Equal clips become one file. Memory stays flat: a piece of one clip at a time. Raises OSError
    when the archive cannot be read or the folder written, ArchiveChanged.
    """
    wanted = {clip.name: utt_id for utt_id, clip in checked.clips.items()}
    found: dict[str, ExtractedClip] = {}
    with opened(source) as archive:
        for name, pieces in _files(archive, checked.report.reading, limits):
            utt_id = wanted.get(name)
            if utt_id is None or utt_id in found:
                continue
            sha256, size = _write(pieces, folder)
            frames = checked.clips[utt_id].frames
            found[utt_id] = ExtractedClip(utt_id, name, sha256, size, frames)
            if progress is not None:
                progress(len(found), len(wanted))
    if len(found) != len(wanted):
        raise ArchiveChanged
    return [found[utt_id] for utt_id in sorted(found)]


def _files(
    archive: Source, reading: str, limits: AudioLimits
) -> Iterator[tuple[str, Iterator[bytes | memoryview]]]:
    """Yield name and bytes of every file; the bytes are there until the next one is asked for."""
    if reading == "zip":
        for member in read_members(archive, most=limits.members):
            if member.kind == "file":
                pieces = read_pieces(archive, member, limit=limits.member_bytes, ratio=None)
                yield member.name, pieces
        return
    stream = ByteStream(_unpacked(archive, reading, limits))
    for entry in read_entries(stream, most=limits.members):
        if entry.kind == "file":
            yield entry.name, stream.pieces(entry.size)


def _unpacked(archive: Source, reading: str, limits: AudioLimits) -> Iterator[bytes | memoryview]:
    if reading == "tar":
        return archive.passing(0, archive.size)
    return gunzip(
        archive,
        limit=limits.unpacked_bytes,
        ratio=limits.ratio,
        unjudged=limits.unjudged_bytes,
    )


def _write(pieces: Iterator[bytes | memoryview], folder: Path) -> tuple[str, int]:
    """Write one file under the SHA-256 of its bytes; return that and the size."""
    digest = hashlib.sha256()
    size = 0
    path = folder / "unfinished"
    with path.open("wb") as target:
        for piece in pieces:
            digest.update(piece)
            size += len(piece)
            target.write(piece)
    path.rename(folder / digest.hexdigest())
    return digest.hexdigest(), size
