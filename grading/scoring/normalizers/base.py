"""What every normalizer is: a frozen value with a name, a version and two functions of a text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from grading.scoring.methodology import N_, Phrase
from grading.scoring.text.normalize import UNICODE_VERSIONS, nfkc
from grading.scoring.tracks.base import Section


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """What a source leaves open, as a normalizer's module writes it down.

    `samples` are raw texts that show the decision; what becomes of them is computed: `text`, or
    `spaced` where that is the point.
    """

    question: Phrase
    decision: Phrase
    samples: tuple[str, ...]
    keeps_blanks: bool = False

    def shown_by(self, normalizer: Normalizer) -> Point:
        """Return the point with what becomes of its samples."""
        change = normalizer.spaced if self.keeps_blanks else normalizer.text
        return Point(
            self.question, self.decision, tuple((one, change(one)) for one in self.samples)
        )


@dataclass(frozen=True, slots=True)
class Point:
    """An open point with examples (before, after) that the running code has just made."""

    question: Phrase
    decision: Phrase
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Normalizer:
    """One named, versioned normalizer; both sides of a comparison go through the same one.

    `languages` are BCP 47 codes it is meant for. Both functions are total, deterministic and
    idempotent: they take any text, lone surrogates too, and give the same on every Python.
    """

    name: str
    version: str
    languages: tuple[str, ...]
    removes_space: bool
    rules: tuple[Phrase, ...]
    open_points: tuple[OpenPoint, ...] = field(repr=False)
    rewrite: Callable[[str], str] = field(repr=False)

    def spaced(self, raw: str) -> str:
        """Return the normalized text with white space as single blanks, none at the ends.

        Of use where words are told apart before white space goes (MER).
        """
        return self.rewrite(raw)

    def text(self, raw: str) -> str:
        """Return the normalized text: `spaced`, without blanks where the normalizer removes them."""
        rewritten = self.rewrite(raw)
        if not self.removes_space:
            return rewritten
        # A letter may meet a mark where the blank was.
        return nfkc(rewritten.replace(" ", ""))

    @property
    def points(self) -> tuple[Point, ...]:
        """What the source leaves open and what was decided, with examples of the running code."""
        return tuple(point.shown_by(self) for point in self.open_points)

    def describe(self) -> tuple[Section, ...]:
        """Return the sections of a methodology page: the rules, then one section per open point."""
        classes, forms = UNICODE_VERSIONS["classes"], UNICODE_VERSIONS["normalization"]
        tables = Phrase(
            N_(
                "Classes of characters come from a frozen table of Unicode %(classes)s; normalization forms and lower case are applied to the characters that Unicode %(forms)s knows."
            ),
            classes=classes,
            forms=forms,
        )
        title = Phrase(N_("Normalizer %(name)s"), name=f"{self.name} {self.version}")
        rules = Section(title=title, paragraphs=(*self.rules, tables))
        return (
            rules,
            *(Section(p.question, (p.decision,), examples=p.examples) for p in self.points),
        )
