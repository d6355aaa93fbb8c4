"""The normalizer `nvv-1`: units of a piece of text, and the tagged token sequence of a transcript.

English units are words, Mandarin units are single characters; both sides of a comparison go
through the same rules. The normalizer never meets a tag: tags are cut out first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from grading.scoring.text.normalize import character_set, lower, nfkc
from grading.scoring.text.tags import scan
from grading.scoring.types import ScoringError

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "nvv-1"

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u201b\u2032\uff07", "'"))
_ASCII_WORD = re.compile(r"[a-z0-9]++(?:'[a-z0-9]++)*+")
_WORD_SET = character_set("LN")
_WORD = re.compile(f"[{_WORD_SET}]++(?:'[{_WORD_SET}]++)*+")
_CHARACTER = re.compile(f"[{character_set('LMN')}]")


class TranscriptInvalid(ScoringError):
    """A text with a faulty tag reached the scorer; `code` says which fault, never the text."""

    def __init__(self, code: str) -> None:
        super().__init__(f"transcript with a faulty tag: {code}")
        self.code = code


class Transcript(NamedTuple):
    """A transcript as it is scored.

    `units` are words or characters; `tags[k]` stands after `positions[k]` units (0 … units), in
    order of appearance.
    """

    units: list[str]
    tags: tuple[str, ...]
    positions: list[int]

    def tokens(self) -> list[str]:
        """Return the units with every tag as one token `[label]` at its place."""
        if not self.tags:
            return self.units
        tokens: list[str] = []
        start = 0
        for label, position in zip(self.tags, self.positions, strict=True):
            tokens += self.units[start:position]
            tokens.append(f"[{label}]")
            start = position
        tokens += self.units[start:]
        return tokens


def fold(text: str) -> str:
    """Return the text in NFKC, five apostrophe-like signs as `'`, in lower case.

    >>> fold("Ｄon’t")
    "don't"
    """
    if text.isascii():
        return text.lower()
    return lower(nfkc(text).translate(_APOSTROPHES))


def english_units(text: str) -> list[str]:
    """Return the words: letters or digits, joined by single apostrophes inside; the rest splits.

    >>> english_units("'Cause I don't, well-known 3.5%")
    ['cause', 'i', "don't", 'well', 'known', '3', '5']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return _WORD.findall(fold(text))


def mandarin_units(text: str) -> list[str]:
    """Return the characters that are letters, marks or digits, one by one; the rest is dropped.

    >>> mandarin_units("我用 iPad，２〇")
    ['我', '用', 'i', 'p', 'a', 'd', '2', '〇']
    """
    return _CHARACTER.findall(fold(text))


UNITS: dict[str, Callable[[str], list[str]]] = {"en": english_units, "zh": mandarin_units}


def read_transcript(text: str, language: str, labels: frozenset[str]) -> Transcript:
    """Return the units, tags and positions of one transcript.

    Raises TranscriptInvalid when a bracket is not a tag with one of the labels: such rows are
    refused before they are scored.

    >>> read_transcript("Well, [cough] no.", "en", frozenset({"cough"}))
    Transcript(units=['well', 'no'], tags=('cough',), positions=[1])
    """
    found = scan(text, labels)
    if found.faults:
        raise TranscriptInvalid(found.faults[0].code)
    split = UNITS[language]
    units = split(found.pieces[0])
    positions: list[int] = []
    for piece in found.pieces[1:]:
        positions.append(len(units))
        if piece:
            units += split(piece)
    return Transcript(units, found.tags, positions)
