"""Odd zips, tars and gzips of many writers: each with the first error it gets, none where it is accepted."""

from __future__ import annotations

import bz2
import lzma
import struct
import tarfile
import unicodedata
import zlib

import pytest

from tests.scoring.formats.raw_zips import Entry, changed, pack, renamed, whole
from tests.scoring.formats.sounds import (
    GOOD,
    IDS,
    check,
    codes,
    gzipped,
    members,
    sentences,
    tarred,
)
from tests.scoring.formats.test_tarfiles import END, header, record, resealed, special

ALL = whole()
WIDE = struct.pack("<2H2Q", 1, 16, len(GOOD), len(GOOD))
ZIPS = {
    "comment": (pack(*ALL, comment=b"made by hand"), ""),
    "comment 65535": (pack(*ALL, comment=b"c" * 65535), ""),
    "comment with end record in it": (pack(*ALL, comment=b"PK\x05\x06" + bytes(18)), "BAD_ARCHIVE.empty_sounds"),
    "comment with short mark": (pack(*ALL, comment=b"xxPK\x05\x06"), ""),
    "suffix 10": (pack(*ALL, suffix=b"0123456789"), ""),
    "suffix newline": (pack(*ALL, suffix=b"\r\n"), ""),
    "prefix unshifted": (pack(*ALL, prefix=b"#!/bin/sh\n"), ""),
    "prefix shifted": (pack(*ALL, prefix=b"MZ" + bytes(98), shift=100), ""),
    "gap before directory": (pack(*ALL, between=bytes(100)), ""),
    "gap not counted": (pack(*ALL, between=bytes(64), start=sum(30 + 12 + len(GOOD) for _ in IDS)), "BAD_ARCHIVE.header"),
    "deflated": (changed(method=8), ""),
    "dd sig": (changed(method=8, descriptor="marked"), ""),
    "dd nosig": (changed(method=8, descriptor="plain"), ""),
    "dd wide": (changed(descriptor="wide"), ""),
    "dd none": (changed(descriptor="left out"), ""),
    "dd lie": (changed(descriptor="lying"), ""),
    "stored dd": (changed(descriptor="marked"), ""),
    "z64 end": (pack(*ALL, is_wide=True), ""),
    "z64 end comment": (pack(*ALL, is_wide=True, comment=b"abc"), ""),
    "z64 entry": (changed(extra=WIDE), ""),
    "method differs": (changed(local={"method": 8}), "BAD_ARCHIVE"),
    "local method 99": (changed(local={"method": 99}), "BAD_ARCHIVE"),
    "local encrypted": (changed(local={"flags": 1}), "BAD_ARCHIVE"),
    "central encrypted": (changed(flags=1, local={"flags": 0}), "BAD_ARCHIVE"),
    "local crc differs": (changed(local={"crc": 1}), "BAD_ARCHIVE"),
    "local size differs": (changed(local={"size": 5}), "BAD_ARCHIVE.size"),
    "local packed differs": (changed(local={"packed": 5}), "BAD_ARCHIVE.size"),
    "local size ffff": (changed(local={"size": 0xFFFFFFFF, "packed": 0xFFFFFFFF, "extra": WIDE}), ""),
    "local size ffff without extra": (changed(local={"size": 0xFFFFFFFF, "packed": 0xFFFFFFFF}), ""),
    "local size 0 no dd": (changed(local={"size": 0, "packed": 0, "crc": 0}), "BAD_ARCHIVE.size"),
    "local name differs": (changed(local={"name": b"utt_0009.wav"}), "BAD_ARCHIVE.name"),
    "crc wrong both": (changed(crc=1), "BAD_ARCHIVE.checksum"),
    "size larger": (changed(size=9000, local={"size": 9000}), "BAD_ARCHIVE.size"),
    "deflated size smaller": (changed(method=8, size=100), "WAV_TRUNCATED"),
    "deflated size larger": (changed(method=8, size=9000), "BAD_ARCHIVE.size"),
    "deflate garbage": (changed(method=8, packed=b"\xff" * 100), "BAD_ARCHIVE.damaged"),
    "deflate trailing": (changed(method=8, packed=zlib.compress(GOOD, wbits=-15) + b"xx"), "BAD_ARCHIVE.damaged"),
    "deflate cut": (changed(method=8, packed=zlib.compress(GOOD, wbits=-15)[:-5]), "BAD_ARCHIVE.damaged"),
    "zlib wrapped": (changed(method=8, packed=zlib.compress(GOOD)), "BAD_ARCHIVE.damaged"),
    "overlap": (pack(Entry("utt_0001.wav"), Entry("utt_0002.wav", offset=0), Entry("utt_0003.wav")), "BAD_ARCHIVE"),
    "offset beyond": (pack(Entry("utt_0001.wav"), Entry("utt_0002.wav", offset=10**7), Entry("utt_0003.wav")), "BAD_ARCHIVE"),
    "offset ffff": (pack(Entry("utt_0001.wav"), Entry("utt_0002.wav", offset=0xFFFFFFFF), Entry("utt_0003.wav")), "BAD_ARCHIVE.zip64"),
    "twice same name": (pack(*ALL, Entry("utt_0002.wav")), "DUPLICATE_UTT_ID"),
    "case twin": (pack(*ALL, Entry("Utt_0002.wav")), "DUPLICATE_UTT_ID"),
    "two folders same": (pack(*[Entry(f"a/{u}.wav") for u in IDS], *[Entry(f"b/{u}.wav") for u in IDS]), "DUPLICATE_UTT_ID"),
    "three levels": (renamed("a/b/c/{}.wav"), ""),
    "folder entries": (pack(Entry("run/", b"", mode=0o40755), *[Entry(f"run/{u}.wav") for u in IDS]), ""),
    "dot slash": (renamed("./{}.wav"), ""),
    "dot slash mixed": (pack(Entry("./utt_0001.wav"), Entry("utt_0002.wav"), Entry("utt_0003.wav")), ""),
    "double slash": (renamed("run//{}.wav"), ""),
    "double slash mixed": (pack(Entry("run//utt_0001.wav"), Entry("run/utt_0002.wav"), Entry("run/utt_0003.wav")), ""),
    "backslash": (renamed("run\\{}.wav"), ""),
    "back and forward": (pack(Entry("run\\utt_0001.wav"), Entry("run/utt_0002.wav"), Entry("run/utt_0003.wav")), ""),
    "WAV caps": (renamed("{}.WAV"), ""),
    "trailing dot": (pack(*ALL, Entry("utt_0002.wav.")), ""),
    "trailing space": (pack(Entry("utt_0001.wav"), Entry("utt_0002.wav "), Entry("utt_0003.wav")), ""),
    "name empty": (pack(*ALL, Entry("", b"")), "INVALID_UTT_ID"),
    "name NUL": (pack(*ALL, Entry(b"utt_0002.wav\0.txt")), "INVALID_UTT_ID"),
    "name 200": (pack(*ALL, Entry("u" * 196 + ".wav")), ""),
    "name 201": (pack(*ALL, Entry("u" * 197 + ".wav")), "INVALID_UTT_ID"),
    "absolute": (pack(*ALL, Entry("/utt_0002.wav")), "BAD_ARCHIVE.path"),
    "drive": (pack(*ALL, Entry("C:utt.wav")), "BAD_ARCHIVE.path"),
    "dotdot": (pack(*ALL, Entry("a/../../x.wav")), "BAD_ARCHIVE.path"),
    "unc": (pack(*ALL, Entry("\\\\srv\\x.wav")), "BAD_ARCHIVE.path"),
    "symlink": (pack(*ALL, Entry("l", b"/etc/passwd", mode=0o120777)), "BAD_ARCHIVE.link"),
    "device": (pack(*ALL, Entry("dev", b"", mode=0o60660)), "BAD_ARCHIVE.special"),
    "litter link": (pack(*ALL, Entry("__MACOSX/l", b"/etc/passwd", mode=0o120777)), "BAD_ARCHIVE.link"),
    "dos dir with bytes": (pack(Entry("utt_0001.wav"), Entry("utt_0002.wav", made_by=20, attributes=0x10), Entry("utt_0003.wav")), "BAD_ARCHIVE.folder"),
    "setuid": (changed(mode=0o104755), ""),
    "unicode path extra lies": (changed(extra=struct.pack("<2HBL", 0x7075, 5 + 12, 1, zlib.crc32(b"utt_0002.wav")) + b"utt_0003.wav"), "DUPLICATE_UTT_ID"),
    "extra cut": (changed(extra=b"\x01\x00\x10\x00ab"), "BAD_ARCHIVE.zip64"),
    "extra garbage": (changed(extra=b"\xfe\xca\x04\x00abcd\0"), ""),
    "extra 60k": (changed(extra=struct.pack("<2H", 0xCAFE, 60000) + bytes(60000)), ""),
    "entry comment": (changed(comment=b"take 3"), ""),
    "count 0": (pack(*ALL, count=0), "BAD_ARCHIVE"),
    "count 65535 no z64": (pack(*ALL, count=0xFFFF), "ARCHIVE_TOO_LARGE.members"),
    "dir size 0": (pack(*ALL, size=0), "BAD_ARCHIVE"),
    "dir start ffff": (pack(*ALL, start=0xFFFFFFFF), "BAD_ARCHIVE"),
    "dir garbage behind": (pack(*ALL, behind=b"PK\x05\x05\0\0"), "BAD_ARCHIVE.directory"),
    "cp437 name": (pack(*ALL, Entry(b"caf\x82.wav")), ""),
    "utf8 flag bad": (pack(*ALL, Entry(b"caf\xff.wav", flags=0x800)), ""),
    "NFD twin": (pack(*ALL, Entry(unicodedata.normalize("NFD", "é.wav")), Entry("é.wav")), ""),
    "fullwidth": (pack(*ALL, Entry("ｕｔｔ_0002.wav")), ""),
    "rlo": (pack(*ALL, Entry("utt_\u202e0002.wav")), ""),
    "nested zip": (pack(*ALL, Entry("more.zip", pack(*ALL))), "BAD_ARCHIVE.nested_sounds"),
    "zip in wav name": (pack(Entry("utt_0001.wav"), Entry("utt_0002.wav", pack(*ALL)), Entry("utt_0003.wav")), "WAV_FORMAT"),
    "empty wav": (changed(data=b""), "WAV_EMPTY"),
    "empty deflated": (changed(data=b"", method=8), "WAV_EMPTY"),
    "PK00PK": (pack(*ALL, prefix=b"PK00"), ""),
    "only end": (b"PK\x05\x06" + bytes(18), "BAD_ARCHIVE"),
    "method bzip2 lie": (changed(method=12, packed=GOOD), "BAD_ARCHIVE.damaged"),
    "method 97": (changed(method=97), "BAD_ARCHIVE.method"),
}  # fmt: skip


