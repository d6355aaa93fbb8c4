"""The columns of a latency board: batch and streaming are two groups of one row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grading.scoring.formats.measurements import RTF, STREAMING, TTS
from grading.scoring.methodology import N_
from grading.scoring.tracks.columns import SCORE, Column, text
from grading.scoring.tracks.latency_compose import COUNTED, FLUSHED, PERCEIVED, RATIOS
from grading.scoring.tracks.latency_figures import FIGURES, GROUPS, NAMES, P50, P90, PIPELINE

if TYPE_CHECKING:
    from collections.abc import Iterable

MS = N_("ms")
_MEANINGS = {
    RTF: N_("Time spent by length of the audio, the mean of the clips' ratios."),
    P50: N_("From the end of speech to the last final, among those before the stream was closed."),
    P90: N_("As p50; withheld where fewer than 90 % of the endpoints counted."),
    PIPELINE: N_(
        "Finalization of a 5-second clip, a median, plus the means of LLM TTFT and TTS TTFA: what a short turn costs, not the time of these very utterances."
    ),
}
_PANEL = (
    ("provider", N_("Provider")),
    ("model", N_("Model")),
    ("version", N_("Version")),
    ("route", N_("Route")),
    ("region", N_("Region")),
    ("machine", N_("Machine")),
    ("measured_on", N_("Measured on")),
    ("corrected_on", N_("Corrected on")),
    ("corrects", N_("Corrects the measurement of")),
)


def columns(headline: str, figures: Iterable[str]) -> tuple[Column, ...]:
    """Return the columns: the headline as the score, every figure, what stands beside, provenance."""
    chosen = tuple(figures)
    return (
        *(
            _column(key, name)
            for key, name in ((SCORE, headline), *zip(chosen, chosen, strict=True))
        ),
        *_beside(chosen),
        *(text(key, label) for key, label in _PANEL),
        Column("rtt_ms", N_("RTT"), MS, None, shown_as="text", place="panel"),
    )


def _column(key: str, figure: str) -> Column:
    part, measure = FIGURES[figure]
    is_ratio = measure == RTF
    return Column(
        key,
        NAMES[measure],
        "" if is_ratio else MS,
        lower_is_better=True,
        digits=4 if is_ratio else 1,
        group=GROUPS[part],
        meaning=_MEANINGS.get(measure, ""),
    )


def _beside(figures: tuple[str, ...]) -> tuple[Column, ...]:
    """Return what stands beside the figures that are shown."""
    found = tuple(_of_sums(name) for name in RATIOS if name in figures)
    if "tts_ttfa" in figures:
        found = (*found, _HEARD)
    if any(FIGURES[name].measure in {P50, P90} for name in figures):
        found = (*_ENDPOINTS, *found)
    return found


_ENDPOINTS = (
    Column(
        COUNTED,
        N_("Endpoints counted"),
        "",
        lower_is_better=False,
        group=GROUPS[STREAMING],
        shown_as="counted",
        digits=0,
    ),
    Column(
        FLUSHED,
        N_("Flushed"),
        "",
        lower_is_better=None,
        group=GROUPS[STREAMING],
        shown_as="count",
        digits=0,
        meaning=N_("Finals that came only once the stream was closed; they do not count."),
    ),
)
_HEARD = Column(
    PERCEIVED,
    N_("TTFA as heard, mean"),
    MS,
    lower_is_better=True,
    digits=1,
    group=GROUPS[TTS],
    place="data",
)


def _of_sums(figure: str) -> Column:
    return Column(
        f"{figure}_of_sums",
        N_("RTF, all time by all audio"),
        "",
        lower_is_better=True,
        digits=4,
        group=GROUPS[FIGURES[figure].part],
        place="data",
    )
