"""The normalizer `nvv-1`: units of a piece of text, and the tagged token sequence of a transcript.

English units are words, Mandarin units are single characters; both sides of a comparison go
through the same rules. The normalizer never meets a tag: tags are cut out first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from grading.scoring.text.normalize import ClassPattern, lower, nfkc, nfkc_lower
from grading.scoring.text.tags import scan
from grading.scoring.types import ScoringError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NAME = "nvv-1"

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u201b\u2032\uff07", "'"))
_ASCII_WORD = re.compile(r"[a-z0-9]++(?:'[a-z0-9]++)*+")
_WORD = ClassPattern("[{0}]++(?:'[{0}]++)*+".format, "LN")
_CHARACTERS = ClassPattern("[{0}]++".format, "LMN")
# Short ways that give the same units: plain English without apostrophes, and plain Mandarin, whose
# characters no normalization changes and whose signs are all dropped.
_ASCII_BLANKS = {point: chr(point).lower() if chr(point).isalnum() else " " for point in range(128)}
_HAN = re.compile(r"[\u4e00-\u9fff]++")
_PLAIN_MANDARIN = re.compile(r"[\u4e00-\u9fff \u3001\u3002\uff01\uff0c\uff1f]*+")
_PLAIN_UNIT = re.compile(r"[a-zA-Z0-9\u4e00-\u9fff]")


class TranscriptInvalid(ScoringError):
    """A text with a faulty tag reached the scorer; `code` says which fault, never the text."""

    def __init__(self, code: str) -> None:
        super().__init__(f"transcript with a faulty tag: {code}")
        self.code = code


class Transcript(NamedTuple):
    """A transcript as it is scored.

    `units` are words or characters; `tags[k]` stands after `positions[k]` units (0 … units), in
    order of appearance; `tokens` are the units with every tag as one token `[label]` at its
    place.
    """

    units: list[str]
    tags: list[str]
    positions: list[int]
    tokens: list[str]


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
    if not text.isascii():
        return _WORD.findall(fold(text))
    if "'" in text:
        return _ASCII_WORD.findall(text.lower())
    return text.translate(_ASCII_BLANKS).split()


def mandarin_units(text: str) -> list[str]:
    """Return the characters that are letters, marks or digits, one by one; the rest is dropped.

    >>> mandarin_units("我用 iPad，２〇")
    ['我', '用', 'i', 'p', 'a', 'd', '2', '〇']
    """
    if _PLAIN_MANDARIN.fullmatch(text):
        return list("".join(_HAN.findall(text)))
    # Apostrophes are dropped like all punctuation, so they need no folding.
    return list("".join(_CHARACTERS.findall(nfkc_lower(text))))


UNITS: dict[str, Callable[[str], list[str]]] = {"en": english_units, "zh": mandarin_units}


def has_units(text: str, language: str) -> bool:
    """Tell whether a piece of text has any unit."""
    return bool(_PLAIN_UNIT.search(text) or UNITS[language](text))


def read_transcript(text: str, language: str, labels: frozenset[str]) -> Transcript:
    """Return the units, tags and positions of one transcript.

    Raises TranscriptInvalid when a bracket is not a tag with one of the labels: such rows are
    refused before they are scored.

    >>> read_transcript("Well, [cough] no.", "en", frozenset({"cough"}))
    Transcript(units=['well', 'no'], tags=['cough'], positions=[1], tokens=['well', '[cough]', 'no'])
    """
    found = scan(text, labels)
    if found.faults:
        raise TranscriptInvalid(found.faults[0].code)
    return _assemble([UNITS[language](piece) for piece in found.pieces], found.tags)


def _assemble(pieces: Sequence[list[str]], tags: Sequence[str]) -> Transcript:
    units = pieces[0]
    if not tags:
        return Transcript(units, [], [], units)
    tokens = units.copy()
    positions: list[int] = []
    for tag, piece in zip(tags, pieces[1:], strict=True):
        positions.append(len(units))
        tokens.append(f"[{tag}]")
        units += piece
        tokens += piece
    return Transcript(units, list(tags), positions, tokens)