def row(name: str, data: bytes = GOOD, **fields: object) -> bytes:
    """Return a file of a tar: its header, its bytes, zeros to the end of the block."""
    return header(name, size=len(data), **fields) + data + bytes(-len(data) % 512)


def joined(*rows: bytes, end: bytes = END) -> bytes:
    """Return a tar of rows."""
    return b"".join(rows) + end


ROWS = [row(f"{utt_id}.wav") for utt_id in IDS]


def beside(*rows: bytes) -> bytes:
    """Return a good tar with rows behind those that are wanted."""
    return joined(*ROWS, *rows)


def resized(block: bytes, field: bytes) -> bytes:
    """Return a header with another field for the size."""
    return resealed(block[:124] + field + block[136:])


def base_256(number: int) -> bytes:
    """Return a size as GNU writes large ones."""
    return struct.pack(">BxxxQ", 0x80, number)


def usual(kind: int) -> bytes:
    """Return what the standard library writes."""
    return tarred(members(), kind=kind)


OLD = header("x.wav", form=tarfile.USTAR_FORMAT)
TAR = joined(*ROWS)
GZIP = gzipped(TAR)
TARS = {
    "gnu": (usual(tarfile.GNU_FORMAT), ""),
    "pax": (usual(tarfile.PAX_FORMAT), ""),
    "ustar": (usual(tarfile.USTAR_FORMAT), ""),
    "v7": (joined(*[resealed(r[:257] + bytes(255)) + r[512:] for r in ROWS]), ""),
    "dot slash": (joined(header("./", kind=b"5", mode=0o755), *[row(f"./{u}.wav") for u in IDS]), ""),
    "dot slash mixed": (joined(row("./utt_0001.wav"), *ROWS[1:]), ""),
    "folder": (joined(header("run/", kind=b"5"), *[row(f"run/{u}.wav") for u in IDS]), ""),
    "folder without slash": (joined(header("run", kind=b"5"), *[row(f"run/{u}.wav") for u in IDS]), ""),
    "folder v7 type 0": (joined(header("run/", kind=b"0"), *[row(f"run/{u}.wav") for u in IDS]), ""),
    "long L": (beside(special(b"L", b"n" * 150 + b".wav\0") + row("x")), ""),
    "long L 300": (beside(special(b"L", b"n" * 300 + b".wav\0") + row("x")), "INVALID_UTT_ID"),
    "long L not ended": (beside(special(b"L", b"extra.wav") + row("x")), ""),
    "two L": (joined(*ROWS[:2], special(b"L", b"other.wav\0") + special(b"L", b"utt_0003.wav\0") + row("x")), ""),
    "L and pax": (joined(*ROWS[:2], special(b"L", b"other.wav\0") + special(b"x", record("path", "utt_0003.wav")) + row("x")), ""),
    "L at end": (beside(special(b"L", b"x.wav\0")), ""),
    "pax path": (joined(*ROWS[:2], special(b"x", record("path", "utt_0003.wav")) + row("x")), ""),
    "pax path NUL": (beside(special(b"x", record("path", "a\0b.wav")) + row("x")), "INVALID_UTT_ID"),
    "pax path empty": (joined(*ROWS[:2], special(b"x", record("path", "")) + row("utt_0003.wav")), ""),
    "pax path dotdot": (beside(special(b"x", record("path", "../x.wav")) + row("x")), "BAD_ARCHIVE.path"),
    "pax size": (joined(*ROWS[:2], special(b"x", record("size", str(len(GOOD)))) + resized(header("utt_0003.wav"), b"00000000000\0") + GOOD + bytes(-len(GOOD) % 512)), ""),
    "pax size smaller": (joined(*ROWS[:2], special(b"x", record("size", "512")) + row("utt_0003.wav")), "WAV_TRUNCATED"),
    "pax size on folder": (joined(special(b"x", record("size", "512")) + header("run/", kind=b"5"), *[row(f"run/{u}.wav") for u in IDS]), ""),
    "pax size huge": (beside(special(b"x", record("size", "9" * 17)) + row("x.wav")), "BAD_ARCHIVE.truncated_tar"),
    "pax negative": (beside(special(b"x", record("size", "-5")) + row("x.wav")), "BAD_ARCHIVE.tar_header"),
    "pax linkpath": (beside(special(b"x", record("linkpath", "/etc/passwd")) + header("l.wav", kind=b"2")), "BAD_ARCHIVE.link"),
    "pax mtime junk": (joined(special(b"x", record("mtime", "NaN") + record("comment", "x" * 500)) + ROWS[0], *ROWS[1:]), ""),
    "pax charset": (joined(special(b"x", record("hdrcharset", "BINARY")) + ROWS[0], *ROWS[1:]), ""),
    "pax global path": (joined(special(b"g", record("path", "evil.wav")), *ROWS), ""),
    "pax global comment": (joined(special(b"g", record("comment", "0123456789" * 4)), *ROWS), ""),
    "pax old X": (joined(special(b"X", record("path", "utt_0001.wav")) + row("x"), *ROWS[1:]), ""),
    "pax broken length": (beside(special(b"x", b"12 path=ab\n") + row("x")), "BAD_ARCHIVE.tar_header"),
    "pax no blank": (beside(special(b"x", b"path=x\n") + row("x")), "BAD_ARCHIVE.tar_header"),
    "pax empty": (joined(special(b"x", b"") + ROWS[0], *ROWS[1:]), ""),
    "pax 64k": (joined(special(b"x", record("comment", "c" * 65000)) + ROWS[0], *ROWS[1:]), ""),
    "pax 65k+": (joined(special(b"x", record("comment", "c" * 66000)) + ROWS[0], *ROWS[1:]), "BAD_ARCHIVE.tar_header"),
    "sparse S": (beside(header("s.wav", kind=b"S", size=0)), "BAD_ARCHIVE.special"),
    "sparse pax": (beside(special(b"x", record("GNU.sparse.major", "1") + record("GNU.sparse.name", "utt_0002.wav")) + row("x")), "BAD_ARCHIVE.special"),
    "hard link": (joined(*ROWS[:2], header("utt_0003.wav", kind=b"1", linkname="utt_0001.wav")), "BAD_ARCHIVE.link"),
    "symlink": (beside(header("l.wav", kind=b"2", linkname="utt_0001.wav")), "BAD_ARCHIVE.link"),
    "chr": (beside(header("d", kind=b"3")), "BAD_ARCHIVE.special"),
    "fifo": (beside(header("d", kind=b"6")), "BAD_ARCHIVE.special"),
    "contiguous 7": (joined(row("utt_0001.wav", kind=b"7"), *ROWS[1:]), ""),
    "type A": (beside(row("x.wav", kind=b"A")), "BAD_ARCHIVE.special"),
    "volume V": (joined(header("label", kind=b"V"), *ROWS), "BAD_ARCHIVE.special"),
    "dumpdir D": (joined(header("d/", kind=b"D"), *ROWS), "BAD_ARCHIVE.special"),
    "base256": (joined(resized(ROWS[0][:512], base_256(len(GOOD))) + ROWS[0][512:], *ROWS[1:]), ""),
    "base256 negative": (joined(resized(ROWS[0][:512], b"\xff" * 12) + ROWS[0][512:], *ROWS[1:]), "BAD_ARCHIVE"),
    "base256 huge": (joined(resized(ROWS[0][:512], base_256(1 << 62)) + ROWS[0][512:], *ROWS[1:]), "ARCHIVE_TOO_LARGE.member"),
    "octal spaces": (joined(resized(ROWS[0][:512], b"%11o " % len(GOOD)) + ROWS[0][512:], *ROWS[1:]), ""),
    "octal empty": (beside(resized(header("e.txt"), bytes(12))), ""),
    "octal 8": (beside(resized(header("e.txt"), b"00000000008\0")), "BAD_ARCHIVE.tar_header"),
    "octal minus": (beside(resized(header("e.txt"), b"-0000000010\0")), "BAD_ARCHIVE.tar_header"),
        "checksum wrong": (joined(ROWS[0][:148] + b"000000\0 " + ROWS[0][156:], *ROWS[1:]), "BAD_ARCHIVE"),
    "checksum wrong second": (joined(ROWS[0], ROWS[1][:148] + b"000000\0 " + ROWS[1][156:], ROWS[2]), "BAD_ARCHIVE.tar_header"),
    "one zero block": (joined(*ROWS, end=bytes(512)), ""),
    "no end": (joined(*ROWS, end=b""), "BAD_ARCHIVE.truncated_tar"),
    "zero blocks 20": (joined(*ROWS, end=bytes(10240)), ""),
    "entries after end": (joined(*ROWS) + joined(row("later.wav")), ""),
    "garbage after end": (joined(*ROWS) + b"trailing garbage" * 100, ""),
    "zero block between": (joined(ROWS[0]) [:-512] + joined(*ROWS[1:]), "MISSING_SAMPLES"),
    "padding not zero": (joined(ROWS[0][:512 + len(GOOD)] + b"x" * (-len(GOOD) % 512), *ROWS[1:]), ""),
    "same twice": (beside(ROWS[1]), "DUPLICATE_UTT_ID"),
    "case twin": (beside(row("UTT_0002.WAV")), "DUPLICATE_UTT_ID"),
    "NFD": (beside(row(unicodedata.normalize("NFD", "é.wav")), row("é.wav")), ""),
    "latin1 name": (beside(resealed(b"caf\xe9.wav" + row("caf.wav_")[8:512]) + row("x")[512:]), ""),
    "absolute": (beside(row("/x.wav")), "BAD_ARCHIVE.path"),
    "prefix dotdot": (beside(resealed(OLD[:345] + b"../../etc" + OLD[354:])), "BAD_ARCHIVE.path"),
    "gz": (GZIP, ""),
    "gz name comment": (b"\x1f\x8b\x08\x18" + GZIP[4:10] + b"a.tar\0comment\0" + GZIP[10:], ""),
    "gz extra": (b"\x1f\x8b\x08\x04" + GZIP[4:10] + b"\x04\0abcd" + GZIP[10:], ""),
    "gz hcrc wrong": (b"\x1f\x8b\x08\x02" + GZIP[4:10] + b"\1\2" + GZIP[10:], "BAD_ARCHIVE.container"),
    "gz reserved flag": (b"\x1f\x8b\x08\xe0" + GZIP[4:], "BAD_ARCHIVE"),
    "gz trailing zeros": (GZIP + bytes(4096), ""),
    "gz trailing bytes": (GZIP + b"\x1a", "BAD_ARCHIVE.damaged_gzip"),
    "gz trailing newline": (GZIP + b"\n", "BAD_ARCHIVE.damaged_gzip"),
    "gz two": (gzipped(joined(*ROWS)[:3000]) + gzipped(joined(*ROWS)[3000:]), ""),
    "gz empty member": (gzipped(b"") + GZIP + gzipped(b""), "BAD_ARCHIVE.container"),
    "gz crc": (GZIP[:-8] + bytes(4) + GZIP[-4:], "BAD_ARCHIVE.damaged_gzip"),
    "gz isize": (GZIP[:-4] + bytes(4), "BAD_ARCHIVE.damaged_gzip"),
    "gz cut": (GZIP[:-1], "BAD_ARCHIVE"),
    "gz cut half": (GZIP[:200], "BAD_ARCHIVE"),
    "gz of gz": (gzipped(GZIP), "BAD_ARCHIVE"),
    "gz of zip": (gzipped(pack(*ALL)), "BAD_ARCHIVE"),
    "gz of nothing": (gzipped(b""), "BAD_ARCHIVE"),
    "xz": (lzma.compress(joined(*ROWS)), "BAD_ARCHIVE.container"),
    "bz2": (bz2.compress(joined(*ROWS)), "BAD_ARCHIVE.container"),
    "prefix byte": (b"\n" + joined(*ROWS), "BAD_ARCHIVE"),
    "zeros only": (END, "BAD_ARCHIVE"),
    "zeros 10k": (bytes(10240), "BAD_ARCHIVE"),
    "nested tar": (beside(row("more.tar", joined(*ROWS))), "BAD_ARCHIVE.nested_sounds"),
    "litter": (beside(row("._utt_0001.wav", b"xx"), row("PaxHeader/x", b"")), ""),
}  # fmt: skip


