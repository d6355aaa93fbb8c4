"""The figures of a latency board: what each is called, and how it comes from tallies.

A figure is a number or the reason why there is none; times are exact nanoseconds here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from grading.scoring.formats.measurements import (
    BATCH,
    FINALIZATION,
    LLM,
    MODES,
    NANOSECONDS,
    RTF,
    STREAMING,
    STT,
    TTFA,
    TTFT,
    TTS,
)
from grading.scoring.methodology import N_
from grading.scoring.metrics import latency
from grading.scoring.metrics.latency import (
    RATIO_SCALE,
    Endpoint,
    Endpoints,
    Outcome,
    fixed_ratio,
    summarize_endpoints,
)
from grading.scoring.tracks.latency_tallies import ClipTally

P50, P90, PIPELINE = "p50", "p90", "pipeline"
STREAMING_PIPELINE = f"{STREAMING}_{PIPELINE}"
GROUPS: Mapping[str, str] = {
    BATCH: N_("Batch"),
    STREAMING: N_("Streaming"),
    LLM: N_("Language model"),
    TTS: N_("Voice"),
}
NAMES: Mapping[str, str] = {
    RTF: N_("RTF, mean"),
    TTFT: N_("TTFT, mean"),
    TTFA: N_("TTFA, mean"),
    FINALIZATION: N_("Finalization, median"),
    P50: N_("Endpoint p50, nearest rank"),
    P90: N_("Endpoint p90, nearest rank"),
    PIPELINE: N_("Pipeline, sum"),
}


class Kind(NamedTuple):
    """A figure: the part it is of, and what is measured."""

    part: str
    measure: str


FIGURES: Mapping[str, Kind] = {
    f"{part}_{measure}": Kind(part, measure)
    for part, measures in {
        BATCH: (RTF, TTFT, FINALIZATION, PIPELINE),
        STREAMING: (RTF, TTFT, FINALIZATION, P50, P90, PIPELINE),
        LLM: (TTFT,),
        TTS: (RTF, TTFA),
    }.items()
    for measure in measures
}
MEANS = tuple(name for name, kind in FIGURES.items() if kind.measure in {RTF, TTFT, TTFA})
"""Figures that are means over clips, then over languages."""

NOT_WANTED = "NO_CLIPS_FOR_THE_FIGURE"
NOT_MEASURED = "NOT_MEASURED"
CLIPS_NOT_MEASURED = "CLIPS_NOT_MEASURED"
RUNS_MISSING = "RUNS_MISSING"
TOO_MANY_RUNS = "TOO_MANY_RUNS"
CLIP_TOO_SHORT = "CLIP_TOO_SHORT"
LEG_MISSING = "LEG_MISSING"
ONE_FOR_ALL_LANGUAGES = "ONE_FOR_ALL_LANGUAGES"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: a ratio, or nanoseconds; or why there is none."""

    value: Fraction | None
    reason: str = ""


Clips = Sequence[ClipTally]


@dataclass(frozen=True, slots=True)
class Sorted:
    """Clips by language and leg, each sorted by id."""

    languages: tuple[str, ...]
    parts: Mapping[tuple[str, str], Clips]

    @classmethod
    def of(cls, clips: Iterable[ClipTally], languages: tuple[str, ...]) -> Sorted:
        """Return the clips as figures want them."""
        parts: dict[tuple[str, str], list[ClipTally]] = {}
        for clip in clips:
            parts.setdefault((clip.language, clip.leg), []).append(clip)
        return cls(languages, parts)

    def get(self, language: str, leg: str) -> Clips:
        """Return the clips of a leg in a language."""
        return self.parts.get((language, leg), ())

    def all(self, leg: str) -> list[ClipTally]:
        """Return the clips of a leg in all languages."""
        return [clip for name in self.languages for clip in self.get(name, leg)]


def leg_of(part: str) -> str:
    """Return the leg that a part belongs to: both modes are recognition."""
    return STT if part in MODES else part


def clip_value(clip: ClipTally, figure: str) -> int | None:
    """Return what a clip adds to a mean: ns, or for a ratio units of 10⁻¹⁸; None if not measured."""
    value: int | None = getattr(clip, figure)
    if value is None or FIGURES[figure].measure != RTF:
        return value
    return None if clip.audio is None else fixed_ratio(value, clip.audio)


