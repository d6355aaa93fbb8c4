"""Which characters stay, which vanish and which become a blank, by frozen tables.

Each function returns text that it would return again unchanged: what vanishes may bring a letter
and its mark together, so the normalization form is applied once more after it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grading.scoring.text.normalize import (
    ClassPattern,
    class_ranges,
    is_basic,
    lower,
    nfc,
    nfkc,
    nfkc_lower,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

# What Python 3.11 to 3.13 split at, and the space of no width; no later version can change it.
WHITE = (
    "\u200b\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
# Straight, grave, acute, modifier letters, curly, reversed, prime, full width.
APOSTROPHES = "'`\u00b4\u02bc\u02b9\u2018\u2019\u201b\u2032\uff07"
DASHES = (
    "-\u058a\u05be\u1400\u1806\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e17\u2e1a\u2e3a\u2e3b"
    "\u2e40\u2e5d\u301c\u3030\u30a0\ufe31\ufe32\ufe58\ufe63\uff0d\U00010ead"
)
SLASHES = "/\\\u2044\u2215\u29f8\uff0f\uff3c"
# The signs of class Sc in Unicode 15.1, as NFKC leaves them.
CURRENCY = (
    "$\u00a2\u00a3\u00a4\u00a5\u058f\u060b\u07fe\u07ff\u09f2\u09f3\u09fb\u0af1\u0bf9\u0e3f\u17db"
    "\u20a0\u20a1\u20a2\u20a3\u20a4\u20a5\u20a6\u20a7\u20a9\u20aa\u20ab\u20ac\u20ad\u20ae\u20af"
    "\u20b0\u20b1\u20b2\u20b3\u20b4\u20b5\u20b6\u20b7\u20b8\u20b9\u20ba\u20bb\u20bc\u20bd\u20be"
    "\u20bf\u20c0\ua838\U00011fdd\U00011fde\U00011fdf\U00011fe0\U0001e2ff\U0001ecb0"
)
# Selectors of a glyph and the joiner of graphemes: marks by class, but nothing that is heard.
_INVISIBLE = (
    (0x34F, 0x34F),
    (0x180B, 0x180D),
    (0x180F, 0x180F),
    (0xFE00, 0xFE0F),
    (0xE0100, 0xE01EF),
)
_HIGHER = 0x10000


def _without(ranges: Iterable[tuple[int, int]], points: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the ranges without some of their code points."""
    for first, last in ranges:
        start = first
        for point in sorted(p for p in points if first <= p <= last):
            yield start, point - 1
            start = point + 1
        yield start, last


def _set(ranges: Iterable[tuple[int, int]], below: int = 0x110000) -> str:
    """Return the inside of a regular expression set."""
    return "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in ranges if a <= b and a < below)


_UNHEARD = (*_without(class_ranges("C"), set(map(ord, WHITE))), *_INVISIBLE)
_DROPPED = re.compile(f"[{_set(_UNHEARD)}{re.escape(APOSTROPHES)}]++")
# Basic characters are told by a bit map; the higher ranges would be walked for each one not in it.
_BASIC_DROPPED = re.compile(f"[{_set(_UNHEARD, _HIGHER)}{re.escape(APOSTROPHES)}]++")
_HIDDEN = re.compile(f"[{_set(_INVISIBLE)}{re.escape(APOSTROPHES)}]++")
# A point is needed until a number is read, and only there; two marks must not meet when it goes.
# The sign comes first in the pattern, what stands before it after: so the engine leaps to it.
_LONE_POINT = re.compile(r"\.(?:(?![0-9])|(?<![0-9]\.))")
_ALPHANUMERIC = ClassPattern("[{0}]++".format, "LN")


def alphanumeric(text: str, apostrophes: Mapping[int, None]) -> str:
    """Return letters and numbers in NFKC and lower case; `apostrophes` vanish, the rest is blank."""
    if text.isascii():
        return " ".join(_ALPHANUMERIC.findall(text.lower().translate(apostrophes)))
    words = _ALPHANUMERIC.findall(nfkc_lower(text).translate(apostrophes))
    return nfkc(" ".join(words))


def _plain(kept: str, dropped: Callable[[str], bool], blank: str | None) -> dict[int, str | None]:
    """Return what `str.translate` needs for ASCII: letters small, the rest as told."""
    table: dict[int, str | None] = {}
    for character in map(chr, range(128)):
        stays = character.isalnum() or character in kept
        other = None if dropped(character) else blank
        table[ord(character)] = character.lower() if stays else other
    return table


def _drop(text: str) -> str:
    return (_BASIC_DROPPED if is_basic(text) else _DROPPED).sub("", text)


def blanker(kept: str = "", group: str = "3") -> Callable[[str], str]:
    """Return a function that leaves letters, marks, numbers and `kept`, in NFKC and lower case.

    Points between digits stay. Apostrophes, what is never heard (controls, joiners, selectors),
    other points, and commas that part groups of `group` digits vanish; anything else is a blank,
    blanks are single, none at the ends.
    """
    words = ClassPattern(f"[{{0}}{re.escape(kept)}.]++".format, "LMN")
    plain = _plain(kept + ".,", lambda c: bool(_DROPPED.match(c)), " ")
    commas = re.compile(f",(?<=[0-9],)(?=[0-9]{{{group}}}(?![0-9]))")

    def unmark(text: str) -> str:
        if "," in text:
            text = commas.sub("", text).replace(",", " ")
        return _LONE_POINT.sub("", text) if "." in text else text

    def blank(text: str) -> str:
        if text.isascii():
            return " ".join(unmark(text.translate(plain)).split())
        # NFKC makes a blank and a mark of this one; the other apostrophes it leaves or joins to them.
        normal = nfkc(text.replace("\u00b4", "'"))
        heard = unmark(_drop(lower(normal)))
        return " ".join(words.findall(heard if heard == normal else nfkc(heard)))

    return blank


def stripper(ends: str) -> Callable[[str], str]:
    """Return a function that leaves letters, marks, numbers and points between digits.

    All is in NFC and lower case. White space and the characters of `ends` become single blanks; anything else vanishes, and
    what stood beside it stands together.
    """
    ends += WHITE
    blanks = str.maketrans(dict.fromkeys(ends, " "))
    pattern = ClassPattern(f"[{{0}}{re.escape(ends)}.]++".format, "LMN")
    plain = _plain(".", lambda c: c not in ends, " ")

    def strip(text: str) -> str:
        if text.isascii():
            left = text.translate(plain)
            return " ".join((_LONE_POINT.sub("", left) if "." in left else left).split())
        left = "".join(pattern.findall(_HIDDEN.sub("", lower(nfc(text)))))
        if "." in left:
            left = _LONE_POINT.sub("", left)
        return " ".join(word for word in nfc(left.translate(blanks)).split(" ") if word)

    return strip
