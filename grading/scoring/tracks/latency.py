"""Track `latency`: how long recognition, language models and voices take, from uploaded measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grading.scoring import bootstrap
from grading.scoring.formats.keyed_rows import read_keyed
from grading.scoring.formats.measurements import REFERENCE_EXAMPLE, Measurements, take_wanted
from grading.scoring.methodology import N_, Phrase
from grading.scoring.tracks import (
    latency_columns,
    latency_compose,
    latency_methodology,
    latency_params,
    latency_resampling,
    latency_sentences,
)
from grading.scoring.tracks.assembled import ByLanguage, require_same, tally_each
from grading.scoring.tracks.base import Checked, Difference, Interval
from grading.scoring.tracks.columns import SCORE, Column, Scatter
from grading.scoring.tracks.latency_params import LatencyParams
from grading.scoring.tracks.latency_tallies import LatencyTallies, provenance_of, tally_clip

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from grading.scoring.formats.item_rows import Taker
    from grading.scoring.tracks.pillars_tables import ItemReferences
    from grading.scoring.types import Limits, Progress

_SAMPLE = """\
{"provenance": {"provider": "…", "model": "…", "version": "…", "route": "direct", "region": "asia-east2", "rtt_ms": 12.5, "machine": "…", "date": "2026-11-30"}}
{"utt_id": "…", "leg": "stt", "mode": "streaming", "measure": "ttft", "value_ms": 310.5}
{"utt_id": "…", "leg": "stt", "mode": "streaming", "measure": "endpoint", "outcome": "final", "value_ms": 640}
{"utt_id": "…", "leg": "stt", "mode": "batch", "measure": "finalization", "run": 0, "value_ms": 912.4}
{"utt_id": "…", "leg": "stt", "mode": "batch", "measure": "rtf", "value_ms": 1630}"""
_SCATTER = Scatter(x=SCORE, y_kinds=("asr-wer", "asr"))


@dataclass(frozen=True, slots=True)
class Latency(ByLanguage):
    """The track as one object; what a competition may set is in its parameters."""

    name: str = "latency"
    version: str = "1.0.0"
    columns: tuple[Column, ...] = latency_columns.columns(
        LatencyParams().headline, LatencyParams().figures
    )
    scatter: Scatter | None = _SCATTER

    checks_against = True
    settings = latency_params
    composing = latency_compose
    page = latency_methodology
    stored = LatencyTallies
    reference_example = REFERENCE_EXAMPLE
    messages = latency_sentences.MESSAGES
    meanings = latency_sentences.MEANINGS
    reasons = latency_sentences.REASONS

    def columns_of(self, params: LatencyParams) -> tuple[Column, ...]:
        """Return the columns under these parameters, the headline first."""
        return latency_columns.columns(params.headline, params.figures)

    def sample(self, ids: Sequence[str], params: LatencyParams) -> str:
        """Return a row of provenance and a row of several measurements."""
        del params
        known = list(ids) or ["…"]
        provenance, *rows = _SAMPLE.splitlines()
        told = [
            row.replace('"…"', f'"{known[place % len(known)]}"', 1)
            for place, row in enumerate(rows)
        ]
        return "\n".join([provenance, *told])

    def sending(self, params: LatencyParams) -> tuple[str, ...]:
        """Return what is to be known of a file of measurements."""
        return (
            Phrase(
                N_(
                    "One row says where the measurements come from; with part (batch, streaming, llm, tts) there may be one for each part. corrects names the day of a measurement that this one corrects."
                )
            ),
            Phrase(
                N_(
                    "Every other row is one measurement of one utterance: leg (stt, llm, tts), for stt the mode (batch, streaming), measure (rtf, ttft, ttfa, finalization, endpoint) and value_ms, in milliseconds."
                )
            ),
            Phrase(
                N_(
                    "rtf is the time spent; rows of a voice also have audio_ms, the length of what it made, and rows of ttfa may have perceived_ms. finalization has run, from 0 (not timed) to %(timed)d. endpoint has outcome (final, flush, no_endpoint)."
                ),
                timed=params.timed_runs,
            ),
        )

    def take_reference(self, params: LatencyParams) -> Taker:
        """Return what takes a row of the references: the clip's leg, length, subtask."""
        del params
        return take_wanted

    def check(
        self,
        source: Path | bytes,
        *,
        ids: Mapping[str, str | None],
        params: LatencyParams,
        limits: Limits,
        progress: Progress | None = None,
        filename: str = "",
    ) -> Checked:
        """Read a file of measurements against the phase's ids.

        Its predictions are tuples of Measurement by utt_id, and the provenances under "".
        """
        del params
        rows = Measurements()
        return _checked(source, rows, ids=ids, limits=limits, progress=progress, filename=filename)

    def check_against(
        self,
        source: Path | bytes,
        *,
        references: ItemReferences,
        params: LatencyParams,
        limits: Limits,
        progress: Progress | None = None,
        filename: str = "",
    ) -> Checked:
        """Read measurements against the references: each must be of the leg that its clip is for."""
        del params
        rows = Measurements({utt_id: clip.leg for utt_id, clip in references.values.items()})
        ids = dict(references.language_of)
        return _checked(source, rows, ids=ids, limits=limits, progress=progress, filename=filename)

    def score(
        self,
        references: ItemReferences,
        given: Mapping[str, Any],
        params: LatencyParams,
        progress: Progress | None = None,
    ) -> LatencyTallies:
        """Return the tallies of checked measurements; a clip that was not measured has none."""
        del params
        language_of, values = references.language_of, references.values
        clips = tally_each(
            references,
            lambda one: tally_clip(one, language_of[one], values[one], given.get(one, ())),
            progress,
        )
        return LatencyTallies(clips, provenance_of(given))

    def interval(
        self,
        tallies: LatencyTallies,
        params: LatencyParams,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> dict[str, Interval]:
        """Return the 95 % interval of the headline and of each language, or the reason for none."""
        composed = self.compose(tallies, params)
        return latency_resampling.intervals(
            tallies, composed, params, seed=seed, replicates=replicates
        )

    def replicates(
        self,
        tallies: LatencyTallies,
        params: LatencyParams,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> bootstrap.Floats | None:
        """Return the headline of every replicate, None where there is none to resample."""
        is_whole = self.compose(tallies, params).score is not None
        if not is_whole or latency_resampling.kind_fault(params, tallies):
            return None
        drawn = latency_resampling.draw([tallies], params, seed=seed, replicates=replicates)
        return drawn[0]["final"].scores

    def paired(
        self,
        leader: LatencyTallies,
        others: Sequence[LatencyTallies],
        params: LatencyParams,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> list[Difference]:
        """Compare others with the leader on the same draws of the same clips. Raises ClipsDiffer."""
        systems = [leader, *others]
        require_same(systems, _clips, "measured on different clips")
        composed = [self.compose(one, params) for one in systems]
        return latency_resampling.differences(
            systems, composed, params, seed=seed, replicates=replicates
        )


def _checked(source: Path | bytes, rows: Measurements, **given: Any) -> Checked:
    report = read_keyed(source, rows, **given)
    if not report.accepted:
        return Checked(report, {})
    found: dict[str, Any] = {"": tuple(rows.provenance.values())}
    for row in rows.rows:
        found[row.utt_id] = (*found.get(row.utt_id, ()), row)
    return Checked(report, found)


def _clips(tallies: LatencyTallies) -> list[tuple[str, str, str, str]]:
    return [(clip.utt_id, clip.language, clip.leg, clip.subtask) for clip in tallies.clips]


TRACK = Latency()