def assert_verdict(data: bytes, wanted: str) -> None:
    checked = check(data)
    errors = [one for one in checked.report.problems if one.severity == "error"]
    assert checked.report.accepted is not bool(errors)
    found = f"{errors[0].code}.{errors[0].params.get('reason', '')}" if errors else ""
    assert found.startswith(wanted) if wanted else not found, codes(checked)
    assert "{" not in sentences(checked).replace("{utt_id}", "")
    if not errors:
        assert set(checked.clips) == set(IDS)


@pytest.mark.parametrize("name", ZIPS)
def test_an_odd_zip_gets_its_verdict(name: str) -> None:
    assert_verdict(*ZIPS[name])


@pytest.mark.parametrize("name", TARS)
def test_an_odd_tar_gets_its_verdict(name: str) -> None:
    assert_verdict(*TARS[name])


def test_a_name_that_a_field_gives_in_unicode_is_the_one_that_counts() -> None:
    """Packers of old Windows write the code page's name, and the real one beside it."""
    real = "话语.wav"
    told = struct.pack("<BL", 1, zlib.crc32(b"???.wav")) + real.encode()
    field = struct.pack("<2H", 0x7075, len(told)) + told
    checked = check(pack(Entry(b"???.wav", extra=field)), ids=["话语"])
    assert (codes(checked), list(checked.clips)) == ([], ["话语"])
    outside = struct.pack("<BL", 1, zlib.crc32(b"a.wav")) + b"../a.wav"
    field = struct.pack("<2H", 0x7075, len(outside)) + outside
    assert codes(check(pack(*ALL, Entry(b"a.wav", extra=field)))) == ["BAD_ARCHIVE.path"]


def test_a_field_that_is_of_another_name_or_no_utf8_is_passed_over() -> None:
    for version, checksum, name in ((1, 7, b"x.wav"), (2, zlib.crc32(b"utt_0002.wav"), b"x.wav"),
                                    (1, zlib.crc32(b"utt_0002.wav"), b"\xff.wav")):  # fmt: skip
        told = struct.pack("<BL", version, checksum) + name
        field = struct.pack("<2H", 0x7075, len(told)) + told
        assert codes(check(changed(extra=field))) == []
