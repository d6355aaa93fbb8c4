"""What most tracks say alike: a track overrides what it says otherwise."""

from __future__ import annotations

from dataclasses import fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from grading.scoring.methodology import N_
from grading.scoring.tracks.base import Difference, EditPair
from grading.scoring.tracks.columns import View
from grading.scoring.types import FIXED_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from grading.scoring.tracks.base import Composed, Interval
    from grading.scoring.tracks.columns import Column, Scatter
    from grading.scoring.tracks.composed import Entered, Pillar, Table
    from grading.scoring.types import Progress

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Declared:
    """Defaults of the protocol `Track` (`base.py`)."""

    __slots__ = ()

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that the code itself fixes."""
        return ()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns, the score's first."""
        raise NotImplementedError

    @property
    def counts(self) -> tuple[Column, ...]:
        """The tallies of a part that are shown where the phase shows counts."""
        return ()

    @property
    def overall(self) -> str:
        """What the board of everything is called beside those of the parts."""
        return N_("all")

    @property
    def needs_marks(self) -> bool:
        """Whether the score is made of marks."""
        return False

    @property
    def needs_sent(self) -> bool:
        """Whether a score of marks is also made of what was sent."""
        return False

    @property
    def sends_sounds(self) -> bool:
        """Whether what is sent are waveforms."""
        return False

    @property
    def sends_texts(self) -> bool:
        """Whether a row is an utterance with its text, so that a map of ids and texts will do."""
        return False

    @property
    def has_final(self) -> bool:
        """Whether people rate the best systems."""
        return False

    @property
    def is_composed(self) -> bool:
        """Whether rows are made of other boards' rows."""
        return False

    @property
    def checks_against(self) -> bool:
        """Whether a file is checked against the references, since its ids do not say all."""
        return False

    @property
    def scatter(self) -> Scatter | None:
        """Two columns drawn against each other."""
        return None

    @property
    def messages(self) -> Mapping[str, str]:
        """The sentences of the track's own problem codes."""
        return _NOTHING

    @property
    def meanings(self) -> Mapping[str, str]:
        """What the track's own problem codes mean and what to do, in a line."""
        return _NOTHING

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why the track withholds a score or an interval, by code."""
        return _NOTHING

    def is_marked(self, params: Any) -> bool:
        """Return whether a score under these parameters is made of marks that come by themselves."""
        del params
        return self.needs_marks

    def questions(
        self, references: Any, predictions: Mapping[str, Any], params: Any
    ) -> Mapping[str, str]:
        """Return what a judge of words is asked of each item: nothing."""
        del references, predictions, params
        return _NOTHING

    def columns_of(self, params: Any) -> tuple[Column, ...]:
        """Return the columns under these parameters."""
        del params
        return self.columns

    def views(self, params: Any) -> tuple[View, ...]:
        """Return the parts that have an order of their own."""
        del params
        return tuple(View(language) for language in self.languages)

    def sample(self, ids: Sequence[str], params: Any) -> str:
        """Return the first lines of what is sent, for two or three ids."""
        del ids, params
        return ""

    def sending(self, params: Any) -> tuple[str, ...]:
        """Return what is to be known of what is sent, a sentence each."""
        del params
        return ()

    def limit_names(self) -> frozenset[str]:
        """Return the names of the limits that a phase may set."""
        return frozenset(field.name for field in fields(Limits)) - FIXED_LIMITS

    def limits(self, raw: Mapping[str, int]) -> Any:
        """Return the bounds of a submission; what a phase does not set keeps the product's own."""
        return Limits(**raw)

    def points(self, languages: Mapping[str, Mapping[str, Any]], params: Any) -> dict[str, float]:
        """Return what each weighted part brings to the score: nothing, where it is no sum of parts."""
        del languages, params
        return {}

    def replicates(self, tallies: Any, params: Any, *, seed: int, replicates: int = 10_000) -> Any:
        """Return the score of every replicate, for boards composed of this one; None without."""
        del tallies, params, seed, replicates

    def paired(
        self, leader: Any, others: Sequence[Any], params: Any, *, seed: int
    ) -> list[Difference]:
        """Return differences of which nothing can be told."""
        del leader, params, seed
        return [Difference(None, None, None, None) for _other in others]

    def edit_pairs(
        self,
        references: Any,
        predictions: Mapping[str, Any],
        params: Any,
        utt_ids: Sequence[str],
    ) -> Iterator[EditPair]:
        """Yield nothing: nothing is aligned."""
        del references, predictions, params, utt_ids
        return iter(())

    def pillars(self, params: Any) -> tuple[Pillar, ...]:
        """Return the boards that this one is composed of."""
        del params
        return ()

    def compose_tables(self, entered: Sequence[Entered], params: Any) -> tuple[Table, ...]:
        """Return the tables of a composed board."""
        raise NotImplementedError

    def check(
        self,
        source: Path | bytes,
        *,
        ids: Mapping[str, str | None],
        params: Any,
        limits: Any,
        progress: Progress | None = None,
        filename: str = "",
    ) -> Any:
        """Return the verdict on one file."""
        raise NotImplementedError

    def check_against(
        self,
        source: Path | bytes,
        *,
        references: Any,
        params: Any,
        limits: Any,
        progress: Progress | None = None,
        filename: str = "",
    ) -> Any:
        """Return the verdict of one who holds the references, where they say more than the ids."""
        ids = dict(references.language_of)
        return self.check(
            source, ids=ids, params=params, limits=limits, progress=progress, filename=filename
        )

    def score(
        self,
        references: Any,
        given: Mapping[str, Any],
        params: Any,
        progress: Progress | None = None,
    ) -> Any:
        """Return tallies."""
        raise NotImplementedError

    def tallies(self, data: bytes) -> Any:
        """Return stored tallies."""
        raise NotImplementedError

    def compose(self, tallies: Any, params: Any) -> Composed:
        """Return score, components and parts from tallies."""
        raise NotImplementedError

    def interval(
        self, tallies: Any, params: Any, *, seed: int, replicates: int = 10_000
    ) -> Mapping[str, Interval]:
        """Return the interval of `final` and of each part."""
        raise NotImplementedError

    def order_key(self, composed: Composed, params: Any) -> tuple[Any, ...]:
        """Return a key that sorts the best first: by score alone, withheld ones last and equal."""
        del params
        if composed.score is None:
            return (1,)
        score = round(composed.score, 9)
        return (0, score if self.columns[0].lower_is_better else -score)
