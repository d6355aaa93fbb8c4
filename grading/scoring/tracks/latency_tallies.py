"""What a submission of `latency` leaves behind: a row of nanoseconds for each clip, and its provenance."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from grading.scoring.formats.measurements import ENDPOINT, FINALIZATION, LLM, STT, TTS, Measurement
from grading.scoring.formats.provenance import Provenance
from grading.scoring.metrics.latency import Outcome
from grading.scoring.recipe import canonical_json
from grading.scoring.tally import TalliesInvalid
from grading.scoring.tracks.pillars_tables import count, maybe, read_table, write_table

if TYPE_CHECKING:
    from grading.scoring.formats.measurements import WantedClip

SCHEMA = "latency-tallies/1"
_TABLE = "latency-clips/1"


class ClipTally(NamedTuple):
    """One clip: what it is for, and its times in ns; None is what was not measured.

    `audio` is the length that a ratio divides by: of the clip that was heard, or of the sound that
    a voice made. A run is the place of a finalization among its runs, from 0.
    """

    utt_id: str
    language: str
    leg: str
    subtask: str
    audio: int | None = None
    batch_rtf: int | None = None
    batch_ttft: int | None = None
    batch_run: int | None = None
    batch_finalization: int | None = None
    streaming_rtf: int | None = None
    streaming_ttft: int | None = None
    streaming_run: int | None = None
    streaming_finalization: int | None = None
    streaming_outcome: str | None = None
    streaming_endpoint: int | None = None
    llm_ttft: int | None = None
    tts_rtf: int | None = None
    tts_ttfa: int | None = None
    tts_perceived: int | None = None


def tally_clip(
    utt_id: str, language: str, wanted: WantedClip, rows: Iterable[Measurement]
) -> ClipTally:
    """Return the tally of one clip; measurements of another leg than the clip's do not count."""
    found: dict[str, Any] = {"audio": wanted.audio}
    for row in rows:
        leg = row.part if row.part in {LLM, TTS} else STT
        if leg == wanted.leg:
            found |= _fields(row)
    return ClipTally(utt_id, language, wanted.leg, wanted.subtask, **found)


def _fields(row: Measurement) -> dict[str, Any]:
    found: dict[str, Any] = {f"{row.part}_{row.measure}": row.value}
    if row.measure == FINALIZATION:
        found[f"{row.part}_run"] = row.run
    if row.measure == ENDPOINT:
        found[f"{row.part}_outcome"] = row.outcome
    if row.audio is not None:
        found["audio"] = row.audio
    if row.perceived is not None:
        found["tts_perceived"] = row.perceived
    return found


@dataclass(frozen=True, slots=True)
class LatencyTallies:
    """The tallies of one evaluation: clips sorted by id, provenances sorted by part."""

    clips: tuple[ClipTally, ...]
    provenance: tuple[Provenance, ...]

    def of_language(self, language: str) -> tuple[ClipTally, ...]:
        """Return the clips of one language, sorted by id."""
        return tuple(clip for clip in self.clips if clip.language == language)

    def rows(self) -> list[dict[str, Any]]:
        """Return one JSON object for each clip, without what it has not."""
        return [
            {name: value for name, value in clip._asdict().items() if value not in {None, ""}}
            for clip in self.clips
        ]

    def to_bytes(self) -> bytes:
        """Return canonical JSON: the same bytes on every machine."""
        table = json.loads(write_table(_TABLE, ClipTally._fields, self.clips))
        provenance = [one._asdict() for one in self.provenance]
        return canonical_json({"schema": SCHEMA, "clips": table, "provenance": provenance})

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read tallies back. Raises TalliesInvalid on anything that `to_bytes` does not write."""
        try:
            whole = json.loads(data)
            table, given = canonical_json(whole["clips"]), whole["provenance"]
            provenance = tuple(_read_provenance(one) for one in given)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise TalliesInvalid(f"not tallies of latency: {type(error).__name__}") from error
        found = cls(read_table(table, _TABLE, ClipTally._fields, _read), provenance)
        if found.to_bytes() != data:
            raise TalliesInvalid("not the table that these tallies are written as")
        return found


def _read_provenance(given: Mapping[str, Any]) -> Provenance:
    if not all(isinstance(value, str) for value in given.values()):
        raise ValueError("no provenance")
    return Provenance(**given)


def _read(*values: Any) -> ClipTally:
    clip = ClipTally(*values)
    texts = (clip.utt_id, clip.language, clip.leg, clip.subtask)
    if not all(isinstance(text, str) for text in texts) or clip.leg not in {STT, LLM, TTS}:
        raise ValueError("no clip")
    if clip.streaming_outcome is not None and clip.streaming_outcome not in set(Outcome):
        raise ValueError("no outcome")
    for name, value in clip._asdict().items():
        if name not in _TEXTS and maybe(value) is not None:
            count(value)
    return clip


_TEXTS = frozenset({"utt_id", "language", "leg", "subtask", "streaming_outcome"})


def provenance_of(given: Mapping[str, Any]) -> tuple[Provenance, ...]:
    """Return the provenances among what `check` has read, sorted by part."""
    found: tuple[Provenance, ...] = given.get("", ())
    return tuple(sorted(found))
