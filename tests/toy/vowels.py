"""Track `vowels`: a track as small as one can be. What is sent is how many vowels each word has.

It shows what one more track has to bring: this module, a line in the registry, a folder of golden
cases (`vowels/`). Nothing else knows of it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grading.scoring.formats.archives import open_submission
from grading.scoring.formats.fields import IdReader
from grading.scoring.formats.rows import RowReader
from grading.scoring.methodology import N_
from grading.scoring.recipe import canonical_json
from grading.scoring.report import Collector
from grading.scoring.tracks.base import Checked, Composed, Interval, Section
from grading.scoring.tracks.columns import Column, View
from grading.scoring.tracks.declared import Declared
from grading.scoring.types import ParamFault, ParamsInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from grading.scoring.types import Limits, Progress

VOWELS = frozenset("aeiou")
PROVENANCE = ("provider", "measured_on")


@dataclass(frozen=True, slots=True)
class Words:
    """The words by id, sorted, with their language."""

    rows: tuple[tuple[str, str, str], ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(row[0] for row in self.rows)

    @property
    def language_of(self) -> dict[str, str]:
        return {utt_id: language for utt_id, language, _word in self.rows}

    @property
    def counts(self) -> dict[str, int]:
        return dict(sorted(Counter(self.language_of.values()).items()))

    @property
    def sha256(self) -> str:
        return hashlib.sha256(canonical_json([list(row) for row in self.rows])).hexdigest()


@dataclass(frozen=True, slots=True)
class Misses:
    """By how much each count was wrong, and where the row comes from."""

    misses: tuple[tuple[str, str, int], ...]
    provenance: tuple[tuple[str, str], ...]

    def to_bytes(self) -> bytes:
        return canonical_json([self.misses, self.provenance])

    @classmethod
    def from_bytes(cls, data: bytes) -> Misses:
        misses, provenance = json.loads(data)
        return cls(tuple(map(tuple, misses)), tuple(map(tuple, provenance)))

    def rows(self) -> list[dict[str, Any]]:
        return [dict(zip(("utt_id", "language", "miss"), one, strict=True)) for one in self.misses]


@dataclass(frozen=True, slots=True)
class Vowels(Declared):
    """The track as one object."""

    name: str = "vowels"
    version: str = "1.0.0"
    overall: str = N_("all")
    columns: tuple[Column, ...] = (
        Column("score", N_("Miscount"), N_("vowels"), lower_is_better=True, digits=3),
        Column("hits", N_("Right"), "", lower_is_better=False, shown_as="counted"),
        Column("provider", N_("Provider"), "", None, shown_as="text", place="panel"),
        Column("measured_on", N_("Measured"), "", None, shown_as="text", place="panel"),
    )

    @property
    def messages(self) -> Mapping[str, str]:
        return {"NOT_A_COUNT": N_("{found} is no number of vowels.")}

    @property
    def meanings(self) -> Mapping[str, str]:
        return {"NOT_A_COUNT": N_("A count is a whole number, 0 or more.")}

    @property
    def reasons(self) -> Mapping[str, str]:
        return {"TOO_WILD": N_("One count is off by more than the limit.")}

    def params(self, raw: Mapping[str, Any]) -> int:
        found = raw.get("limit", 100)
        if set(raw) - {"limit"} or not isinstance(found, int):
            raise ParamsInvalid((ParamFault("limit", "must be a whole number"),))
        return found

    def params_json(self, params: int) -> dict[str, Any]:
        return {"limit": params}

    def views(self, params: int) -> tuple[View, ...]:
        del params
        return (View("en"), View("ms", N_("Malay")))

    def sample(self, ids: Sequence[str], params: int) -> str:
        del params
        return "\n".join(f'{{"utt_id": "{utt_id}", "vowels": 3}}' for utt_id in ids)

    def references(self, data: bytes, params: int) -> Words:
        del params
        rows = [json.loads(line) for line in data.splitlines() if line]
        return Words(tuple(sorted((row["utt_id"], row["language"], row["word"]) for row in rows)))

    def check(
        self,
        source: Path | bytes,
        *,
        ids: Mapping[str, str | None],
        params: int,
        limits: Limits,
        progress: Progress | None = None,
        filename: str = "",
    ) -> Checked:
        del params
        report = Collector(limits.listed_problems)
        data = open_submission(source, limits=limits, report=report, filename=filename)
        if data is None:
            return Checked(report.report(rows=0, reading=""), {})
        reader = RowReader(data, limits=limits, report=report, known=ids, progress=progress)
        reading, sent = IdReader(report, limits), {}
        for row in reader:
            utt_id, count = reading.take(row), row.value.get("vowels")
            if not isinstance(count, int) or count < 0:
                report.error("NOT_A_COUNT", line=row.piece.line, utt_id=utt_id, found=repr(count))
            elif utt_id is not None:
                told = {name: str(row.value.get(name, "")) for name in PROVENANCE}
                sent[utt_id] = (count, told)
        missing = [utt_id for utt_id in ids if utt_id not in sent]
        if missing:
            report.error("MISSING_SAMPLES", count=len(missing), of=len(ids), ids=missing[:5])
        found = report.report(rows=reader.count, reading=str(reader.reading or ""))
        return Checked(found, sent if found.accepted else {})

    def score(
        self,
        references: Words,
        given: Mapping[str, Any],
        params: int,
        progress: Progress | None = None,
    ) -> Misses:
        del params, progress
        misses = tuple(
            (utt_id, language, abs(given[utt_id][0] - sum(letter in VOWELS for letter in word)))
            for utt_id, language, word in references.rows
        )
        return Misses(misses, tuple(given[references.ids[0]][1].items()))

    def tallies(self, data: bytes) -> Misses:
        return Misses.from_bytes(data)

    def compose(self, tallies: Misses, params: int) -> Composed:
        languages = {
            view.key: _part([one[2] for one in tallies.misses if one[1] == view.key])
            for view in self.views(params)
        }
        whole = _part([one[2] for one in tallies.misses])
        components = {"hits": whole["hits"], **dict(tallies.provenance)}
        if max(one[2] for one in tallies.misses) > params:
            return Composed(None, "TOO_WILD", components, languages)
        return Composed(whole["score"], "", components, languages)

    def interval(
        self, tallies: Misses, params: int, *, seed: int, replicates: int = 10_000
    ) -> dict[str, Interval]:
        del tallies, seed, replicates
        none = Interval(None, None, "ZERO_WIDTH")
        return {"final": none, **{view.key: none for view in self.views(params)}}

    def methodology(self, params: int) -> list[Section]:
        return [
            Section(
                N_("Miscount"),
                (N_("The mean of how far each count of vowels is from the right one."),),
                formula=f"mean |sent − right|, withheld over {params}",
                examples=(("banana", str(sum(letter in VOWELS for letter in "banana"))),),
            )
        ]


def _part(misses: Sequence[int]) -> dict[str, Any]:
    return {
        "score": sum(misses) / len(misses) if misses else None,
        "utterances": len(misses),
        "hits": [misses.count(0), len(misses)],
    }


TRACK = Vowels()
