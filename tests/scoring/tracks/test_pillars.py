"""The composed board of the pillars: core, full, what is withheld, and who stands in which table."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from grading.scoring import bootstrap, registry
from grading.scoring.methodology import Phrase
from grading.scoring.ranking import Entry, rank
from grading.scoring.tracks.base import NoReferences, Track
from grading.scoring.tracks.composed import (
    PILLAR_WITHOUT_INTERVAL,
    ComposedRow,
    Entered,
    PillarScore,
    Table,
)
from grading.scoring.tracks.pillars import TRACK
from grading.scoring.tracks.pillars_params import PILLARS
from grading.scoring.tracks.pillars_scores import BASELINE_ALONE, core, full
from grading.scoring.types import ParamsInvalid
from scripts.check_determinism import golden_pillars
from tests.scoring.golden import GOLDEN, cases

PARAMS = TRACK.params({})
WAITING = PillarScore(None, "MARKS_MISSING")


def scores(**values: float | None) -> dict[str, PillarScore]:
    return {
        name: WAITING if value is None else PillarScore(value) for name, value in values.items()
    }


def entered(name: str, **values: float | None) -> Entered:
    return Entered(name, scores(**values))


def row(table: Table, name: str) -> ComposedRow:
    (found,) = [one for one in table.rows if one.name == name]
    return found


@pytest.mark.parametrize(
    ("asr", "llm", "expected"),
    [(88, 70, Fraction(78)), (90, 60, Fraction(220, 3)), (0, 0, 0), (100, 100, 100)],
)
def test_the_core_score_rescales_the_baseline_to_100(asr: int, llm: int, expected: Any) -> None:
    assert core(scores(asr=asr, llm=llm), PARAMS).score == expected


@pytest.mark.parametrize("case", cases("core_score"), ids=lambda case: case["id"])
def test_a_golden_core_score(case: dict[str, Any]) -> None:
    found = core(scores(**case["inputs"]), PARAMS).stored
    assert found == pytest.approx(case["expected"]["core"], abs=1e-9)


def test_the_core_score_is_null_with_the_reason_where_one_is_missing() -> None:
    assert core(scores(asr=88), PARAMS).reason == "LLM_NOT_ENTERED"
    assert core(scores(asr=88, llm=None), PARAMS).reason == "LLM_NOT_FINAL"
    assert core(scores(asr=None, llm=70), PARAMS).reason == "ASR_NOT_FINAL"
    assert core(scores(asr=None), PARAMS).score is None


def test_the_full_score_rescales_over_what_was_entered() -> None:
    whole = scores(asr=80, llm=60, tts=70, e2e=50)
    assert full(whole, PARAMS).score == Fraction(20 * 80 + 25 * 60 + 30 * 70 + 25 * 50, 100)
    some = scores(asr=80, llm=60, tts=70)
    assert full(some, PARAMS).score == Fraction(20 * 80 + 25 * 60 + 30 * 70, 75)


def test_there_is_no_full_score_of_the_baseline_alone() -> None:
    assert full(scores(asr=80, llm=60), PARAMS).reason == BASELINE_ALONE
    assert full(scores(asr=80, llm=60), PARAMS).score is None


def test_the_full_score_is_never_a_number_while_an_entered_pillar_is_missing() -> None:
    for size in range(1, 5):
        for names in combinations(PILLARS, size):
            for open_ones in (
                set(one) for n in range(1, size + 1) for one in combinations(names, n)
            ):
                values = {name: None if name in open_ones else 100.0 for name in names}
                assert full(scores(**values), PARAMS).score is None
                first = TRACK.compose_tables(
                    [entered("a", **values), entered("b", **values)], PARAMS
                )
                assert all(one.score is None for table in first[1:] for one in table.rows)


def test_entrants_with_different_pillars_stand_in_different_tables() -> None:
    tables = TRACK.compose_tables(
        [
            entered("base", asr=88, llm=70),
            entered("voice", asr=80, llm=60, tts=70),
            entered("talk", asr=80, llm=60, e2e=70),
            entered("whole", asr=80, llm=60, tts=70, e2e=50),
            entered("late", asr=80, llm=60, tts=None, e2e=50),
            entered("alone", asr=90),
            entered("odd", asr=90, tts=90),
            entered("nothing"),
        ],
        PARAMS,
    )
    assert [(table.key, sorted(one.name for one in table.rows)) for table in tables] == [
        ("final", ["alone", "base", "late", "odd", "talk", "voice", "whole"]),
        ("asr-llm-tts-e2e", ["late", "whole"]),
        ("asr-llm-e2e", ["talk"]),
        ("asr-llm-tts", ["voice"]),
    ]
    late = row(tables[1], "late")
    assert (late.score, late.withheld_reason) == (None, "TTS_NOT_FINAL")
    assert late.components["e2e"] == 50
    assert late.components["withheld"] == {"tts": "MARKS_MISSING"}
    assert row(tables[0], "base").score == 78
    assert row(tables[0], "odd").withheld_reason == "LLM_NOT_ENTERED"


def test_a_withheld_row_takes_no_place_and_stands_below_all_that_have_one() -> None:
    systems = [entered("open", asr=100, llm=100, tts=None), entered("last", asr=1, llm=1, tts=1)]
    table = TRACK.compose_tables(systems, PARAMS)[1]
    ranked = rank([Entry(one.name, one.score, one.low, one.high) for one in table.rows])
    assert [(one.entry.name, one.place) for one in ranked] == [("last", 1), ("open", None)]


def test_bands_of_this_board_are_connected_components_and_ranges_do_not_chain() -> None:
    rows = {"A": (90, 94), "B": (88, 91), "C": (85, 88.5), "D": (78, 82)}
    entries = [Entry(name, sum(ends) / 2, *ends) for name, ends in rows.items()]
    found = [(one.entry.name, one.band, one.range) for one in rank(entries, "components")]
    assert found == [("A", 1, (1, 2)), ("B", 1, (1, 3)), ("C", 1, (2, 3)), ("D", 4, (4, 4))]


def test_an_interval_is_that_of_the_weighted_sum_of_independent_replicates() -> None:
    asr = np.arange(1_000, dtype=np.float64) / 10
    llm = asr[::-1].copy()
    pillars = {
        "asr": PillarScore(50.0, "", 1.0, 99.0, asr),
        "llm": PillarScore(50.0, "", 1.0, 99.0, llm),
    }
    found = core(pillars, PARAMS)
    assert (found.low, found.high) == bootstrap.bounds(20 / 45 * asr + 25 / 45 * llm)
    assert found.interval_reason == ""


@pytest.mark.parametrize(
    "llm",
    [
        PillarScore(70.0),
        PillarScore(70.0, "", 60.0, 80.0),
        PillarScore(70.0, "", 60.0, 80.0, np.zeros(10)),
        PillarScore(70.0, "", None, None, np.zeros(1_000)),
    ],
)
def test_there_is_no_interval_where_a_pillar_has_none(llm: PillarScore) -> None:
    asr = PillarScore(88.0, "", 80.0, 90.0, np.linspace(80, 90, 1_000))
    found = core({"asr": asr, "llm": llm}, PARAMS)
    assert found.score == 78
    assert (found.low, found.high, found.interval_reason) == (None, None, PILLAR_WITHOUT_INTERVAL)


def test_weights_and_baseline_are_settings() -> None:
    params = TRACK.params(
        {"weights": {"asr": 1, "tts": 3}, "baseline": ["asr"], "boards": {"tts": "voices"}}
    )
    assert full(scores(asr=80, tts=60), params).score == 65
    assert [(one.key, one.track) for one in TRACK.pillars(params)] == [
        ("asr", "asr"),
        ("tts", "voices"),
    ]
    assert TRACK.params(TRACK.params_json(params)) == params
    assert [column.key for column in TRACK.columns_of(params)] == ["score", "asr", "tts", "entered"]


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ({"weights": {"asr": 0}}, "weights.asr"),
        ({"weights": {"asr": "x"}}, "weights.asr"),
        ({"weights": {"vad": 1}}, "weights.vad"),
        ({"weights": {}, "baseline": ["asr"]}, "weights"),
        ({"baseline": []}, "baseline"),
        ({"baseline": ["asr", "asr"]}, "baseline"),
        ({"baseline": ["tts"], "weights": {"asr": 1}}, "baseline"),
        ({"boards": {"asr": "No Slug"}}, "boards.asr"),
        ({"more": 1}, "more"),
    ],
)
def test_a_setting_that_is_none_is_told_by_its_path(raw: dict[str, Any], path: str) -> None:
    with pytest.raises(ParamsInvalid) as refused:
        TRACK.params(raw)
    assert path in {fault.path for fault in refused.value.faults}


def test_it_is_a_composed_track_of_the_registry_without_references() -> None:
    track: Track = registry.get("pillars")
    assert track.is_composed
    assert track.references(b"", PARAMS) == NoReferences()
    assert {column.key for column in track.columns} == {"score", *PILLARS, "entered"}


def test_every_reason_has_a_sentence_and_the_page_is_made_of_phrases() -> None:
    codes = {f"{name.upper()}_{kind}" for name in PILLARS for kind in ("NOT_ENTERED", "NOT_FINAL")}
    assert set(TRACK.reasons) == {*codes, BASELINE_ALONE, PILLAR_WITHOUT_INTERVAL}
    sections = TRACK.methodology(PARAMS)
    assert ("ASR 88, LLM 70", "78.000000") in sections[0].examples
    assert sections[1].examples[-1][1] == "E2E_NOT_FINAL"
    assert all(
        isinstance(text, Phrase) for one in sections for text in (one.title, *one.paragraphs)
    )


def test_tallies_intervals_and_replicates_are_the_same_bytes_as_ever() -> None:
    wanted = json.loads((GOLDEN / "determinism.json").read_text(encoding="utf-8"))
    assert golden_pillars() == wanted["pillars"]


def test_a_board_without_pillars_is_told_once() -> None:
    with pytest.raises(ParamsInvalid) as refused:
        TRACK.params({"weights": {}, "baseline": ["asr"]})
    assert [fault.path for fault in refused.value.faults] == ["weights"]
