"""What a pack holds, and its identity: pure, from rows of files to canonical bytes."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

MANIFEST_NAME: Final = "MANIFEST.json"
ISSUE_NAME: Final = "ISSUE.json"
PATH_LIMIT: Final = 240
_RESERVED: Final = frozenset({MANIFEST_NAME.casefold(), ISSUE_NAME.casefold()})
_DRIVE: Final = re.compile(r"[A-Za-z]:")


class PackInvalid(ValueError):
    """Files that are no pack; the text names the file and says why."""


@dataclass(frozen=True, slots=True, order=True)
class PackedFile:
    """A file of a pack: its path with /, size in bytes, SHA-256 (hex) and CRC-32 of the bytes."""

    path: str
    size: int
    sha256: str
    crc32: int


def checked(files: Iterable[PackedFile]) -> tuple[PackedFile, ...]:
    """Return the files in the order of their paths' UTF-8. Raises PackInvalid.

    A path twice (also by case or Unicode form), one that is a folder of another, one that leads
    out of the pack, and the names that we give ourselves are refused.
    """
    given = list(files)
    if not given:
        raise PackInvalid("a pack needs a file")
    for file in given:
        _require_path(file.path)
    found = tuple(sorted(given, key=lambda file: file.path.encode()))
    seen: dict[str, str] = {}
    for file in found:
        folded = _folded(file.path)
        if folded in seen:
            raise PackInvalid(f"{file.path} and {seen[folded]} are the same path on some computers")
        seen[folded] = file.path
    _refuse_folders(seen)
    return found


def manifest_bytes(name: str, version: int, files: Sequence[PackedFile]) -> bytes:
    """Return the manifest as canonical JSON; its SHA-256 is the pack's identity.

    Keys are sorted, without spaces, one line, ASCII alone, a line feed at the end.
    """
    value = {
        "files": [
            {"path": file.path, "sha256": file.sha256, "size": file.size} for file in checked(files)
        ],
        "name": name,
        "version": version,
    }
    return canonical(value)


def canonical(value: object) -> bytes:
    """Return a value's canonical JSON and a line feed."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("ascii") + b"\n"


def sha256(data: bytes) -> str:
    """Return the SHA-256 in lower-case hex."""
    return hashlib.sha256(data).hexdigest()


def _require_path(path: str) -> None:
    parts = path.split("/")
    if not path or len(path) > PATH_LIMIT:
        raise PackInvalid(f"a path has 1 to {PATH_LIMIT} characters: {path[:40]!r}")
    if "\\" in path or _DRIVE.match(path) or any(part in {"", ".", ".."} for part in parts):
        raise PackInvalid(f"{path!r} is no path inside a pack")
    if any(unicodedata.category(character)[0] == "C" for character in path):
        raise PackInvalid(f"{path!r} holds a character that cannot be seen")
    if path != unicodedata.normalize("NFC", path):
        raise PackInvalid(f"{path!r} is not in Unicode form NFC")
    if any(part != part.rstrip(" .") for part in parts):
        raise PackInvalid(f"{path!r} ends with a blank or a dot somewhere")
    if path.casefold() in _RESERVED:
        raise PackInvalid(f"{path} is a name that the pack itself uses")


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path.casefold())


def _refuse_folders(seen: dict[str, str]) -> None:
    for folded, path in seen.items():
        parts = folded.split("/")
        for depth in range(1, len(parts)):
            if "/".join(parts[:depth]) in seen:
                raise PackInvalid(f"{path}: a file has the name of its folder")
