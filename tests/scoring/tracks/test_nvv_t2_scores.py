"""The arithmetic of Track 2: golden values, worked examples, laws, and a plain second computation."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.tracks.nvv_t2 import TRACK
from grading.scoring.tracks.nvv_t2_marks import (
    LanguageMarks,
    Marks,
    MarksInvalid,
    collapse,
    language_marks,
    mean,
    norm,
)
from grading.scoring.tracks.nvv_t2_scores import (
    Contender,
    SpeechScore,
    combine,
    combined_score,
    language_score,
    order_key,
    rank_final,
    speech_score,
)
from tests.scoring.golden import cases, nvv

PARAMS = TRACK.params({})
WEIGHTS = {"A": 0.30, "P": 0.25, "N": 0.15, "Q": 0.15, "E": 0.15}


def marks(a: Any, p: Any, n: Any, q: Any, e: Any) -> Marks:
    return Marks.read({"A": a, "P": p, "N": n, "Q": q, "E": e})


MARKS = st.builds(
    marks,
    st.integers(0, 5),
    st.integers(0, 5),
    st.integers(1, 5),
    st.integers(1, 5),
    st.integers(1, 5),
)
RATINGS = st.dictionaries(
    st.sampled_from("abcdefg"), st.lists(MARKS, min_size=1, max_size=4), min_size=1
)


def of_means(means: dict[str, Any]) -> LanguageMarks:
    found = Marks.read({name: Decimal(str(value)) for name, value in means.items()})
    return LanguageMarks(found, 1, (), "")


def plain_score(ratings: dict[str, list[Marks]]) -> float:
    """The language score by loops and floats, in the order of the protocol's words."""
    total = 0.0
    for name, weight in WEIGHTS.items():
        means = []
        for rows in ratings.values():
            given = []
            for row in rows:
                value = float(getattr(row, name))
                if name == "E" and (row.A == 0 or row.P == 0) and value > 3:
                    value = 3.0
                given.append(value)
            means.append(sum(given) / len(given))
        whole = sum(means) / len(means)
        share = 0.0 if whole <= 0 else min(1.0, max(0.0, (whole - 1) / 4))
        total += weight * share
    return 100 * total


@pytest.mark.parametrize("case", nvv()["track2"], ids=lambda case: case["name"])
def test_a_golden_language_score(case: dict[str, Any]) -> None:
    shares = of_means(case["means"]).norms
    assert shares is not None
    assert float(language_score(shares, PARAMS)) == pytest.approx(case["score"], abs=1e-9)


def test_the_golden_final_score() -> None:
    means = {case["name"].split()[-1].lower(): case["means"] for case in nvv()["track2"][:2]}
    (expected,) = nvv()["track2_final"]
    found = speech_score({name: of_means(part) for name, part in means.items()}, PARAMS)
    assert found.score is not None
    assert float(found.languages["zh"]) == pytest.approx(expected["zh"], abs=1e-9)
    assert float(found.languages["en"]) == pytest.approx(expected["en"], abs=1e-9)
    assert float(found.score) == pytest.approx(expected["final"], abs=1e-9)
    assert found.as_json()["score"] == pytest.approx(expected["final"], abs=1e-9)


@pytest.mark.parametrize("case", nvv()["track2_combined"], ids=lambda case: case["name"])
def test_a_golden_combination(case: dict[str, Any]) -> None:
    parts = [Fraction(str(case[name])) for name in ("lalm", "human")]
    assert float(combine(*parts, PARAMS)) == pytest.approx(case["final"], abs=1e-9)


@pytest.mark.parametrize("case", cases("track2_score"), ids=lambda case: case["id"])
def test_a_golden_score_of_shares(case: dict[str, Any]) -> None:
    shares = Marks(**{name: Fraction(str(value)) for name, value in case["inputs"].items()})
    assert float(language_score(shares, PARAMS)) == pytest.approx(
        case["expected"]["score"], abs=1e-9
    )


