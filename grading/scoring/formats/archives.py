"""Opens what a participant sent to Track 1: a bare file, or the one file in a zip archive."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from grading.scoring.formats.contents import Family, recognize
from grading.scoring.formats.entries import (
    ARCHIVE_ENDINGS,
    AUDIO_ENDINGS,
    LONGEST_NAME,
    SHOWN_NAMES,
    TEXT_ENDINGS,
    ending,
    is_litter,
    kind_fault,
    name_fault,
)
from grading.scoring.formats.sources import BytesSource
from grading.scoring.formats.zipfiles import (
    ArchiveError,
    Member,
    looks_like_zip,
    read_member,
    read_members,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from grading.scoring.formats.sources import Source
    from grading.scoring.report import Collector
    from grading.scoring.types import Limits

_OFFICE = "[Content_Types].xml"


def open_submission(
    source: Path | bytes, *, limits: Limits, report: Collector, filename: str = ""
) -> bytes | None:
    """Return the bytes of the text file that was sent, unpacked if need be.

    None after reporting why there is none: too large, empty, an archive that cannot be used or
    holds several candidates, audio, something else. Notes say what in an archive was passed over.
    Raises OSError when a path cannot be read.
    """
    name = filename or (source.name if isinstance(source, Path) else "")
    data = _read(source, limits.file_bytes, report)
    if data is None:
        return None
    if not data:
        report.error("EMPTY_FILE", reason="bytes")
        return None
    if looks_like_zip(BytesSource(data)):
        return _open_zip(BytesSource(data), limits, report)
    return data if _is_text(data, report, wants_zip=name.lower().endswith(".zip")) else None


def _read(source: Path | bytes, limit: int, report: Collector) -> bytes | None:
    if isinstance(source, bytes):
        size, data = len(source), source
    else:
        size = source.stat().st_size
        with source.open("rb") as file:
            data = file.read(limit + 1)
        size = max(size, len(data))
    if size <= limit:
        return data
    report.error("FILE_TOO_LARGE", size=size, limit=limit)
    return None


def _is_text(
    data: bytes, report: Collector, *, wants_zip: bool = False, member: str | None = None
) -> bool:
    """Tell whether bytes may be text of ours; report by name what else they are."""
    found = recognize(data)
    if found is None:
        return True
    family, name = found
    if family is Family.AUDIO:
        report.error("WRONG_TRACK", member=member, reason="file", found=name)
    elif family is Family.ARCHIVE or wants_zip:
        reason = "nested" if member else "kind"
        report.error("BAD_ARCHIVE", member=member, reason=reason, found=name)
    else:
        report.error("INVALID_JSON", line=1, member=member, column=1, reason="kind", found=name)
    return False


def _open_zip(source: Source, limits: Limits, report: Collector) -> bytes | None:
    try:
        members = read_members(source, most=limits.members)
        chosen = _choose(members, limits, report)
        if chosen is None:
            return None
        unpacked = read_member(source, chosen, limit=limits.unpacked_bytes, ratio=limits.ratio)
    except ArchiveError as error:
        report.error(error.code, member=error.member, reason=error.reason, **error.params)
        return None
    if looks_like_zip(BytesSource(unpacked)):
        report.error("BAD_ARCHIVE", member=chosen.name, reason="nested", found="zip")
        return None
    if not unpacked:
        report.error("EMPTY_FILE", member=chosen.name, reason="bytes")
        return None
    return unpacked if _is_text(unpacked, report, member=chosen.name) else None


def _choose(members: Sequence[Member], limits: Limits, report: Collector) -> Member | None:
    """Return the one member to read, or None after reporting why there is none."""
    before = report.errors
    for name, reason in _faults(members):
        report.error("BAD_ARCHIVE", member=name, reason=reason, limit=LONGEST_NAME)
    litter = [member for member in members if is_litter(member.name)]
    files = [m for m in members if m.kind == "file" and not is_litter(m.name)]
    _check_sizes(files, limits, report)
    _check_nested(files, report)
    if litter:
        names = [member.name for member in litter]
        report.note("ARCHIVE_LITTER_IGNORED", count=len(names), names=names[:SHOWN_NAMES])
    if report.errors > before:
        return None
    return _candidate(members, files, report)


def _faults(members: Iterable[Member]) -> Iterator[tuple[str, str]]:
    """Yield (name, reason) for every member that no honest archive of ours has."""
    seen: set[str] = set()
    for member in members:
        reason = name_fault(member.name) or kind_fault(member)
        if not reason and member.name in seen:
            reason = "duplicate"
        seen.add(member.name)
        if reason:
            yield member.name, reason


def _check_sizes(files: Sequence[Member], limits: Limits, report: Collector) -> None:
    total = sum(member.size for member in files)
    packed = sum(member.packed for member in files)
    if total > limits.unpacked_bytes:
        report.error("ARCHIVE_TOO_LARGE", reason="size", size=total, limit=limits.unpacked_bytes)
    elif packed and total > limits.ratio * packed:
        report.error("ARCHIVE_TOO_LARGE", reason="ratio", size=total, ratio=limits.ratio)


def _check_nested(files: Iterable[Member], report: Collector) -> None:
    for member in files:
        if ending(member.name) in ARCHIVE_ENDINGS:
            found = ending(member.name).removeprefix(".")
            report.error("BAD_ARCHIVE", member=member.name, reason="nested", found=found)


def _candidate(
    members: Sequence[Member], files: Sequence[Member], report: Collector
) -> Member | None:
    audio = [member.name for member in files if ending(member.name) in AUDIO_ENDINGS]
    if audio:
        report.error("WRONG_TRACK", reason="archive", count=len(audio), names=audio[:SHOWN_NAMES])
        return None
    texts = [member for member in files if ending(member.name) in TEXT_ENDINGS]
    if len(texts) > 1:
        names = sorted(member.name for member in texts)
        report.error("AMBIGUOUS_ARCHIVE", count=len(names), names=names[:SHOWN_NAMES])
        return None
    if texts or len(files) == 1:
        chosen = texts[0] if texts else files[0]
        _note_passed_over(chosen, files, report)
        return chosen
    names = [member.name for member in (files or members)]
    reason = "office" if _OFFICE in names else "candidate" if files else "empty"
    report.error("BAD_ARCHIVE", reason=reason, names=names[:SHOWN_NAMES])
    return None


def _note_passed_over(chosen: Member, files: Iterable[Member], report: Collector) -> None:
    others = [member.name for member in files if member is not chosen]
    if others:
        report.note("EXTRA_FILES_IGNORED", count=len(others), names=others[:SHOWN_NAMES])
    if "/" in chosen.name.replace("\\", "/"):
        report.note("FOLDER_IN_ARCHIVE", member=chosen.name)
