"""Parameters of `latency`: the languages, the figure that ranks, and how finalization is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grading.scoring.metrics.latency import TIMED_RUNS
from grading.scoring.tracks.language_codes import DEFAULT_LANGUAGES, read_languages
from grading.scoring.tracks.latency_figures import FIGURES, STREAMING_PIPELINE
from grading.scoring.tracks.nvv_t2_judge_reader import Fields
from grading.scoring.types import ParamFault, ParamsInvalid

if TYPE_CHECKING:
    from collections.abc import Sequence

WINDOW_MS = 5_000
_NAMES = ("languages", "headline", "figures", "timed_runs", "window_ms")


@dataclass(frozen=True, slots=True)
class LatencyParams:
    """Checked parameters: `headline` is the figure that ranks, `figures` those that are shown."""

    languages: tuple[str, ...] = DEFAULT_LANGUAGES
    headline: str = STREAMING_PIPELINE
    figures: tuple[str, ...] = tuple(FIGURES)
    timed_runs: int = TIMED_RUNS
    window_ms: int = WINDOW_MS


def read_params(raw: Mapping[str, Any]) -> LatencyParams:
    """Return full parameters. Raises ParamsInvalid with every fault and its path.

    >>> read_params({}).headline
    'streaming_pipeline'
    """
    faults: list[ParamFault] = []
    fields = Fields(raw, _NAMES, faults)
    headline = fields.choice("headline", tuple(FIGURES), STREAMING_PIPELINE)
    figures = chosen(fields, "figures", raw.get("figures"), tuple(FIGURES))
    params = LatencyParams(
        languages=read_languages(fields, raw.get("languages"), DEFAULT_LANGUAGES),
        headline=headline,
        figures=tuple(name for name in FIGURES if name in {*figures, headline}),
        timed_runs=fields.integer("timed_runs", 1, 100, TIMED_RUNS),
        window_ms=fields.integer("window_ms", 1, 600_000, WINDOW_MS),
    )
    if faults:
        raise ParamsInvalid(tuple(faults))
    return params


def params_json(params: LatencyParams) -> dict[str, Any]:
    """Return the canonical form, for the recipe; `read_params` reads it back."""
    return {
        "languages": list(params.languages),
        "headline": params.headline,
        "figures": list(params.figures),
        "timed_runs": params.timed_runs,
        "window_ms": params.window_ms,
    }


def chosen(fields: Fields, name: str, given: object, choices: Sequence[str]) -> tuple[str, ...]:
    """Return a list of some of the choices, in their order; all where none are given."""
    if given is None:
        return tuple(choices)
    if not isinstance(given, list | tuple) or any(one not in choices for one in given):
        fields.fault(name, f"must be a list of some of {', '.join(choices)}")
        return tuple(choices)
    return tuple(one for one in choices if one in given)
