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
_ASCII_TOKEN = re.compile(r"[a-z0-9]++(?:'[a-z0-9]++)*+|\[[^\[\]]*+\]|[\[\]]")
_WORD = ClassPattern("[{0}]++(?:'[{0}]++)*+".format, "LN")
_CHARACTERS = ClassPattern("[{0}]++".format, "LMN")
_TAG = re.compile(r"\[([^\[\]]*+)\]")


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
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return _WORD.findall(fold(text))


def mandarin_units(text: str) -> list[str]:
    """Return the characters that are letters, marks or digits, one by one; the rest is dropped.

    >>> mandarin_units("我用 iPad，２〇")
    ['我', '用', 'i', 'p', 'a', 'd', '2', '〇']
    """
    # Apostrophes are dropped like all punctuation, so they need no folding.
    return list("".join(_CHARACTERS.findall(nfkc_lower(text))))


UNITS: dict[str, Callable[[str], list[str]]] = {"en": english_units, "zh": mandarin_units}


def read_transcript(text: str, language: str, labels: frozenset[str]) -> Transcript:
    """Return the units, tags and positions of one transcript.

    Raises TranscriptInvalid when a bracket is not a tag with one of the labels: such rows are
    refused before they are scored.

    >>> read_transcript("Well, [cough] no.", "en", frozenset({"cough"}))
    Transcript(units=['well', 'no'], tags=['cough'], positions=[1], tokens=['well', '[cough]', 'no'])
    """
    if language == "en" and text.isascii():
        transcript = _read_ascii(text, labels)
        if transcript is not None:
            return transcript
    pieces, tags = _cut(text, labels)
    return _assemble([UNITS[language](piece) for piece in pieces], tags)


def _read_ascii(text: str, labels: frozenset[str]) -> Transcript | None:
    """Read plain English in one pass; None when a bracket needs a closer look."""
    tokens: list[str] = _ASCII_TOKEN.findall(text.lower())
    if "[" not in text and "]" not in text:
        return Transcript(tokens, [], [], tokens)
    places = [place for place, token in enumerate(tokens) if token[0] in "[]"]
    tags = [tokens[place][1:-1] for place in places]
    if not labels.issuperset(tags):
        return None
    units = [token for token in tokens if token[0] != "["]
    return Transcript(units, tags, [place - k for k, place in enumerate(places)], tokens)


def _cut(text: str, labels: frozenset[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the pieces between tags, and the tags; exact labels need no scan."""
    parts = _TAG.split(text)
    tags = parts[1::2]
    if labels.issuperset(tags) and text.count("[") == text.count("]") == len(tags):
        return parts[::2], tags
    found = scan(text, labels)
    if found.faults:
        raise TranscriptInvalid(found.faults[0].code)
    return found.pieces, found.tags


def _assemble(pieces: Sequence[list[str]], tags: Sequence[str]) -> Transcript:
    units = list(pieces[0])
    tokens = list(pieces[0])
    positions: list[int] = []
    for tag, piece in zip(tags, pieces[1:], strict=True):
        positions.append(len(units))
        units += piece
        tokens.append(f"[{tag}]")
        tokens += piece
    return Transcript(units, list(tags), positions, tokens)
