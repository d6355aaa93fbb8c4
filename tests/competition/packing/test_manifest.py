"""Manifests: canonical bytes, and paths that no computer takes for another."""

from __future__ import annotations

import json

import pytest

from competition.packing.manifest import PackedFile, PackInvalid, checked, manifest_bytes


def row(path: str) -> PackedFile:
    return PackedFile(path, 1, "a" * 64, 5)


def test_the_bytes_are_written_out_here() -> None:
    wanted = (
        b'{"files":[{"path":"a/\\u4e00.wav","sha256":"' + b"a" * 64 + b'","size":1}],'
        b'"name":"zh-dev","version":3}\n'
    )
    assert manifest_bytes("zh-dev", 3, [row("a/一.wav")]) == wanted


def test_files_stand_in_the_order_of_their_utf8() -> None:
    names = ["b", "a/z", "a", "Z", "\U0001f600", "\uff21"]
    found = json.loads(manifest_bytes("n", 1, [row(name) for name in names if name != "a"]))
    assert [one["path"] for one in found["files"]] == ["Z", "a/z", "b", "\uff21", "\U0001f600"]


@pytest.mark.parametrize(
    "path",
    [
        "", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "./a", "C:/x", "c:x", "a\\b", "a\nb", "a\x00b",
        "a\u202eb", "a\u200bb", "e\u0301.wav", "x" * 241, "a. /b", "trail.", "ISSUE.json", "issue.JSON",
        "MANIFEST.json", "\ud800",
    ],
)  # fmt: skip
def test_paths_that_are_none(path: str) -> None:
    with pytest.raises(PackInvalid):
        checked([row(path)])


@pytest.mark.parametrize(
    ("first", "second"), [("a", "a"), ("A.wav", "a.wav"), ("x/a", "x"), ("Straße", "strasse")]
)
def test_paths_that_collide_somewhere(first: str, second: str) -> None:
    with pytest.raises(PackInvalid):
        checked([row(first), row(second)])


def test_a_pack_without_files_is_none() -> None:
    with pytest.raises(PackInvalid, match="needs a file"):
        checked([])
