"""What every track is made of: values, and the one protocol that the server and the command line use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from grading.scoring.types import Limits, Progress, Report


@dataclass(frozen=True, slots=True)
class Column:
    """One number of a board row: where it is found, how it is shown, which way is better."""

    key: str
    label: str
    unit: str
    lower_is_better: bool
    digits: int = 2


@dataclass(frozen=True, slots=True)
class Checked:
    """The verdict on one file, and its predictions (utt_id -> text) when it was accepted."""

    report: Report
    predictions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class EditPair:
    """Two token sequences and the edit distance we found, for a second computation elsewhere."""

    utt_id: str
    reference_tokens: tuple[str, ...]
    hypothesis_tokens: tuple[str, ...]
    edits: int


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval [low, high] in the score's unit, or none with the reason."""

    low: float | None
    high: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """Paired difference (other minus leader): points, 95 % bounds, two-sided p-value in 0..1.

    None is what cannot be told: no difference of a withheld score, no spread in a single clip.
    """

    delta: float | None
    low: float | None
    high: float | None
    p_value: float | None


@dataclass(frozen=True, slots=True)
class Composed:
    """Rates derived from pooled tallies: the score or why it is withheld, then the parts."""

    score: float | None
    withheld_reason: str
    components: Mapping[str, float]
    languages: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Section:
    """One heading of the methodology page, generated from the running code."""

    title: str
    paragraphs: tuple[str, ...]
    formula: str = ""
    examples: tuple[tuple[str, str], ...] = ()


class References(Protocol):
    """Checked references of one track; the texts stay inside."""

    @property
    def ids(self) -> tuple[str, ...]: ...
    @property
    def language_of(self) -> Mapping[str, str]: ...
    @property
    def counts(self) -> Mapping[str, int]: ...
    @property
    def sha256(self) -> str: ...


class Tallies(Protocol):
    """Integer tallies per utterance; bytes are the same on every machine."""

    def to_bytes(self) -> bytes: ...
    @classmethod
    def from_bytes(cls, data: bytes) -> Self: ...
    def rows(self) -> list[dict[str, Any]]: ...


class Track(Protocol):
    """A track is one frozen object; weights, labels, collars and tie-breaks are parameters."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def languages(self) -> tuple[str, ...]: ...
    @property
    def columns(self) -> tuple[Column, ...]: ...

    def params(self, raw: Mapping[str, Any]) -> Any: ...
    def params_json(self, params: Any) -> dict[str, Any]: ...
    def references(self, data: bytes, params: Any) -> References: ...
    def check(
        self,
        source: Path | bytes,
        *,
        ids: Mapping[str, str | None],
        params: Any,
        limits: Limits,
        progress: Progress | None = None,
        filename: str = "",
    ) -> Checked: ...
    def score(
        self,
        references: Any,
        predictions: Mapping[str, str],
        params: Any,
        progress: Progress | None = None,
    ) -> Any: ...
    def tallies(self, data: bytes) -> Any: ...
    def compose(self, tallies: Any, params: Any) -> Composed: ...
    def points(
        self, languages: Mapping[str, Mapping[str, Any]], params: Any
    ) -> dict[str, float]: ...
    def interval(
        self, tallies: Any, params: Any, *, seed: int, replicates: int = 10_000
    ) -> Mapping[str, Interval]: ...
    def paired(
        self, leader: Any, others: Sequence[Any], params: Any, *, seed: int
    ) -> list[Difference]: ...
    def edit_pairs(
        self,
        references: Any,
        predictions: Mapping[str, str],
        params: Any,
        utt_ids: Sequence[str],
    ) -> Iterator[EditPair]: ...
    def order_key(self, composed: Composed, params: Any) -> tuple[Any, ...]: ...
    def methodology(self, params: Any) -> list[Section]: ...
