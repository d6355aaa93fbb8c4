"""What recognition leaves behind: edits and lengths of every utterance, in whole numbers.

Utterances lie in parts, one for each language and corpus: the parts are what intervals are
stratified by.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from grading.scoring.metrics.error_rates import Column, Counts, Unit
from grading.scoring.tally import TalliesInvalid

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SCHEMA = "error-rate-tallies/1"
_COLUMNS = Column._fields


class Part(NamedTuple):
    """The utterances of one language and corpus, sorted by id, with their counts in each unit."""

    language: str
    corpus: str
    utt_ids: list[str]
    counts: Mapping[Unit, Column]


@dataclass(frozen=True, slots=True)
class ErrorTallies:
    """The tallies of one evaluation: parts sorted by language, then corpus."""

    parts: tuple[Part, ...]

    def of(self, language: str | None = None, corpus: str | None = None) -> list[Part]:
        """Return the parts of a language, of a corpus, or all of them."""
        return [
            part
            for part in self.parts
            if language in (None, part.language) and corpus in (None, part.corpus)
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Return one JSON object per utterance, sorted by id; rates are for diagnosis."""
        found = [row for part in self.parts for row in _part_rows(part)]
        return sorted(found, key=lambda row: str(row["utt_id"]))

    def to_bytes(self) -> bytes:
        """Return compact JSON, a list per tally: the same bytes on every machine."""
        parts = [
            {
                "language": part.language,
                "corpus": part.corpus,
                "utt_id": part.utt_ids,
                "counts": {str(unit): column._asdict() for unit, column in part.counts.items()},
            }
            for part in self.parts
        ]
        whole = {"schema": SCHEMA, "parts": parts}
        return json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read tallies back. Raises TalliesInvalid on anything that `to_bytes` does not write."""
        try:
            whole = json.loads(data)
            if whole["schema"] != SCHEMA:
                raise TalliesInvalid(f"unknown schema {whole['schema']!r}")
            return cls(tuple(_read_part(part) for part in whole["parts"]))
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise TalliesInvalid(f"not a table of tallies: {type(error).__name__}") from error


def _part_rows(part: Part) -> Iterable[dict[str, Any]]:
    for index, utt_id in enumerate(part.utt_ids):
        row: dict[str, Any] = {"utt_id": utt_id, "language": part.language}
        if part.corpus:
            row["corpus"] = part.corpus
        for unit, column in part.counts.items():
            counts = Counts(*(values[index] for values in column))
            row |= {f"{unit}_{name}": value for name, value in counts._asdict().items()}
            row[f"{unit}_rate"] = float(counts.utterance_rate)
        yield row


def _read_part(stored: Mapping[str, Any]) -> Part:
    utt_ids = stored["utt_id"]
    counts = {
        Unit(unit): Column(*(columns[name] for name in _COLUMNS))
        for unit, columns in sorted(stored["counts"].items())
    }
    for values in (utt_ids, *(values for column in counts.values() for values in column)):
        if not isinstance(values, list) or len(values) != len(utt_ids):
            raise TalliesInvalid("columns of different lengths")
    if not all(type(n) is int for column in counts.values() for values in column for n in values):
        raise TalliesInvalid("a tally that is no whole number")
    return Part(stored["language"], stored["corpus"], utt_ids, counts)


def add(parts: Iterable[Part], unit: Unit) -> Counts:
    """Return the totals of some parts in one unit."""
    totals = [part.counts[unit].total for part in parts]
    return Counts(*map(sum, zip(*totals, strict=True))) if totals else Counts(0, 0, 0)
