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
    from collections.abc import Callable, Iterator

UNICODE_VERSIONS = {"classes": CLASSES_VERSION, "normalization": NORMALIZATION_VERSION}
LAST_CODE_POINT = 0x10FFFF

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


def character_set(kinds: str) -> str:
    """Return the inside of a regular expression set that holds the given major classes."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in class_ranges(kinds))


def _assigned_set() -> str:
    bounds = (span.split("-") for span in ASSIGNED_14.split())
    return "".join(f"\\U{first:0>8}-\\U{last:0>8}" for first, last in bounds)


_KNOWN = re.compile(f"[{_assigned_set()}]*+")
_SPANS = re.compile(f"[{_assigned_set()}]++|[^{_assigned_set()}]++")


def _on_known_spans(text: str, change: Callable[[str], str]) -> str:
    if text.isascii() or _KNOWN.fullmatch(text):
        return change(text)
    spans = _SPANS.findall(text)
    return "".join(change(span) if _KNOWN.fullmatch(span) else span for span in spans)


def nfkc(text: str) -> str:
    """Return the text in normalization form KC; code points after Unicode 14.0 stay as they are.

    >>> nfkc("Ａ½")
    'A1⁄2'
    """
    if text.isascii():
        return text
    return _on_known_spans(text, lambda span: unicodedata.normalize("NFKC", span))


def lower(text: str) -> str:
    """Return the text in full lower case; code points after Unicode 14.0 stay as they are."""
    return _on_known_spans(text, str.lower)


def fold_label(content: str) -> str:
    """Return the inside of a tag as labels are compared: NFKC, lower case, single spaces, trimmed.

    >>> fold_label("  Throat　　CLEARING ")
    'throat clearing'
    """
    return " ".join(lower(nfkc(content)).split())
