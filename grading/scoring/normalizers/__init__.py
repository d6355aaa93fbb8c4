"""The normalizers there are: named, versioned, frozen; the same for both sides of a comparison."""

from __future__ import annotations

from grading.scoring.normalizers import a5s, fleurs, speko, yue
from grading.scoring.normalizers.base import Normalizer, OpenPoint, Point
from grading.scoring.types import ScoringError

__all__ = ["Normalizer", "OpenPoint", "Point", "UnknownNormalizer", "get", "names"]

_NORMALIZERS: dict[str, Normalizer] = {
    one.name: one
    for one in (
        a5s.NORMALIZER,
        fleurs.ENGLISH,
        fleurs.MALAY,
        fleurs.TAMIL,
        fleurs.CHINESE,
        speko.NORMALIZER,
        yue.NORMALIZER,
    )
}


class UnknownNormalizer(ScoringError, KeyError):
    """No normalizer has this name; the text names those there are."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"no normalizer is named {self.name!r}; there are: {', '.join(names())}"


def get(name: str) -> Normalizer:
    """Return the normalizer of that name. Raises UnknownNormalizer.

    >>> get("a5s-1").text("Don’t stop!")
    'dont stop'
    """
    try:
        return _NORMALIZERS[name]
    except KeyError:
        raise UnknownNormalizer(name) from None


def names() -> tuple[str, ...]:
    """Return the names of all normalizers, sorted.

    >>> names()
    ('a5s-1', 'fleurs-en-1', 'fleurs-ms-1', 'fleurs-ta-1', 'fleurs-zh-1', 'speko-1', 'yue-1')
    """
    return tuple(sorted(_NORMALIZERS))
