"""Which systems are rated: the first n, ties at the n-th, who overlaps it, baselines, the limit."""

from __future__ import annotations

import pytest

from grading.scoring.rating.choosing import Candidate, Choice, ChoiceRefused, choose


def row(name: str, place: int | None, score: float, half: float = 0.0, **more: bool) -> Candidate:
    return Candidate(name, place, score, score - half, score + half, **more)


def names(choice: Choice, reason: str = "") -> list[str]:
    return [one.candidate.name for one in choice.chosen if not reason or one.reason == reason]


def board(count: int, half: float = 0.0) -> list[Candidate]:
    return [row(f"s{place:02d}", place, 90 - 2 * place, half) for place in range(1, count + 1)]


def test_the_first_n_by_place_are_chosen_whatever_the_order_of_rows() -> None:
    assert names(choose(board(12)[::-1])) == [f"s{place:02d}" for place in range(1, 9)]


def test_fewer_than_n_are_all_chosen() -> None:
    choice = choose(board(3))
    assert names(choice) == ["s01", "s02", "s03"]
    assert choice.left_out == ()


def test_who_shares_the_last_place_is_among_the_first() -> None:
    rows = [*board(7), row("x", 8, 70), row("y", 8, 70), row("z", 10, 60)]
    assert names(choose(rows), "top")[-2:] == ["x", "y"]
    assert "z" not in names(choose(rows))


def test_who_overlaps_the_last_is_chosen_as_well_even_where_they_only_touch() -> None:
    rows = [*board(8), row("near", 9, 72, 1), row("touches", 10, 71, 2), row("far", 11, 60, 1)]
    rows[7] = row("s08", 8, 74, 1)
    choice = choose(rows)
    assert names(choice, "overlap") == ["near", "touches"]
    assert choice.left_out == ()


def test_without_an_interval_a_score_overlaps_its_equal_alone() -> None:
    rows = [Candidate("a", 1, 50.0), Candidate("b", 2, 50.0), Candidate("c", 3, 49.0)]
    assert names(choose(rows, n=1)) == ["a", "b"]


def test_the_limit_counts_baselines_and_takes_the_nearest_places() -> None:
    rows = [*board(20, half=10), row("base", None, 20, is_baseline=True)]
    choice = choose(rows)
    assert names(choice, "overlap") == ["s09", "s10", "s11"]
    assert names(choice)[-1] == "base"
    assert len(choice.chosen) == 12
    assert [one.name for one in choice.left_out][:2] == ["s12", "s13"]


def test_of_a_shared_place_all_fit_or_none() -> None:
    near = [row(name, 9, 73, 5) for name in "abcde"]
    rows = [*board(8, half=5), *near, row("f", 14, 72, 5)]
    choice = choose(rows)
    assert names(choice, "overlap") == []
    assert [one.name for one in choice.left_out] == ["a", "b", "c", "d", "e", "f"]


def test_a_baseline_is_chosen_once_and_outside_the_rank_it_takes_no_room_of_the_first() -> None:
    rows = [row("base", None, 99, 5, is_baseline=True), *board(8)]
    choice = choose(rows)
    assert names(choice, "top") == [f"s{place:02d}" for place in range(1, 9)]
    assert names(choice, "baseline") == ["base"]
    assert names(choice).count("base") == 1


def test_an_unofficial_row_is_not_chosen() -> None:
    assert names(choose([*board(2), row("guest", None, 95)])) == ["s01", "s02"]


def test_what_cannot_be_chosen_is_refused() -> None:
    with pytest.raises(ChoiceRefused):
        choose([row("base", None, 50, is_baseline=True)])
    with pytest.raises(ChoiceRefused):
        choose([row(str(number), 1, 50) for number in range(13)])
    with pytest.raises(ValueError, match="at least 1"):
        choose(board(3), n=0)
    with pytest.raises(ValueError, match="at most"):
        choose(board(3), n=13)