def test_a_worked_example() -> None:
    # u1: A 4 P 4 N 4 Q 4 E 5 and A 0 P 0 N 2 Q 4 E 5 (capped to 3) -> 2 2 3 4 4
    # u2: A 5 P 5 N 5 Q 4 E 4                                       -> 5 5 5 4 4
    # means 3.5 3.5 4 4 4 -> shares .625 .625 .75 .75 .75 -> 34.375 + 3 * 11.25 = 68.125
    ratings = {"u1": [marks(4, 4, 4, 4, 5), marks(0, 0, 2, 4, 5)], "u2": [marks(5, 5, 5, 4, 4)]}
    found = language_marks(ratings, rated=["u1", "u2"])
    assert found.means == marks(3.5, 3.5, 4, 4, 4)
    assert found.norms is not None
    assert language_score(found.norms, PARAMS) == Fraction("68.125")


def test_the_mean_comes_before_the_norm() -> None:
    # norm(0) and norm(5) are 0 and 1, their mean is 0.5; norm of the mean 2.5 is 0.375
    ratings = {"u1": [marks(0, 3, 3, 3, 3)], "u2": [marks(5, 3, 3, 3, 3)]}
    found = language_marks(ratings, rated=ratings)
    assert found.norms is not None
    assert found.norms[0] == Fraction(3, 8)
    assert language_score(found.norms, PARAMS) == Fraction("46.25")


@pytest.mark.parametrize(
    ("given", "counted"),
    [
        (marks(0, 4, 4, 4, 5), 3),
        (marks(4, 0, 4, 4, 4), 3),
        (marks(0, 0, 4, 4, 2), 2),
        (marks(1, 1, 4, 4, 5), 5),
        (marks(0.5, 1, 4, 4, 5), 5),
    ],
)
def test_expression_is_capped_where_the_vocalization_is_absent(given: Marks, counted: int) -> None:
    assert given.capped() == given._replace(E=Fraction(counted))


def test_ticking_absent_sets_accuracy_and_effect_to_zero() -> None:
    ticked = Marks.read({"N": 4, "Q": 4, "E": 5}, absent=True)
    assert ticked == marks(0, 0, 4, 4, 5)
    assert ticked.capped().E == 3


def test_replicates_are_collapsed_by_their_median_each_after_its_own_cap() -> None:
    # E: 5 capped to 3, then 4 and 4: the median is 4; capped after the median it would be 4 too,
    # but with two absent ones it is 3
    assert collapse([marks(0, 0, 1, 1, 5), marks(4, 4, 2, 2, 4), marks(5, 5, 3, 3, 4)]) == marks(
        4, 4, 2, 2, 4
    )
    assert collapse([marks(0, 0, 1, 1, 5), marks(0, 0, 2, 2, 5), marks(5, 5, 3, 3, 5)]).E == 3
    assert collapse([marks(3, 3, 3, 3, 3), marks(4, 4, 4, 4, 4)]) == marks(3.5, 3.5, 3.5, 3.5, 3.5)
    with pytest.raises(MarksInvalid):
        collapse([])


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"A": 1, "P": 1, "N": 1, "Q": 1},
        {"A": 6, "P": 1, "N": 1, "Q": 1, "E": 1},
        {"A": -1, "P": 1, "N": 1, "Q": 1, "E": 1},
        {"A": 1, "P": 1, "N": 0, "Q": 1, "E": 1},
        {"A": float("nan"), "P": 1, "N": 1, "Q": 1, "E": 1},
        {"A": Decimal("NaN"), "P": 1, "N": 1, "Q": 1, "E": 1},
        {"A": float("inf"), "P": 1, "N": 1, "Q": 1, "E": 1},
        {"A": Decimal("-Infinity"), "P": 1, "N": 1, "Q": 1, "E": 1},
        {"A": None, "P": 1, "N": 1, "Q": 1, "E": 1},
        {"A": "3", "P": 1, "N": 1, "Q": 1, "E": 1},
        {"A": True, "P": 1, "N": 1, "Q": 1, "E": 1},
    ],
)
def test_what_is_no_mark_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(MarksInvalid):
        Marks.read(given)


