"""The crossed bootstrap: the plain computation gives its digits, and its intervals cover."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

from grading.scoring import bootstrap
from grading.scoring.rating import crossed
from grading.scoring.rating.panel import PanelInvalid, Rating, read_panel
from grading.scoring.tracks.nvv_t2_marks import LanguageMarks, Marks, language_marks, mean, norm
from grading.scoring.tracks.nvv_t2_scores import combine, language_score, speech_score
from scripts.check_determinism import golden_panel
from tests.scoring.golden import GOLDEN
from tests.scoring.oracles import draws
from tests.scoring.rating.panels import ONE_MARK, PARAMS, TRUE_SCORE, rated, simulated

REPLICATES = 7


def plain(
    rows: list[Rating], seed: int, judge: dict[str, dict[str, dict[str, Marks]]] | None = None
) -> dict[str, list[float]]:
    """Resample by lists, counters and fractions, in the order that the protocol states."""
    spoken: dict[str, set[str]] = {}
    for row in rows:
        spoken.setdefault(row.rater, set()).add(row.language)
    groups: dict[tuple[str, ...], list[str]] = {}
    for rater in sorted(spoken):
        groups.setdefault(tuple(sorted(spoken[rater])), []).append(rater)
    strata = [groups[key] for key in sorted(groups)]
    inside = {name: sorted({r.utt_id for r in rows if r.language == name}) for name in ("en", "zh")}
    systems = sorted({row.system for row in rows})
    outside = {}
    for name, heard in inside.items():
        known = judge[name][systems[0]] if judge else {}
        outside[name] = sorted(set(known) - set(heard))
        strata += [heard] + ([outside[name]] if outside[name] else [])
    numbers = iter(draws(seed, REPLICATES * sum(map(len, strata))))
    scores: dict[str, list[float]] = {name: [] for name in systems}
    for _ in range(REPLICATES):
        drawn = [[part[next(numbers) * len(part) >> 32] for _ in part] for part in strata]
        raters = [rater for part in drawn[: len(groups)] for rater in part]
        clips = iter(drawn[len(groups) :])
        chosen = {name: (next(clips), next(clips) if outside[name] else []) for name in inside}
        for system in systems:
            parts = []
            for name, (heard, others) in chosen.items():
                means = []
                for utt_id in heard:
                    given = [
                        row.marks.capped()
                        for rater in raters
                        for row in rows
                        if row[:4] == (system, name, utt_id, rater)
                    ]
                    means += [mean(given)] if given else []
                people = mean(means) if means else Marks(*[Fraction(0)] * 5)
                score = language_score(Marks(*map(norm, people)), PARAMS)
                if judge:
                    marks = [judge[name][system][utt_id] for utt_id in heard + others]
                    shares = Marks(*map(norm, mean(marks)))
                    score = combine(language_score(shares, PARAMS), score, PARAMS)
                parts.append(score)
            scores[system].append(float(sum(parts) / 2))
    return scores


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_scores_are_those_of_the_plain_computation(seed: int, both: bool) -> None:
    rows = rated(seed, both=both)
    found = crossed.resample(read_panel(rows), PARAMS, seed=seed, replicates=REPLICATES)
    expected = plain(rows, seed)
    assert sorted(found) == sorted(expected)
    for system, values in expected.items():
        assert found[system].final.tolist() == pytest.approx(values, abs=1e-9)


@pytest.mark.parametrize("seed", [4, 5])
def test_combined_scores_are_those_of_the_plain_computation(seed: int) -> None:
    rows = rated(seed, utterances=4)
    chance = np.random.default_rng(seed)
    judge = {
        name: {
            system: {
                f"{name}{n}": Marks(*(Fraction(int(v), 2) for v in chance.integers(2, 11, 5)))
                for n in range(9)
            }
            for system in ("x", "y")
        }
        for name in ("en", "zh")
    }
    panel = read_panel(rows)
    found = crossed.resample(panel, PARAMS, seed=seed, judge=judge, replicates=REPLICATES)
    for system, values in plain(rows, seed, judge).items():
        assert found[system].final.tolist() == pytest.approx(values, abs=1e-9)


def test_the_whole_sample_drawn_once_gives_the_score_itself() -> None:
    rows = rated(8)
    panel = read_panel(rows)
    ones = [np.ones((1, len(group)), dtype=np.int64) for group in panel.groups]
    ones += [np.ones((1, len(part.utterances)), dtype=np.int64) for part in panel.languages]
    chunks = crossed._chunks(panel, [None, None], ones)
    for system in ("x", "y"):
        parts: dict[str, LanguageMarks] = {}
        for name in ("en", "zh"):
            given: dict[str, list[Marks]] = {}
            for row in rows:
                if (row.system, row.language) == (system, name):
                    given.setdefault(row.utt_id, []).append(row.marks)
            parts[name] = language_marks(given, rated=given)
        exact = speech_score(parts, PARAMS).score
        found = crossed._scores(system, panel, PARAMS, [None, None], chunks)
        assert found.final.tolist() == pytest.approx([float(exact or 0)], abs=1e-9)


def test_the_same_seed_gives_the_same_digits_in_any_order_and_chunk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = rated(6)
    first = crossed.resample(read_panel(rows), PARAMS, seed=9, replicates=400)
    rows.reverse()
    monkeypatch.setattr(bootstrap, "_CHUNK_DRAWS", 100)
    again = crossed.resample(read_panel(rows), PARAMS, seed=9, replicates=400)
    other = crossed.resample(read_panel(rows), PARAMS, seed=10, replicates=400)
    for system, values in first.items():
        assert values.final.tobytes() == again[system].final.tobytes()
        assert values.final.tobytes() != other[system].final.tobytes()
        for language, scores in values.languages.items():
            assert scores.tobytes() == again[system].languages[language].tobytes()


def test_a_draw_without_any_rating_counts_as_the_worst_and_is_marked() -> None:
    marks = Marks(*map(Fraction, (5, 5, 5, 5, 5)))
    rows = [
        Rating("x", language, f"{language}{n}", f"{language}{n}", marks)
        for language in ("en", "zh")
        for n in range(2)
    ]
    found = crossed.resample(read_panel(rows), PARAMS, seed=1, replicates=400)["x"]
    assert 0 < found.degenerate.sum() < 400
    # an utterance and its only rater miss each other in one draw of eight, in either language
    assert set(np.unique(found.final[found.degenerate])) <= {0.0, 50.0}
    assert set(np.unique(found.final[~found.degenerate])) == {100.0}
    panel = read_panel(rows)
    reason = crossed.interval(found.final, found.degenerate, panel).reason
    assert reason == bootstrap.DEGENERATE_REPLICATES


def test_one_rater_or_one_clip_has_no_interval() -> None:
    values, sound = np.arange(100.0), np.zeros(100, dtype=bool)
    alone = read_panel(rated(1, raters=1, ratings=1))
    assert crossed.interval(values, sound, alone).reason == crossed.FEWER_THAN_TWO_RATERS
    single = read_panel(rated(1, utterances=1))
    assert crossed.interval(values, sound, single).reason == bootstrap.FEWER_THAN_TWO_CLIPS
    panel = read_panel(rated(1))
    assert crossed.interval(values, sound, panel).low == 2.0
    assert crossed.interval(np.ones(100), sound, panel).reason == bootstrap.ZERO_WIDTH


def test_differences_are_paired() -> None:
    rows = rated(11, systems=("x", "y"), utterances=12)
    twins = [row._replace(system="twin") for row in rows if row.system == "x"]
    panel = read_panel([*rows, *twins])
    found = crossed.resample(panel, PARAMS, seed=3, replicates=1_000)
    compared = crossed.differences(found, {"x": 50.0, "y": 40.0, "twin": 50.0}, "x")
    assert sorted(compared) == ["twin", "y"]
    twin = compared["twin"]
    assert (twin.delta, twin.low, twin.high, twin.p_value) == (0.0, 0.0, 0.0, 1.0)
    other = compared["y"]
    assert other.delta == -10.0
    assert other.low is not None
    assert other.high is not None
    assert other.low < other.high
    paired = found["y"].final - found["x"].final
    assert (other.low, other.high) == bootstrap.bounds(paired)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda rows: [*rows, rows[0]], "twice"),
        (lambda rows: [r for r in rows if r[:3] != ("y", "en", "en0")], "no rating in en0"),
        (lambda rows: [rows[0]._replace(marks=rows[0].marks._replace(N=Fraction(10, 3)))], "hundredths"),
    ],
)  # fmt: skip
def test_a_panel_that_is_not_whole_is_refused(change, word: str) -> None:
    with pytest.raises(PanelInvalid, match=word):
        read_panel(change(rated(1)))


def test_languages_systems_and_the_judge_must_be_whole() -> None:
    rows = rated(1)
    english = [row for row in rows if row.language == "en"]
    with pytest.raises(PanelInvalid, match="languages"):
        crossed.resample(read_panel(english), PARAMS, seed=1)
    lacking = [row for row in rows if (row.system, row.language) != ("y", "zh")]
    with pytest.raises(PanelInvalid, match="zh"):
        crossed.resample(read_panel(lacking), PARAMS, seed=1)
    with pytest.raises(PanelInvalid, match="judge has no marks of x"):
        crossed.resample(read_panel(rows), PARAMS, seed=1, judge={})


def test_multiplicities_are_the_draws_of_the_stream() -> None:
    sizes, seed, count = [3, 1, 5], 77, 11
    numbers = iter(draws(seed, count * sum(sizes)))
    expected = []
    for _ in range(count):
        row = [[next(numbers) * size >> 32 for _ in range(size)] for size in sizes]
        expected.append([[part.count(item) for item in range(len(part))] for part in row])
    chunks = list(bootstrap.multiplicities(sizes, seed=seed, replicates=count))
    for place, size in enumerate(sizes):
        found = np.concatenate([chunk[place] for chunk in chunks])
        assert found.tolist() == [row[place] for row in expected]
        assert set(found.sum(axis=1)) == {size}
    with pytest.raises(ValueError, match="without items"):
        next(bootstrap.multiplicities([2, 0], seed=1))


def coverage(panels: int, replicates: int) -> tuple[float, float]:
    """Return how often the interval, and that of counted ratings, hold the true score."""
    hits = naive = 0
    for seed in range(panels):
        panel, marks = simulated(seed)
        found = crossed.resample(panel, ONE_MARK, seed=seed, replicates=replicates)["s"]
        interval = crossed.interval(found.languages["en"], found.degenerate, panel)
        assert interval.low is not None
        assert interval.high is not None
        hits += interval.low <= TRUE_SCORE <= interval.high
        naive += abs(marks.mean() - 3) <= 1.96 * marks.std(ddof=1) / marks.size**0.5
    return hits / panels, naive / panels


@pytest.mark.slow
def test_intervals_cover_what_they_say_where_counting_ratings_does_not() -> None:
    hits, naive = coverage(2_000, 1_000)
    assert 0.94 <= hits <= 0.98
    assert naive < 0.70


def test_intervals_are_wider_than_counting_ratings_makes_them() -> None:
    panel, marks = simulated(5)
    found = crossed.resample(panel, ONE_MARK, seed=5, replicates=2_000)["s"]
    interval = crossed.interval(found.languages["en"], found.degenerate, panel)
    assert interval.low is not None
    assert interval.high is not None
    counted = 25 * 2 * 1.96 * marks.std(ddof=1) / marks.size**0.5
    assert interval.high - interval.low > 1.5 * counted


def test_a_golden_panel_gives_the_same_bytes_everywhere() -> None:
    wanted = json.loads((GOLDEN / "determinism.json").read_text(encoding="utf-8"))
    assert golden_panel() == wanted["panel"]


def test_mean_marks_of_one_scale_are_resampled_over_raters_and_utterances() -> None:
    given = {
        ("s1", "en", "u1"): {"r1": 5, "r2": 3},
        ("s1", "en", "u2"): {"r1": 4, "r3": 2},
        ("s1", "en", "u3"): {"r2": 1, "r3": 3},
        ("s1", "zh", "v1"): {"r4": 2, "r5": 5},
        ("s1", "zh", "v2"): {"r4": 1, "r5": 4},
    }
    rows = [
        Rating(system, language, utt_id, rater, Marks(*(Fraction(mark) for _ in "APNQE")))
        for (system, language, utt_id), marks in given.items()
        for rater, mark in marks.items()
    ]
    strata = [["r1", "r2", "r3"], ["r4", "r5"], ["u1", "u2", "u3"], ["v1", "v2"]]
    numbers = iter(draws(11, REPLICATES * sum(map(len, strata))))
    expected, worst = [], []
    for _ in range(REPLICATES):
        drawn = [[part[next(numbers) * len(part) >> 32] for _ in part] for part in strata]
        raters = drawn[0] + drawn[1]
        total, is_empty = Fraction(0), False
        for language, utterances in zip(("en", "zh"), drawn[2:], strict=True):
            means = []
            for utt_id in utterances:
                marks = given["s1", language, utt_id]
                heard = [marks[rater] for rater in raters if rater in marks]
                means += [Fraction(sum(heard), len(heard))] if heard else []
            is_empty |= not means
            total += len(utterances) * (sum(means) / len(means) if means else Fraction(1))
        expected.append(float(total / 5))
        worst.append(is_empty)
    found = crossed.resample_means(read_panel(rows), letter="N", seed=11, replicates=REPLICATES)[
        "s1"
    ]
    assert found.final == pytest.approx(expected, abs=1e-9)
    assert list(found.degenerate) == worst
    assert set(found.languages) == {"en", "zh"}


def test_marks_below_zero_are_resampled_as_those_above_and_an_empty_draw_takes_the_scales_worst() -> (
    None
):
    def drawn(lower: int) -> crossed.Replicates:
        rows = [
            Rating(
                "s1",
                "en",
                f"u{n % 3}",
                f"r{n % 4}",
                Marks(*(Fraction(1 + n % 5 - lower) for _ in "APNQE")),
            )
            for n in range(12)
        ]
        found = crossed.resample_means(
            read_panel(rows), letter="N", seed=5, replicates=300, worst=1.0 - lower
        )
        return found["s1"]

    above, around = drawn(0), drawn(3)
    assert around.final == pytest.approx(above.final - 3, abs=1e-8)
    assert min(around.final) < 0 < max(around.final)
