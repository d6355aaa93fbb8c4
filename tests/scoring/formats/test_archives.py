"""Archives sent to Track 1: what is read, what is refused, and in which words."""

from __future__ import annotations

import gzip
import io
import random
import stat
import struct
import tarfile
import time
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.types import Limits
from tests.scoring.formats.challenge import GOOD, TEXTS, check, codes, lines, sentences
from tests.scoring.formats.zips import BZIP2, DEFLATED, STORED, Part, make_zip

FILE = Part("predictions.jsonl", GOOD)


def zip64_extra(*values: int) -> bytes:
    return struct.pack("<2H", 1, 8 * len(values)) + struct.pack(f"<{len(values)}Q", *values)


RIGHT = {
    "stored": make_zip(FILE),
    "deflated": make_zip(Part("p.jsonl", GOOD, method=DEFLATED)),
    "bzip2": make_zip(Part("p.jsonl", GOOD, method=BZIP2)),
    "a data descriptor": make_zip(Part("p.jsonl", GOOD, method=DEFLATED, descriptor=True)),
    "a comment": make_zip(FILE, comment=b"made by hand"),
    "an ending in capitals": make_zip(Part("PREDICTIONS.JSONL", GOOD)),
    "another ending": make_zip(Part("predictions.json", GOOD)),
    "no ending": make_zip(Part("predictions", GOOD)),
    "a double ending": make_zip(Part("p.jsonl.jsonl", GOOD)),
    "a blank before the name": make_zip(Part(" p.jsonl", GOOD)),
    "an UTF-8 name without its flag": make_zip(Part("预测.jsonl", GOOD)),
    "an UTF-8 name with its flag": make_zip(Part("préd.jsonl", GOOD, flags=0x800)),
    "a code page name": make_zip(Part(b"pr\x82d.jsonl", GOOD)),
    "a script before it, offsets not moved": make_zip(FILE, prefix=b"#!/bin/sh\n", shifted=True),
    "a script before it": make_zip(FILE, prefix=b"#!/bin/sh\nexit 0\n"),
    "the mark of a spanned archive": make_zip(FILE, prefix=b"PK\x07\x08"),
    "a folder entry": make_zip(Part("out/", mode=0o040755), Part("out/p.jsonl", GOOD)),
    "two folders": make_zip(Part("team/out/p.jsonl", GOOD)),
    "a backslash folder": make_zip(Part("out\\p.jsonl", GOOD)),
    "another file": make_zip(FILE, Part("README.md", b"hello")),
    "zip64 sizes": make_zip(
        Part(
            "p.jsonl",
            GOOD,
            extra=zip64_extra(len(GOOD), len(GOOD)),
            central={"packed": 0xFFFFFFFF, "size": 0xFFFFFFFF},
        )
    ),
    "a list inside": make_zip(
        Part("p.json", b"[" + b",".join(GOOD.splitlines()) + b"]", method=DEFLATED)
    ),
}


@pytest.mark.parametrize("kind", RIGHT)
def test_an_archive_that_is_only_unusual_is_read(kind: str) -> None:
    checked = check(RIGHT[kind])
    assert checked.report.accepted, sentences(checked)
    assert checked.predictions == TEXTS


