"""Tables of integers that tallies of the pillars' tracks are stored as: the same bytes everywhere."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar

from grading.scoring.formats.item_rows import ReferenceItem
from grading.scoring.recipe import canonical_json
from grading.scoring.tally import TalliesInvalid
from grading.scoring.types import ScoringError

Row = TypeVar("Row")
Item = TypeVar("Item", bound=Any)


class ItemsIncomplete(ScoringError):
    """What was given lacks items of the references; it should have been checked before."""

    def __init__(self, missing: int) -> None:
        super().__init__(f"{missing} items have no row")
        self.missing = missing


def write_table(schema: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Return rows of integers, texts and nulls as canonical JSON, a list for each column."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    whole = {name: list(column) for name, column in zip(names, columns, strict=True)}
    return canonical_json({"schema": schema, **whole})


def read_table(
    data: bytes, schema: str, names: Sequence[str], make: Callable[..., Row]
) -> tuple[Row, ...]:
    """Return the rows that `write_table` wrote, each as `make` makes it.

    Raises TalliesInvalid for another table, and for whatever `make` raises ValueError or TypeError on.
    """
    try:
        whole = json.loads(data)
        if whole["schema"] != schema or set(whole) != {"schema", *names}:
            raise TalliesInvalid("another table")
        rows = list(zip(*(whole[name] for name in names), strict=True))
        found = tuple(make(*row) for row in rows)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise TalliesInvalid(f"not a table of tallies: {type(error).__name__}") from error
    if write_table(schema, names, rows) != data:
        raise TalliesInvalid("not the table that these tallies are written as")
    return found


def count(value: object) -> int:
    """Return a whole number of 0 or more. Raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("no count")
    return value


def maybe(value: object) -> int | None:
    """Return a whole number, negative or not, or None. Raises ValueError."""
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError("no whole number")


@dataclass(frozen=True, slots=True)
class ItemTallies(Generic[Item]):
    """Tallies of one evaluation, one of each item, sorted by id: a table of integers and texts."""

    schema: ClassVar[str]
    row: ClassVar[type[Any]]
    """The named tuple of an item; it has `utt_id`, `language` and `as_json`."""

    items: tuple[Item, ...]

    @staticmethod
    def read(*values: Any) -> Any:
        """Return an item of stored values. Raises ValueError for what cannot be."""
        raise NotImplementedError

    def of_language(self, language: str) -> tuple[Item, ...]:
        """Return the items of one language, sorted by id."""
        return tuple(item for item in self.items if item.language == language)

    def rows(self) -> list[dict[str, Any]]:
        """Return one JSON object for each item."""
        return [item.as_json() for item in self.items]

    def to_bytes(self) -> bytes:
        """Return the table: the same bytes on every machine."""
        return write_table(self.schema, self.row._fields, self.items)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read tallies back. Raises TalliesInvalid on anything that `to_bytes` does not write."""
        return cls(read_table(data, cls.schema, cls.row._fields, cls.read))


@dataclass(frozen=True)
class ItemReferences:
    """Checked references of one row an item, sorted by id; what the rows say is in no repr.

    `sha256` is taken over the sorted rows as canonical JSON (`as_json` says what of a row): it does
    not depend on the file's order or spacing.
    """

    ids: tuple[str, ...]
    language_of: Mapping[str, str] = field(repr=False)
    values: Mapping[str, Any] = field(repr=False)
    as_json: Callable[[Any], Any] = field(repr=False)

    @classmethod
    def of(cls, items: Iterable[ReferenceItem], as_json: Callable[[Any], Any]) -> ItemReferences:
        """Return the references of checked rows."""
        ordered = sorted(items, key=lambda item: item.utt_id)
        return cls(
            ids=tuple(item.utt_id for item in ordered),
            language_of={item.utt_id: item.language for item in ordered},
            values={item.utt_id: item.value for item in ordered},
            as_json=as_json,
        )

    @cached_property
    def sha256(self) -> str:
        """The digest of the references' content, 64 hexadecimal digits."""
        rows = [[i, self.language_of[i], self.as_json(self.values[i])] for i in self.ids]
        return hashlib.sha256(canonical_json(rows)).hexdigest()

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Items per language, in code order."""
        return dict(sorted(Counter(self.language_of.values()).items()))


def require_whole(references: ItemReferences, given: Mapping[str, Any]) -> None:
    """Refuse what lacks items of the references. Raises ItemsIncomplete."""
    missing = sum(utt_id not in given for utt_id in references.ids)
    if missing:
        raise ItemsIncomplete(missing)
