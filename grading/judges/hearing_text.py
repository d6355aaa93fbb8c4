"""Where in a sentence its vocalizations belong, as shares of the syllables that are spoken."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TAG = re.compile(r"\[([^\[\]]+)\]")
_VOWELS = re.compile(r"[aeiouy]+|\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Target:
    """A vocalization that the text asks for, and the share of the syllables before it, 0 to 1."""

    label: str
    place: float


def syllables(text: str) -> int:
    """Return about how many syllables a text has: vowels in a row, digits, and Chinese characters."""
    wide = sum(1 for sign in text if sign.isalpha() and not sign.isascii())
    return len(_VOWELS.findall(text)) + wide


def targets(text_with_nvvs: str) -> tuple[Target, ...]:
    """Return the vocalizations of a tagged text in its order.

    >>> targets("Well [sigh] no.")
    (Target(label='sigh', place=0.5),)
    """
    pieces = _TAG.split(text_with_nvvs)
    total = max(sum(syllables(piece) for piece in pieces[::2]), 1)
    done, found = 0, []
    for index, piece in enumerate(pieces):
        if index % 2:
            found.append(Target(piece.strip().lower(), done / total))
        else:
            done += syllables(piece)
    return tuple(found)
