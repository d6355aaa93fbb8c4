"""Normalization that does not change with the interpreter.

Character classes come from a frozen table (Unicode 15.1). NFKC and lower case come from Python,
but only for code points that Unicode 14.0 knows: for these the results are fixed by Unicode's
stability policy; later code points pass unchanged and split the text they stand in.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from grading.scoring.text.unicode_tables import (
    ASSIGNED_14,
    CLASS_RUNS,
    CLASSES_VERSION,
    NORMALIZATION_VERSION,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

UNICODE_VERSIONS = {"classes": CLASSES_VERSION, "normalization": NORMALIZATION_VERSION}
LAST_CODE_POINT = 0x10FFFF
_HIGHER = 0x10000

_STARTS = [int(run[1:], 16) for run in CLASS_RUNS.split()]
_KINDS = "".join(run[0] for run in CLASS_RUNS.split())


def major_class(character: str) -> str:
    """Return the Unicode major class of one character: L, M, N, P, S, Z or C (Unicode 15.1).

    >>> [major_class(c) for c in "aé〇1'☺ "]
    ['L', 'L', 'N', 'N', 'P', 'S', 'Z']
    """
    return _KINDS[bisect_right(_STARTS, ord(character)) - 1]


def class_ranges(kinds: str) -> Iterator[tuple[int, int]]:
    """Yield the closed code point ranges of the given major classes, neighbours joined."""
    first: int | None = None
    for (start, kind), (end, _) in pairwise(
        zip([*_STARTS, LAST_CODE_POINT + 1], [*_KINDS, ""], strict=True)
    ):
        first = start if first is None else first
        if kind not in kinds:
            first = None
        elif end > LAST_CODE_POINT or major_class(chr(end)) not in kinds:
            yield first, end - 1
            first = None


_higher = re.compile(f"[\\U{_HIGHER:08x}-\\U{LAST_CODE_POINT:08x}]").search


def is_basic(text: str) -> bool:
    """Return whether every character is of the basic plane (U+0000 to U+FFFF).

    >>> is_basic("元朗 é"), is_basic("𠮷")
    (True, False)
    """
    return text.isascii() or _higher(text) is None


class ClassPattern:
    """A regular expression over major classes, quick on text of the basic plane.

    The engine looks basic characters up in a bit map, but walks the higher ranges one by one
    whenever a character is not in it: so text without higher characters has a pattern of its own.
    """

    def __init__(self, build: Callable[[str], str], kinds: str) -> None:
        ranges = list(class_ranges(kinds))
        self._any = re.compile(build(_range_set(ranges)))
        self._basic = re.compile(build(_range_set(r for r in ranges if r[0] < _HIGHER)))

    def findall(self, text: str) -> list[str]:
        """Return all matches, as `re.findall` does."""
        return (self._basic if is_basic(text) else self._any).findall(text)


def character_set(kinds: str) -> str:
    """Return the inside of a regular expression set that holds the given major classes."""
    return _range_set(class_ranges(kinds))


def _range_set(ranges: Iterable[tuple[int, int]]) -> str:
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


def _assigned_set() -> str:
    bounds = (span.split("-") for span in ASSIGNED_14.split())
    return _range_set((int(first, 16), int(last, 16)) for first, last in bounds)


_KNOWN = re.compile(f"[{_assigned_set()}]*+")
_SPANS = re.compile(f"[{_assigned_set()}]++|[^{_assigned_set()}]++")


def _on_known_spans(text: str, change: Callable[[str], str]) -> str:
    if _KNOWN.fullmatch(text):
        return change(text)
    spans = _SPANS.findall(text)
    return "".join(change(span) if _KNOWN.fullmatch(span) else span for span in spans)


def _nfkc(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def nfkc(text: str) -> str:
    """Return the text in normalization form KC; code points after Unicode 14.0 stay as they are.

    >>> nfkc("Ａ½")
    'A1⁄2'
    """
    return text if text.isascii() else _on_known_spans(text, _nfkc)


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def nfc(text: str) -> str:
    """Return the text in normalization form C; code points after Unicode 14.0 stay as they are.

    >>> nfc("e\u0301") == "\u00e9"
    True
    """
    return text if text.isascii() else _on_known_spans(text, _nfc)


def lower(text: str) -> str:
    """Return the text in full lower case; code points after Unicode 14.0 stay as they are."""
    return text.lower() if text.isascii() else _on_known_spans(text, str.lower)


def nfkc_lower(text: str) -> str:
    """Return `lower(nfkc(text))`.

    >>> nfkc_lower("ＡＢ")
    'ab'
    """
    if text.isascii():
        return text.lower()
    # NFKC of what Unicode 14.0 knows stays inside Unicode 14.0: one look is enough.
    return _on_known_spans(text, lambda span: _nfkc(span).lower())


def fold_label(content: str) -> str:
    """Return the inside of a tag as labels are compared: NFKC, lower case, single spaces, trimmed.

    >>> fold_label("  Throat　　CLEARING ")
    'throat clearing'
    """
    return " ".join(nfkc_lower(content).split())
