"""Reads and checks a submission of Track 2: an archive with one WAV file for each utterance.

Nothing is unpacked to disk and no member is held in memory: names are judged first, then every
sound is walked through once as it comes out of the archive.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grading.scoring.audio.riff import examine
from grading.scoring.formats.contents import Family, recognize
from grading.scoring.formats.gzips import gunzip
from grading.scoring.formats.sounds import Inventory
from grading.scoring.formats.sources import BytesSource, ByteStream, FileSource
from grading.scoring.formats.tarfiles import BLOCK, is_tar_header, read_entries
from grading.scoring.formats.zipfiles import (
    ArchiveError,
    looks_like_zip,
    read_members,
    read_pieces,
)
from grading.scoring.report import Collector

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from grading.scoring.audio.limits import AudioLimits, ClipBounds
    from grading.scoring.audio.riff import Clip
    from grading.scoring.formats.entries import Entry
    from grading.scoring.formats.sources import Source
    from grading.scoring.formats.zipfiles import Member
    from grading.scoring.types import Progress, Report

_SNIFFED = 1 << 16
_JSON_STARTS = (b"{", b"[")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class SoundMember:
    """An accepted clip: the member that holds it, where its samples start in it, how many there are."""

    name: str
    start: int
    frames: int


@dataclass(frozen=True, slots=True)
class CheckedSounds:
    """The verdict on one archive, and its clips (utt_id -> member) when it was accepted."""

    report: Report
    clips: Mapping[str, SoundMember]


def read_waveforms(
    source: Path | bytes,
    *,
    ids: Iterable[str],
    limits: AudioLimits,
    bounds: ClipBounds,
    progress: Progress | None = None,
) -> CheckedSounds:
    """Return the verdict on one archive of waveforms, zip, tar or tar.gz by content.

    `ids` are the utterances of the phase. Never raises for what is in the file: every problem is
    in the report. Raises OSError when a path cannot be read.
    """
    report = Collector(limits.listed_problems)
    with opened(source) as bytes_of:
        meter = _Meter(bytes_of, progress)
        check = _Check(meter, ids, limits, bounds, report)
        reading = check.run()
    found = report.report(rows=len(check.inventory.members), reading=reading)
    return CheckedSounds(found, check.clips if found.accepted else {})


@dataclass(frozen=True, slots=True)
class _Lone:
    """A file that comes by itself, as an entry."""

    name: str
    size: int
    kind: str = "file"
    is_encrypted: bool = False


def read_waveform(
    source: Path | bytes,
    name: str,
    *,
    ids: Iterable[str],
    limits: AudioLimits,
    bounds: ClipBounds,
) -> CheckedSounds:
    """Return the verdict on one WAV file, as it would get it inside an archive under this name.

    `clips` is empty when it is refused, and when it belongs to no utterance. Raises OSError.
    """
    report = Collector(limits.listed_problems)
    with opened(source) as archive:
        check = _Check(_Meter(archive, None), ids, limits, bounds, report)
        check.read_lone(_Lone(name, archive.size))
    found = report.report(rows=len(check.inventory.members), reading="wav")
    return CheckedSounds(found, check.clips if found.accepted else {})


@contextmanager
def opened(source: Path | bytes) -> Iterator[Source]:
    """Give the bytes of an archive while inside. Raises OSError when a path cannot be read."""
    if isinstance(source, bytes):
        yield BytesSource(source)
        return
    with source.open("rb", buffering=0) as file:
        yield FileSource(file, source.stat().st_size)


class _Meter:
    """A source that tells how far it was read, some hundred times at most."""

    def __init__(self, source: Source, progress: Progress | None) -> None:
        self._source = source
        self._progress = progress
        self._step = max(1, source.size // 100)
        self._told = 0
        self.size = source.size

    def at(self, offset: int, length: int) -> bytes:
        """Return bytes of the source."""
        return self._source.at(offset, length)

    def passing(self, start: int, length: int) -> Iterator[memoryview]:
        """Yield a stretch of the source."""
        for piece in self._source.passing(start, length):
            start += len(piece)
            if self._progress is not None and start - self._told >= self._step:
                self._told = start
                self._progress(start, self.size)
            yield piece


class _Check:
    """One look at one archive."""

    def __init__(
        self,
        source: _Meter,
        ids: Iterable[str],
        limits: AudioLimits,
        bounds: ClipBounds,
        report: Collector,
    ) -> None:
        self._source = source
        self._limits = limits
        self._bounds = bounds
        self._report = report
        self.inventory = Inventory(ids, report, longest=limits.member_bytes)
        self.clips: dict[str, SoundMember] = {}

    def run(self) -> str:
        """Check the archive; return what sort it is, empty when it is none."""
        size, limit = self._source.size, self._limits.file_bytes
        if size > limit:
            self._report.error("FILE_TOO_LARGE", size=size, limit=limit)
            return ""
        if not size:
            self._report.error("EMPTY_FILE", reason="sounds")
            return ""
        kind = self._kind()
        readers = {"zip": self._read_zip, "tar": self._read_tar, "tar.gz": self._read_tar_gz}
        if kind:
            try:
                readers[kind]()
            except ArchiveError as error:
                self._report_archive(error)
                if self.inventory.members:
                    self.inventory.finish(is_whole=False)
        return kind

    def _kind(self) -> str:
        """Return `zip`, `tar` or `tar.gz`, or nothing after saying what the file is instead."""
        head = self._source.at(0, _SNIFFED)
        found = recognize(head)
        if found == (Family.ARCHIVE, "gzip (tar)"):
            return "tar.gz"
        if found == (Family.ARCHIVE, "tar") or (found is None and is_tar_header(head[:BLOCK])):
            return "tar"
        if found is None or found[0] is Family.OTHER:
            if looks_like_zip(self._source):
                return "zip"
            if head.removeprefix(_BOM).lstrip().startswith(_JSON_STARTS):
                self._report.error("WRONG_TRACK", reason="text")
                return ""
        if found is None:
            self._report.error("BAD_ARCHIVE", reason="no_archive")
        else:
            self._report.error("BAD_ARCHIVE", reason="container", found=found[1])
        return ""

    def _report_archive(self, error: ArchiveError) -> None:
        self._report.error(error.code, member=error.member, reason=error.reason, **error.params)

    def _read_zip(self) -> None:
        members = read_members(self._source, most=self._limits.members)
        wanted = [(self.inventory.admit(member), member) for member in members]
        self._check_sizes(members)
        for utt_id, member in wanted:
            if utt_id is not None:
                self._read_member(utt_id, member)
        self.inventory.finish(is_whole=True)

    def _check_sizes(self, members: Sequence[Member]) -> None:
        """Refuse an archive that would unpack to too much. Raises ArchiveError."""
        limits = self._limits
        total = sum(member.size for member in members)
        packed = sum(member.packed for member in members)
        if total > limits.unpacked_bytes:
            raise ArchiveError(
                "size", code="ARCHIVE_TOO_LARGE", size=total, limit=limits.unpacked_bytes
            )
        if total > max(limits.unjudged_bytes, limits.ratio * packed):
            raise ArchiveError("ratio", code="ARCHIVE_TOO_LARGE", size=total, ratio=limits.ratio)

    def _read_member(self, utt_id: str, member: Member) -> None:
        limit = self._limits.member_bytes
        stream = ByteStream(read_pieces(self._source, member, limit=limit, ratio=None))
        try:
            clip = examine(stream, member.size, self._bounds)
            if clip.is_accepted:
                stream.drain()
        except ArchiveError as error:
            self._report_archive(error)
        else:
            self._take(utt_id, member, clip)

    def _take(self, utt_id: str, entry: Entry, clip: Clip) -> None:
        for one in clip.findings:
            self._report.add(one.code, one.severity, member=entry.name, utt_id=utt_id, **one.params)
        if clip.is_accepted:
            self.clips[utt_id] = SoundMember(entry.name, clip.start, clip.frames)

    def read_lone(self, entry: Entry) -> None:
        """Check a file that is all there is."""
        utt_id = self.inventory.admit(entry)
        if utt_id is None:
            self.inventory.finish(is_whole=False)
            return
        stream = ByteStream(self._source.passing(0, entry.size))
        self._take(utt_id, entry, examine(stream, entry.size, self._bounds))

    def _read_tar(self) -> None:
        self._read_entries(self._source.passing(0, self._source.size))

    def _read_tar_gz(self) -> None:
        limits = self._limits
        unpacked = gunzip(
            self._source,
            limit=limits.unpacked_bytes,
            ratio=limits.ratio,
            unjudged=limits.unjudged_bytes,
        )
        self._read_entries(unpacked)

    def _read_entries(self, unpacked: Iterator[bytes | memoryview]) -> None:
        stream = ByteStream(unpacked)
        for entry in read_entries(stream, most=self._limits.members):
            utt_id = self.inventory.admit(entry)
            if utt_id is not None:
                self._take(utt_id, entry, examine(stream, entry.size, self._bounds))
        self.inventory.finish(is_whole=True)
