"""Tags in a transcript: finding them, and saying what is wrong with the ones that are not right.

A tag is an ASCII `[` … `]` with no bracket inside whose content, folded, is a label of the
competition. Nothing else is a tag: there are no aliases in scoring.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from grading.scoring.text.aliases import suggest
from grading.scoring.text.normalize import fold_label

if TYPE_CHECKING:
    from collections.abc import Iterator

UNSUPPORTED = "UNSUPPORTED_NVV_TAG"
EMPTY = "EMPTY_NVV_TAG"
MALFORMED = "MALFORMED_NVV_TAG"

_TAG = re.compile(r"\[([^\[\]]*+)\]")
_BRACKETED = re.compile(r"\[([^\[\]]*+)\]|[\[\]]")
_NO_BRACKETS = re.compile(r"[^\[\]]*+")
_SHOWN_CHARACTERS = 40
_LOOKALIKE = re.compile(
    r"［([^［］\[\]]{1,40})］|【([^【】]{1,40})】|<([^<>]{1,40})>|\(([^()]{1,40})\)|（([^（）]{1,40})）"
)

__all__ = ["Lookalike", "Scan", "TagFault", "lookalikes", "scan", "suggest"]


@dataclass(frozen=True, slots=True)
class TagFault:
    """One bracket that is not a tag of the competition.

    `column` counts characters from 1; `found` is what stands there, at most 40 characters;
    `label` is the folded content (None when the brackets do not pair); `suggestion` is the label
    that was probably meant; `odd` names letters that only look like Latin ones ("U+0430").
    """

    code: str
    column: int
    found: str
    label: str | None = None
    suggestion: str | None = None
    odd: tuple[str, ...] = ()


class Scan(NamedTuple):
    """A text cut at its tags: `pieces[i]` stands before `tags[i]`, one piece more than tags.

    Where there are faults the text is not scored; faulty brackets then stay inside the pieces.
    """

    pieces: tuple[str, ...]
    tags: tuple[str, ...]
    faults: tuple[TagFault, ...] = ()


@dataclass(frozen=True, slots=True)
class Lookalike:
    """Plain text in other brackets whose inside is a label or a known alias of one."""

    found: str
    suggestion: str


def scan(text: str, labels: frozenset[str]) -> Scan:
    """Cut a text at its tags, in time linear in its length; every fault is listed.

    >>> scan("Well, [Throat  Clearing] no.", frozenset({"throat clearing"}))
    Scan(pieces=('Well, ', ' no.'), tags=('throat clearing',), faults=())
    >>> [fault.code for fault in scan("[ ] [giggle] x]", frozenset({"laugh"})).faults]
    ['EMPTY_NVV_TAG', 'UNSUPPORTED_NVV_TAG', 'MALFORMED_NVV_TAG']
    """
    parts = _TAG.split(text)
    exact = tuple(parts[1::2])
    if labels.issuperset(exact) and text.count("[") == text.count("]") == len(exact):
        return Scan(tuple(parts[::2]), exact)
    pieces: list[str] = []
    tags: list[str] = []
    faults: list[TagFault] = []
    start = 0
    for match in _BRACKETED.finditer(text):
        content = match[1]
        label = None if content is None else _label(content)
        if label in labels:
            pieces.append(text[start : match.start()])
            tags.append(label)
            start = match.end()
        else:
            faults.append(_fault(text, match, label, labels))
    pieces.append(text[start:])
    return Scan(tuple(pieces), tuple(tags), tuple(faults))


@lru_cache(maxsize=1024)
def _fold_short(content: str) -> str:
    return fold_label(content)


def _label(content: str) -> str:
    # Only short contents are kept, so that the cache stays small whatever is sent.
    return _fold_short(content) if len(content) <= _SHOWN_CHARACTERS else fold_label(content)


def _fault(text: str, match: re.Match[str], label: str | None, labels: frozenset[str]) -> TagFault:
    column = match.start() + 1
    if label is None:
        return TagFault(MALFORMED, column, _around(text, match.start()))
    found = _shorten(match[0])
    if not label:
        return TagFault(EMPTY, column, found, label)
    return TagFault(UNSUPPORTED, column, found, label, suggest(label, labels), _odd_letters(label))


def _around(text: str, at: int) -> str:
    """Return a bracket that pairs with none, and the text that it opens or closes."""
    if text[at] == "[":
        after = _NO_BRACKETS.match(text, at + 1, at + _SHOWN_CHARACTERS)
        return "[" + (after[0] if after else "")
    before = text[max(0, at - _SHOWN_CHARACTERS + 1) : at]
    return before[max(before.rfind("["), before.rfind("]")) + 1 :] + "]"


def _shorten(found: str) -> str:
    return found if len(found) <= _SHOWN_CHARACTERS else found[: _SHOWN_CHARACTERS - 1] + "…"


def _odd_letters(label: str) -> tuple[str, ...]:
    """Name the non-ASCII characters of a label that also has ASCII letters, at most five."""
    if label.isascii() or not any(c.isascii() and c.isalpha() for c in label):
        return ()
    odd = dict.fromkeys(c for c in label if not c.isascii())
    return tuple(f"U+{ord(c):04X}" for c in list(odd)[:5])


def lookalikes(text: str, labels: frozenset[str]) -> tuple[Lookalike, ...]:
    """List what is written like a tag but in other brackets; it is scored as plain text.

    >>> lookalikes("（laughter） he said (not here)", frozenset({"laugh"}))
    (Lookalike(found='（laughter）', suggestion='laugh'),)
    """
    return tuple(_lookalikes(text, labels))


def _lookalikes(text: str, labels: frozenset[str]) -> Iterator[Lookalike]:
    for match in _LOOKALIKE.finditer(text):
        inside = match[match.lastindex or 0].strip(" /|")
        label = suggest(_label(inside), labels, near=False)
        if label is not None:
            yield Lookalike(match[0], label)
