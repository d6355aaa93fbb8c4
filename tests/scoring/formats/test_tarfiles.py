"""Tar headers that are old, unusual, damaged or hostile."""

from __future__ import annotations

import io
import tarfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from grading.scoring.formats.sources import STEP, BytesSource, ByteStream, FileSource
from grading.scoring.formats.tarfiles import MOST_HEADER_BYTES, is_tar_header, read_entries
from grading.scoring.formats.zipfiles import ArchiveError

END = bytes(1_024)


def header(name: str = "a.wav", *, kind: bytes = b"0", form: int = tarfile.GNU_FORMAT, **more: Any):
    entry = tarfile.TarInfo(name)
    entry.type = kind
    for key, value in more.items():
        setattr(entry, key, value)
    return entry.tobuf(form)


def special(kind: bytes, content: bytes) -> bytes:
    """A header that is written as an entry: pax records or a long name."""
    block = header("x", kind=kind, size=len(content), form=tarfile.USTAR_FORMAT)
    return block + content + bytes(-len(content) % 512)


def record(key: str, value: str) -> bytes:
    body = f" {key}={value}\n".encode()
    length = len(body) + 1
    while len(str(length)) + len(body) != length:
        length = len(str(length)) + len(body)
    return str(length).encode() + body


def resealed(block: bytes) -> bytes:
    """Put the right checksum into a header that was changed."""
    blank = block[:148] + b" " * 8 + block[156:]
    return blank[:148] + b"%06o\0 " % sum(blank) + blank[156:]


def entries(data: bytes, *, most: int = 100) -> list[tuple[str, str, int]]:
    found = read_entries(ByteStream(iter([data])), most=most)
    return [(entry.name, entry.kind, entry.size) for entry in found]


def refusal(data: bytes, *, most: int = 100) -> str:
    with pytest.raises(ArchiveError) as refused:
        entries(data, most=most)
    return refused.value.reason


def test_an_old_header_without_its_mark_is_one() -> None:
    block = resealed(header(form=tarfile.USTAR_FORMAT)[:257] + bytes(255))
    assert is_tar_header(block)
    assert entries(block + END) == [("a.wav", "file", 0)]
    assert not is_tar_header(b"x" + block[1:])
    assert not is_tar_header(block[:511])
    assert not is_tar_header(bytes(512))
    assert not is_tar_header(block[:148] + b"99999999" + block[156:])


def test_a_name_is_joined_with_its_prefix() -> None:
    name = "f" * 90 + "/" + "g" * 60 + "/a.wav"
    assert entries(header(name, form=tarfile.USTAR_FORMAT) + END) == [(name, "file", 0)]


def test_a_name_that_is_no_utf8_is_read_as_in_a_zip_and_is_never_a_path() -> None:
    block = header("a.wav")
    assert entries(resealed(b"\xe9" + block[1:]) + END) == [("Θ.wav", "file", 0)]


def test_pax_records_give_name_and_size() -> None:
    records = record("path", "话语.wav") + record("size", "600") + record("mtime", "1.5")
    data = special(b"x", records) + header() + bytes(1_024) + END
    assert entries(data) == [("话语.wav", "file", 600)]


def test_global_records_and_long_links_change_nothing() -> None:
    data = special(b"g", record("path", "other")) + special(b"K", b"far/away\0") + header() + END
    assert entries(data) == [("a.wav", "file", 0)]


def test_extended_headers_are_for_the_next_entry_alone() -> None:
    data = special(b"L", b"long name.wav\0") + header() + header("b.wav") + END
    assert entries(data) == [("long name.wav", "file", 0), ("b.wav", "file", 0)]


@pytest.mark.parametrize(
    "before", [special(b"x", record("GNU.sparse.major", "1")), b""], ids=["pax", "old"]
)
def test_a_sparse_file_is_no_file(before: bytes) -> None:
    block = header(kind=b"0" if before else b"S", size=4)
    assert entries(before + block + bytes(512) + END) == [("a.wav", "special", 4)]