@pytest.mark.parametrize("mode", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_what_the_standard_library_writes_is_read(mode: int) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", mode) as archive, archive.open("a.jsonl", "w") as file:
        file.write(GOOD)
    assert check(stream.getvalue()).predictions == TEXTS


def test_litter_is_ignored_with_a_note() -> None:
    litter = ["__MACOSX/._predictions.jsonl", ".DS_Store", "Thumbs.db", "desktop.ini", "._p.jsonl"]
    litter.append(".ipynb_checkpoints/predictions-checkpoint.jsonl")
    checked = check(make_zip(FILE, *(Part(name, b"\0\1\2") for name in litter)))
    assert checked.report.accepted
    assert codes(checked) == ["ARCHIVE_LITTER_IGNORED"]
    assert checked.report.problems[0].params["count"] == len(litter)


def test_a_folder_and_other_files_are_noted() -> None:
    assert codes(check(RIGHT["a backslash folder"])) == ["FOLDER_IN_ARCHIVE"]
    assert codes(check(RIGHT["another file"])) == ["EXTRA_FILES_IGNORED"]


WRONG = {
    "several candidates": (
        make_zip(FILE, Part("old.jsonl", GOOD)),
        "AMBIGUOUS_ARCHIVE",
        ["predictions.jsonl", "old.jsonl"],
    ),
    "one file an utterance": (
        make_zip(*(Part(f"{name}.json", b"{}") for name in TEXTS)),
        "AMBIGUOUS_ARCHIVE",
        ["utt_0001.json", "4"],
    ),
    "names that differ by case": (
        make_zip(Part("p.jsonl", GOOD), Part("P.jsonl", GOOD)),
        "AMBIGUOUS_ARCHIVE",
        ["P.jsonl"],
    ),
    "mixed levels": (
        make_zip(FILE, Part("sub/p.jsonl", GOOD)),
        "AMBIGUOUS_ARCHIVE",
        ["sub/p.jsonl"],
    ),
    "audio": (make_zip(Part("utt_0001.wav", b"RIFF")), "WRONG_TRACK", ["track", "json", "wav"]),
    "audio beside text": (make_zip(FILE, Part("a.mp3", b"ID3")), "WRONG_TRACK", ["a.mp3"]),
    "audio under a text name": (
        make_zip(Part("p.jsonl", b"RIFF\x24\0\0\0WAVEfmt ")),
        "WRONG_TRACK",
        ["WAV"],
    ),
    "the same name twice": (
        make_zip(FILE, Part("predictions.jsonl", GOOD + b"\n")),
        "BAD_ARCHIVE",
        ["predictions.jsonl", "twice", "duplicate"],
    ),
    "two names for one entry": (
        make_zip(Part("p.jsonl", GOOD, local_name=b"q.jsonl")),
        "BAD_ARCHIVE",
        ["damaged", "name", "q.jsonl"],
    ),
    "an absolute path": (make_zip(Part("/etc/p.jsonl", GOOD)), "BAD_ARCHIVE", ["path"]),
    "a drive": (make_zip(Part("C:\\p.jsonl", GOOD)), "BAD_ARCHIVE", ["path"]),
    "a way up": (make_zip(Part("../p.jsonl", GOOD)), "BAD_ARCHIVE", ["path", ".."]),
    "a way up by backslash": (make_zip(Part("a\\..\\..\\p.jsonl", GOOD)), "BAD_ARCHIVE", ["path"]),
    "a link": (
        make_zip(Part("p.jsonl", b"/etc/passwd", mode=stat.S_IFLNK | 0o777)),
        "BAD_ARCHIVE",
        ["link", "p.jsonl"],
    ),
    "a pipe": (
        make_zip(Part("p.jsonl", b"", mode=stat.S_IFIFO | 0o644)),
        "BAD_ARCHIVE",
        ["p.jsonl", "pipe"],
    ),
    "a password": (
        make_zip(Part("p.jsonl", GOOD, flags=1)),
        "BAD_ARCHIVE",
        ["password", "encrypted"],
    ),
    "AES": (make_zip(Part("p.jsonl", GOOD, method=99)), "BAD_ARCHIVE", ["password", "p.jsonl"]),
    "zstd": (make_zip(Part("p.jsonl", b"x", method=93)), "BAD_ARCHIVE", ["compression", "zstd"]),
    "implode": (
        make_zip(Part("p.jsonl", b"x", method=6)),
        "BAD_ARCHIVE",
        ["compression", "implode"],
    ),
    "an unknown method": (make_zip(Part("p.jsonl", b"x", method=77)), "BAD_ARCHIVE", ["77"]),
    "a zip inside": (
        make_zip(Part("submission.zip", make_zip(FILE))),
        "BAD_ARCHIVE",
        ["zip inside", "submission.zip"],
    ),
    "a zip under a text name": (
        make_zip(Part("p.jsonl", make_zip(FILE))),
        "BAD_ARCHIVE",
        ["zip inside"],
    ),
    "gzip inside": (make_zip(Part("p.jsonl.gz", gzip.compress(GOOD))), "BAD_ARCHIVE", ["inside"]),
    "a wrong checksum": (make_zip(Part("p.jsonl", GOOD, crc=1)), "BAD_ARCHIVE", ["damaged"]),
    "broken compression": (
        make_zip(Part("p.jsonl", GOOD, method=DEFLATED, packed=b"\xff" * 40)),
        "BAD_ARCHIVE",
        ["damaged", "p.jsonl"],
    ),
    "compression cut short": (
        make_zip(Part("p.jsonl", GOOD, method=DEFLATED, packed=FILE.packed_bytes[:-1])),
        "BAD_ARCHIVE",
        ["damaged"],
    ),
    "bzip2 cut short": (
        make_zip(
            Part("p.jsonl", GOOD, method=BZIP2, packed=Part("", GOOD, BZIP2).packed_bytes[:-9])
        ),
        "BAD_ARCHIVE",
        ["damaged"],
    ),
    "a size too small": (
        make_zip(Part("p.jsonl", GOOD, method=DEFLATED, size=10)),
        "BAD_ARCHIVE",
        ["damaged", "size"],
    ),
    "a size too big": (
        make_zip(Part("p.jsonl", GOOD, method=DEFLATED, size=len(GOOD) + 9)),
        "BAD_ARCHIVE",
        ["damaged", "size"],
    ),
    "an impossible size": (
        make_zip(Part("p.jsonl", GOOD, method=DEFLATED, size=0xFFFFFFFE)),
        "BAD_ARCHIVE",
        ["damaged", "size"],
    ),
    "sizes that differ between headers": (
        make_zip(Part("p.jsonl", GOOD, method=DEFLATED, local_size=9)),
        "BAD_ARCHIVE",
        ["damaged", "size"],
    ),
    "a short zip64 field": (
        make_zip(Part("p.jsonl", GOOD, extra=struct.pack("<2HQ", 1, 16, 5))),
        "BAD_ARCHIVE",
        ["damaged", "zip"],
    ),
    "zip64 sizes that are not there": (
        make_zip(Part("p.jsonl", GOOD, central={"size": 0xFFFFFFFF})),
        "BAD_ARCHIVE",
        ["damaged"],
    ),
    "an offset outside": (
        make_zip(Part("p.jsonl", GOOD, central={"offset": 1 << 30})),
        "BAD_ARCHIVE",
        ["damaged"],
    ),
    "one entry too many": (
        make_zip(FILE, Part("q.txt", b"x"), count=1),
        "BAD_ARCHIVE",
        ["damaged", "q.txt"],
    ),
    "one entry too few": (make_zip(FILE, count=2), "BAD_ARCHIVE", ["damaged"]),
    "a split archive": (make_zip(FILE, disk=3), "BAD_ARCHIVE", ["split"]),
    "nothing in it": (make_zip(), "BAD_ARCHIVE", ["empty", "no files"]),
    "folders only": (make_zip(Part("a/", mode=0o040755)), "BAD_ARCHIVE", ["empty", "no files"]),
    "a folder named like the file": (
        make_zip(Part("predictions.jsonl/", mode=0o040755), Part("a.txt", b"x"), Part("b.txt")),
        "BAD_ARCHIVE",
        ["a.txt"],
    ),
    "a name with NUL": (make_zip(Part("p.jsonl\0.txt", GOOD)), "BAD_ARCHIVE", ["name", "\\u0000"]),
    "a name with a line break": (
        make_zip(Part("p\nERROR.jsonl", GOOD)),
        "BAD_ARCHIVE",
        ["name", "\\u000a"],
    ),
    "a long name": (make_zip(Part("a" * 5000, GOOD)), "BAD_ARCHIVE", ["name", "long"]),
    "an Office document": (
        make_zip(Part("[Content_Types].xml", b"<x/>"), Part("xl/workbook.xml", b"<x/>")),
        "BAD_ARCHIVE",
        ["office"],
    ),
    "an empty file": (make_zip(Part("p.jsonl")), "EMPTY_FILE", ["empty"]),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_archive_is_refused_with_its_code_and_words(kind: str) -> None:
    data, code, words = WRONG[kind]
    checked = check(data)
    assert not checked.report.accepted
    assert code in codes(checked)
    for word in words:
        assert word.lower() in sentences(checked).lower()
    sentences(checked).encode("utf-8")


OTHER = {
    "gzip": (gzip.compress(GOOD), "BAD_ARCHIVE", "gzip"),
    "7z": (b"7z\xbc\xaf\x27\x1c" + bytes(60), "BAD_ARCHIVE", "7z"),
    "rar": (b"Rar!\x1a\x07\x01\0" + bytes(60), "BAD_ARCHIVE", "rar"),
    "bzip2": (b"BZh9" + bytes(60), "BAD_ARCHIVE", "bzip2"),
    "xz": (b"\xfd7zXZ\0" + bytes(60), "BAD_ARCHIVE", "xz"),
    "WAV": (b"RIFF\x24\0\0\0WAVEfmt " + bytes(60), "WRONG_TRACK", "wav"),
    "FLAC": (b"fLaC" + bytes(60), "WRONG_TRACK", "flac"),
    "MP3": (b"ID3\x03" + bytes(60), "WRONG_TRACK", "mp3"),
    "PDF": (b"%PDF-1.7\n", "INVALID_JSON", "pdf"),
    "HTML": (b"\n<!DOCTYPE html><html></html>", "INVALID_JSON", "html"),
    "an old workbook": (b"\xd0\xcf\x11\xe0" + bytes(60), "INVALID_JSON", "xls"),
    "an LFS pointer": (b"version https://git-lfs.github.com/spec/v1\n", "INVALID_JSON", "lfs"),
}


@pytest.mark.parametrize("kind", OTHER)
def test_what_is_no_archive_is_named(kind: str) -> None:
    data, code, word = OTHER[kind]
    checked = check(data, filename="predictions.jsonl")
    assert codes(checked) == [code]
    assert word in sentences(checked).lower()


def test_a_page_named_zip_is_answered_with_zip_and_html() -> None:
    checked = check(OTHER["HTML"][0], filename="submission.zip")
    assert codes(checked) == ["BAD_ARCHIVE"]
    assert "html" in sentences(checked).lower()
    assert "zip" in sentences(checked).lower()


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_tar_is_named(mode: str) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]
        entry = tarfile.TarInfo("p.jsonl")
        entry.size = len(GOOD)
        archive.addfile(entry, io.BytesIO(GOOD))
    checked = check(stream.getvalue())
    assert codes(checked) == ["BAD_ARCHIVE"]
    assert "tar" in sentences(checked)


def test_the_content_counts_and_not_the_name() -> None:
    assert check(GOOD, filename="submission.zip").report.accepted
    assert check(make_zip(FILE), filename="predictions.jsonl").report.accepted


@pytest.mark.parametrize("method", [DEFLATED, BZIP2])
def test_a_bomb_is_refused_without_being_unpacked(method: int) -> None:
    bomb = make_zip(Part("p.jsonl", b" " * (9 << 20), method=method))
    start = time.process_time()
    checked = check(bomb, limits=Limits(unpacked_bytes=8 << 20))
    assert time.process_time() - start < 1
    assert codes(checked) == ["ARCHIVE_TOO_LARGE"]
    assert "too large" in sentences(checked)


@pytest.mark.parametrize("method", [DEFLATED, BZIP2])
def test_a_bomb_that_lies_about_its_size_is_stopped(method: int) -> None:
    whole = Part("p.jsonl", b" " * (2 << 20), method=method)
    bomb = make_zip(Part("p.jsonl", whole.data, method=method, size=len(whole.packed_bytes)))
    assert codes(check(bomb)) == ["BAD_ARCHIVE"]


def test_a_ratio_over_the_limit_is_refused() -> None:
    data = lines({"utt_id": "utt_0001", "text_with_nvvs": "a" * 1900}) * 400
    assert codes(check(make_zip(Part("p.jsonl", data, method=DEFLATED)))) == ["ARCHIVE_TOO_LARGE"]


def test_entries_that_share_their_bytes_are_refused() -> None:
    first = Part("a.jsonl", GOOD)
    shared = make_zip(first, Part("a.jsonl", GOOD, offset=0))
    assert "overlap" in sentences(check(shared))
    body = Part("b.jsonl", GOOD)
    quoted = make_zip(body)
    inner = quoted[: len(quoted) - 22 - 46 - len("b.jsonl")]
    outer = Part("a.jsonl", inner)
    start = 30 + len("a.jsonl")
    assert "overlap" in sentences(check(make_zip(outer, Part("b.jsonl", GOOD, offset=start))))


def test_too_many_entries_are_refused() -> None:
    many = make_zip(*(Part(f"{n}.txt") for n in range(50)))
    checked = check(many, limits=Limits(members=49))
    assert codes(checked) == ["ARCHIVE_TOO_LARGE"]


@pytest.mark.parametrize("keep", range(0, 500, 7))
def test_an_archive_cut_short_is_damaged(keep: int) -> None:
    whole = make_zip(Part("p.jsonl", GOOD, method=DEFLATED))
    checked = check(whole[:keep] if keep < len(whole) else whole[:-1])
    assert not checked.report.accepted
    assert checked.report.problems


@given(st.integers(0, 2**32), st.integers(1, 6))
def test_changed_bytes_never_escape_as_an_exception(seed: int, changes: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    method = chance.choice([STORED, DEFLATED, BZIP2])
    data = bytearray(make_zip(Part("p.jsonl", GOOD, method=method), Part("README", b"x")))
    for _ in range(changes):
        data[chance.randrange(len(data))] = chance.randrange(256)
    checked = check(bytes(data))
    assert checked.report.accepted or checked.report.errors
    sentences(checked).encode("utf-8")
