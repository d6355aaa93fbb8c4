"""Track `asr-wer`: rates by language and corpus, who takes a place, intervals, differences."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring import bootstrap, normalizers
from grading.scoring.ranking import Entry, rank
from grading.scoring.tally import TalliesInvalid
from grading.scoring.tracks.asr_counting import CHECKED_TOKENS, PredictionsIncomplete
from grading.scoring.tracks.asr_wer import TRACK
from grading.scoring.tracks.base import ClipsDiffer, Composed
from grading.scoring.types import ParamsInvalid
from tests.scoring.golden import cases
from tests.scoring.oracles import draws
from tests.scoring.tracks.recognition import (
    LANGUAGES,
    WORDS,
    lines,
    params,
    references,
    score,
    texts,
)

TWO = {"languages": LANGUAGES}
CORPORA = {"corpora": ["ami", "dipco"]}


def plain_errors(wanted: str, heard: str) -> tuple[int, int]:
    """Edits where words are only ever replaced by another, and the length."""
    pairs = list(zip(wanted.split(), heard.split(), strict=True))
    return sum(a != b for a, b in pairs), len(pairs)


@pytest.mark.parametrize("overall", ["corpora", "languages", "pooled"])
@pytest.mark.parametrize("kind", ["corpus", "utterances"])
def test_intervals_equal_a_plain_computation(overall: str, kind: str) -> None:
    settings = params(**CORPORA, overall=overall, rate=kind)
    wanted, heard = texts(24, 5)
    names = ["ami" if index % 3 else "dipco" for index in range(24)]
    tallies = score(references(wanted, settings, names), heard, settings)
    rows = [
        (name, *plain_errors(*pair))
        for name, pair in zip(names, zip(wanted, heard, strict=False), strict=True)
    ]
    strata = [[row for row in rows if row[0] == name] for name in ("ami", "dipco")]
    stream = iter(draws(9, 60 * 24))
    found: dict[str, list[Fraction]] = {"ami": [], "dipco": [], "final": []}
    for _ in range(60):
        chosen = [[part[(next(stream) * len(part)) >> 32] for _ in part] for part in strata]
        ami, dipco = (plain_rate(part, kind) for part in chosen)
        found["ami"].append(ami)
        found["dipco"].append(dipco)
        whole = plain_rate([*chosen[0], *chosen[1]], kind)
        found["final"].append((ami + dipco) / 2 if overall == "corpora" else whole)
    intervals = TRACK.interval(tallies, settings, seed=9, replicates=60)
    for name, values in found.items():
        ordered = sorted(values)
        assert intervals[name].low == pytest.approx(float(ordered[1]), abs=1e-7)
        assert intervals[name].high == pytest.approx(float(ordered[58]), abs=1e-7)


def plain_rate(rows: list[tuple[str, int, int]], kind: str) -> Fraction:
    if kind == "utterances":
        return sum((Fraction(e, n) for _, e, n in rows), Fraction(0)) / len(rows)
    return Fraction(sum(e for _, e, _ in rows), sum(n for _, _, n in rows))


@pytest.mark.parametrize("case", cases("bootstrap"), ids=lambda case: case["id"])
def test_golden_intervals(case: dict[str, Any]) -> None:
    settings = params()
    wanted = [" ".join(["a"] * n) for n in case["ref_len"]]
    heard = [
        " ".join(["b"] * min(e, n) + ["a"] * (n - e) + ["b"] * (e - n))
        for e, n in zip(case["errors"], case["ref_len"], strict=True)
    ]
    tallies = score(references(wanted, settings), heard, settings)
    expected = case["expected"]
    assert TRACK.compose(tallies, settings).score == pytest.approx(expected["point"])
    final = TRACK.interval(tallies, settings, seed=1)["final"]
    assert final.low == pytest.approx(expected["lo"], abs=expected["tol_lo"])
    assert final.high == pytest.approx(expected["hi"], abs=expected["tol_hi"])


@pytest.mark.parametrize("case", cases("rank_bands"), ids=lambda case: case["id"])
def test_golden_bands(case: dict[str, Any]) -> None:
    rows = [
        Entry(
            one["id"],
            one["point"],
            one["lo"],
            one["hi"],
            TRACK.order_key(Composed(one["point"], "", {}, {}), params()),
            lower_is_better=TRACK.columns[0].lower_is_better is True,
        )
        for one in case["entries"]
    ]
    bands: dict[int | None, list[str]] = {}
    for row in rank(rows, "components"):
        bands.setdefault(row.band, []).append(row.entry.name)
    assert list(bands.values()) == case["expected"]["bands"]


@pytest.mark.parametrize("case", cases("overall"), ids=lambda case: case["id"])
def test_golden_mean_over_languages(case: dict[str, Any]) -> None:
    units = {"en": "wer", "ms": "wer", "ta": "wer", "zh": "cer"}
    settings = TRACK.params(
        {"languages": {k: {"unit": u, "normalizer": f"fleurs-{k}-1"} for k, u in units.items()}}
    )
    rows, given = [], {}
    for language, unit in units.items():
        rate = Fraction(str(case["metrics"][language][unit]))
        glue, token = ("", "天") if unit == "cer" else (" ", "ab")
        wanted = [token] * rate.denominator
        heard = ["水" if unit == "cer" else "cd"] * rate.numerator + wanted[rate.numerator :]
        rows.append({"utt_id": language, "language": language, "text": glue.join(wanted)})
        given[language] = glue.join(heard)
    tallies = TRACK.score(TRACK.references(lines(rows), settings), given, settings)
    assert TRACK.compose(tallies, settings).score == pytest.approx(case["expected"]["overall"])


def two_languages() -> tuple[Any, dict[str, str], Any]:
    settings = TRACK.params(TWO)
    rows = [
        {"utt_id": f"{language}{k}", "language": language, "text": text}
        for language, text in (("en", "red green"), ("yue", "食飯未 ok"))
        for k in range(3)
    ]
    given = {row["utt_id"]: row["text"] for row in rows} | {"en1": "red", "yue0": "食飯 ok"}
    return TRACK.references(lines(rows), settings), given, settings


def test_each_language_has_its_unit_and_what_is_beside() -> None:
    of, given, settings = two_languages()
    found = TRACK.compose(TRACK.score(of, given, settings), settings)
    assert (found.languages["en"]["edits"], found.languages["en"]["reference_length"]) == (1, 6)
    assert (found.languages["yue"]["edits"], found.languages["yue"]["reference_length"]) == (1, 15)
    assert found.languages["yue"]["mer"] == pytest.approx(1 / 12)
    assert found.score == pytest.approx((1 / 6 + 1 / 15) / 2)
    assert found.components["yue-mer"] == pytest.approx(1 / 12)
    assert found.components["pooled"] is None
    assert [column.key for column in TRACK.columns_of(settings)] == [
        "score", "en", "yue", "yue-mer", "mean-of-utterances",
    ]  # fmt: skip
    assert [view.key for view in TRACK.views(settings)] == ["en", "yue"]


def test_a_system_without_a_language_is_shown_and_takes_no_place() -> None:
    of, given, settings = two_languages()
    whole = TRACK.score(of, given, settings)
    half = TRACK.score(of, {k: v for k, v in given.items() if k.startswith("en")}, settings)
    found = TRACK.compose(half, settings)
    assert (found.score, found.withheld_reason) == (None, "LANGUAGES_INCOMPLETE")
    assert found.withheld_reason in TRACK.reasons
    assert found.languages["en"]["score"] == pytest.approx(1 / 6)
    assert found.components["yue-mer"] is None
    assert TRACK.order_key(found, settings) == (1.0,)
    assert TRACK.interval(half, settings, seed=1, replicates=50)["final"].low is None
    assert TRACK.replicates(half, settings, seed=1, replicates=50) is None
    unknown, known = TRACK.paired(whole, [half, whole], settings, seed=1, replicates=50)
    assert (unknown.delta, unknown.p_value) == (None, None)
    assert (known.delta, known.low, known.p_value) == (0, 0, 1)
    assert TRACK.paired(half, [whole], settings, seed=1)[0].delta is None


def test_utterances_missing_within_a_language_were_to_be_checked_before() -> None:
    of, given, settings = two_languages()
    del given["en0"]
    with pytest.raises(PredictionsIncomplete, match="1 utterances"):
        TRACK.score(of, given, settings)
    with pytest.raises(PredictionsIncomplete, match="6 utterances"):
        TRACK.score(of, {}, settings)


def test_tallies_come_back_as_the_same_bytes() -> None:
    of, given, settings = two_languages()
    tallies = TRACK.score(of, given, settings)
    again = TRACK.tallies(tallies.to_bytes())
    assert again == tallies
    assert again.to_bytes() == tallies.to_bytes()
    row = next(row for row in tallies.rows() if row["utt_id"] == "en1")
    assert row == {
        "utt_id": "en1",
        "language": "en",
        "wer_edits": 1,
        "wer_reference_length": 2,
        "wer_hypothesis_length": 1,
        "wer_rate": 0.5,
    }


@pytest.mark.parametrize(
    "data",
    [
        b"[]",
        b'{"schema": "other"}',
        (
            b'{"schema":"error-rate-tallies/1","parts":[{"language":"en","corpus":"","utt_id":["a"],'
            b'"counts":{"wer":{"edits":[1],"reference_lengths":[],"hypothesis_lengths":[1]}}}]}'
        ),
        (
            b'{"schema":"error-rate-tallies/1","parts":[{"language":"en","corpus":"","utt_id":["a"],'
            b'"counts":{"wer":{"edits":[1.5],"reference_lengths":[2],"hypothesis_lengths":[1]}}}]}'
        ),
        b"\xff",
    ],
)
def test_other_bytes_are_no_tallies(data: bytes) -> None:
    with pytest.raises(TalliesInvalid):
        TRACK.tallies(data)


def test_differences_are_those_of_the_same_draws() -> None:
    settings = params()
    wanted, heard = texts(40, 3)
    _, other = texts(40, 3, errors=0.5)
    of = references(wanted, settings)
    first, second, third = (score(of, side, settings) for side in (heard, other, wanted))
    found = TRACK.paired(first, [second, third, first], settings, seed=4, replicates=400)
    replicated = [
        TRACK.replicates(one, settings, seed=4, replicates=400) for one in (first, second)
    ]
    low, high = bootstrap.bounds(replicated[1] - replicated[0])
    assert (found[0].low, found[0].high) == (low, high)
    assert found[0].low > 0 > found[1].high
    assert (found[2].delta, found[2].p_value) == (0, 1)
    alone = TRACK.paired(first, [second], settings, seed=4, replicates=400)
    assert alone == found[:1]


def test_systems_on_other_utterances_are_not_compared() -> None:
    settings = params()
    wanted, heard = texts(6, 3)
    left = score(references(wanted, settings), heard, settings)
    right = score(references(wanted[:-1], settings), heard[:-1], settings)
    with pytest.raises(ClipsDiffer):
        TRACK.paired(left, [right], settings, seed=1)


def test_a_single_utterance_leaves_no_interval() -> None:
    settings = params(**CORPORA)
    of = references(["a b", "a b", "a b"], settings, ["ami", "ami", "dipco"])
    tallies = score(of, ["a b", "a c", "a c"], settings)
    found = TRACK.interval(tallies, settings, seed=1, replicates=200)
    assert found["dipco"].reason == bootstrap.FEWER_THAN_TWO_CLIPS
    assert found["ami"].low is not None
    assert found["final"].reason == "CORPUS_WITHOUT_INTERVAL"
    assert found["final"].reason in TRACK.reasons
    assert TRACK.paired(tallies, [tallies], settings, seed=1)[0].low is None


def test_the_mean_of_corpora_breaks_ties_by_the_pooled_rate() -> None:
    settings = params(**CORPORA, tie_breaks=["pooled"])
    of = references(["a b c d", "a b"], settings, ["ami", "dipco"])
    short, long = (
        TRACK.compose(score(of, heard, settings), settings)
        for heard in (["a b c d", "a x"], ["a b x x", "a b"])
    )
    assert short.score == long.score == 0.25
    assert TRACK.order_key(short, settings) == (0.0, 0.25, 0.166666667)
    assert TRACK.order_key(short, settings) < TRACK.order_key(long, settings)


def test_the_second_opinion_agrees() -> None:
    of, given, settings = two_languages()
    pairs = list(TRACK.edit_pairs(of, given, settings, [*of.ids, "yue0"]))
    assert len(pairs) == 3 + 6 + 2
    for pair in pairs:
        sides = [" ".join(side) for side in (pair.reference_tokens, pair.hypothesis_tokens)]
        found = jiwer.process_words(*sides)
        assert found.substitutions + found.deletions + found.insertions == pair.edits
    assert not list(TRACK.edit_pairs(of, {}, settings, of.ids))
    long = given | {"en0": "a " * CHECKED_TOKENS}
    assert [pair.utt_id for pair in TRACK.edit_pairs(of, long, settings, ["en0", "en1"])] == ["en1"]


BESIDE = {"en": {**LANGUAGES["en"], "beside": ["cer"]}}


@pytest.mark.parametrize(
    ("raw", "paths"),
    [
        ({"languages": {}}, ["languages"]),
        ({"languages": {"en": {"unit": "ter", "normalizer": "x"}}}, ["languages.en.unit", "languages.en.normalizer"]),
        ({"languages": {"English": LANGUAGES["en"]}}, ["languages.English"]),
        ({"languages": {"en": 3}}, ["languages.en"]),
        ({"languages": {"en": {**LANGUAGES["en"], "beside": ["wer"]}}}, ["languages.en.beside"]),
        ({"languages": {"en": {**LANGUAGES["en"], "beside": "cer"}}}, ["languages.en.beside"]),
        ({"languages": {"en": {**LANGUAGES["en"], "more": 1}}}, ["languages.en.more"]),
        ({"corpora": ["a", "a"]}, ["corpora"]),
        ({"corpora": ["en", "A b"]}, ["corpora.A b", "corpora.en"]),
        ({"languages": BESIDE, "corpora": ["en-cer", "b"]}, ["corpora.en-cer"]),
        ({"languages": {**BESIDE, "en-cer": LANGUAGES["en"]}}, ["languages.en-cer"]),
        ({"corpora": ["pooled", "corpus-level"]}, ["corpora.corpus-level", "corpora.pooled"]),
        ({"corpora": {"a": ""}}, ["corpora.a"]),
        ({"corpora": 3}, ["corpora"]),
        ({"overall": "corpora"}, ["overall"]),
        ({"overall": "best", "rate": "median", "tie_breaks": ["name"]}, ["overall", "rate", "tie_breaks"]),
        ({**TWO, "corpora": ["a"], "tie_breaks": ["pooled"]}, ["corpora", "tie_breaks"]),
        ({**TWO, "overall": "pooled"}, ["overall"]),
        ({"weights": {}}, ["weights"]),
    ],
)  # fmt: skip
def test_every_fault_of_the_settings_is_told(raw: dict[str, Any], paths: list[str]) -> None:
    with pytest.raises(ParamsInvalid) as refused:
        TRACK.params({"languages": {"en": LANGUAGES["en"]}, **raw})
    assert [fault.path for fault in refused.value.faults] == paths


def test_the_canonical_form_reads_back() -> None:
    for raw in ({}, TWO, {**CORPORA, "overall": "pooled", "rate": "utterances"}):
        settings = TRACK.params(raw)
        assert TRACK.params(TRACK.params_json(settings)) == settings


def test_the_page_shows_the_points_of_each_normalizer() -> None:
    sections = TRACK.methodology(TRACK.params(TWO))
    titles = [str(section.title) for section in sections]
    for name in ("a5s-1", "yue-1"):
        for section in normalizers.get(name).describe():
            assert str(section.title) in titles
    assert ("they book a meeting room → they book meeting rooms", "WER 2 / 5") in sections[
        1
    ].examples
    assert "(en + yue) / 2" in sections[0].formula


@given(st.lists(st.lists(st.sampled_from([*WORDS, ""]), max_size=4), min_size=1, max_size=6))
def test_a_perfect_copy_has_no_error(rows: list[list[str]]) -> None:
    settings = params()
    texts_of = [" ".join(["red", *row]) for row in rows]
    tallies = score(references(texts_of, settings), texts_of, settings)
    assert TRACK.compose(tallies, settings).score == 0
    assert len(tallies.rows()) == len(rows)
