"""The zip of a pack: read by other programs, the same bytes always, any range without building it."""

from __future__ import annotations

import io
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from competition.packing.layout import FileSlice, Layout, Literal
from competition.packing.manifest import PackedFile, checked, manifest_bytes, sha256

FILES = {
    "audio/zh/一.wav": b"RIFF" + bytes(range(256)) * 3,
    "audio/en/a.wav": b"\x00" * 5,
    "empty.txt": b"",
    "texts.jsonl": '{"text": "好"}\n'.encode(),
}
ISSUE = b'{"issue":"abc"}\n'


def packed(files: dict[str, bytes]) -> tuple[PackedFile, ...]:
    return checked(
        PackedFile(path, len(data), sha256(data), zlib.crc32(data)) for path, data in files.items()
    )


def layout_of(files: dict[str, bytes], issue: bytes = ISSUE) -> Layout:
    rows = packed(files)
    return Layout(manifest_bytes("demo", 1, rows), rows, issue)


def read(layout: Layout, files: dict[str, bytes], start: int = 0, stop: int | None = None) -> bytes:
    return b"".join(
        piece.data
        if isinstance(piece, Literal)
        else files[piece.file.path][piece.offset : piece.offset + piece.size]
        for piece in layout.pieces(start, stop)
    )


WHOLE = read(layout_of(FILES), FILES)


def test_another_reader_finds_every_file_and_no_fault() -> None:
    with zipfile.ZipFile(io.BytesIO(WHOLE)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert names == [*sorted([*FILES, "MANIFEST.json"], key=str.encode), "ISSUE.json"]
        assert {name: archive.read(name) for name in FILES} == FILES
        assert archive.read("ISSUE.json") == ISSUE
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        assert {info.external_attr >> 16 for info in archive.infolist()} == {0o100644}
        assert all(info.extra == b"" for info in archive.infolist())


def test_size_is_known_before_a_byte_is_read() -> None:
    assert layout_of(FILES).size == len(WHOLE)


@given(st.integers(0, len(WHOLE) + 5), st.integers(0, len(WHOLE) + 5))
def test_any_range_is_that_of_the_whole(start: int, stop: int) -> None:
    assert read(layout_of(FILES), FILES, start, stop) == WHOLE[start:stop]


def test_everything_before_the_note_of_issue_is_the_same_for_everyone() -> None:
    mine = layout_of(FILES, b'{"issue":"1"}\n')
    yours = layout_of(FILES, b'{"issue":"another and longer"}\n')
    common = mine.common_size
    assert common == yours.common_size
    assert read(mine, FILES, 0, common) == read(yours, FILES, 0, common)
    assert read(mine, FILES, common)[:4] == b"PK\x03\x04"
    assert read(mine, FILES, common)[30:40] == b"ISSUE.json"


def test_the_order_in_which_files_are_given_does_not_matter() -> None:
    turned = dict(reversed(FILES.items()))
    assert read(layout_of(turned), turned) == WHOLE


def test_one_changed_sample_changes_file_manifest_and_pack() -> None:
    changed = {**FILES, "audio/en/a.wav": b"\x00\x00\x01\x00\x00"}
    before, after = packed(FILES), packed(changed)
    assert [one.path for one in before if one not in after] == ["audio/en/a.wav"]
    assert manifest_bytes("demo", 1, before) != manifest_bytes("demo", 1, after)
    assert sha256(read(layout_of(changed), changed)) != sha256(WHOLE)


def test_name_and_version_are_part_of_the_identity() -> None:
    rows = packed(FILES)
    given = {manifest_bytes(name, version, rows) for name in ("a", "b") for version in (1, 2)}
    assert len(given) == 4


def test_files_beyond_four_gibibytes_are_laid_out_in_zip64() -> None:
    """The content is not read: headers say where it lies, and Python's reader believes them."""
    large = PackedFile("a.bin", 5 * 2**32, "0" * 64, 7)
    rows = checked([large, PackedFile("b.bin", 3, sha256(b"abc"), zlib.crc32(b"abc"))])
    layout = Layout(b"{}\n", rows, ISSUE)
    with zipfile.ZipFile(_Sparse(layout, {"b.bin": b"abc"})) as archive:
        infos = {info.filename: info for info in archive.infolist()}
        assert infos["a.bin"].file_size == 5 * 2**32
        assert infos["b.bin"].header_offset > 2**32
        assert archive.read("b.bin") == b"abc"
        assert archive.read("ISSUE.json") == ISSUE


@pytest.mark.slow
def test_more_members_than_a_plain_zip_can_count() -> None:
    count = 70_000
    files = {f"{number:05d}": b"" for number in range(count)}
    with zipfile.ZipFile(io.BytesIO(read(layout_of(files), files))) as archive:
        assert len(archive.namelist()) == count + 2


class _Sparse(io.RawIOBase):
    """A file whose large members are never made."""

    def __init__(self, layout: Layout, files: dict[str, bytes]) -> None:
        self._layout, self._files, self._place = layout, files, 0

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = 0) -> int:
        base = (0, self._place, self._layout.size)[whence]
        self._place = base + offset
        return self._place

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = b"".join(map(self._bytes, self._pieces(len(buffer))))
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)

    def _pieces(self, size: int) -> list[Literal | FileSlice]:
        return list(self._layout.pieces(self._place, self._place + size))

    def _bytes(self, piece: Literal | FileSlice) -> bytes:
        if isinstance(piece, Literal):
            return piece.data
        data = self._files.get(piece.file.path, b"")
        return data[piece.offset : piece.offset + piece.size].ljust(piece.size, b"\x00")
