from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring import bootstrap
from grading.scoring.tally import NvvTallies, UtteranceTally
from grading.scoring.tracks.nvv_t1 import TRACK
from tests.scoring.golden import PARAMS, cases, demo_corpus
from tests.scoring.oracles import draws

COLUMNS = st.lists(st.lists(st.integers(0, 2**20), min_size=3, max_size=3), min_size=1, max_size=4)


def row(utt_id: str, language: str, tp: int, fn: int, ntd: Fraction | None) -> UtteranceTally:
    return UtteranceTally(utt_id, language, tp, 0, fn, ntd, fn, 5, ())


def plain_score(rows: list[UtteranceTally]) -> Fraction:
    """The language's score from resampled rows, in exact arithmetic."""
    tp, missed = sum(r.tp for r in rows), sum(r.fp + r.fn for r in rows)
    ntds = [r.ntd for r in rows if r.ntd is not None]
    f1 = Fraction(2 * tp, 2 * tp + missed) if tp + missed else Fraction(0)
    mntd = sum(ntds, Fraction(0)) / len(ntds) if ntds else Fraction(1)
    error = Fraction(sum(r.edits for r in rows), sum(r.tokens for r in rows))
    return 70 * f1 + 20 * (1 - mntd) + 10 * (1 - min(error, Fraction(1)))


