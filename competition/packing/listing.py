"""What an organizer hands in to make a dataset: rows of clips, read with every fault at once. Pure."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from competition.packing.manifest import canonical, sha256

UTT_ID_LIMIT: Final = 200
TIER_LIMIT: Final = 32
TEXT_LIMIT: Final = 4_000
ROW_LIMIT: Final = 200_000
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")
_FIELDS: Final = ("utt_id", "language", "tier", "audio", "text")


@dataclass(frozen=True, slots=True)
class ListedClip:
    """A row: id, language, tier, the audio's path below the folder, and the text (empty: none)."""

    utt_id: str
    language: str
    tier: str
    audio: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class ListingFault:
    """What is wrong, and in which line (from 1; 0: in the whole)."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows in the order of their ids, or the faults that keep them from being a dataset."""

    clips: tuple[ListedClip, ...]
    faults: tuple[ListingFault, ...]


def read_listing(data: bytes) -> Listing:
    """Return the rows of JSON Lines with utt_id, language, tier, audio and maybe text."""
    clips: list[ListedClip] = []
    faults: list[ListingFault] = []
    first: dict[tuple[str, str], int] = {}
    for line, raw in _lines(data):
        row, messages = _row(raw)
        if row is not None and not messages:
            messages = _twins(row, line, first)
            clips.append(row)
        faults += [ListingFault(line, message) for message in messages]
    if not clips and not faults:
        faults.append(ListingFault(0, "there are no rows"))
    if len(clips) > ROW_LIMIT:
        faults.append(ListingFault(0, f"there are more than {ROW_LIMIT} rows"))
    return Listing(tuple(sorted(clips, key=lambda clip: clip.utt_id)), tuple(faults))


def dataset_manifest(name: str, rows: Sequence[Mapping[str, Any]]) -> tuple[bytes, str]:
    """Return the canonical manifest of a version and its SHA-256.

    `rows` stand in the order of their ids and have utt_id, language, tier, audio (SHA-256), milliseconds and text (SHA-256 or null), so
    that the version is named by what it holds without saying a word of it.
    """
    data = canonical({"dataset": name, "clips": [dict(row) for row in rows]})
    return data, sha256(data)


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    for line, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        if raw.strip():
            yield line, raw


def _row(raw: bytes) -> tuple[ListedClip | None, list[str]]:
    try:
        value = json.loads(raw.decode(), object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None, ["is not a JSON object in UTF-8, each key once"]
    if not isinstance(value, dict):
        return None, ["is not a JSON object"]
    messages = [f"{name} is not a field" for name in sorted(set(value) - set(_FIELDS))]
    given = {"text": "", **value}
    texts = {name: text for name in _FIELDS if isinstance(text := given.get(name), str)}
    messages += [f"{name} must be a text" for name in _FIELDS if name not in texts]
    if messages:
        return None, messages
    clip = ListedClip(**texts)
    return clip, list(_faults(clip))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _faults(clip: ListedClip) -> Iterator[str]:
    limits = {"utt_id": UTT_ID_LIMIT, "tier": TIER_LIMIT}
    for name, limit in limits.items():
        value = getattr(clip, name)
        if not 1 <= len(value) <= limit or value != value.strip():
            yield f"{name} has 1 to {limit} characters, without blanks at its ends"
        elif any(unicodedata.category(character)[0] == "C" for character in value):
            yield f"{name} holds a character that cannot be seen"
    if not _LANGUAGE.fullmatch(clip.language):
        yield "language is no code such as en or zh-Hans"
    if len(clip.text) > TEXT_LIMIT or any("\ud800" <= one <= "\udfff" for one in clip.text):
        yield f"text is no Unicode text of at most {TEXT_LIMIT} characters"
    parts = clip.audio.split("/")
    if not clip.audio or "\\" in clip.audio or any(part in {"", ".", ".."} for part in parts):
        yield "audio is no path below the folder, with /"


def _twins(clip: ListedClip, line: int, first: dict[tuple[str, str], int]) -> list[str]:
    messages = []
    for name in ("utt_id", "audio"):
        key = (name, getattr(clip, name))
        if key in first:
            messages.append(f"{name} stands in line {first[key]} already")
        first.setdefault(key, line)
    return messages