def test_a_missing_mark_withholds_and_is_never_filled_in() -> None:
    whole = {"u1": [marks(5, 5, 5, 5, 5)] * 3, "u2": [marks(5, 5, 5, 5, 5)] * 2}
    found = language_marks(whole, rated=["u1", "u2", "u3"], needed=3)
    assert found == LanguageMarks(None, 3, ("u2", "u3"), "MARKS_MISSING")
    assert found.norms is None
    score = speech_score({"en": language_marks(whole, rated=["u1"], needed=3), "zh": found}, PARAMS)
    assert score.score is None
    assert score.norms is None
    assert score.withheld_reason == "MARKS_MISSING"
    assert score.languages == {"en": 100}
    assert score.as_json()["score"] is None
    with pytest.raises(ValueError, match="withheld"):
        order_key(score, PARAMS)


def test_a_language_that_is_not_there_withholds() -> None:
    full = language_marks({"u": [marks(5, 5, 5, 5, 5)]}, rated=["u"])
    assert speech_score({"en": full}, PARAMS).withheld_reason == "NOT_JUDGED"
    nothing = language_marks({}, rated=[])
    assert nothing.withheld_reason == "NO_UTTERANCES"
    with pytest.raises(ValueError, match="at least one"):
        language_marks({}, rated=[], needed=0)


def test_ratings_of_utterances_that_are_not_rated_do_not_count() -> None:
    ratings = {"u1": [marks(5, 5, 5, 5, 5)], "extra": [marks(0, 0, 1, 1, 1)]}
    assert language_marks(ratings, rated=["u1"]).means == marks(5, 5, 5, 5, 5)


@given(RATINGS)
def test_the_score_is_that_of_the_plain_computation(ratings: dict[str, list[Marks]]) -> None:
    shares = language_marks(ratings, rated=ratings).norms
    assert shares is not None
    score = language_score(shares, PARAMS)
    assert float(score) == pytest.approx(plain_score(ratings), abs=1e-9)
    assert 0 <= score <= 100


@given(RATINGS, st.randoms(use_true_random=False))
def test_no_order_changes_a_digit(ratings: dict[str, list[Marks]], chance: random.Random) -> None:
    items = [(utt_id, chance.sample(rows, len(rows))) for utt_id, rows in ratings.items()]
    chance.shuffle(items)
    assert language_marks(dict(items), rated=sorted(ratings)) == language_marks(
        ratings, rated=ratings
    )


@given(RATINGS, st.data())
def test_a_better_mark_never_lowers_the_score(ratings: dict[str, list[Marks]], data) -> None:
    utt_id = data.draw(st.sampled_from(sorted(ratings)))
    name = data.draw(st.sampled_from(Marks._fields))
    first = ratings[utt_id][0]
    better = first._replace(**{name: min(Fraction(5), getattr(first, name) + 1)})
    changed = {**ratings, utt_id: [better, *ratings[utt_id][1:]]}
    before, after = (language_marks(part, rated=part).norms for part in (ratings, changed))
    assert before is not None
    assert after is not None
    assert language_score(after, PARAMS) >= language_score(before, PARAMS)


@given(st.fractions(-2, 7), st.fractions(-2, 7))
def test_the_norm_is_held_within_its_ends_and_grows(one: Fraction, other: Fraction) -> None:
    low, high = sorted((one, other))
    assert 0 <= norm(low) <= norm(high) <= 1
    assert norm(Fraction(0)) == norm(Fraction(1)) == 0
    assert norm(Fraction(5)) == 1


def test_nothing_has_no_mean() -> None:
    with pytest.raises(MarksInvalid):
        mean([])


def score_of(en: Marks, zh: Marks | None = None) -> SpeechScore:
    parts = {"en": en, "zh": zh if zh is not None else en}
    return speech_score(
        {name: LanguageMarks(found, 1, (), "") for name, found in parts.items()}, PARAMS
    )


@given(MARKS, MARKS, MARKS, MARKS)
def test_a_combined_score_is_the_weighted_sum_of_its_combined_shares(a, b, c, d) -> None:
    judge, people = score_of(a, b), score_of(c, d)
    final = combined_score(judge, people, PARAMS)
    assert final.norms is not None
    assert final.score == language_score(final.norms, PARAMS)
    assert final.score == Fraction(3, 10) * judge.score + Fraction(7, 10) * people.score
    assert final.languages["en"] == (3 * judge.languages["en"] + 7 * people.languages["en"]) / 10


