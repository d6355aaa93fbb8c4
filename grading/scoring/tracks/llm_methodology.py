"""What the methodology page of `llm` says; every example is computed by the running code."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

from grading.scoring.methodology import N_, Phrase
from grading.scoring.metrics.events import Counts
from grading.scoring.metrics.extraction import (
    count_fields,
    normalize_name,
    normalize_value,
    values_of,
)
from grading.scoring.tracks import llm_judge_prompt as prompts
from grading.scoring.tracks.base import Section
from grading.scoring.tracks.decimals import STORED_DECIMALS, decimal_text
from grading.scoring.tracks.llm_compose import language_score
from grading.scoring.tracks.llm_params import EXTRACTION, JUDGE
from grading.scoring.tracks.llm_tallies import MARK_UNIT, Pooled
from grading.scoring.tracks.pages import intervals

if TYPE_CHECKING:
    from grading.scoring.metrics.extraction import Value
    from grading.scoring.tracks.llm_params import LlmParams
    from grading.scoring.tracks.pillars_reading import Scale

Given = dict[str, "Value | list[Value]"]
WANTED: Given = {"day": "Monday", "guests": 4, "dishes": ["tea", "rice"]}
TRIES: tuple[Given, ...] = (
    {"day": " ＭＯＮＤＡＹ", "guests": "4", "dishes": ["rice", "tea"]},
    {"day": "Sunday", "guests": 4, "table": 7},
    {},
)


def sections(params: LlmParams) -> list[Section]:
    """Return the sections of the page, in reading order."""
    told = [] if params.scale is None else [_told(params.scale, params)]
    parts = [_score(params), _judge(params), *told, _extraction(), _fields(), _rows(params)]
    return [*parts, _intervals()]


def _score(params: LlmParams) -> Section:
    weights = {name: decimal_text(params.weights[name]) for name in (JUDGE, EXTRACTION)}
    examples: tuple[tuple[str, str], ...] = ()
    if params.scale is not None:
        mark = params.scale.lowest + (params.scale.highest - params.scale.lowest) * Fraction(3, 4)
        pooled = Pooled(1, Counts(6, 1, 1), int(mark * MARK_UNIT), 0)
        score = language_score(pooled, params) or Fraction(0)
        told = f"mark {decimal_text(Fraction(pooled.marks, MARK_UNIT))}, F1 6/7"
        examples = ((told, f"{float(score):.6f}"),)
    return Section(
        title=Phrase(N_("Score")),
        paragraphs=(
            Phrase(
                N_(
                    "A judge reads the answers, and the fields that were taken from them are compared with the right ones. Each language has a score from 0 to 100; the final score is their mean."
                )
            ),
            Phrase(
                N_(
                    "Counts are whole numbers and means exact fractions. A score is rounded once, to %(decimals)d decimals, when it is stored."
                ),
                decimals=STORED_DECIMALS,
            ),
        ),
        formula=f"100 · ({weights[JUDGE]} · J + {weights[EXTRACTION]} · F1)",
        examples=examples,
    )


def _judge(params: LlmParams) -> Section:
    if params.scale is None:
        paragraphs = (
            Phrase(
                N_(
                    "Nobody has set the scale of the judge's marks and what a mark is worth. There is no scale to guess: until it is set, the score is withheld and the extraction alone is shown."
                )
            ),
        )
        return Section(Phrase(N_("Judge")), paragraphs)
    low, high = decimal_text(params.scale.lowest), decimal_text(params.scale.highest)
    return Section(
        title=Phrase(N_("Judge")),
        paragraphs=(
            Phrase(
                N_(
                    "A model reads each item with the system's answer, as text alone, and gives a mark from %(low)s to %(high)s. J is what the mean over the items is worth."
                ),
                low=low,
                high=high,
            ),
            *_replicates(params),
            Phrase(
                N_(
                    "A missing mark is never filled in: the score is withheld until every item has all of its marks."
                )
            ),
            *(
                [Phrase(N_("The judge is %(judge)s."), judge=params.judge_name)]
                if params.judge_name
                else []
            ),
        ),
        formula=f"J = {params.scale.formula}",
        examples=tuple(
            (decimal_text(mark), f"{float(params.scale.share(mark)):.6f}")
            for mark in (
                params.scale.lowest,
                (params.scale.lowest + params.scale.highest) / 2,
                params.scale.highest,
            )
        ),
    )


def _told(scale: Scale, params: LlmParams) -> Section:
    by_command = N_(
        "A judge that is asked by the organizers' command is told what follows, then gets the item as a JSON object, without its id. This is prompt %(version)s, SHA-256 %(sha256)s."
    )
    by_server = N_(
        "The judge is told what follows, then gets the item as a JSON object, without its id. This is prompt %(version)s, SHA-256 %(sha256)s."
    )
    definition = params.definition
    return Section(
        title=Phrase(N_("What the judge is told")),
        paragraphs=(
            Phrase(
                by_server if definition else by_command,
                version=prompts.PROMPT_VERSION,
                sha256=definition.prompt_sha256 if definition else prompts.prompt_sha256(scale),
            ),
        ),
        formula=prompts.instructions(scale),
    )


def _replicates(params: LlmParams) -> list[Phrase]:
    if params.replicates == 1:
        return []
    times = params.replicates
    return [Phrase(N_("Each item is marked %(times)d times; the median counts."), times=times)]


def _extraction() -> Section:
    found = [count_fields(values_of(WANTED), values_of(given)) for given in TRIES]
    return Section(
        title=Phrase(N_("Extraction")),
        paragraphs=(
            Phrase(
                N_(
                    "Each value of each field is right or not. A value found counts once (tp), a value that is not in the reference is one too much (fp), a value of the reference that was not given is one not found (fn). So a wrong value costs twice, an extra field once, a missing field once."
                )
            ),
            Phrase(
                N_(
                    "The counts are added up over all items of a language and F1 is taken once (micro F1), so that an item with many fields weighs more than one with few. An item without fields on either side changes nothing. Where all counts are 0, F1 is 0."
                )
            ),
            Phrase(N_("In the examples the reference is %(wanted)s."), wanted=_json(WANTED)),
        ),
        formula="F1 = 2·tp / (2·tp + fp + fn)",
        examples=tuple(
            (_json(given), f"tp {one.tp}, fp {one.fp}, fn {one.fn}")
            for given, one in zip(TRIES, found, strict=True)
        ),
    )


def _fields() -> Section:
    values: tuple[Value, ...] = ("  Ｔwo\tWords ", 300.0, "300", True, "null", None)
    return Section(
        title=Phrase(N_("What makes two values the same")),
        paragraphs=(
            Phrase(
                N_(
                    'Names and values of fields are brought to one form on both sides alike: NFKC, lower case, runs of white space as one blank, outer blanks taken off. A number is its shortest decimal text, so that 4, 4.0 and "4" are one. Then they are equal or not: nothing is matched by likeness.'
                )
            ),
            Phrase(
                N_(
                    "null, an empty text and an empty list say that there is no value. A list holds several values of one field; their order does not matter, and a value twice is wanted twice."
                )
            ),
            Phrase(
                N_(
                    "Two names of one row that become the same name are refused, as a key that stands twice is."
                )
            ),
        ),
        examples=(
            ("Date  Of Birth", normalize_name("Date  Of Birth")),
            *((_json(value), normalize_value(value) or "–") for value in values),
        ),
    )


def _rows(params: LlmParams) -> Section:
    taken = N_(
        "Marks are taken from the rows that are sent. That is meant for competitions where the organizers send every row: nobody marks themselves."
    )
    refused = N_("Marks in rows that are sent are refused: nobody marks themselves.")
    asked = N_(
        "The server asks the judge for the marks of every submission. The same item with the same answer is asked once, whoever sends it; what the judge said is kept. Answers with known marks, some of which give the judge orders, are asked in between: when one of these marks changes, the judging stops."
    )
    return Section(
        title=Phrase(N_("Where marks come from")),
        paragraphs=(
            Phrase(taken if params.marks_in_rows else refused),
            *([Phrase(asked)] if params.definition else []),
        ),
    )


def _intervals() -> Section:
    return intervals(
        N_(
            "95 %% percentile bootstrap over the items of each language, %(replicates)d replicates, from the whole numbers above. A replicate without any field takes F1 = 0; more than 1 %% of these, or fewer than two items, leave no interval."
        )
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
