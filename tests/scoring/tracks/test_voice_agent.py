"""Track `voice-agent`: arms and their gap by hand, coverage, scales, intervals against a slow computation."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grading.scoring import bootstrap, registry
from grading.scoring.evaluate import Evaluated, evaluate
from grading.scoring.tally import TalliesInvalid
from grading.scoring.tracks.base import ClipsDiffer, Track
from grading.scoring.tracks.voice_agent import TRACK
from grading.scoring.tracks.voice_agent_compose import macro
from grading.scoring.tracks.voice_agent_params import SCALES
from grading.scoring.tracks.voice_agent_tallies import AgentTallies
from grading.scoring.types import Limits, ParamsInvalid, ReferencesInvalid
from tests.scoring.cli.commands import Run

Row = dict[str, Any]
SUBTASKS = {"chat": "gpt_1to5", "follow": "ifeval", "quiz": "accuracy"}
RAW: Row = {"languages": ["en", "ta"], "subtasks": SUBTASKS}
PARAMS = TRACK.params(RAW)


def lines(rows: list[Row]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def item(utt_id: str, subtask: str, language: str = "en") -> Row:
    return {"utt_id": utt_id, "language": language, "subtask": subtask}


def both(utt_id: str, subtask: str, text: float | None, audio: float | None) -> list[Row]:
    arms = (("text", text), ("audio", audio))
    return [{"utt_id": utt_id, "subtask": subtask, "arm": arm, "score": s} for arm, s in arms]


def tallied(references: list[Row], rows: list[Row], raw: Row = RAW) -> AgentTallies:
    params = TRACK.params(raw)
    known = TRACK.references(lines(references), params)
    checked = TRACK.check(lines(rows), ids=known.language_of, params=params, limits=Limits())
    assert checked.report.accepted, checked.report.problems
    return TRACK.score(known, checked.predictions, params)


def scored(references: list[Row], rows: list[Row], raw: Row = RAW) -> Evaluated:
    params = TRACK.params(raw)
    known = TRACK.references(lines(references), params)
    checked = TRACK.check(lines(rows), ids=known.language_of, params=params, limits=Limits())
    given = checked.predictions
    return evaluate(track=TRACK, params=params, references=known, given=given, seed=3)


def test_the_registry_knows_the_track() -> None:
    track: Track = registry.get("voice-agent")
    assert track.version == "1.0.0"
    assert [column.key for column in track.columns] == ["score", "text", "audio", "gap"]


@pytest.mark.parametrize(
    ("name", "score", "share"),
    [
        ("gpt_1to5", "1", "0.2"),
        ("gpt_1to5", "4.39", "0.878"),
        ("gpt_1to5", "5", "1"),
        ("ifeval", "62.5", "0.625"),
        ("ifeval", "0", "0"),
        ("accuracy", "0.7", "0.7"),
    ],
)
def test_scales_divide_by_their_highest_score(name: str, score: str, share: str) -> None:
    assert SCALES[name].share(Fraction(score)) == Fraction(share)


def test_the_macro_average_counts_subtasks_alike_and_misses_none() -> None:
    assert macro([Fraction("0.84"), Fraction("0.625"), Fraction("0.7")]) == Fraction("2.165") / 3
    assert macro([Fraction(1), None]) is None
    assert macro([]) is None


def test_sizes_of_subtasks_do_not_weigh() -> None:
    references = [
        item("c", "chat"),
        *(item(f"q{k}", "quiz") for k in range(99)),
        item("t", "quiz", "ta"),
    ]
    rows = [*both("c", "chat", 5, 2.5), *both("t", "quiz", 1, 1)]
    rows += [row for k in range(99) for row in both(f"q{k}", "quiz", 1, 1)]
    found = scored(references, rows)
    assert found.languages["en"]["audio"] == 0.75
    assert (found.components["audio"], found.components["gap"], found.score) == (0.875, 0.125, 87.5)


def test_a_gap_may_be_below_zero() -> None:
    found = scored(
        [item("a", "quiz"), item("t", "quiz", "ta")],
        [*both("a", "quiz", 0, 1), *both("t", "quiz", 0.5, 0.5)],
    )
    assert found.components["gap"] == -0.5


@pytest.mark.parametrize("arm", ["text", "audio"])
@pytest.mark.parametrize("how", ["null", "no row"])
def test_what_the_system_failed_withholds_the_row(arm: str, how: str) -> None:
    references = [item("c", "chat"), item("q", "quiz"), item("t", "quiz", "ta")]
    rows = [*both("c", "chat", 4, 4), *both("q", "quiz", 1, 1), *both("t", "quiz", 1, 0)]
    for row in rows:
        if row["utt_id"] == "q" and row["arm"] == arm:
            row.update({"score": None} if how == "null" else {"subtask": ""})
    rows = [row for row in rows if row["subtask"]]
    found = scored(references, rows)
    assert (found.score, found.withheld_reason) == (None, "SUBTASK_FAILED")
    assert (found.interval, found.interval_reason) == (None, "SUBTASK_FAILED")
    assert found.components["failed"] == {f"en/quiz/{arm}": 1}
    assert found.components[arm] is None
    assert found.components[f"{arm}_chat"] == 0.8
    assert found.languages["ta"]["score"] == 0.0
    assert found.languages["en"]["withheld_reason"] == "SUBTASK_FAILED"
    assert {found.withheld_reason} <= TRACK.reasons.keys()


def test_rows_of_another_subtask_do_not_count_where_ids_alone_are_known() -> None:
    references = [item("c", "chat"), item("q", "quiz"), item("t", "quiz", "ta")]
    rows = [*both("c", "chat", 4, 4), *both("q", "follow", 1, 1), *both("t", "quiz", 1, 0)]
    found = scored(references, rows)
    assert (found.score, found.withheld_reason) == (None, "SUBTASK_FAILED")
    assert found.components["failed"] == {"en/quiz/audio": 1, "en/quiz/text": 1}


def test_a_subtask_that_the_benchmark_has_not_is_left_out() -> None:
    references = [item("c", "chat"), item("q", "quiz"), item("t", "quiz", "ta")]
    rows = [*both("c", "chat", 4, 4), *both("q", "quiz", 1, 0.4), *both("t", "quiz", 1, 1)]
    found = scored(references, rows)
    assert found.languages["en"]["audio"] == 0.6
    assert found.languages["ta"]["audio"] == 1.0
    assert "audio_chat" not in found.languages["ta"]
    assert found.components["audio_follow"] is None  # of no language
    assert found.components["audio_quiz"] == 0.7
    assert found.score == 80.0


def test_a_language_that_was_not_run_withholds_the_row_and_not_the_others() -> None:
    references = [item("c", "chat"), item("t", "quiz", "ta")]
    found = scored(references, both("c", "chat", 5, 4))
    assert (found.score, found.languages["en"]["score"]) == (None, 80.0)


def test_columns_have_a_value_each() -> None:
    references = [item("c", "chat"), item("t", "quiz", "ta")]
    found = scored(references, [*both("c", "chat", 5, 4), *both("t", "quiz", 1, 1)])
    keys = [column.key for column in TRACK.columns_of(PARAMS)]
    assert keys[-3:] == ["audio_chat", "audio_follow", "audio_quiz"]
    assert {*keys} - {"score"} <= found.components.keys()
    assert [view.key for view in TRACK.views(PARAMS)] == ["en", "ta"]


def noisy(seed: int, shift: float = 0.0) -> tuple[list[Row], list[Row]]:
    chance = random.Random(seed)  # noqa: S311 - numbers for a test
    references, rows = [], []
    for k in range(60):
        subtask, language = ("chat", "quiz")[k % 2], ("en", "ta")[k % 3 == 0]
        references.append(item(f"i{k:02d}", subtask, language))
        score = chance.choice([1, 2, 3, 4]) if subtask == "chat" else chance.choice([0, 0.5])
        given = score + (shift if subtask == "chat" else shift / 5)
        rows += both(f"i{k:02d}", subtask, given, given)
    return references, rows


def test_the_interval_is_that_of_a_plain_bootstrap() -> None:
    tallies = tallied(*noisy(1))
    found = TRACK.interval(tallies, PARAMS, seed=5, replicates=400)
    cells = [(name, subtask) for name in ("en", "ta") for subtask in ("chat", "quiz")]
    shares = [
        np.array(
            [
                one.audio / 1e9 / (5 if subtask == "chat" else 1)  # type: ignore[operator]
                for one in tallies.items
                if (one.language, one.subtask) == (name, subtask)
            ]
        )
        for name, subtask in cells
    ]
    finals: list[float] = []
    for drawn in bootstrap.multiplicities([len(one) for one in shares], seed=5, replicates=400):
        means = [counts @ share / len(share) for counts, share in zip(drawn, shares, strict=True)]
        finals += list(100 * ((means[0] + means[1]) / 2 + (means[2] + means[3]) / 2) / 2)
    low, high = bootstrap.bounds(np.array(finals))
    assert (found["final"].low, found["final"].high) == pytest.approx((low, high), abs=1e-6)
    drawn_scores = TRACK.replicates(tallies, PARAMS, seed=5, replicates=400)
    assert drawn_scores == pytest.approx(np.array(finals), abs=1e-6)


def test_one_item_of_a_subtask_has_no_spread() -> None:
    references = [
        item("c", "chat"),
        item("q1", "quiz"),
        item("q2", "quiz"),
        item("t", "quiz", "ta"),
        item("u", "quiz", "ta"),
    ]
    rows = [
        row
        for one in references
        for row in both(
            one["utt_id"],
            one["subtask"],
            1,
            1 - (one["utt_id"] in "q1u" and one["subtask"] == "quiz"),
        )
    ]
    found = scored(references, rows)
    assert found.languages["en"]["interval_reason"] == bootstrap.FEWER_THAN_TWO_CLIPS
    assert found.interval_reason == bootstrap.LANGUAGE_WITHOUT_INTERVAL
    assert found.languages["ta"]["interval"] is not None


def test_systems_are_compared_on_the_same_draws() -> None:
    leader, better = tallied(*noisy(1)), tallied(*noisy(1, shift=0.5))
    first = leader.items[0]._replace(audio=None)
    failed = replace(leader, items=(first, *leader.items[1:]))
    found, none, same = TRACK.paired(leader, [better, failed, leader], PARAMS, seed=2)
    assert found.delta == pytest.approx(10)
    assert (found.low, found.high) == pytest.approx((10, 10), abs=1e-6)
    assert (none.delta, none.low) == (None, None)
    assert same.p_value == 1.0
    with pytest.raises(ClipsDiffer):
        TRACK.paired(leader, [replace(leader, items=leader.items[1:])], PARAMS, seed=2)


def test_tallies_come_back_and_other_bytes_are_refused() -> None:
    rows = [*both("a", "quiz", 1 / 3, None), *both("t", "quiz", 1, 1)]
    tallies = tallied([item("a", "quiz"), item("t", "quiz", "ta")], rows)
    assert tallies.rows()[0] == {
        "utt_id": "a", "language": "en", "subtask": "quiz", "text": 0.333333333, "audio": None
    }  # fmt: skip
    data = tallies.to_bytes()
    assert AgentTallies.from_bytes(data) == tallies
    for bad in (b"", b"{}", data + b" ", data.replace(b"333333333", b"0.5")):
        with pytest.raises(TalliesInvalid):
            AgentTallies.from_bytes(bad)


@pytest.mark.parametrize(
    ("raw", "paths"),
    [
        ({"subtasks": {}}, ["subtasks"]),
        ({"subtasks": ["chat"]}, ["subtasks"]),
        ({"subtasks": {"chat": "stars"}}, ["subtasks.chat"]),
        ({"subtasks": {"Chat Bot": "accuracy"}}, ["subtasks.Chat Bot"]),
        (
            {"subtasks": {"chat": {"lowest": 5, "highest": 1, "mapping": "of-highest"}}},
            ["subtasks.chat"],
        ),
        ({"headline": "both", "labels": 1}, ["labels", "headline"]),
        ({"languages": ["en", "en"]}, ["languages"]),
    ],
)
def test_parameters_that_do_not_fit(raw: Row, paths: list[str]) -> None:
    with pytest.raises(ParamsInvalid) as refused:
        TRACK.params(raw)
    assert [fault.path for fault in refused.value.faults] == paths


def test_parameters_come_back() -> None:
    scale = {"lowest": "-1", "highest": "2.5", "mapping": "above-lowest"}
    for raw in ({}, RAW, {"subtasks": {"x": scale, "a_b": "ifeval"}, "headline": "text"}):
        params = TRACK.params(raw)
        assert TRACK.params(TRACK.params_json(params)) == params
    found = scored([item("a", "x")], both("a", "x", -1, 2.5), {"subtasks": {"x": scale}})
    assert (found.components["text"], found.components["audio"]) == (0.0, 1.0)


def test_a_scale_below_0_is_not_divided_by_its_highest() -> None:
    # Scores below 0 are worth nothing: the mean of shares, which is resampled, is above the share of the mean.
    scale = {"lowest": -1, "highest": 1, "mapping": "of-highest"}
    with pytest.raises(ParamsInvalid) as refused:
        TRACK.params({"subtasks": {"x": scale, "y": "accuracy"}})
    assert [one.path for one in refused.value.faults] == ["subtasks.x"]
    assert TRACK.params({"subtasks": {"x": {**scale, "mapping": "above-lowest"}}}).subtasks["x"]


def test_references_that_are_none() -> None:
    for row in ({"utt_id": "a", "language": "en"}, item("a", "sums"), item("a", "quiz", "xx")):
        with pytest.raises(ReferencesInvalid):
            TRACK.references(lines([row, item("b", "quiz"), item("t", "quiz", "ta")]), PARAMS)
    with pytest.raises(ReferencesInvalid) as refused:
        TRACK.references(lines([item("a", "quiz")]), PARAMS)
    assert refused.value.report.problems[0].code == "REFERENCE_LANGUAGE_COVERAGE_ERROR"


def test_a_row_of_another_subtask_than_its_item_is_told_with_both(
    tmp_path: Path, capsys: Any
) -> None:
    names = {
        "ref": [item("a", "chat"), item("b", "quiz"), item("t", "chat", "ta")],
        "sent": [
            row
            for utt_id, subtask in (("a", "chat"), ("b", "follow"), ("t", "chat"))
            for row in both(utt_id, subtask, 1, 1)
        ],
    }
    for name, rows in {**names, "params": [RAW]}.items():
        (tmp_path / name).write_bytes(lines(rows))
    given = ("--submission", tmp_path / "sent", "--params", tmp_path / "params", "--json")
    for command in ("check", "score"):
        run = Run(capsys, command, "voice-agent", "--reference", tmp_path / "ref", *given)
        assert run.code == 1
        problems = [one for one in run.json["problems"] if one["code"] == "OTHER_SUBTASK"]
        assert [one["line"] for one in problems] == [3, 4]
        assert "follow" in problems[0]["message"]
        assert "quiz" in problems[0]["message"]
    (tmp_path / "ids").write_text('["a", "b", "t"]')
    run = Run(capsys, "check", "voice-agent", "--manifest", tmp_path / "ids", *given)
    assert run.code == 0  # ids alone do not say what an item is of


def test_rows_of_an_item_that_name_two_subtasks_are_told_from_the_file_alone() -> None:
    text, audio = both("a", "chat", 4, 1)
    data = lines([text, {**audio, "subtask": "follow"}])
    report = TRACK.check(data, ids={"a": "en"}, params=PARAMS, limits=Limits()).report
    (problem,) = report.problems
    assert (problem.code, problem.line) == ("OTHER_SUBTASK", 2)
    assert problem.params == {
        "field": "subtask",
        "reason": "arm",
        "found": "follow",
        "wanted": "chat",
        "first_line": 1,
    }


def test_the_sample_is_accepted_and_the_page_is_there() -> None:
    ids = {"a": "en", "b": "en"}
    sample = TRACK.sample(list(ids), PARAMS).encode()
    checked = TRACK.check(sample, ids=ids, params=PARAMS, limits=Limits())
    assert checked.report.problems == ()
    assert TRACK.sending(PARAMS)
    examples = dict(pair for section in TRACK.methodology(PARAMS) for pair in section.examples)
    assert examples["chat"] == "x / 5"
    assert examples["gpt_1to5 4.2, ifeval 62.5, accuracy 0.7"] == "0.721667"


def test_people_are_told_which_arm_a_subtask_is_of(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    references = [item("c", "chat"), item("d", "chat")]
    rows = [*both("c", "chat", 5, 4), *both("d", "chat", 4, 2)]
    files = {"reference": lines(references), "submission": lines(rows)}
    files["params"] = json.dumps({"subtasks": {"chat": "gpt_1to5"}}).encode()
    words: list[object] = []
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        words += [f"--{name}", tmp_path / name]
    run = Run(capsys, "score", "voice-agent", *words)
    assert run.code == 0
    assert "Score 60.00" in run.out
    assert "Text arm: chat: 90.00 %" in run.out
    assert "Audio arm: chat: 60.00 %" in run.out
    assert Run(capsys, "score", "voice-agent", *words, "--json").json["components"]["gap"] == 0.3
