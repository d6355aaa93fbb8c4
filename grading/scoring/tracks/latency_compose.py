"""From tallies of `latency` to the figures of a board row, the headline and where it all comes from."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from grading.scoring.formats.measurements import (
    FINALIZATION,
    MODES,
    NANOSECONDS,
    RTF,
    STREAMING,
    STT,
    TTS,
)
from grading.scoring.formats.provenance import Provenance, shown
from grading.scoring.tracks.base import Composed
from grading.scoring.tracks.decimals import mean_or_none, stored, stored_or_none
from grading.scoring.tracks.latency_figures import (
    FIGURES,
    MEANS,
    ONE_FOR_ALL_LANGUAGES,
    Figure,
    Sorted,
    endpoints,
    finalization,
    in_units,
    leg_of,
    mean_in_language,
    over_languages,
    percentile_figures,
    ratio_of_sums,
    with_pipelines,
)

if TYPE_CHECKING:
    from grading.scoring.tracks.latency_params import LatencyParams
    from grading.scoring.tracks.latency_tallies import LatencyTallies

COUNTED = f"{STREAMING}_counted"
FLUSHED = f"{STREAMING}_flushed"
PERCEIVED = f"{TTS}_perceived"
RATIOS = tuple(name for name, kind in FIGURES.items() if kind.measure == RTF)

Figures = dict[str, Figure]


def compose(tallies: LatencyTallies, params: LatencyParams) -> Composed:
    """Return the headline as the score, every figure as a component, and the same by language.

    A figure that there is not is null; `withheld` says why, by figure. Times are milliseconds.
    Everything is exact until it is rounded once, to 12 decimals, half to even.
    """
    clips = Sorted.of(tallies.clips, params.languages)
    finals = _finals(clips, params)
    parts = {name: _means(clips, name) for name in params.languages}
    whole: Figures = {name: over_languages(part[name] for part in parts.values()) for name in MEANS}
    whole |= percentile_figures(clips.all(STT))
    whole = with_pipelines(whole, finals)
    whole |= {f"{mode}_{FINALIZATION}": finals[mode] for mode in MODES}
    headline = whole[params.headline]
    components = {
        **_values(whole, params),
        **_beside(clips, params.languages),
        **_provenance(tallies.provenance),
    }
    languages = {name: _language(clips, name, part, finals, params) for name, part in parts.items()}
    score = _stored(params.headline, headline)
    return Composed(score, headline.reason, components, languages)


def _finals(clips: Sorted, params: LatencyParams) -> Figures:
    """Return the finalization of each mode: a probe of the system, so of all languages together."""
    window = params.window_ms * NANOSECONDS
    of_leg = clips.all(STT)
    return {
        mode: finalization(of_leg, mode, timed=params.timed_runs, window=window) for mode in MODES
    }


def _means(clips: Sorted, language: str) -> Figures:
    return {
        name: mean_in_language(clips.get(language, leg_of(FIGURES[name].part)), name)
        for name in MEANS
    }


def _values(figures: Figures, params: LatencyParams) -> dict[str, Any]:
    """Return every figure, and why those that are shown are withheld."""
    reasons = {name: figures[name].reason for name in params.figures}
    return {
        **{name: _stored(name, figures[name]) for name in FIGURES},
        "withheld": {name: reason for name, reason in reasons.items() if reason},
    }


def _stored(name: str, figure: Figure) -> float | None:
    return None if figure.value is None else stored(in_units(name, figure.value))


def _beside(clips: Sorted, languages: tuple[str, ...]) -> dict[str, Any]:
    """Return what stands beside the figures: counted of all, flushes, ratios of sums, heard sound."""
    probed = endpoints(clips.all(STT))
    found: dict[str, Any] = {
        COUNTED: None if probed is None else [probed.counted, probed.total],
        FLUSHED: None if probed is None else probed.flushed,
    }
    for name in RATIOS:
        of_leg = [clips.get(one, leg_of(FIGURES[name].part)) for one in languages]
        ratios = [ratio_of_sums(part, name) for part in of_leg if part]
        found[f"{name}_of_sums"] = stored_or_none(mean_or_none(ratios))
    heard = [_heard(clips, one) for one in languages if clips.get(one, TTS)]
    found[PERCEIVED] = stored_or_none(mean_or_none(heard))
    return found


def _heard(clips: Sorted, language: str) -> Fraction | None:
    """Return the mean time to the first sound that is heard, in ms; None unless every clip has it."""
    of_leg = clips.get(language, TTS)
    known = [clip.tts_perceived for clip in of_leg if clip.tts_perceived is not None]
    return Fraction(sum(known), len(known) * NANOSECONDS) if len(known) == len(of_leg) else None


def _language(
    clips: Sorted, name: str, means: Figures, finals: Figures, params: LatencyParams
) -> dict[str, Any]:
    """Return the JSON of a language; what is measured once for the whole system is not its own."""
    of_leg = clips.get(name, STT)
    found = with_pipelines({**means, **percentile_figures(of_leg)}, finals)
    once = Figure(None, ONE_FOR_ALL_LANGUAGES)
    found |= {f"{mode}_{FINALIZATION}": once for mode in MODES}
    headline = found[params.headline]
    return {
        "score": _stored(params.headline, headline),
        "withheld_reason": headline.reason,
        "utterances": sum(len(clips.get(name, leg)) for leg in ("stt", "llm", "tts")),
        **_values(found, params),
        **_beside(clips, (name,)),
    }


def _provenance(known: tuple[Provenance, ...]) -> dict[str, Any]:
    """Return where the row comes from: a text for each field, the newest dates, and all of it."""
    corrections = [one for one in known if one.corrects]
    return {
        **shown(known),
        "measured_on": max((one.date for one in known), default=None),
        "corrected_on": max((one.date for one in corrections), default=None),
        "corrects": max((one.corrects for one in corrections), default=None),
        "provenance": [_as_json(one) for one in known],
    }


def _as_json(one: Provenance) -> Mapping[str, str]:
    return {name: value for name, value in one._asdict().items() if value}
