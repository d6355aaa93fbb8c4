"""Archives sent to Track 2: what is read, what is refused, and in which words."""

from __future__ import annotations

import io
import stat
import tarfile
import tracemalloc
import unicodedata
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.scoring.audio.limits import AudioLimits
from tests.scoring.audio.waves import chunk, fmt, riff, tone, wav
from tests.scoring.formats.sounds import (
    GOOD,
    IDS,
    check,
    codes,
    gzipped,
    members,
    sentences,
    tarred,
    zipped,
)
from tests.scoring.formats.zips import BZIP2, DEFLATED, Part, make_zip

ALL = members()
RIGHT = {
    "stored": (zipped(ALL), "zip"),
    "deflated": (zipped(ALL, method=DEFLATED), "zip"),
    "bzip2": (zipped(ALL, method=BZIP2), "zip"),
    "data descriptors": (zipped(ALL, method=DEFLATED, descriptor=True), "zip"),
    "a script before it": (
        make_zip(*(Part(n, d) for n, d in ALL.items()), prefix=b"#!/bin/sh\n", shifted=True),
        "zip",
    ),
    "tar": (tarred(ALL), "tar"),
    "tar of old": (tarred(ALL, kind=tarfile.USTAR_FORMAT), "tar"),
    "tar of POSIX": (tarred(ALL, kind=tarfile.PAX_FORMAT), "tar"),
    "tar.gz": (gzipped(tarred(ALL)), "tar.gz"),
    "a gzip in two streams": (
        gzipped(tarred(ALL)[:5_000]) + gzipped(tarred(ALL)[5_000:]),
        "tar.gz",
    ),
    "a gzip padded with zeros": (gzipped(tarred(ALL)) + bytes(999), "tar.gz"),
}


@pytest.mark.parametrize("kind", RIGHT)
def test_every_sort_of_archive_gives_the_same_clips(kind: str, tmp_path: Path) -> None:
    data, reading = RIGHT[kind]
    path = tmp_path / "submission"
    path.write_bytes(data)
    for source in (data, path):
        checked = check(source)
        assert checked.report.problems == ()
        assert (checked.report.rows, checked.report.reading) == (3, reading)
        assert {u: (c.name, c.start, c.frames) for u, c in checked.clips.items()} == {
            utt_id: (f"{utt_id}.wav", 44, 4_000) for utt_id in IDS
        }


def test_what_the_standard_library_writes_is_read() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in ALL.items():
            archive.writestr(name, data)
    assert check(stream.getvalue()).report.problems == ()


