"""What every track is made of: values, and the one protocol that the server and the command line use."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

from grading.scoring.tracks.columns import Column, Scatter, View
from grading.scoring.tracks.composed import Entered, Pillar, Table
from grading.scoring.types import Progress, Report, ScoringError

LANGUAGE_WITHOUT_UTTERANCES = "LANGUAGE_WITHOUT_UTTERANCES"
MARKS_MISSING = "MARKS_MISSING"
NOTHING_SHA256 = hashlib.sha256(b"").hexdigest()


class ClipsDiffer(ScoringError):
    """A paired comparison needs the same utterances on both sides."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The verdict on one file, and its predictions (utt_id -> what the track reads) when accepted."""

    report: Report
    predictions: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sent:
    """What a track gets that needs both: the row as `check` read it, and its marks, None without."""

    row: Any
    marks: Any


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
    """Rates derived from pooled tallies: the score or why it is withheld, then the parts.

    `components` holds JSON: what the columns show, and where the numbers come from. `languages`
    holds the JSON of each part of the board (a language, a corpus, a subtask).
    """

    score: float | None
    withheld_reason: str
    components: Mapping[str, Any]
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


@dataclass(frozen=True, slots=True)
class NoReferences:
    """The references of a track that has none of its own."""

    ids: tuple[str, ...] = ()
    language_of: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    sha256: str = NOTHING_SHA256


class Track(Protocol):
    """A track is one frozen object; weights, labels, collars and tie-breaks are parameters.

    `needs_marks` says what a score is made of: of what was sent (False), where `check` returns the
    predictions and `score` takes them, or of marks that listeners give it (True), where `score`
    takes utt_id -> marks and the evaluation waits until they are there; with `needs_sent` it takes
    utt_id -> Sent. `is_marked` says it under given parameters: a track may leave it to them, and then
    `questions` returns what a judge of words is asked of each item. `sends_sounds` says that what is sent are waveforms, which `check` finds in an
    archive. `has_final`: people rate the best. `is_composed`: rows are made of other boards' rows.
    `checks_against`: ids alone do not tell whether a file is right, so that it is checked against the
    references wherever they are; what problems quote of these must be no secret.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def languages(self) -> tuple[str, ...]: ...
    @property
    def columns(self) -> tuple[Column, ...]: ...
    @property
    def counts(self) -> tuple[Column, ...]: ...
    @property
    def overall(self) -> str: ...
    @property
    def needs_marks(self) -> bool: ...
    @property
    def needs_sent(self) -> bool: ...
    @property
    def sends_sounds(self) -> bool: ...
    @property
    def sends_texts(self) -> bool: ...
    @property
    def has_final(self) -> bool: ...
    @property
    def is_composed(self) -> bool: ...
    @property
    def checks_against(self) -> bool: ...
    @property
    def scatter(self) -> Scatter | None: ...
    @property
    def messages(self) -> Mapping[str, str]: ...
    @property
    def meanings(self) -> Mapping[str, str]: ...
    @property
    def reasons(self) -> Mapping[str, str]: ...

    def is_marked(self, params: Any) -> bool: ...
    def questions(
        self, references: Any, predictions: Mapping[str, Any], params: Any
    ) -> Mapping[str, str]: ...
    def columns_of(self, params: Any) -> tuple[Column, ...]: ...
    def views(self, params: Any) -> tuple[View, ...]: ...
    def sample(self, ids: Sequence[str], params: Any) -> str: ...
    def sending(self, params: Any) -> tuple[str, ...]: ...
    def pillars(self, params: Any) -> tuple[Pillar, ...]: ...
    def compose_tables(self, entered: Sequence[Entered], params: Any) -> tuple[Table, ...]: ...
    def replicates(
        self, tallies: Any, params: Any, *, seed: int, replicates: int = 10_000
    ) -> Any: ...
    def params(self, raw: Mapping[str, Any]) -> Any: ...
    def params_json(self, params: Any) -> dict[str, Any]: ...
    def limit_names(self) -> frozenset[str]: ...
    def limits(self, raw: Mapping[str, int]) -> Any: ...
    def references(self, data: bytes, params: Any) -> References: ...
    def check(
        self,
        source: Path | bytes,
        *,
        ids: Mapping[str, str | None],
        params: Any,
        limits: Any,
        progress: Progress | None = None,
        filename: str = "",
    ) -> Any: ...
    def check_against(
        self,
        source: Path | bytes,
        *,
        references: Any,
        params: Any,
        limits: Any,
        progress: Progress | None = None,
        filename: str = "",
    ) -> Any: ...
    def score(
        self,
        references: Any,
        given: Mapping[str, Any],
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
        predictions: Mapping[str, Any],
        params: Any,
        utt_ids: Sequence[str],
    ) -> Iterator[EditPair]: ...
    def order_key(self, composed: Composed, params: Any) -> tuple[Any, ...]: ...
    def methodology(self, params: Any) -> list[Section]: ...
