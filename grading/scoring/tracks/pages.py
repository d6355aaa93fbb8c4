"""Sections of methodology pages: a title, sentences, a formula, examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grading.scoring import bootstrap
from grading.scoring.methodology import N_, Phrase, Tongue
from grading.scoring.tracks.base import Section

if TYPE_CHECKING:
    from collections.abc import Iterable


def section(
    title: str,
    *paragraphs: str,
    formula: str = "",
    examples: Iterable[tuple[str, str]] = (),
) -> Section:
    """Return a section; a template without values may be given as it is."""
    return Section(_phrase(title), tuple(map(_phrase, paragraphs)), formula, tuple(examples))


def intervals(first: str, *more: str) -> Section:
    """Return the section on intervals; `first` is a template that names the `replicates`."""
    return section(N_("Intervals"), Phrase(first, replicates=bootstrap.REPLICATES), *more)


def rule_told(language: str, unit: str, normalizer: str) -> Phrase:
    """Return how the texts of a language are compared: in what unit, through which normalizer."""
    return Phrase(
        N_("%(language)s: %(unit)s, normalizer %(normalizer)s."),
        language=Tongue(language),
        unit=unit.upper(),
        normalizer=normalizer,
    )


def _phrase(text: str) -> Phrase:
    return text if isinstance(text, Phrase) else Phrase(text)
