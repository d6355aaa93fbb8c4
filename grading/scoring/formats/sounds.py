"""The entries of a Track 2 archive: which utterance each is for, and what is wrong with the whole."""

from __future__ import annotations

from collections import Counter
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

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
from grading.scoring.formats.near_ids import near_misses
from grading.scoring.text.normalize import lower, nfc
from grading.scoring.types import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grading.scoring.formats.entries import Entry
    from grading.scoring.report import Collector

SOUND_ENDING = ".wav"

_ENDINGS_OF_SOUNDS = AUDIO_ENDINGS | {".wave", ".bwf", ".w64", ".rf64", ".pcm", ".raw"}
_HINTED = 10_000


class _File(NamedTuple):
    """A file whose name ends in `.wav`: its folder, and its name without folder and ending, in NFC."""

    name: str
    folder: str
    stem: str


class Inventory:
    """Takes in entry by entry; says at the end what is missing, unknown, twice or out of place."""

    def __init__(self, ids: Iterable[str], report: Collector, *, longest: int) -> None:
        self._ids = {nfc(utt_id): utt_id for utt_id in ids}
        self._report = report
        self._longest = longest
        self._files: list[_File] = []
        self._litter: list[str] = []
        self._others: list[str] = []
        self._refused = 0
        self.members: dict[str, str] = {}

    def admit(self, entry: Entry) -> str | None:
        """Return the utterance whose sound an entry is to be; None when it is not to be read.

        Reports at once what is wrong with this entry alone.
        """
        if self._is_refused(entry):
            self._refused += 1
        elif is_litter(entry.name):
            self._litter.append(entry.name)
        elif entry.kind == "file":
            return self._admit_file(entry)
        return None

    def _is_refused(self, entry: Entry) -> bool:
        name = entry.name
        fault = name_fault(name)
        if fault in {"control", "long"}:
            self._report.error(
                "INVALID_UTT_ID", member=name, reason=f"name_{fault}", limit=LONGEST_NAME
            )
            return True
        fault = fault or kind_fault(entry)
        if not fault and entry.kind == "folder" and ending(name) == SOUND_ENDING:
            fault = "folder"
        if fault:
            self._report.error("BAD_ARCHIVE", member=name, reason=fault)
        return bool(fault)

    def _admit_file(self, entry: Entry) -> str | None:
        suffix = ending(entry.name.strip())
        if suffix in ARCHIVE_ENDINGS:
            found = suffix.removeprefix(".")
            self._report.error(
                "BAD_ARCHIVE", member=entry.name, reason="nested_sounds", found=found
            )
        elif suffix == SOUND_ENDING:
            return self._admit_sound(entry)
        else:
            self._others.append(entry.name)
        return None

    def _admit_sound(self, entry: Entry) -> str | None:
        file = _split(entry.name)
        self._files.append(file)
        utt_id = self._ids.get(file.stem)
        if utt_id is None:
            return None
        if utt_id in self.members:
            self._report_twice(file, utt_id)
            return None
        self.members[utt_id] = entry.name
        if entry.size > self._longest:
            self._report.error(
                "ARCHIVE_TOO_LARGE",
                member=entry.name,
                reason="member",
                size=entry.size,
                limit=self._longest,
            )
            return None
        return utt_id

    def _report_twice(self, file: _File, utt_id: str) -> None:
        first = self.members[utt_id]
        self._report.error(
            "DUPLICATE_UTT_ID", member=file.name, utt_id=utt_id, reason="sounds", first=first
        )

    def finish(self, *, is_whole: bool) -> None:
        """Report what only the whole archive tells; `is_whole` False when its end was not reached."""
        unknown = self._take_out_twins([f for f in self._files if f.stem not in self._ids])
        self._check_folders()
        self._take_out_misnamed()
        if self._litter:
            self._note("ARCHIVE_LITTER_IGNORED", self._litter)
        if self._files or self._refused or self._report.errors:
            if self._others:
                self._note("EXTRA_FILES_IGNORED", self._others)
        else:
            self._say_nothing_is_there()
            return
        self._warn_of_unknown(unknown)
        if is_whole:
            self._report_missing()

    def _note(self, code: str, names: list[str]) -> None:
        self._report.note(code, count=len(names), names=names[:SHOWN_NAMES])

    def _take_out_twins(self, unknown: list[_File]) -> list[_File]:
        """Report names that are an utterance's but for case; return the ones that are unknown."""
        present = {_fold(nfc(utt_id)): utt_id for utt_id in self.members}
        left = []
        for file in unknown:
            twin = present.get(_fold(file.stem))
            if twin is None:
                left.append(file)
            else:
                self._report_twice(file, twin)
        return left

    def _take_out_misnamed(self) -> None:
        """Report sounds of another ending for utterances that have no WAV file."""
        left = []
        for name in self._others:
            suffix = ending(name)
            utt_id = self._ids.get(_split(name).stem) if suffix in _ENDINGS_OF_SOUNDS else None
            if utt_id is None or utt_id in self.members:
                left.append(name)
            else:
                self._report.error(
                    "WAV_FORMAT", member=name, utt_id=utt_id, reason="ending", found=suffix
                )
        self._others = left

    def _check_folders(self) -> None:
        """One folder for all is fine and noted; several are not."""
        folders = Counter(file.folder for file in self._files)
        if len(folders) == 1 and "" not in folders:
            self._report.note("FOLDER_IN_ARCHIVE", reason="sounds", folder=next(iter(folders)))
        if len(folders) < 2:  # noqa: PLR2004 - all files are beside each other
            return
        usual = max(folders, key=lambda folder: (folders[folder], folder == "", folder))
        apart = [file.name for file in self._files if file.folder != usual]
        self._report.error(
            "BAD_ARCHIVE",
            member=apart[0],
            reason="folders" if usual else "subfolders",
            folder=usual,
            count=len(apart),
            names=apart[:SHOWN_NAMES],
        )

    def _say_nothing_is_there(self) -> None:
        texts = [name for name in self._others if ending(name) in TEXT_ENDINGS]
        shown = self._others[:SHOWN_NAMES]
        if texts:
            names = texts[:SHOWN_NAMES]
            self._report.error("WRONG_TRACK", reason="texts", count=len(texts), names=names)
        elif self._others:
            count = len(self._others)
            self._report.error("BAD_ARCHIVE", reason="no_sounds", count=count, names=shown)
        else:
            self._report.error("BAD_ARCHIVE", reason="empty_sounds")

    def _warn_of_unknown(self, unknown: list[_File]) -> None:
        if not unknown:
            return
        stems = [file.stem for file in unknown[:_HINTED]]
        self._report.warning(
            "UNKNOWN_SAMPLES",
            reason="sounds",
            member=unknown[0].name if len(unknown) == 1 else None,
            count=len(unknown),
            names=[file.name for file in unknown[:SHOWN_NAMES]],
            hints=near_misses(stems, self._ids)[:SHOWN_NAMES] or None,
        )

    def _report_missing(self) -> None:
        missing = [utt_id for utt_id in self._ids.values() if utt_id not in self.members]
        if missing:
            self._report.add(
                "MISSING_SAMPLES",
                Severity.ERROR,
                is_symptom=self._report.errors > 0,
                reason="sounds",
                utt_id=missing[0] if len(missing) == 1 else None,
                count=len(missing),
                of=len(self._ids),
                ids=nsmallest(SHOWN_NAMES, missing),
            )


def _split(name: str) -> _File:
    """Return where a file is and what it is called: `./a.wav` lies where `a.wav` does."""
    *folders, base = name.replace("\\", "/").split("/")
    folder = "/".join(part for part in folders if part not in {"", "."})
    stem = base.rpartition(".")[0] if ending(base) else base
    return _File(name, folder, nfc(stem))


def _fold(stem: str) -> str:
    return nfc(lower(stem))
