"""What the methodology page of `latency` says; every example is computed by the running code."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from grading.scoring.formats.provenance import short
from grading.scoring.methodology import N_, Phrase, Term
from grading.scoring.metrics import latency
from grading.scoring.metrics.latency import Endpoint, Outcome, summarize_endpoints
from grading.scoring.tracks.latency_figures import FIGURES, GROUPS, NAMES
from grading.scoring.tracks.pages import intervals, section

if TYPE_CHECKING:
    from grading.scoring.tracks.base import Section
    from grading.scoring.tracks.latency_params import LatencyParams

_RUNS = (410, 390, 440, 400, 430, 950, 420, 380, 450, 410)
_WARM_UP = 1_900


def sections(params: LatencyParams) -> list[Section]:
    """Return the sections of the page, in reading order."""
    return [
        _headline(params),
        _modes(),
        _means(),
        _finalization(params),
        _endpoints(),
        _pipeline(),
        _withheld(),
        _provenance(),
        _intervals(),
    ]


def _headline(params: LatencyParams) -> Section:
    kind = FIGURES[params.headline]
    return section(
        N_("What ranks"),
        N_("Systems are ranked by one figure of this competition; lower is better."),
        Phrase(
            N_("In this competition it is “%(figure)s” (%(part)s)."),
            part=Term(GROUPS[kind.part]),
            figure=Term(NAMES[kind.measure]),
        ),
        N_(
            "Times are kept in whole nanoseconds and shown in milliseconds. All sums are exact; a figure is rounded once, to 12 decimals."
        ),
    )


def _modes() -> Section:
    return section(
        N_("Batch and streaming"),
        N_(
            "They are two measurements of one system, and often two paths of code: each has columns of its own in the system's one row, and each may have a provenance of its own."
        ),
    )


def _means() -> Section:
    clips = [(1_000, 4_000), (3_000, 4_000), (1_000, 20_000)]
    found = latency.real_time_factor(clips)
    ratios = (found.mean, found.of_sums) if found is not None else ()
    return section(
        N_("RTF, TTFT and TTFA"),
        N_(
            "RTF is the time spent divided by the length of the audio: what was heard, or what a voice made. It is the mean of the clips' ratios; all time divided by all audio stands beside it in the data."
        ),
        N_(
            "TTFT of recognition is the time to the first text that is not blank, partial or final. TTFT of a language model is the mean of its subtasks' means. TTFA is the time to the first sound as it arrives; the first sound that is heard stands beside it."
        ),
        N_(
            "Each is a mean over the clips of a language, then over the languages that the competition has clips of."
        ),
        examples=(("1 s / 4 s, 3 s / 4 s, 1 s / 20 s", " | ".join(map(short, ratios))),),
    )


def _finalization(params: LatencyParams) -> Section:
    found = latency.finalization([_WARM_UP, *_RUNS], timed=len(_RUNS))
    runs = ", ".join(map(str, _RUNS))
    return section(
        N_("Finalization"),
        Phrase(
            N_(
                "The median of %(timed)d runs after one that is not timed, numbered from 0. Each run sends the first %(window)d ms of another clip as fast as the connection takes it, in a new session, and takes the time until the transcript is complete."
            ),
            timed=params.timed_runs,
            window=params.window_ms,
        ),
        N_(
            "The median of an even number of runs is the mean of the two in the middle. It is one figure for all languages together."
        ),
        examples=((f"({_WARM_UP}) {runs} ms", f"{short(found or Fraction(0))} ms"),),
    )


def _endpoints() -> Section:
    finals = [Endpoint(Outcome.FINAL, 100 * k) for k in range(1, 10)]
    nine = summarize_endpoints([*finals, Endpoint(Outcome.FLUSH)])
    eight = summarize_endpoints([*finals[:8], Endpoint(Outcome.FLUSH), Endpoint(Outcome.NONE)])
    return section(
        N_("Endpoint"),
        N_(
            "How long after the end of speech the last final with text arrived, while silence went on in real time. The end of speech is that of the manifest. A final that came only once the stream was closed is a flush: it is told and does not count."
        ),
        N_(
            "p50 and p90 are nearest ranks, the value at rank ⌈p · n⌉ of those that count, over the clips of all languages together. How many of all clips counted stands beside them; a clip without a row does not count. With fewer than 90 % counted p90 is withheld: what is missing would be its slow end."
        ),
        examples=(
            (
                "100 … 900 ms, 1 flush",
                f"p50 {nine.p50}, p90 {nine.p90}, {nine.counted}/{nine.total}",
            ),
            ("100 … 800 ms, 2 without", f"p50 {eight.p50}, p90 –, {eight.counted}/{eight.total}"),
        ),
    )


def _pipeline() -> Section:
    total = latency.pipeline(Fraction("0.42"), Fraction("0.35"), Fraction("0.18"))
    return section(
        N_("Pipeline"),
        N_(
            "The sum of the three legs, and none while a leg is missing. It adds a median to two means, and a clip of fixed length to the benchmark's own utterances: it tells what a short turn costs a stack, not how long these very utterances took."
        ),
        formula="finalization + LLM TTFT + TTS TTFA",
        examples=(("0.42 s + 0.35 s + 0.18 s", f"{short(total or Fraction(0))} s"),),
    )


def _withheld() -> Section:
    return section(
        N_("What is withheld"),
        N_(
            "A mean needs every clip of the competition: a mean of the clips that went well is another figure. What was not measured is empty, never 0, and the reason stands beside it in the data. A row whose ranking figure is withheld takes no place."
        ),
    )


def _provenance() -> Section:
    return section(
        N_("Provenance and corrections"),
        N_(
            "Every file names provider, model, version, route, region, round-trip time, machine and day. The round-trip time is shown and never subtracted: a caller does not get the network back."
        ),
        N_(
            "A file that corrects an earlier one names the day of that measurement; the row then shows both days."
        ),
    )


def _intervals() -> Section:
    return intervals(
        N_(
            "The 95 %% interval of a mean or a percentile comes from %(replicates)d resamples of the clips within each language (of a language model within each subtask too). Of a percentile, each resample takes the rank among the endpoints that count."
        ),
        N_(
            "A median of a few runs has none, nor has a sum with one in it: ten runs cannot say how other runs would have come out."
        ),
    )