@pytest.mark.parametrize("pack", [zipped, tarred, lambda files: gzipped(tarred(files))])
class TestEverySortOfArchive:
    """What is said of members does not depend on what they are packed in."""

    def test_one_folder_is_noted(self, pack) -> None:
        checked = check(pack({f"team/run 1/{name}": data for name, data in ALL.items()}))
        assert codes(checked) == ["FOLDER_IN_ARCHIVE.sounds"]
        assert "team/run 1" in sentences(checked)
        assert checked.report.accepted

    def test_several_folders_are_refused_by_name(self, pack) -> None:
        files = {f"a/{name}": data for name, data in members(utt_0003=None).items()}
        checked = check(pack({**files, "b/utt_0003.wav": GOOD}))
        assert codes(checked) == ["BAD_ARCHIVE.folders"]
        assert checked.report.problems[0].params["names"] == ["b/utt_0003.wav"]
        assert checked.report.problems[0].params["folder"] == "a"

    def test_litter_is_ignored_with_a_note(self, pack) -> None:
        litter = [
            "__MACOSX/._utt_0001.wav",
            ".DS_Store",
            "Thumbs.db",
            "desktop.ini",
            "._utt_0002.wav",
        ]
        litter += [".ipynb_checkpoints/utt_0003.wav", "__MACOSX/utt_0001.wav"]
        checked = check(pack({**ALL, **dict.fromkeys(litter, b"\0\1")}))
        assert codes(checked) == ["ARCHIVE_LITTER_IGNORED"]
        assert checked.report.problems[0].params["count"] == len(litter)

    def test_other_files_are_ignored_with_a_note(self, pack) -> None:
        checked = check(pack({**ALL, "README.md": b"hello", "log.json": b"{}", "x.mp3": b"ID3"}))
        assert codes(checked) == ["EXTRA_FILES_IGNORED"]
        assert checked.report.accepted

    def test_a_missing_utterance_is_named(self, pack) -> None:
        checked = check(pack(members(utt_0002=None)))
        assert codes(checked) == ["MISSING_SAMPLES.sounds"]
        assert checked.report.problems[0].utt_id == "utt_0002"
        assert checked.clips == {}

    def test_names_are_compared_in_one_unicode_form_and_endings_without_case(self, pack) -> None:
        ids = ["café", "話語"]
        files = {unicodedata.normalize("NFD", "café") + ".WAV": GOOD, "話語.wAv": GOOD}
        checked = check(pack(files), ids=ids)
        assert checked.report.problems == ()
        assert sorted(checked.clips) == sorted(ids)
        decomposed = [unicodedata.normalize("NFD", name) for name in ids]
        assert check(pack(files), ids=decomposed).clips.keys() == set(decomposed)

    def test_an_utterance_that_comes_twice_is_refused(self, pack) -> None:
        files = {**ALL, "sub/utt_0002.wav": GOOD}
        assert "DUPLICATE_UTT_ID.sounds" in codes(check(pack(files)))
        composed = {"café.wav": GOOD, unicodedata.normalize("NFD", "café") + ".wav": GOOD}
        assert codes(check(pack(composed), ids=["café"])) == ["DUPLICATE_UTT_ID.sounds"]

    @pytest.mark.parametrize("order", [1, -1])
    def test_an_utterance_in_two_cases_is_refused_whichever_comes_first(self, pack, order) -> None:
        files = [*ALL.items(), ("UTT_0002.wav", GOOD)][::order]
        checked = check(pack(dict(files)))
        assert codes(checked) == ["DUPLICATE_UTT_ID.sounds"]
        assert checked.report.problems[0].member == "UTT_0002.wav"
        assert checked.report.problems[0].params["first"] == "utt_0002.wav"

    def test_ids_that_differ_by_case_are_two_utterances(self, pack) -> None:
        checked = check(pack({"a.wav": GOOD, "A.wav": GOOD}), ids=["a", "A"])
        assert checked.report.problems == ()

    def test_a_name_that_misses_by_a_little_gets_a_hint(self, pack) -> None:
        files = members(utt_0001=None, utt_0002=None, utt_0003=None)
        files |= {"UTT_0001.wav": GOOD, " utt_0002.wav": GOOD, "utt_0003.wav.wav": GOOD}
        checked = check(pack(files))
        assert codes(checked) == ["MISSING_SAMPLES.sounds", "UNKNOWN_SAMPLES.sounds"]
        hints = checked.report.problems[1].params["hints"]
        assert [hint["differs"] for hint in hints] == ["case", "spaces", "ending"]

    def test_another_format_under_the_right_name_is_refused(self, pack) -> None:
        files = {**members(utt_0002=None), "utt_0002.flac": b"fLaC" + bytes(40)}
        checked = check(pack(files))
        assert codes(checked) == ["WAV_FORMAT.ending", "MISSING_SAMPLES.sounds"]

    def test_another_format_beside_the_right_file_is_ignored_with_a_note(self, pack) -> None:
        checked = check(pack({"utt_0002.mp3": b"ID3", "utt_0001.raw": b"", **ALL}))
        assert codes(checked) == ["EXTRA_FILES_IGNORED"]
        assert checked.report.accepted

    @pytest.mark.parametrize("ending", [".wave", ".w64", ".PCM"])
    def test_another_ending_of_a_sound_is_named(self, pack, ending: str) -> None:
        checked = check(pack({**members(utt_0002=None), f"utt_0002{ending}": GOOD}))
        assert codes(checked) == ["WAV_FORMAT.ending", "MISSING_SAMPLES.sounds"]
        assert checked.report.problems[0].params["found"] == ending.lower()

    def test_an_archive_inside_is_refused(self, pack) -> None:
        checked = check(pack({**ALL, "rest.tar.gz": b"\x1f\x8b"}))
        assert codes(checked) == ["BAD_ARCHIVE.nested_sounds"]

    def test_transcripts_are_told_from_sounds(self, pack) -> None:
        assert codes(check(pack({"p.jsonl": b"{}"}))) == ["WRONG_TRACK.texts"]
        assert codes(check(pack({"notes.txt": b"hm"}))) == ["BAD_ARCHIVE.no_sounds"]
        assert codes(check(pack({".DS_Store": b""}))) == [
            "BAD_ARCHIVE.empty_sounds",
            "ARCHIVE_LITTER_IGNORED",
        ]

    def test_all_problems_are_listed_with_their_member(self, pack) -> None:
        stereo = riff(fmt(channels=2, rate=8_000, block=4), chunk(b"data", tone()))
        checked = check(pack(members(utt_0001=stereo, utt_0003=GOOD[:100])))
        assert [(p.member, p.utt_id, p.code) for p in checked.report.problems] == [
            ("utt_0001.wav", "utt_0001", "WAV_FORMAT"),
            ("utt_0001.wav", "utt_0001", "WAV_FORMAT"),
            ("utt_0003.wav", "utt_0003", "WAV_TRUNCATED"),
        ]
        assert not checked.report.accepted

    def test_a_warning_alone_accepts(self, pack) -> None:
        checked = check(pack(members(utt_0002=wav(bytes(8_000)))))
        assert codes(checked) == ["WAV_SILENT.constant"]
        assert set(checked.clips) == set(IDS)

    @pytest.mark.parametrize(
        ("name", "code"),
        [
            ("/etc/utt_0002.wav", "BAD_ARCHIVE.path"),
            ("../utt_0002.wav", "BAD_ARCHIVE.path"),
            ("a\\..\\utt_0002.wav", "BAD_ARCHIVE.path"),
            ("C:\\utt_0002.wav", "BAD_ARCHIVE.path"),
            ("u" * 197 + ".wav", "INVALID_UTT_ID.name_long"),
            ("utt\n0002.wav", "INVALID_UTT_ID.name_control"),
            ("utt_\u20280002.wav", "INVALID_UTT_ID.name_control"),
        ],
    )
    def test_a_name_that_no_honest_archive_has_is_refused(self, pack, name, code) -> None:
        checked = check(pack({**ALL, name: GOOD}))
        assert codes(checked) == [code]
        assert "\n" not in sentences(checked)

    def test_more_entries_than_allowed_are_refused(self, pack) -> None:
        checked = check(pack(ALL), limits=AudioLimits(members=2))
        assert codes(checked)[0] == "ARCHIVE_TOO_LARGE.members"
        assert checked.clips == {}

    def test_a_member_larger_than_allowed_is_not_read(self, pack) -> None:
        checked = check(pack(ALL), limits=AudioLimits(member_bytes=len(GOOD) - 1))
        assert codes(checked) == ["ARCHIVE_TOO_LARGE.member"] * 3

    def test_a_file_larger_than_allowed_is_not_read(self, pack) -> None:
        data = pack(ALL)
        assert codes(check(data, limits=AudioLimits(file_bytes=len(data)))) == []
        checked = check(data, limits=AudioLimits(file_bytes=len(data) - 1))
        assert codes(checked) == ["FILE_TOO_LARGE"]

    def test_the_report_stays_bounded(self, pack) -> None:
        files = {f"x{number}.flac": b"" for number in range(250)}
        checked = check(pack(files), ids=[f"x{number}" for number in range(250)])
        assert len(checked.report.problems) == 100
        assert checked.report.total == 251
        assert codes(checked)[-1] == "MISSING_SAMPLES.sounds"

    def test_progress_is_told_and_never_runs_back(self, pack) -> None:
        told: list[tuple[int, int]] = []
        files = {f"{n}.wav": GOOD for n in range(300)}
        data = pack(files)
        checked = check(data, ids=[str(n) for n in range(300)], progress=lambda *a: told.append(a))
        assert checked.report.accepted
        assert 1 <= len(told) <= 110
        assert told == sorted(told)
        assert {total for _, total in told} == {len(data)}