def test_a_withheld_part_withholds_the_combination() -> None:
    whole, withheld = score_of(marks(5, 5, 5, 5, 5)), SpeechScore(None, {}, None, "MARKS_MISSING")
    for judge, people in ((whole, withheld), (withheld, whole)):
        final = combined_score(judge, people, PARAMS)
        assert (final.score, final.withheld_reason) == (None, "MARKS_MISSING")


def contender(name: str, people: Marks | None, **more: Any) -> Contender:
    judge = score_of(marks(3, 3, 3, 3, 3))
    return Contender(name, judge, None if people is None else score_of(people), **more)


def places(rows: Any) -> list[tuple[str, int | None]]:
    return [(row.contender.name, row.place) for row in rows]


def test_ties_are_broken_by_accuracy_then_effect_then_naturalness_then_shared() -> None:
    # all have the same score: A, P, N and Q + E are traded against each other by their weights
    people = {
        "less accurate": marks(2.5, 3.6, 3, 3, 3),
        "more accurate": marks(3, 3, 3, 3, 3),
        "less effective": marks(3, 2.4, 4, 3, 3),
        "more natural": marks(3, 3, 3.5, 2.5, 3),
        "twin of the first": marks(3, 3, 3, 2, 4),
    }
    board = rank_final([contender(name, given) for name, given in people.items()], PARAMS)
    assert len({row.final.score for row in board.final}) == 1
    assert places(board.final) == [
        ("more natural", 1),
        ("more accurate", 2),
        ("twin of the first", 2),
        ("less effective", 4),
        ("less accurate", 5),
    ]


def test_scores_are_compared_at_six_decimals() -> None:
    # an accuracy lower by 4e-8 moves the score by 2.1e-7 after the weights: the same place
    close, apart = Decimal("2.99999996"), Decimal("2.9999")
    board = rank_final(
        [
            contender("b", marks(close, 3, 3, 3, 3)),
            contender("a", marks(3, 3, 3, 3, 3)),
            contender("c", marks(apart, 3, 3, 3, 3)),
        ],
        PARAMS,
    )
    assert places(board.final) == [("a", 1), ("b", 1), ("c", 3)]


def test_systems_that_only_the_judge_heard_are_in_a_list_of_their_own() -> None:
    board = rank_final(
        [
            contender("judged", None),
            contender("rated", marks(1, 1, 1, 1, 1)),
            contender("baseline", marks(5, 5, 5, 5, 5), official=False),
            Contender("waiting", score_of(marks(5, 5, 5, 5, 5)), SpeechScore(None, {}, None, "MARKS_MISSING")),
        ],
        PARAMS,
    )  # fmt: skip
    assert places(board.final) == [("baseline", None), ("rated", 1), ("waiting", None)]
    assert board.final[2].final.withheld_reason == "MARKS_MISSING"
    assert places(board.judged_only) == [("judged", 1)]
    assert board.judged_only[0].final == board.judged_only[0].contender.judge


@given(st.lists(MARKS, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_board_does_not_depend_on_the_order_of_entry(rows, chance: random.Random) -> None:
    entered = [contender(f"s{number}", given) for number, given in enumerate(rows)]
    board = rank_final(entered, PARAMS)
    shuffled = chance.sample(entered, len(entered))
    assert places(rank_final(shuffled, PARAMS).final) == places(board.final)
    keys = [order_key(row.final, PARAMS) for row in board.final]
    assert keys == sorted(keys)
    expected = [1 + sum(other < key for other in keys) for key in keys]
    assert [row.place for row in board.final] == expected


def test_the_tie_breaks_are_a_setting() -> None:
    params = TRACK.params({"tie_breaks": []})
    board = rank_final(
        [contender("a", marks(2.5, 3.6, 3, 3, 3)), contender("b", marks(3, 3, 3, 3, 3))], params
    )
    assert places(board.final) == [("a", 1), ("b", 1)]
