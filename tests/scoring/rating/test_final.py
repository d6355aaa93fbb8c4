"""The final board: golden scores, two lists, what is withheld, and the intervals' independent digits."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from grading.scoring.rating import crossed
from grading.scoring.rating.final import (
    ENTRANT_OUT,
    RATINGS_INCOMPLETE,
    FinalLine,
    Plan,
    Rules,
    System,
    final_board,
)
from grading.scoring.rating.panel import Rating, read_panel
from grading.scoring.tracks.base import Interval
from grading.scoring.tracks.nvv_t2 import TRACK
from grading.scoring.tracks.nvv_t2_marks import MARKS_MISSING, Marks, language_marks
from grading.scoring.tracks.nvv_t2_scores import NOT_JUDGED, Contender, rank_final, speech_score
from tests.scoring.golden import nvv
from tests.scoring.rating.finals import (
    LANGUAGES,
    RATED,
    both,
    judged,
    marks_for,
    rated,
    system,
    utterances,
)

PARAMS = TRACK.params({})
PLAN = Plan({name: utterances(name, RATED) for name in LANGUAGES})
RULES = Rules(PARAMS, PLAN, seed=7, replicates=200)


def view(lines: list[FinalLine], view: str = "", listing: str = "rated") -> dict[str, FinalLine]:
    return {one.name: one for one in lines if (one.view, one.listing) == (view, listing)}


@pytest.mark.parametrize("score", ["48.04", "50", "72.94", "74.87", "55.51", "46.76"])
def test_the_made_marks_have_the_score_that_was_asked_for(score: str) -> None:
    marks = marks_for(score)
    parts = {name: {str(n): [one] for n, one in enumerate(marks)} for name in LANGUAGES}
    found = {name: language_marks(given, rated=given) for name, given in parts.items()}
    assert speech_score(found, PARAMS).score == Fraction(score)
    assert all(1 <= value <= 5 for one in marks for value in one)


def test_the_golden_combined_scores_come_out() -> None:
    golden = nvv()["track2_combined"]
    systems = [system(case["name"], str(case["lalm"])) for case in golden]
    ratings = [row for case in golden for row in rated(case["name"], both(str(case["human"])))]
    found = view(final_board(systems, ratings, RULES))
    assert [found[case["name"]].place for case in golden] == [1, 2, 3]
    for case in golden:
        line = found[case["name"]]
        assert line.score == pytest.approx(case["final"], abs=1e-9)
        assert line.judge == pytest.approx(case["lalm"], abs=1e-9)
        assert line.people == pytest.approx(case["human"], abs=1e-9)
        assert line.interval.low is not None
        assert line.interval.low < case["final"] < (line.interval.high or 0)


def test_languages_differ_and_their_mean_is_the_final_score() -> None:
    judge = System("x", judged({"zh": "77.62", "en": "70.30"}), is_rated=True)
    ratings = rated("x", {"zh": "60.10", "en": "40.20"})
    lines = final_board([judge], ratings, RULES)
    zh, en = view(lines, "zh")["x"], view(lines, "en")["x"]
    assert zh.score == pytest.approx(0.3 * 77.62 + 0.7 * 60.10, abs=1e-9)
    assert en.score == pytest.approx(0.3 * 70.30 + 0.7 * 40.20, abs=1e-9)
    assert view(lines)["x"].score == pytest.approx((zh.score + en.score) / 2, abs=1e-9)


def test_places_are_those_of_the_tracks_own_ranking() -> None:
    chance = random.Random(5)  # noqa: S311  chance, not a secret
    systems, ratings, contenders = [], [], []
    for name in "abcdefg":
        judge, people = (f"{chance.randint(3000, 8000) / 100:.2f}" for _ in range(2))
        official = name != "d"
        systems.append(system(name, judge, official=official))
        ratings += rated(name, both(people))
        scores = [
            speech_score(
                {
                    part: language_marks(given, rated=given)
                    for part in LANGUAGES
                    for given in [{str(n): [m] for n, m in enumerate(marks_for(text))}]
                },
                PARAMS,
            )
            for text in (judge, people)
        ]
        contenders.append(Contender(name, scores[0], scores[1], official=official))
    found = view(final_board(systems, ratings, RULES))
    expected = {row.contender.name: row for row in rank_final(contenders, PARAMS).final}
    assert {name: row.place for name, row in found.items()} == {
        name: row.place for name, row in expected.items()
    }
    assert found["d"].place is None


def test_equal_systems_share_a_place_and_the_next_is_skipped() -> None:
    systems = [system("a", "60"), system("b", "60"), system("c", "50")]
    ratings = [
        row
        for name, score in zip("abc", ("55", "55", "55"), strict=True)
        for row in rated(name, both(score))
    ]
    found = view(final_board(systems, ratings, RULES))
    assert [found[name].place for name in "abc"] == [1, 1, 3]


def test_a_tie_is_broken_by_accuracy_and_below_six_decimals_it_is_one() -> None:
    # the same score from more accuracy: 5 marks of A are worth 10 of N
    high = Marks(*map(Fraction, (4, 3, 3, 3, 3)))
    low = Marks(*map(Fraction, (3, 3, 5, 3, 3)))

    def of(marks: Marks) -> dict[str, dict[str, Marks]]:
        return {name: dict.fromkeys(utterances(name), marks) for name in LANGUAGES}

    systems = [System("low", of(low), is_rated=True), System("high", of(high), is_rated=True)]
    ratings = [*rated("low", both("50")), *rated("high", both("50"))]
    found = view(final_board(systems, ratings, RULES))
    assert found["low"].score == found["high"].score
    assert (found["high"].place, found["low"].place) == (1, 2)


def test_a_missing_rating_withholds_and_gives_no_place_and_no_partial_mean() -> None:
    systems = [system("a", "60"), system("b", "50")]
    ratings = [*rated("a", both("55")), *rated("b", both("50"))]
    of_one = [row for row in ratings if (row.system, row.utt_id) == ("a", "en_003")]
    few = [row for row in ratings if row not in of_one[:3]]
    lines = final_board(systems, few, RULES)
    withheld = view(lines)["a"]
    assert (withheld.score, withheld.people, withheld.place) == (None, None, None)
    assert withheld.withheld_reason == MARKS_MISSING
    assert withheld.interval == Interval(None, None)
    assert withheld.ratings_least == 2
    assert view(lines)["b"].place == 1
    # the other language is complete, but has no draws of its own
    assert view(lines, "zh")["a"].score is not None
    assert view(lines, "zh")["a"].interval.reason == RATINGS_INCOMPLETE
    enough = [row for row in ratings if row not in of_one[:2]]
    provisional = view(final_board(systems, enough, RULES))["a"]
    assert (provisional.is_provisional, provisional.place) == (True, 1)
    assert not view(final_board(systems, ratings, RULES))["a"].is_provisional


def test_without_the_judge_a_rated_system_is_withheld_and_people_show() -> None:
    reference = System("reference", {}, is_rated=True, official=False)
    found = view(final_board([reference], rated("reference", both("90")), RULES))["reference"]
    assert (found.score, found.withheld_reason, found.people) == (None, NOT_JUDGED, 90.0)


def test_who_is_out_keeps_a_line_without_a_number() -> None:
    out = replace(system("a", "60"), is_out=True)
    judged_only = replace(system("j", "60", is_rated=False), is_out=True)
    systems = [out, system("b", "50"), judged_only]
    ratings = [*rated("a", both("55")), *rated("b", both("50"))]
    lines = final_board(systems, ratings, RULES)
    for line in (view(lines)["a"], view(lines, listing="judged")["j"]):
        assert (line.score, line.judge, line.people, line.place) == (None, None, None, None)
        assert line.withheld_reason == ENTRANT_OUT
    assert view(lines)["b"].place == 1


def test_judged_systems_stand_in_a_list_of_their_own_with_the_judges_interval() -> None:
    span = {"": Interval(70.0, 90.0)}
    other = replace(system("j", "80", is_rated=False), intervals=span)
    ratings = [*rated("a", both("30")), *rated("j", both("99"))]
    lines = final_board([system("a", "40"), other], ratings, RULES)
    line = view(lines, listing="judged")["j"]
    assert (line.place, line.score, line.judge, line.people) == (1, 80.0, 80.0, None)
    assert line.interval == Interval(70.0, 90.0)
    assert list(view(lines)) == ["a"]
    assert len({(one.view, one.name) for one in lines}) == len(lines)


def test_intervals_are_the_percentiles_of_the_crossed_draws() -> None:
    systems = [system("a", "60"), system("b", "58")]
    ratings = [*rated("a", both("55")), *rated("b", both("50"))]
    judge = {name: {one.name: one.judge[name] for one in systems} for name in LANGUAGES}
    drawn = crossed.resample(read_panel(ratings), PARAMS, seed=7, judge=judge, replicates=200)
    lines = final_board(systems, ratings, RULES)
    for name in "ab":
        ordered = np.sort(drawn[name].final)
        found = view(lines)[name].interval
        assert (found.low, found.high) == pytest.approx((ordered[4], ordered[194]), abs=1e-12)
        ordered = np.sort(drawn[name].languages["zh"])
        found = view(lines, "zh")[name].interval
        assert (found.low, found.high) == pytest.approx((ordered[4], ordered[194]), abs=1e-12)
    paired = drawn["b"].final - drawn["a"].final
    told = view(lines)["b"].difference
    assert told["leader"] == "a"
    assert (told["low"], told["high"]) == pytest.approx(tuple(np.sort(paired)[[4, 194]]), abs=1e-12)


def test_neither_order_nor_what_is_outside_the_plan_changes_a_digit() -> None:
    systems = [system("a", "60"), system("b", "58"), system("j", "41", is_rated=False)]
    ratings = [*rated("a", both("55")), *rated("b", both("50"))]
    first = [one.as_json() for one in final_board(systems, ratings, RULES)]
    shuffled = [*ratings, *rated("j", both("80")), *rated("unknown", both("20"))]
    outside = Marks(*map(Fraction, (0, 0, 1, 1, 1)))
    shuffled += [Rating("a", "en", "en_099", "en-r0", outside)]
    random.Random(1).shuffle(shuffled)  # noqa: S311  chance, not a secret
    again = [one.as_json() for one in final_board(systems[::-1], shuffled, RULES)]
    assert again == first
    other = final_board(systems, ratings, replace(RULES, seed=8))
    assert [one.as_json() for one in other] != first


def test_before_anybody_has_rated_there_is_no_place() -> None:
    lines = final_board([system("a", "60")], [], replace(RULES, plan=Plan({})))
    line = view(lines)["a"]
    assert (line.score, line.place, line.judge) == (None, None, 60.0)
    assert line.withheld_reason