def test_a_size_in_base_256_is_read_and_a_missing_end_told() -> None:
    block = header(size=9 << 30)
    assert block[124] & 0x80
    found = read_entries(ByteStream(iter([block + bytes(512)])), most=9)
    assert next(found).size == 9 << 30
    with pytest.raises(ArchiveError, match="truncated_tar"):
        next(found)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "truncated_tar"),
        (header()[:200], "truncated_tar"),
        (header(), "truncated_tar"),
        (header(size=600) + bytes(600), "truncated_tar"),
        (b"x" * 512 + END, "tar_header"),
        (resealed(header()[:124] + b"9" * 12 + header()[136:]) + END, "tar_header"),
        (special(b"x", b"") + header()[:100], "truncated_tar"),
        (special(b"x", b"no length") + header() + END, "tar_header"),
        (special(b"x", b"9 path=a") + header() + END, "tar_header"),
        (special(b"x", b"11 path=abc\n") + header() + END, "tar_header"),
        (special(b"x", b"99 path=abc\n") + header() + END, "tar_header"),
        (special(b"x", b"0 \n") + header() + END, "tar_header"),
        (special(b"x", record("size", "-1")) + header() + END, "tar_header"),
        (special(b"x", record("size", "9" * 30)) + header() + END, "tar_header"),
        (header("x", kind=b"x", size=MOST_HEADER_BYTES + 1) + END, "tar_header"),
        (header("x", kind=b"L", size=8 << 30) + END, "tar_header"),
        (header("x", kind=b"x", size=600) + bytes(600), "truncated_tar"),
    ],
)  # fmt: skip
def test_a_damaged_tar_is_refused(data: bytes, reason: str) -> None:
    assert refusal(data) == reason


def test_entries_and_their_headers_are_counted() -> None:
    assert len(entries(header() * 3 + END, most=3)) == 3
    assert refusal(header() * 4 + END, most=3) == "members"
    assert refusal(special(b"g", b"") * 13 + header() + END, most=3) == "members"


def test_what_was_read_of_an_entry_is_not_passed_over_again() -> None:
    data = header(size=700) + b"a" * 700 + bytes(324) + header("b.wav") + END
    stream = ByteStream(data[at : at + 7] for at in range(0, len(data), 7))
    found = read_entries(stream, most=9)
    assert next(found).size == 700
    assert stream.take(700) == b"a" * 700
    assert next(found).name == "b.wav"
    assert list(found) == []
    assert stream.position == len(data)


class Dripping(io.BytesIO):
    """A file that gives a few bytes at a time, as the system may."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(3, size or 0))

    def readinto(self, buffer: Any) -> int:
        return super().readinto(memoryview(buffer)[:5])


def test_a_file_that_gives_little_at_a_time_is_read_whole() -> None:
    data = bytes(range(200))
    source = FileSource(Dripping(data), len(data))  # type: ignore[arg-type]
    assert source.at(10, 100) == data[10:110]
    assert source.at(150, 100) == data[150:]
    assert source.at(300, 5) == b""
    assert b"".join(map(bytes, source.passing(20, 90))) == data[20:110]
    assert b"".join(map(bytes, source.passing(150, 90))) == data[150:]


def test_a_file_that_became_shorter_ends_early(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    with path.open("rb", buffering=0) as file:
        source = FileSource(file, 10)
        assert source.at(0, 9) == b"abc"
        assert [bytes(piece) for piece in source.passing(0, 9)] == [b"abc"]


def test_both_sources_give_the_same_pieces(tmp_path: Path) -> None:
    data = zlib.compress(bytes(range(256)) * 4_000, 0)
    path = tmp_path / "file"
    path.write_bytes(data)
    with path.open("rb", buffering=0) as file:
        for source in (BytesSource(data), FileSource(file, len(data))):
            sizes = []
            joined = b""
            for piece in source.passing(3, len(data)):
                sizes.append(len(piece))
                joined += bytes(piece)
            assert joined == data[3:]
            assert sizes[:-1] == [STEP] * (len(sizes) - 1)
            assert source.at(5, 7) == data[5:12]


def test_a_stream_hands_out_what_was_asked_for() -> None:
    stream = ByteStream(iter([b"", b"abc", b"d", b"efgh"]))
    assert stream.peek() == ord("a")
    assert stream.take(2) == b"ab"
    assert bytes(stream.take_some(9)) == b"c"
    assert stream.skip(2) == 2
    assert [bytes(piece) for piece in stream.pieces(2)] == [b"fg"]
    assert stream.position == 7
    assert stream.drain() == 1
    assert (stream.peek(), stream.take(3), stream.skip(1), stream.position) == (-1, b"", 0, 8)
