"""Word, character and mixed error rates: tokens, counts of a corpus, rates.

Edits and lengths are whole numbers, added over a corpus and divided once. How an alignment splits
into substitutions, deletions and insertions is not unique: the split is for diagnosis, no rate and
no order is made of it.
"""

from __future__ import annotations

import re
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rapidfuzz.distance import Levenshtein

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Script=Han of Unicode 15.1, and all of planes 2 and 3, which Unicode keeps for ideographs.
HAN = (
    "\u2e80-\u2e99\u2e9b-\u2ef3\u2f00-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufa6d\ufa70-\ufad9"
    "\U00016fe2\U00016fe3\U00016ff0\U00016ff1\U00020000-\U0003fffd"
)
_MIXED = re.compile(f"[{HAN}]|[^\\s{HAN}]++")


class Unit(StrEnum):
    """What is counted: words, characters, or Han characters and other words mixed."""

    WER = "wer"
    CER = "cer"
    MER = "mer"


class Normalizer(Protocol):
    """What a text is brought to before it is cut into tokens; see `grading.scoring.normalizers`."""

    @property
    def removes_space(self) -> bool: ...
    def spaced(self, raw: str) -> str: ...


class Counts(NamedTuple):
    """Edits, and the tokens of the reference and of the hypothesis; of one utterance or of many."""

    edits: int
    reference_length: int
    hypothesis_length: int

    @property
    def rate(self) -> Fraction | None:
        """Edits per reference token, 0 or more, may exceed 1; None without any reference token."""
        return Fraction(self.edits, self.reference_length) if self.reference_length else None

    @property
    def utterance_rate(self) -> Fraction:
        """The same for one utterance, for diagnosis: 0 where both sides are empty, 1 where only the
        reference is."""
        rate = self.rate
        return Fraction(1 if self.hypothesis_length else 0) if rate is None else rate


class Column(NamedTuple):
    """The counts of many utterances, a list for each number: quick to fill and to add up."""

    edits: list[int]
    reference_lengths: list[int]
    hypothesis_lengths: list[int]

    @property
    def total(self) -> Counts:
        """The sums over all utterances."""
        return Counts(*map(sum, self))

    def utterances(self) -> Iterator[Counts]:
        """Yield the counts of each utterance."""
        return map(Counts, *self)


class Split(NamedTuple):
    """One way to tell the edits apart; other aligners find others with the same sum."""

    substitutions: int
    deletions: int
    insertions: int


def words(text: str) -> list[str]:
    """Return what stands between white space.

    >>> words(" well known ")
    ['well', 'known']
    """
    return text.split()


def characters(text: str) -> str:
    """Return the code points, blanks inside counted, outer ones stripped.

    The text itself is the sequence of its code points.

    >>> characters(" a b ")
    'a b'
    """
    return text.strip()


def mixed(text: str) -> list[str]:
    """Return every Han character by itself, and everything else by white space.

    >>> mixed("我想book間 meeting room 𠮷〇")
    ['我', '想', 'book', '間', 'meeting', 'room', '𠮷', '〇']
    """
    return _MIXED.findall(text)


def tokens(raw: str, unit: Unit, normalizer: Normalizer) -> Sequence[str]:
    """Return the tokens of one side in one unit; see `cut`."""
    return cut(raw, (unit,), normalizer)[0]


def cut(raw: str, units: Iterable[Unit], normalizer: Normalizer) -> list[Sequence[str]]:
    """Return the tokens of one side in each unit; the text is normalized once.

    Words and mixed tokens are cut while white space is still there: a normalizer that removes it
    would fuse "machine learning" into one. Characters are counted after it went.
    """
    spaced = normalizer.spaced(raw)
    return [_cut(spaced, unit, normalizer) for unit in units]


def _cut(spaced: str, unit: Unit, normalizer: Normalizer) -> Sequence[str]:
    if unit is Unit.WER:
        return words(spaced)
    if unit is Unit.MER:
        return mixed(spaced)
    return "".join(spaced.split()) if normalizer.removes_space else characters(spaced)


def count(reference: Sequence[str], hypothesis: Sequence[str]) -> Counts:
    """Return the least number of substituted, deleted and inserted tokens, and both lengths.

    >>> count(["yes"], ["no", "no"])
    Counts(edits=2, reference_length=1, hypothesis_length=2)
    """
    edits = Levenshtein.distance(reference, hypothesis)
    return Counts(edits, len(reference), len(hypothesis))


def count_all(references: Sequence[Sequence[str]], hypotheses: Sequence[Sequence[str]]) -> Column:
    """Return the counts of all pairs, in their order. Raises ValueError where one side is longer."""
    if len(references) != len(hypotheses):
        raise ValueError(f"{len(references)} references, {len(hypotheses)} hypotheses")
    return Column(
        list(map(Levenshtein.distance, references, hypotheses)),
        list(map(len, references)),
        list(map(len, hypotheses)),
    )


def mean_of_utterances(counts: Iterable[Counts]) -> Fraction | None:
    """Return the mean of the utterances' rates, for diagnosis; None of nothing."""
    sums: dict[int, int] = {}
    seen = 0
    for one in counts:
        rate = one.utterance_rate
        sums[rate.denominator] = sums.get(rate.denominator, 0) + rate.numerator
        seen += 1
    whole = sum((Fraction(top, bottom) for bottom, top in sums.items()), start=Fraction(0))
    return whole / seen if seen else None


def split(reference: Sequence[str], hypothesis: Sequence[str]) -> Split:
    """Return substitutions, deletions and insertions of one of the best alignments.

    >>> split("check in".split(), ["checkin"])
    Split(substitutions=1, deletions=1, insertions=0)
    """
    found = {"replace": 0, "delete": 0, "insert": 0}
    for operation in Levenshtein.editops(reference, hypothesis):
        found[operation.tag] += 1
    return Split(found["replace"], found["delete"], found["insert"])
