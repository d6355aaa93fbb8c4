"""What the methodology page of `pillars` says; every example is computed by the running code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grading.scoring.methodology import N_, Phrase
from grading.scoring.tracks.composed import PillarScore
from grading.scoring.tracks.decimals import STORED_DECIMALS, decimal_text
from grading.scoring.tracks.pages import section
from grading.scoring.tracks.pillars_scores import core, full

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grading.scoring.tracks.base import Section
    from grading.scoring.tracks.pillars_params import PillarParams
    from grading.scoring.tracks.pillars_scores import Verdict

EXAMPLE = {"asr": 88.0, "llm": 70.0, "tts": 75.0, "e2e": 60.0}


def sections(params: PillarParams) -> list[Section]:
    """Return the sections of the page, in reading order."""
    return [_core(params), _full(params), _tables(), _intervals()]


def _formula(names: Sequence[str], params: PillarParams) -> str:
    parts = " + ".join(f"{decimal_text(params.weights[n])}·{n.upper()}" for n in names)
    total = sum(params.weights[name] for name in names)
    return f"({parts}) / {decimal_text(total)}" if total else ""


def _core(params: PillarParams) -> Section:
    names = params.baseline
    whole = {name: PillarScore(EXAMPLE[name]) for name in names}
    cut = {**whole, names[-1]: PillarScore(None, "SCORING")}
    return section(
        N_("Core score"),
        N_(
            "The core score is the weighted mean of the pillars that everyone enters. Where one of them was not entered, or is not final, there is no core score, and the row says which."
        ),
        Phrase(
            N_(
                "It is made of the scores as the pillars' boards store them, in exact fractions, and rounded once, to %(decimals)d decimals."
            ),
            decimals=STORED_DECIMALS,
        ),
        formula=_formula(names, params),
        examples=(
            (_told(whole), _verdict(core(whole, params))),
            (_told(cut), _verdict(core(cut, params))),
        ),
    )


def _full(params: PillarParams) -> Section:
    names = tuple(params.weights)
    every = {name: PillarScore(EXAMPLE[name]) for name in names}
    some = {name: every[name] for name in (*params.baseline, *names[2:3])}
    cut = {**every, names[-1]: PillarScore(None, "SCORING")}
    return section(
        N_("Full score"),
        N_(
            "The full score is the weighted mean of every pillar that was entered: the weights are rescaled over these, so that leaving out an optional pillar costs nothing and brings nothing."
        ),
        N_(
            "It is withheld until every entered pillar is final. A row whose score is withheld has no place and is not sorted among those that have one."
        ),
        N_("Where the baseline alone was entered there is no full score: the core score says it."),
        formula=_formula(names, params),
        examples=tuple((_told(one), _verdict(full(one, params))) for one in (every, some, cut)),
    )


def _tables() -> Section:
    return section(
        N_("Tables"),
        N_(
            "The first table has everyone, by the core score. Beyond it there is a table for each set of pillars that somebody entered, by the full score: only entrants with the same pillars are ranked against each other."
        ),
    )


def _intervals() -> Section:
    return section(
        N_("Intervals"),
        N_(
            "Each pillar's board draws its own items anew. The pillars share no items, so their draws are independent: replicate by replicate their scores are added with the same weights, and the bounds are taken from these sums. Where a pillar has no interval, neither has the composed score."
        ),
    )


def _told(pillars: Mapping[str, PillarScore]) -> str:
    return ", ".join(
        f"{name.upper()} {'–' if one.score is None else f'{one.score:g}'}"
        for name, one in pillars.items()
    )


def _verdict(verdict: Verdict) -> str:
    return verdict.reason if verdict.stored is None else f"{verdict.stored:.6f}"
