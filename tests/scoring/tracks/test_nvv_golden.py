from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from grading.scoring.tally import NvvTallies, pool
from grading.scoring.tracks.nvv_compose import compose, language_score
from grading.scoring.tracks.nvv_t1 import TRACK
from grading.scoring.tracks.nvv_tally import event_positions, tally_utterance
from tests.scoring.golden import PARAMS, cases, demo_corpus, nvv, transcript

TOLERANCE = nvv()["tolerance"]


def tally(case: dict[str, Any]) -> Any:
    language = case["language"]
    return tally_utterance(
        case["id"],
        language,
        transcript(case["reference"], language),
        transcript(case["hypothesis"], language),
        PARAMS.collars[language],
    )


@pytest.mark.parametrize("case", nvv()["examples"], ids=lambda case: case["id"])
def test_golden_examples(case: dict[str, Any]) -> None:
    found = tally(case)
    assert (found.tp, found.fp, found.fn) == (case["tp"], case["fp"], case["fn"])
    assert found.edits == case["edits"]
    assert found.tokens == case["reference_tagged_tokens"]
    assert found.ntd == (None if case["ntd"] is None else Fraction(case["ntd"]))
    reference = transcript(case["reference"], case["language"])
    hypothesis = transcript(case["hypothesis"], case["language"])
    assert len(reference.units) == case["reference_units"]
    assert [[*event] for event in zip(reference.tags, reference.positions, strict=True)] == case[
        "reference_events"
    ]
    places = event_positions(reference, hypothesis)
    assert [[*event] for event in zip(hypothesis.tags, places, strict=True)] == case[
        "hypothesis_events_in_reference_coordinates"
    ]


@pytest.mark.parametrize("case", nvv()["examples"], ids=lambda case: case["id"])
def test_golden_examples_as_a_corpus_of_one(case: dict[str, Any]) -> None:
    pooled, wanted = pool([tally(case)]), case["as_one_utterance_corpus"]
    rates = (pooled.counts.f1, pooled.mntd, pooled.error_rate)
    assert rates == tuple(Fraction(wanted[name]) for name in ("f1", "mntd", "err"))
    assert language_score(*rates, PARAMS) == Fraction(wanted["score"])


def test_golden_corpora() -> None:
    examples = {case["id"]: case for case in nvv()["examples"]}
    corpora = nvv()["corpora"]
    rows = [tally(examples[name]) for part in ("en", "zh") for name in corpora[part]["ids"]]
    found = compose(NvvTallies(tuple(rows)), PARAMS)
    for language in ("en", "zh"):
        wanted, part = corpora[language], found.languages[language]
        assert (part["tp"], part["fp"], part["fn"]) == (wanted["tp"], wanted["fp"], wanted["fn"])
        assert part["f1"] == pytest.approx(float(Fraction(wanted["f1"])), abs=TOLERANCE)
        assert part["mntd"] == pytest.approx(float(Fraction(wanted["mntd"])), abs=TOLERANCE)
        assert part["error_rate"] == pytest.approx(float(Fraction(wanted["err"])), abs=TOLERANCE)
        assert part["score"] == pytest.approx(wanted["score_decimal"], abs=TOLERANCE)
    assert found.score == pytest.approx(float(Fraction(corpora["final"])), abs=TOLERANCE)
    assert found.score == pytest.approx(corpora["final_decimal"], abs=TOLERANCE)


def test_golden_demo_corpus_row_by_row() -> None:
    references, predictions = demo_corpus()
    rows = TRACK.score(references, predictions, PARAMS).rows()
    wanted = {row["utt_id"]: row for row in nvv()["demo_corpus"]["rows"]}
    assert [row["utt_id"] for row in rows] == sorted(wanted)
    for row in rows:
        golden = wanted[row["utt_id"]]
        for name in ("language", "tp", "fp", "ntd", "edits", "fn"):
            assert row[name] == golden[name]
        assert row["tokens"] == golden["ref_tokens"]
        units = transcript(golden["reference"], golden["language"]).units
        assert len(units) == golden["ref_units"]


def test_golden_demo_corpus_totals() -> None:
    references, predictions = demo_corpus()
    found = compose(TRACK.score(references, predictions, PARAMS), PARAMS)
    golden = nvv()["demo_corpus"]
    for language, totals in golden["totals"].items():
        part = found.languages[language]
        assert (part["tp"], part["fp"], part["fn"]) == (totals["tp"], totals["fp"], totals["fn"])
        for ours, theirs in (
            ("f1", "f1"),
            ("mntd", "mntd"),
            ("error_rate", "err"),
            ("score", "score"),
        ):
            assert part[ours] == pytest.approx(float(Fraction(totals[theirs])), abs=TOLERANCE)
    assert found.score == pytest.approx(float(Fraction(golden["final"])), abs=TOLERANCE)


@pytest.mark.parametrize("case", cases("track1_score"), ids=lambda case: case["id"])
def test_golden_scores_of_rates(case: dict[str, Any]) -> None:
    rates = (Fraction(str(case["inputs"][name])) for name in ("f1_micro", "mntd", "err_tagged"))
    assert float(language_score(*rates, PARAMS)) == case["expected"]["score"]


def test_a_perfect_copy_scores_100_in_each_language() -> None:
    references, _ = demo_corpus()
    found = compose(TRACK.score(references, references.texts, PARAMS), PARAMS)
    assert found.score == 100
    assert [part["score"] for part in found.languages.values()] == [100, 100]


def test_shuffled_rows_give_the_same_bytes() -> None:
    references, predictions = demo_corpus()
    rows = list(predictions.items())
    random.Random(7).shuffle(rows)  # noqa: S311 - any order will do
    shuffled = TRACK.score(references, dict(rows), PARAMS)
    assert shuffled.to_bytes() == TRACK.score(references, predictions, PARAMS).to_bytes()
