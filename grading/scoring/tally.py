"""What scoring leaves behind: exact integers and fractions per utterance.

Every number of a score is a function of pooled tallies, so intervals, audits and per-label
tables need no second run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Self

from grading.scoring.metrics.events import Counts
from grading.scoring.metrics.ntd import mean
from grading.scoring.types import ScoringError

SCHEMA = "nvv-t1-tallies/1"


class TalliesInvalid(ScoringError):
    """Stored tallies cannot be read back."""


class UtteranceTally(NamedTuple):
    """The tallies of one utterance.

    `ntd` is None where the reference has no event; `tokens` counts the reference's units and
    tags; `labels` holds (label, counts) of every label on either side, sorted.
    """

    utt_id: str
    language: str
    tp: int
    fp: int
    fn: int
    ntd: Fraction | None
    edits: int
    tokens: int
    labels: tuple[tuple[str, Counts], ...]

    def as_json(self) -> dict[str, Any]:
        """Return the row as the server stores and shows it to organizers."""
        return {
            "utt_id": self.utt_id,
            "language": self.language,
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
            "ntd": None if self.ntd is None else str(self.ntd),
            "edits": self.edits,
            "tokens": self.tokens,
            "labels": {label: list(counts) for label, counts in self.labels},
        }


class Pooled(NamedTuple):
    """Tallies of many utterances: sums, and the exact mean of the NTDs that are defined."""

    utterances: int
    counts: Counts
    mntd: Fraction
    ntd_utterances: int
    edits: int
    tokens: int
    labels: dict[str, Counts]

    @property
    def error_rate(self) -> Fraction:
        """Edits per reference token, may exceed 1; without any token 0 when nothing was said, else 1."""
        if self.tokens:
            return Fraction(self.edits, self.tokens)
        return Fraction(1 if self.edits else 0)


def pool(utterances: Iterable[UtteranceTally]) -> Pooled:
    """Add tallies up; the order of the utterances does not matter."""
    rows = list(utterances)
    labels: dict[str, list[int]] = {}
    for row in rows:
        for label, counts in row.labels:
            sums = labels.setdefault(label, [0, 0, 0])
            for place, count in enumerate(counts):
                sums[place] += count
    ntds = [row.ntd for row in rows if row.ntd is not None]
    return Pooled(
        utterances=len(rows),
        counts=Counts(sum(r.tp for r in rows), sum(r.fp for r in rows), sum(r.fn for r in rows)),
        mntd=mean(ntds),
        ntd_utterances=len(ntds),
        edits=sum(row.edits for row in rows),
        tokens=sum(row.tokens for row in rows),
        labels={label: Counts(*sums) for label, sums in sorted(labels.items())},
    )


@dataclass(frozen=True, slots=True)
class NvvTallies:
    """The tallies of one evaluation, sorted by utterance id."""

    utterances: tuple[UtteranceTally, ...]

    def of_language(self, language: str) -> tuple[UtteranceTally, ...]:
        """Return the utterances of one language, sorted by id."""
        return tuple(row for row in self.utterances if row.language == language)

    def rows(self) -> list[dict[str, Any]]:
        """Return one JSON object per utterance."""
        return [row.as_json() for row in self.utterances]

    def to_bytes(self) -> bytes:
        """Return compact JSON, a list per tally: the same bytes on every machine."""
        columns: dict[str, list[Any]] = {
            name: [getattr(row, name) for row in self.utterances]
            for name in ("utt_id", "language", "tp", "fp", "fn", "edits", "tokens")
        }
        columns["ntd"] = [_ntd_pair(row.ntd) for row in self.utterances]
        columns["labels"] = [
            {label: list(counts) for label, counts in row.labels} for row in self.utterances
        ]
        whole = {"schema": SCHEMA, **columns}
        return json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read tallies back. Raises TalliesInvalid on anything that `to_bytes` does not write."""
        try:
            whole = json.loads(data)
            if whole["schema"] != SCHEMA:
                raise TalliesInvalid(f"unknown schema {whole['schema']!r}")
            columns = [whole[name] for name in (*UtteranceTally._fields,)]
            rows = tuple(_read_row(values) for values in zip(*columns, strict=True))
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise TalliesInvalid(f"not a table of tallies: {type(error).__name__}") from error
        return cls(rows)


def _ntd_pair(ntd: Fraction | None) -> list[int] | None:
    return None if ntd is None else [ntd.numerator, ntd.denominator]


def _read_row(values: Sequence[Any]) -> UtteranceTally:
    row = UtteranceTally(*values)
    ntd = None if row.ntd is None else Fraction(*values[UtteranceTally._fields.index("ntd")])
    labels = dict(values[-1])
    return row._replace(
        ntd=ntd, labels=tuple((label, Counts(*labels[label])) for label in sorted(labels))
    )
