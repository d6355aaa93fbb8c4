"""Tracks put together from modules: settings, sums, stored tallies and a page, each a module of its own.

A track's own module then says only what is particular to it. `Assembled` hands on to the modules,
`ByLanguage` has a view for each language, `OfRows` reads rows of measurements, and `OfItems` reads
exactly one row of each item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from grading.scoring.formats.item_rows import read_items, read_reference_items
from grading.scoring.row_sentences import ROW_MEANINGS
from grading.scoring.tracks.base import Checked, ClipsDiffer
from grading.scoring.tracks.columns import View
from grading.scoring.tracks.declared import Declared
from grading.scoring.tracks.pillars_tables import ItemReferences, ItemTallies, require_whole
from grading.scoring.types import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from grading.scoring.formats.item_rows import ReferenceItem, Taker
    from grading.scoring.report import Collector
    from grading.scoring.tracks.base import Composed, Section
    from grading.scoring.types import Progress


class Settings(Protocol):
    """The module that reads a track's parameters."""

    def read_params(self, raw: Mapping[str, Any]) -> Any:
        """Return full parameters. Raises ParamsInvalid with every fault."""
        ...

    def params_json(self, params: Any) -> dict[str, Any]:
        """Return the canonical form of the parameters, for the recipe."""
        ...


class Composing(Protocol):
    """The module that makes a score of tallies."""

    def compose(self, tallies: Any, params: Any) -> Composed:
        """Return score, components and parts."""
        ...


class Page(Protocol):
    """The module that explains the score."""

    def sections(self, params: Any) -> list[Section]:
        """Return the sections of the page, in reading order."""
        ...


class Stored(Protocol):
    """The class of a track's tallies."""

    def from_bytes(self, data: bytes, /) -> Any:
        """Read tallies back. Raises TalliesInvalid."""
        ...


class Assembled(Declared):
    """A track whose settings, sums, tallies and page are modules of their own."""

    __slots__ = ()
    settings: Settings
    composing: Composing
    stored: Stored
    page: Page

    def params(self, raw: Mapping[str, Any]) -> Any:
        """Return full parameters. Raises ParamsInvalid with every fault."""
        return self.settings.read_params(raw)

    def params_json(self, params: Any) -> dict[str, Any]:
        """Return the canonical form of the parameters, for the recipe."""
        return self.settings.params_json(params)

    def tallies(self, data: bytes) -> Any:
        """Return stored tallies. Raises TalliesInvalid."""
        return self.stored.from_bytes(data)

    def compose(self, tallies: Any, params: Any) -> Composed:
        """Return score, components and parts from tallies."""
        return self.composing.compose(tallies, params)

    def methodology(self, params: Any) -> list[Section]:
        """Return the page that explains the score, with examples computed by this code."""
        return self.page.sections(params)


class ByLanguage(Assembled):
    """A track in languages that a competition chooses; its references have one row an item."""

    __slots__ = ()
    reference_example: str

    def views(self, params: Any) -> tuple[View, ...]:
        """Return a view for each language, where there are several."""
        several = len(params.languages) > 1
        return tuple(View(language) for language in params.languages) if several else ()

    def take_reference(self, params: Any) -> Taker:
        """Return what takes a row of the references."""
        raise NotImplementedError

    def check_references(self, items: Sequence[ReferenceItem], report: Collector) -> None:
        """Report what is wrong with rows that are right one by one: nothing, for most tracks."""

    def reference_json(self, value: Any) -> Any:
        """Return what was taken of a row as JSON, for the references' digest."""
        return value._asdict()

    def references(self, data: bytes, params: Any) -> ItemReferences:
        """Read the organizers' rows. Raises ReferencesInvalid with every fault."""
        rows = read_reference_items(
            data,
            languages=params.languages,
            take=self.take_reference(params),
            example=self.reference_example,
            finish=self.check_references,
        )
        return ItemReferences.of(rows, self.reference_json)


class OfRows(ByLanguage):
    """A track that reads rows of measurements."""

    __slots__ = ()
    meanings = ROW_MEANINGS


class OfItems(OfRows):
    """A track that reads exactly one row of each item."""

    __slots__ = ()
    stored: type[ItemTallies[Any]]
    example: str
    longest_text: int | None = None
    """How many characters a text may have unless a phase says otherwise; None for the product's own."""

    def limits(self, raw: Mapping[str, int]) -> Limits:
        """Return the bounds of a submission; what a phase does not set keeps the track's own."""
        own = {} if self.longest_text is None else {"text_characters": self.longest_text}
        return Limits(**{**own, **raw})

    def take(self, params: Any, limits: Limits) -> Taker:
        """Return what takes a row of a submission."""
        raise NotImplementedError

    def take_against(self, params: Any, limits: Limits, references: ItemReferences) -> Taker:
        """Return the same for who holds the references, where they say more of a row than its id."""
        del references
        return self.take(params, limits)

    def tally(self, utt_id: str, references: ItemReferences, row: Any, params: Any) -> Any:
        """Return the tallies of one item."""
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
    ) -> Checked:
        """Read a submission against the phase's ids; its predictions are what `take` makes of rows."""
        take = self.take(params, limits)
        return self._read(
            source, take, ids=ids, limits=limits, progress=progress, filename=filename
        )

    def check_against(
        self,
        source: Path | bytes,
        *,
        references: ItemReferences,
        params: Any,
        limits: Any,
        progress: Progress | None = None,
        filename: str = "",
    ) -> Checked:
        """Read a submission against the references."""
        take = self.take_against(params, limits, references)
        ids = dict(references.language_of)
        return self._read(
            source, take, ids=ids, limits=limits, progress=progress, filename=filename
        )

    def _read(self, source: Path | bytes, take: Taker, **given: Any) -> Checked:
        found = read_items(source, take=take, example=self.example, **given)
        return Checked(found.report, found.items)

    def score(
        self,
        references: ItemReferences,
        given: Mapping[str, Any],
        params: Any,
        progress: Progress | None = None,
    ) -> Any:
        """Return the tallies of checked rows. Raises ItemsIncomplete."""
        require_whole(references, given)
        items = tally_each(
            references, lambda one: self.tally(one, references, given[one], params), progress
        )
        return self.stored(items)


def tally_each(
    references: ItemReferences,
    tally: Callable[[str], Any],
    progress: Progress | None,
) -> tuple[Any, ...]:
    """Return what `tally` makes of each id, in their order; progress is told at the end."""
    found = tuple(map(tally, references.ids))
    if progress is not None:
        progress(len(found), len(found))
    return found


def require_same(systems: Sequence[Any], identify: Callable[[Any], Any], what: str) -> None:
    """Refuse to compare systems of different items. Raises ClipsDiffer."""
    first = identify(systems[0])
    if any(identify(one) != first for one in systems[1:]):
        raise ClipsDiffer(f"the systems were {what}")
