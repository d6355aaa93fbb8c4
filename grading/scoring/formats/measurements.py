"""Reads measurements of latency: rows of provenance, then a row for each thing that was measured."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

from grading.scoring.formats.arm_scores import take_choice
from grading.scoring.formats.coverage import SHOWN_IDS
from grading.scoring.formats.provenance import DECIMALS, WHOLE, Provenance, take_provenance
from grading.scoring.metrics.latency import Outcome

if TYPE_CHECKING:
    from grading.scoring.formats.row_fields import RowFields
    from grading.scoring.report import Collector

STT, LLM, TTS = "stt", "llm", "tts"
LEGS = (STT, LLM, TTS)
BATCH, STREAMING = "batch", "streaming"
MODES = (BATCH, STREAMING)
PARTS = (*MODES, LLM, TTS)
"""What a provenance may cover: recognition in each mode, the language model, the voice."""

RTF, TTFT, TTFA, FINALIZATION, ENDPOINT = "rtf", "ttft", "ttfa", "finalization", "endpoint"
MEASURES: Mapping[str, tuple[str, ...]] = {
    BATCH: (RTF, TTFT, FINALIZATION),
    STREAMING: (RTF, TTFT, FINALIZATION, ENDPOINT),
    LLM: (TTFT,),
    TTS: (RTF, TTFA),
}
NANOSECONDS = 1_000_000
LONGEST_MS = 6 * 3_600_000
"""Six hours: the sums of 250,000 of them in nanoseconds still fit the integers that are resampled."""
SHORTEST_AUDIO_MS = 10
MOST_RUNS = 1_000

EXAMPLE = '{"utt_id": "…", "leg": "llm", "measure": "ttft", "value_ms": 310.5}'
PROVENANCE_EXAMPLE = '{"provenance": {"provider": "…", "model": "…", "version": "…", …}}'
REFERENCE_EXAMPLE = '{"utt_id": "…", "language": "en", "leg": "stt", "audio_ms": 8120}'


class Measurement(NamedTuple):
    """One row: what was measured, of which part, in nanoseconds; None is what a measure has not.

    `audio` is the length of the sound that a voice made, `run` the place of a finalization among
    its runs, `outcome` how an endpoint was found, `perceived` the first sound that is heard.
    """

    utt_id: str
    part: str
    measure: str
    value: int | None
    audio: int | None = None
    perceived: int | None = None
    run: int | None = None
    outcome: str = ""


class WantedClip(NamedTuple):
    """What the references say of a clip: which leg it is for, its length in ns, its subtask."""

    leg: str
    audio: int | None
    subtask: str


class Measurements:
    """Keeps the rows of one file; what is wrong with them is reported as they come."""

    example = EXAMPLE
    example_of_file = PROVENANCE_EXAMPLE

    def __init__(self, legs: Mapping[str, str] | None = None) -> None:
        """Take the leg that each clip is for, where the references are known."""
        self._legs = legs or {}
        self.provenance: dict[str, Provenance] = {}
        self.rows: list[Measurement] = []
        self._lines: dict[tuple[str, ...], int] = {}
        self._parts: dict[str, None] = {}
        self._broken: set[str] = set()
        self._seen: set[str] = set()

    def is_of_file(self, value: Mapping[str, object]) -> bool:
        """Return whether a row says where the measurements come from."""
        return "provenance" in value

    def take_of_file(self, fields: RowFields) -> None:
        """Take a row of provenance."""
        found = take_provenance(fields, (WHOLE, *PARTS))
        if found is None:
            self._broken.add(WHOLE)
        elif not self._is_repeated(fields, "provenance", "DUPLICATE_PROVENANCE", found.part):
            self.provenance[found.part] = found

    def take(self, fields: RowFields, utt_id: str) -> None:
        """Take a row of a measurement."""
        self._seen.add(utt_id)
        part = self._take_part(fields)
        measure = fields.take_choice("measure", MEASURES[part]) if part else None
        if part and measure is None and not fields.is_faulty and fields.require("measure"):
            fields.fault("INVALID_FIELD_TYPE", "measure", wanted="string", found="null")
        if not part or measure is None:
            return
        self._parts.setdefault(part)
        found = _take_values(fields, Measurement(utt_id, part, measure, None))
        run = "" if found is None or found.run is None else str(found.run)
        place = (utt_id, part, measure)
        if found is None or self._is_repeated(fields, "measure", "DUPLICATE_MEASUREMENT", *place):
            return
        if run and self._is_repeated(fields, "run", "DUPLICATE_RUN", part, measure, run):
            return
        self.rows.append(found)

    def _take_part(self, fields: RowFields) -> str:
        """Return what was measured: a mode of recognition, the language model or the voice."""
        leg = take_choice(fields, "leg", LEGS)
        wanted = self._legs.get(fields.utt_id or "", leg)
        if leg and leg != wanted:
            fields.fault("OTHER_LEG", "leg", found=leg, wanted=wanted)
            return ""
        if leg != STT:
            if leg and fields.has("mode"):
                fields.fault("MODE_WITHOUT_RECOGNITION", "mode")
            return leg
        return take_choice(fields, "mode", MODES)

    def _is_repeated(self, fields: RowFields, field: str, code: str, *key: str) -> bool:
        """Return whether a row with this key was there before, after reporting it."""
        first = self._lines.setdefault((code, *key), fields.line)
        if first == fields.line:
            return False
        fields.fault(code, field, first_line=first, found=" ".join(key[-2:]))
        return True

    def finish(self, report: Collector, ids: Collection[str]) -> None:
        """Report measurements without provenance, and what was not measured at all."""
        if self._seen:
            self._warn_of_missing(report, ids)
        else:
            report.error("NO_MEASUREMENTS")
        if WHOLE in self.provenance or self._broken:
            return
        if not self.provenance:
            report.error("MISSING_PROVENANCE")
            return
        for part in self._parts:
            if part not in self.provenance:
                report.error("MISSING_PROVENANCE", reason="part", part=part)

    def _warn_of_missing(self, report: Collector, ids: Collection[str]) -> None:
        missing = [utt_id for utt_id in ids if utt_id not in self._seen]
        if missing:
            shown = nsmallest(SHOWN_IDS, missing)
            report.warning("UTTERANCES_NOT_MEASURED", count=len(missing), of=len(ids), ids=shown)


def _take_values(fields: RowFields, row: Measurement) -> Measurement | None:
    """Take what the row's measure has; None after reporting what is wrong with it."""
    if row.measure == ENDPOINT:
        found = _endpoint(fields, row)
    elif row.measure == FINALIZATION:
        run = _run(fields)
        value = _time(fields, "value_ms") if fields.has("value_ms") or run != 0 else None
        found = row._replace(run=run, value=value)
    elif row.part == TTS:
        found = _voice(fields, row)
    else:
        found = row._replace(value=_time(fields, "value_ms"))
    return None if fields.is_faulty else found