BROKEN = {
    "a wrong checksum": (
        make_zip(*(Part(n, d, crc=1 if n == "utt_0002.wav" else None) for n, d in ALL.items())),
        ["BAD_ARCHIVE.checksum"],
    ),
    "an unknown compression": (
        make_zip(*(Part(n, d, method=93 if n == "utt_0002.wav" else 0) for n, d in ALL.items())),
        ["BAD_ARCHIVE.method"],
    ),
    "broken compression": (
        make_zip(
            *(Part(n, d) for n, d in members(utt_0002=None).items()),
            Part("utt_0002.wav", GOOD, method=DEFLATED, packed=b"\xff" * 900),
        ),
        ["BAD_ARCHIVE.damaged"],
    ),
    "a password": (zipped(ALL, flags=1), ["BAD_ARCHIVE.encrypted"] * 3 + ["MISSING_SAMPLES.sounds"]),
    "a link": (
        make_zip(*(Part(n, d) for n, d in ALL.items()), Part("l.wav", b"/etc", mode=stat.S_IFLNK)),
        ["BAD_ARCHIVE.link"],
    ),
    "a folder named like a sound": (
        make_zip(
            *(Part(n, d) for n, d in members(utt_0002=None).items()),
            Part("utt_0002.wav/", mode=0o040755),
        ),
        ["BAD_ARCHIVE.folder", "MISSING_SAMPLES.sounds"],
    ),
    "a cut zip": (zipped(ALL)[:-1], ["BAD_ARCHIVE.truncated"]),
    "a tar cut in a header": (tarred(ALL)[:9_000], ["BAD_ARCHIVE.truncated_tar"]),
    "a tar cut in a sound": (
        tarred(ALL)[:9_600],
        ["WAV_TRUNCATED.data", "BAD_ARCHIVE.truncated_tar"],
    ),
    "a tar without its end": (tarred(ALL)[: 3 * 8_704], ["BAD_ARCHIVE.truncated_tar"]),
    "a cut gzip": (gzipped(tarred(ALL))[:-9], ["BAD_ARCHIVE.truncated"]),
    "a gzip with a wrong checksum": (
        gzipped(tarred(ALL))[:-8] + bytes(8),
        ["BAD_ARCHIVE.damaged_gzip"],
    ),
    "a gzip with something behind": (gzipped(tarred(ALL)) + b"more", ["BAD_ARCHIVE.damaged_gzip"]),
    "a damaged header in a tar": (
        tarred(ALL)[:8_704] + b"x" + tarred(ALL)[8_705:],
        ["BAD_ARCHIVE.tar_header"],
    ),
    "a gzip of no tar": (gzipped(GOOD), ["BAD_ARCHIVE.container"]),
    "a bare WAV": (GOOD, ["BAD_ARCHIVE.container"]),
    "a page": (b"<!DOCTYPE html><html></html>", ["BAD_ARCHIVE.container"]),
    "rows": (b'{"utt_id": "utt_0001"}\n', ["WRONG_TRACK.text"]),
    "rows after a mark": (b'\xef\xbb\xbf[{"utt_id": "utt_0001"}]', ["WRONG_TRACK.text"]),
    "noise": (bytes(range(256)) * 4, ["BAD_ARCHIVE.no_archive"]),
    "nothing": (b"", ["EMPTY_FILE.sounds"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_broken_is_refused_with_its_code(kind: str) -> None:
    data, expected = BROKEN[kind]
    checked = check(data)
    assert codes(checked) == expected
    assert not checked.report.accepted
    assert "{" not in sentences(checked)


def test_links_devices_and_pipes_of_a_tar_are_refused() -> None:
    stream = io.BytesIO()
    kinds = [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE]
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for number, kind in enumerate(kinds):
            entry = tarfile.TarInfo(f"{number}.wav")
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
        for name, data in ALL.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    assert codes(check(stream.getvalue())) == (
        ["BAD_ARCHIVE.link"] * 2 + ["BAD_ARCHIVE.special"] * 3
    )


@pytest.mark.parametrize("kind", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_of_a_tar_are_read(kind: int) -> None:
    folder = "f" * 120
    checked = check(tarred({f"{folder}/{name}": data for name, data in ALL.items()}, kind=kind))
    assert codes(checked) == ["FOLDER_IN_ARCHIVE.sounds"]
    assert checked.report.problems[0].params["folder"].startswith("ffff")


def test_a_bomb_of_zeros_is_stopped_in_every_sort_of_archive() -> None:
    zeros = riff(fmt(), chunk(b"data", bytes(4 << 20), size=4 << 20))
    limits = AudioLimits(unjudged_bytes=1 << 20)
    for data in (
        zipped({"utt_0001.wav": zeros}, method=DEFLATED),
        gzipped(tarred(members(utt_0001=zeros))),
    ):
        assert "ARCHIVE_TOO_LARGE.ratio" in codes(check(data, limits=limits))
    limits = AudioLimits(unpacked_bytes=1 << 20)
    for data in (
        zipped({"utt_0001.wav": zeros}, method=DEFLATED),
        gzipped(tarred(members(utt_0001=zeros))),
    ):
        assert "ARCHIVE_TOO_LARGE.size" in codes(check(data, limits=limits))


def test_silence_that_packs_well_is_no_bomb() -> None:
    silent = wav(bytes(2 * 960_000))
    checked = check(zipped(dict.fromkeys(ALL, silent), method=DEFLATED))
    assert codes(checked) == ["WAV_SILENT.constant"] * 3
    assert checked.report.accepted


@settings(max_examples=150)
@given(
    st.sampled_from([zipped(ALL), tarred(ALL), gzipped(tarred(ALL))]),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=8),
    st.floats(0, 1),
)
def test_a_damaged_archive_gets_a_verdict_whatever_is_in_it(data, changes, kept) -> None:
    damaged = bytearray(data)
    for place, value in changes:
        damaged[int(place * len(damaged))] = value
    whole = bytes(damaged) if kept > 0.5 else bytes(damaged[: int(2 * kept * len(damaged))])
    checked = check(whole)
    assert checked.report.accepted or checked.report.errors > 0
    assert "{" not in sentences(checked).replace("{utt_id}", "")
    if checked.report.accepted:
        assert set(checked.clips) == set(IDS)


@given(st.binary(max_size=400))
def test_no_bytes_at_all_break_the_reader(data: bytes) -> None:
    assert not check(data).report.accepted


@pytest.mark.parametrize("pack", ["zip", "deflated zip", "tar.gz"])
def test_memory_does_not_grow_with_the_archive(tmp_path: Path, pack: str) -> None:
    path = tmp_path / "s"
    clip = wav(tone(80) * 10_000)
    ids = [f"u{number}" for number in range(24)]
    files = {f"{utt_id}.wav": clip for utt_id in ids}
    if pack == "tar.gz":
        path.write_bytes(gzipped(tarred(files)))
    else:
        path.write_bytes(zipped(files, method=DEFLATED if "deflated" in pack else 0))
    limits = AudioLimits(unjudged_bytes=1 << 30)
    tracemalloc.start()
    try:
        checked = check(path, ids=ids, limits=limits)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert checked.report.accepted
    assert sum(2 * found.frames for found in checked.clips.values()) > 38_000_000
    assert peak < 4_000_000


def test_a_list_of_entries_that_is_too_long_to_hold_is_refused() -> None:
    name = b"n" * 60_000
    parts = [Part(name + b"%03d" % number, b"") for number in range(600)]
    checked = check(make_zip(*parts))
    assert codes(checked) == ["ARCHIVE_TOO_LARGE.entries"]


def test_sizes_of_64_bits_are_read() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in ALL.items():
            with archive.open(name, "w", force_zip64=True) as file:
                file.write(data)
    assert check(stream.getvalue()).report.problems == ()
