"""Entries of an archive: what their names and kinds say before anything of them is read."""

from __future__ import annotations

import re
from typing import Protocol

LONGEST_NAME = 200
SHOWN_NAMES = 20
AUDIO_ENDINGS = frozenset(
    [
        ".wav",
        ".mp3",
        ".flac",
        ".ogg",
        ".oga",
        ".opus",
        ".m4a",
        ".aac",
        ".aif",
        ".aiff",
        ".au",
        ".wma",
        ".webm",
        ".mp4",
        ".sph",
        ".amr",
    ]
)
ARCHIVE_ENDINGS = frozenset(
    [".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".zst", ".lz4"]
)
TEXT_ENDINGS = frozenset({".jsonl", ".json", ".ndjson", ".jsonlines"})

_LITTER_FOLDERS = frozenset({"__MACOSX", ".ipynb_checkpoints", ".git", "__pycache__"})
_LITTER_NAMES = frozenset({".ds_store", "thumbs.db", "ehthumbs.db", "desktop.ini", ".directory"})
_CONTROL = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]")
_DRIVE = re.compile(r"[A-Za-z]:")


class Entry(Protocol):
    """One entry of an archive of any sort; `kind` is `file`, `folder`, `link` or `special`."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def is_encrypted(self) -> bool: ...


def name_fault(name: str) -> str:
    """Return why no honest archive has this name (`control`, `path`, `long`), empty if it may be.

    >>> [name_fault(name) for name in ("a/b.wav", "../b.wav", "C:\\\\b.wav", "b\\x00.wav")]
    ['', 'path', 'path', 'control']
    """
    path = name.replace("\\", "/")
    if _CONTROL.search(name) or not name:
        return "control"
    if path.startswith("/") or _DRIVE.match(path) or ".." in path.split("/"):
        return "path"
    return "long" if len(name) > LONGEST_NAME else ""


def kind_fault(entry: Entry) -> str:
    """Return why an entry is not read whatever its name: `link`, `special`, `encrypted`."""
    if entry.kind in {"link", "special"}:
        return entry.kind
    return "encrypted" if entry.is_encrypted else ""


def is_litter(name: str) -> bool:
    """Tell whether an operating system or an editor put this in, not the sender."""
    parts = name.replace("\\", "/").rstrip("/").split("/")
    return (
        not _LITTER_FOLDERS.isdisjoint(parts)
        or parts[-1].lower() in _LITTER_NAMES
        or parts[-1].startswith(("._", "~$"))
    )


def ending(name: str) -> str:
    """Return the last ending of a name in lower case, with its dot; empty if there is none."""
    base = name.rstrip("/\\").replace("\\", "/").rpartition("/")[2].lstrip(".")
    stem, dot, suffix = base.rpartition(".")
    return f".{suffix.lower()}" if stem and suffix and dot else ""