def mean_in_language(clips: Clips, figure: str) -> Figure:
    """Return the mean of one figure over the clips of its leg in one language.

    Every clip must have been measured: a mean over those that went well would be another figure.
    """
    if not clips:
        return Figure(None, NOT_WANTED)
    values = [clip_value(clip, figure) for clip in clips]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return Figure(None, CLIPS_NOT_MEASURED if known else NOT_MEASURED)
    if FIGURES[figure].part == LLM:
        return Figure(latency.mean_of_groups(_by_subtask(clips, known)))
    mean = Fraction(sum(known), len(known))
    return Figure(mean / RATIO_SCALE if FIGURES[figure].measure == RTF else mean)


def _by_subtask(clips: Clips, values: Sequence[int]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for clip, value in zip(clips, values, strict=True):
        groups.setdefault(clip.subtask, []).append(value)
    return groups


def over_languages(found: Iterable[Figure]) -> Figure:
    """Return the mean of the languages that the competition has clips of; they count alike."""
    known = [one for one in found if one.reason != NOT_WANTED]
    if not known:
        return Figure(None, NOT_WANTED)
    reasons = {one.reason for one in known}
    if reasons == {""}:
        return Figure(latency.mean_over(one.value for one in known))
    return Figure(None, NOT_MEASURED if reasons == {NOT_MEASURED} else CLIPS_NOT_MEASURED)


def ratio_of_sums(clips: Clips, figure: str) -> Fraction | None:
    """Return all time spent by all audio, in one language; None unless every clip was measured."""
    pairs = [
        (spent, clip.audio)
        for clip in clips
        if (spent := getattr(clip, figure)) is not None and clip.audio is not None
    ]
    if not pairs or len(pairs) < len(clips):
        return None
    found = latency.real_time_factor(pairs)
    return None if found is None else found.of_sums


def finalization(clips: Clips, mode: str, *, timed: int, window: int) -> Figure:
    """Return the median of the timed runs, all of them on clips at least as long as the window (ns).

    Runs are numbered from 0, the untimed one; there must be exactly those that are asked for.
    """
    numbered = [(getattr(clip, f"{mode}_run"), clip) for clip in clips]
    runs = sorted((one for one in numbered if one[0] is not None), key=lambda one: one[0])
    if not clips or not runs:
        return Figure(None, NOT_MEASURED if clips else NOT_WANTED)
    if len(runs) > timed + 1:
        return Figure(None, TOO_MANY_RUNS)
    if [run for run, _ in runs] != list(range(timed + 1)):
        return Figure(None, RUNS_MISSING)
    if any((clip.audio or 0) < window for _, clip in runs):
        return Figure(None, CLIP_TOO_SHORT)
    times = [getattr(clip, f"{mode}_{FINALIZATION}") or 0 for _, clip in runs]
    return Figure(latency.finalization(times, timed=timed))


def endpoint_of(clip: ClipTally) -> Endpoint:
    """Return a clip's endpoint; a clip that was not probed has none."""
    outcome = clip.streaming_outcome or Outcome.NONE
    return Endpoint(Outcome(outcome), clip.streaming_endpoint)


def endpoints(clips: Clips) -> Endpoints | None:
    """Return the percentiles over all clips, so that none can be left out; None of none probed."""
    if all(clip.streaming_outcome is None for clip in clips):
        return None
    return summarize_endpoints(map(endpoint_of, clips))


def percentile_figures(clips: Clips) -> dict[str, Figure]:
    """Return p50 and p90 of the endpoints of some clips."""
    found = endpoints(clips)
    if found is None:
        missing = Figure(None, NOT_MEASURED if clips else NOT_WANTED)
        return {f"{STREAMING}_{P50}": missing, f"{STREAMING}_{P90}": missing}
    pairs = ((P50, found.p50, found.p50_reason), (P90, found.p90, found.p90_reason))
    return {
        f"{STREAMING}_{name}": Figure(None if value is None else Fraction(value), reason)
        for name, value, reason in pairs
    }


def with_pipelines(found: Mapping[str, Figure], finals: Mapping[str, Figure]) -> dict[str, Figure]:
    """Return the figures with the sum of each mode: finalization, LLM TTFT, TTS TTFA."""
    sums = {}
    for mode in MODES:
        legs = (finals[mode], found[f"{LLM}_{TTFT}"], found[f"{TTS}_{TTFA}"])
        total = latency.pipeline(*(leg.value for leg in legs))
        sums[f"{mode}_{PIPELINE}"] = Figure(total, "" if total is not None else LEG_MISSING)
    return {**found, **sums}


def in_units(figure: str, value: Fraction) -> Fraction:
    """Return a figure in the unit it is shown in: milliseconds, or a plain ratio."""
    return value if FIGURES[figure].measure == RTF else value / NANOSECONDS