def _voice(fields: RowFields, row: Measurement) -> Measurement:
    value = _time(fields, "value_ms")
    if row.measure == RTF:
        return row._replace(value=value, audio=_time(fields, "audio_ms", low=SHORTEST_AUDIO_MS))
    heard = _time(fields, "perceived_ms") if fields.has("perceived_ms") else None
    return row._replace(value=value, perceived=heard)


def _endpoint(fields: RowFields, row: Measurement) -> Measurement:
    outcome = take_choice(fields, "outcome", tuple(Outcome))
    is_timed = outcome == Outcome.FINAL or fields.has("value_ms")
    if outcome == Outcome.NONE and fields.has("value_ms"):
        fields.fault("TIME_OF_NO_ENDPOINT", "value_ms")
    return row._replace(outcome=outcome, value=_time(fields, "value_ms") if is_timed else None)


def _run(fields: RowFields) -> int | None:
    if not fields.require("run"):
        return None
    run = fields.take_whole("run", 0, MOST_RUNS)
    if run is None and not fields.has("run"):
        fields.fault("INVALID_FIELD_TYPE", "run", wanted="number", found="null")
    return run


def _time(fields: RowFields, name: str, low: int = 0) -> int | None:
    """Return a time in whole nanoseconds, half to even; given in milliseconds, never negative."""
    if not fields.require(name):
        return None
    number = fields.take_number(name, low, LONGEST_MS, decimals=DECIMALS)
    if number is None and not fields.has(name):
        fields.fault("INVALID_FIELD_TYPE", name, wanted="number", found="null")
    return None if number is None else in_nanoseconds(number)


def in_nanoseconds(milliseconds: Fraction) -> int:
    """Return milliseconds as whole nanoseconds, half to even."""
    return round(milliseconds * NANOSECONDS)


def take_wanted(fields: RowFields) -> WantedClip | None:
    """Take a row of the references; None after reporting what is wrong with it."""
    leg = take_choice(fields, "leg", LEGS)
    audio = _time(fields, "audio_ms", low=SHORTEST_AUDIO_MS) if leg == STT else None
    subtask = ""
    if leg == LLM and fields.require("subtask"):
        subtask = " ".join((fields.take_text("subtask", longest=100) or "").split())
        if not subtask and not fields.is_faulty:
            fields.fault("EMPTY_REFERENCE_FIELD", "subtask")
    return None if fields.is_faulty or not leg else WantedClip(leg, audio, subtask)
