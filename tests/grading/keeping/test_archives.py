"""Archives: streamed, whole or not there, and never believed."""

from __future__ import annotations

import json
import tracemalloc
import zipfile

import pytest

from grading.services.keeping import archives
from grading.services.keeping.errors import ArchiveBroken, ArchiveExists
from tests.grading.keeping.altering import altered

KIND = "plaudit-test/1"


def write(path, members):
    with archives.writing(path, kind=KIND) as writer:
        for name, content in members.items():
            writer.add(name, [content])
        writer.head = {"made": "now"}
    return path


def test_what_is_written_is_read(path):
    write(path, {"a": b"", "b/c.jsonl": b"1\n\n22\n3", "b/d": bytes(range(256)) * 5000})
    with archives.reading(path, kind=KIND) as reader:
        reader.verify()
        assert reader.head["made"] == "now"
        assert list(reader.lines("b/c.jsonl")) == [b"1", b"", b"22", b"3"]
        assert b"".join(reader.chunks("b/d")) == bytes(range(256)) * 5000
        assert reader.names("b/") == ["b/c.jsonl", "b/d"]
        assert b"".join(reader.chunks("a")) == b""
        with pytest.raises(ArchiveBroken, match="missing"):
            list(reader.chunks("e"))


def test_a_member_is_never_whole_in_memory(path, tmp_path):
    chunk = bytes(256 * 1024)
    tracemalloc.start()
    with archives.writing(path, kind=KIND) as writer:
        writer.add("big", (chunk for _ in range(100)))
    with archives.reading(path, kind=KIND) as reader:
        reader.verify()
        reader.extract("big", tmp_path / "big")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (tmp_path / "big").stat().st_size == 25 * 1024**2
    assert peak < 8 * 1024**2


def test_an_error_while_writing_leaves_nothing(path):
    def broken():
        yield b"x"
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"), archives.writing(path, kind=KIND) as writer:
        writer.add("a", broken())
    assert [one.name for one in path.parent.iterdir()] == ["var"]


def test_of_two_that_write_the_same_name_one_is_refused(path):
    with pytest.raises(ArchiveExists), archives.writing(path, kind=KIND):
        path.write_bytes(b"the other was faster")
    assert path.read_bytes() == b"the other was faster"


@pytest.mark.parametrize(
    "name", ["", "/a", "../a", "a/../b", "a//b", "a/", ".a", "a/.b", "a\\b", "a\0", "manifest.json"]
)
def test_a_name_that_leads_elsewhere_is_no_name(path, name):
    with pytest.raises(ArchiveBroken):
        write(path, {name: b"x"})
    with zipfile.ZipFile(path, "w") as archive:
        listed = [{"name": name, "size": 1, "sha256": "0" * 64}]
        archive.writestr("manifest.json", json.dumps({"format": KIND, "members": listed}))
    with pytest.raises(ArchiveBroken), archives.reading(path, kind=KIND):
        pass


@pytest.mark.parametrize(
    "change", [lambda c: c + b"!", lambda c: c[:-1], lambda c: b"", lambda c: b"y" + c[1:]]
)
def test_a_changed_member_does_not_verify(path, tmp_path, change):
    write(path, {"a": b"content", "b": b"other"})
    other = altered(path, {"a": change}, to=tmp_path / "other.zip")
    with archives.reading(other, kind=KIND) as reader, pytest.raises(ArchiveBroken, match="a is"):
        reader.verify()


def test_a_cut_or_overwritten_archive_is_told(path, tmp_path):
    write(path, {"a": bytes(range(256)) * 100})
    whole = path.read_bytes()
    for number, content in enumerate([whole[:-1000], whole[1000:], b"", b"PK\x03\x04"]):
        other = tmp_path / f"{number}.zip"
        other.write_bytes(content)
        with pytest.raises(ArchiveBroken), archives.reading(other, kind=KIND) as reader:
            reader.verify()
    spoilt = bytearray(whole)
    spoilt[100] ^= 0xFF
    path.write_bytes(spoilt)
    with pytest.raises(ArchiveBroken), archives.reading(path, kind=KIND) as reader:
        reader.verify()


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"[]",
        b"{}",
        b'{"format": "plaudit-test/1"}',
        b'{"format": "plaudit-test/1", "members": [1]}',
        b'{"format": "plaudit-test/1", "members": [{"name": "a"}]}',
        b'{"format": "plaudit-test/1", "members": []}',
        b'{"format": "other", "members": []}',
    ],
)
def test_a_manifest_that_says_something_else_is_refused(path, manifest):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", b"x")
        archive.writestr("manifest.json", manifest)
    with pytest.raises(ArchiveBroken), archives.reading(path, kind=KIND):
        pass


def test_without_a_manifest_it_is_no_archive_of_ours(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", b"x")
    with pytest.raises(ArchiveBroken, match="no manifest"), archives.reading(path, kind=KIND):
        pass