@pytest.mark.parametrize("replicates", [40, 101])
def test_intervals_equal_a_plain_computation(replicates: int) -> None:
    tallies = TRACK.score(*demo_corpus(), PARAMS)
    languages = [list(tallies.of_language(language)) for language in ("en", "zh")]
    stream = iter(draws(99, replicates * len(tallies.utterances)))
    scores: dict[str, list[Fraction]] = {"en": [], "zh": [], "final": []}
    for _ in range(replicates):
        for language, rows in zip(("en", "zh"), languages, strict=True):
            chosen = [rows[(next(stream) * len(rows)) >> 32] for _ in rows]
            scores[language].append(plain_score(chosen))
        scores["final"].append((scores["en"][-1] + scores["zh"][-1]) / 2)
    found = TRACK.interval(tallies, PARAMS, seed=99, replicates=replicates)
    for name, values in scores.items():
        ordered = sorted(values)
        low, high = -(-25 * replicates // 1000), -(-975 * replicates // 1000)
        assert found[name].low == pytest.approx(float(ordered[low - 1]), abs=1e-7)
        assert found[name].high == pytest.approx(float(ordered[high - 1]), abs=1e-7)


@given(COLUMNS, st.integers(0, 2**64 - 1), st.integers(1, 9))
def test_resampled_sums_are_exact(columns: list[list[int]], seed: int, replicates: int) -> None:
    first = np.array(columns, dtype=np.int64)
    second = first[:, :2]
    found = bootstrap.resample([first, second], seed=seed, replicates=replicates)
    stream = iter(draws(seed, replicates * 5))
    for replicate in range(replicates):
        for table, sums in zip((first, second), found, strict=True):
            size = table.shape[1]
            chosen = [(next(stream) * size) >> 32 for _ in range(size)]
            assert sums[:, replicate].tolist() == [
                sum(int(column[k]) for k in chosen) for column in table
            ]


@given(COLUMNS, st.integers(0, 2**64 - 1), st.integers(1, 9), st.sampled_from([0, 30, 40]))
def test_products_give_the_same_sums(
    columns: list[list[int]], seed: int, replicates: int, shift: int
) -> None:
    first = np.array(columns, dtype=np.int64) << shift
    strata = [first, first[[0, *range(len(first)), 0], :2]]
    wanted = bootstrap.resample(strata, seed=seed, replicates=replicates)
    found = bootstrap.resample_many(strata, seed=seed, replicates=replicates)
    assert [table.tolist() for table in found] == [table.tolist() for table in wanted]


def test_products_are_exact_beyond_what_a_float_holds() -> None:
    table = np.array([[2**53 + 1, 0, 5], [2**24 + 1, 1, 0], [3, 2, 1]])
    for part in (table, table[1:], table[2:]):
        wanted = bootstrap.resample([part], seed=4, replicates=300)[0]
        found = bootstrap.resample_many([part], seed=4, replicates=300)[0]
        assert found.tolist() == wanted.tolist()


def test_products_do_not_depend_on_the_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.arange(21, dtype=np.int64).reshape(3, 7)
    whole = bootstrap.resample_many([table], seed=3, replicates=501)[0]
    monkeypatch.setattr(bootstrap, "_CHUNK_COUNTS", 30)
    assert bootstrap.resample_many([table], seed=3, replicates=501)[0].tolist() == whole.tolist()


def test_draws_do_not_depend_on_the_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.arange(21, dtype=np.int64).reshape(3, 7)
    whole = bootstrap.resample([table], seed=3, replicates=501)[0]
    monkeypatch.setattr(bootstrap, "_CHUNK_DRAWS", 30)
    assert bootstrap.resample([table], seed=3, replicates=501)[0].tolist() == whole.tolist()


@pytest.mark.parametrize("case", cases("bootstrap"), ids=lambda case: case["id"])
def test_golden_bounds_of_error_rates(case: dict[str, Any]) -> None:
    table = np.array([case["errors"], case["ref_len"]], dtype=np.int64)
    errors, lengths = bootstrap.resample([table], seed=1, replicates=case["resamples"])[0]
    low, high = bootstrap.bounds(errors / lengths)
    expected = case["expected"]
    assert table[0].sum() / table[1].sum() == pytest.approx(expected["point"])
    assert low == pytest.approx(expected["lo"], abs=expected["tol_lo"])
    assert high == pytest.approx(expected["hi"], abs=expected["tol_hi"])


def test_the_same_seed_gives_the_same_interval_and_another_another() -> None:
    tallies = TRACK.score(*demo_corpus(), PARAMS)
    first, again, other = (
        TRACK.interval(tallies, PARAMS, seed=seed, replicates=300) for seed in (8, 8, 9)
    )
    assert first == again
    assert first != other


def test_bounds_are_the_values_at_the_stated_ranks() -> None:
    assert bootstrap.bounds(np.arange(10_000, 0, -1.0)) == (250, 9750)
    assert bootstrap.bounds(np.arange(1, 42.0)) == (2, 40)


def test_one_clip_has_no_interval() -> None:
    tallies = NvvTallies(
        (
            row("a", "en", 1, 0, Fraction(0)),
            row("b", "zh", 1, 1, Fraction(1, 2)),
            row("c", "zh", 1, 0, Fraction(0)),
        )
    )
    found = TRACK.interval(tallies, PARAMS, seed=1, replicates=400)
    assert found["en"].reason == bootstrap.FEWER_THAN_TWO_CLIPS
    assert found["zh"].low is not None
    assert (found["final"].low, found["final"].reason) == (
        None,
        bootstrap.LANGUAGE_WITHOUT_INTERVAL,
    )


def test_equal_clips_have_an_interval_of_no_width_and_thus_none() -> None:
    references, _ = demo_corpus()
    perfect = TRACK.score(references, references.texts, PARAMS)
    found = TRACK.interval(perfect, PARAMS, seed=1, replicates=400)
    assert {name: found[name].reason for name in ("en", "zh")} == {
        "en": bootstrap.ZERO_WIDTH,
        "zh": bootstrap.ZERO_WIDTH,
    }


def test_too_many_replicates_without_events_leave_no_interval() -> None:
    rows = [row(f"e{k}", "en", int(k == 0), 0, Fraction(0) if k == 0 else None) for k in range(4)]
    rows += [row(f"z{k}", "zh", 1, k % 2, Fraction(k % 2, 2)) for k in range(4)]
    found = TRACK.interval(NvvTallies(tuple(rows)), PARAMS, seed=1, replicates=1000)
    assert found["en"].reason == bootstrap.DEGENERATE_REPLICATES
    assert found["zh"].low is not None


def test_one_percent_of_degenerate_replicates_is_still_allowed() -> None:
    values = np.arange(1000.0)
    for count, reason in ((10, ""), (11, bootstrap.DEGENERATE_REPLICATES)):
        assert bootstrap.interval(values, np.arange(1000) < count, 5).reason == reason


def test_a_system_without_any_event_has_an_interval() -> None:
    rows = [
        row(f"{lang}{k}", lang, 0, 1 + k, Fraction(1)) for lang in ("en", "zh") for k in range(3)
    ]
    found = TRACK.interval(NvvTallies(tuple(rows)), PARAMS, seed=1, replicates=400)
    assert found["final"].low is not None


@pytest.mark.parametrize(
    "table", [np.zeros((1, 0), dtype=np.int64), np.array([[-1, 2]]), np.array([[2**62, 2**62]])]
)
def test_what_cannot_be_summed_exactly_is_refused(table: Any) -> None:
    for work in (bootstrap.resample, bootstrap.resample_many):
        with pytest.raises(ValueError, match=r"utterances|63 bits"):
            work([table], seed=1)


def test_p_values_count_both_sides() -> None:
    assert bootstrap.p_value(np.array([1.0] * 99)) == pytest.approx(0.02)
    assert bootstrap.p_value(np.array([-1.0, 1.0])) == 1
    assert bootstrap.p_value(np.zeros(50)) == 1


def test_holm_steps_down_and_never_decreases() -> None:
    found = bootstrap.holm([0.01, 0.04, 0.03, 0.005])
    assert found == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert bootstrap.holm([None, 0.7, 0.8]) == [None, 1.0, 1.0]
    assert bootstrap.holm([]) == []
