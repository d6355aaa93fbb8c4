"""A tagged text as raters read it: cut at the vocalizations that it asks for, each with its number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grading.scoring.text.tags import scan
from grading.views.rating.scales import name_of

CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"


@dataclass(frozen=True, slots=True)
class Target:
    """A vocalization that the text asks for: its place from 1, its sign, its name, its label."""

    number: int
    sign: str
    name: Any
    label: str

    @property
    def is_translated(self) -> bool:
        """Whether the name differs from the label, which is then shown beside it."""
        return str(self.name) != self.label


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, or a vocalization where the text is empty."""

    text: str
    target: Target | None = None


def sign_of(number: int) -> str:
    """Return a number as a sign that stands in a text.

    >>> sign_of(1), sign_of(20), sign_of(21)
    ('①', '⑳', '(21)')
    """
    return CIRCLED[number - 1] if number <= len(CIRCLED) else f"({number})"


def targets_of(text: str, labels: frozenset[str]) -> list[Target]:
    """Return the vocalizations of a text in their order."""
    return [
        Target(number, sign_of(number), name_of(label), label)
        for number, label in enumerate(scan(text, labels).tags, 1)
    ]


def pieces_of(text: str, labels: frozenset[str]) -> list[Piece]:
    """Return a text in pieces, its vocalizations among them."""
    found = scan(text, labels)
    pieces = [Piece(found.pieces[0])]
    for target, following in zip(targets_of(text, labels), found.pieces[1:], strict=True):
        pieces += [Piece("", target), Piece(following)]
    return [piece for piece in pieces if piece.text or piece.target]
