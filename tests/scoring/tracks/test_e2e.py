"""Track `e2e` through its whole object: turns, barge-ins, ratings, what is withheld, interval, order."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grading.scoring import bootstrap, registry
from grading.scoring.messages import render
from grading.scoring.methodology import Phrase
from grading.scoring.tally import TalliesInvalid
from grading.scoring.tracks.base import Checked, ClipsDiffer, Composed
from grading.scoring.tracks.e2e import TRACK
from grading.scoring.tracks.e2e_compose import (
    BARGE_IN_NOT_MEASURED,
    GATE_WITHOUT_INTERVAL,
    NATURALNESS_NOT_RATED,
    TURN_NOT_MEASURED,
    YIELD_NOT_TESTED,
)
from grading.scoring.tracks.e2e_tallies import LATE_SOUND, OVERLAP, PREMATURE, TalkTallies
from grading.scoring.tracks.pillars_tables import ItemsIncomplete
from grading.scoring.types import Limits, ParamsInvalid, ReferencesInvalid

MS = 1_000_000
PARAMS = TRACK.params({"raters_needed": 1})
GOLDEN = Path(__file__).parents[2] / "golden/tracks/e2e"
DIALOGUE = {"utt_id": "s1", "language": "yue", "kind": "dialogue"}
RATED = {"utt_id": "s1", "naturalness": [4]}


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def check(*rows: object, ids: str = "t0", params: Any = PARAMS) -> Checked:
    known = dict.fromkeys(ids.split(), "yue")
    return TRACK.check(lines(*rows), ids=known, params=params, limits=Limits())


def codes(checked: Checked) -> list[str]:
    return [problem.code for problem in checked.report.problems]


def reply(announced: float | None, sound: float | None, **more: float) -> dict[str, object]:
    given = {"announced_ns": announced, "sound_ns": sound, "audible_ns": more.get("audible")}
    return {name: None if ms is None else round(ms * MS) for name, ms in given.items()}


def barge(stopped: float | None, last: float | None, played: float | None) -> dict[str, object]:
    given = {"stop_announced_ns": stopped, "last_sound_ns": last, "played_until_ns": played}
    whole = {name: None if ms is None else round(ms * MS) for name, ms in given.items()}
    return {"began_ns": 1_000 * MS, **whole}


def turns(*replies: list[dict[str, object]], params: Any = PARAMS, **more: Any) -> TalkTallies:
    """Return the tallies of turns with these replies; `barge_ins` follow, one turn each."""
    wanted: list[object] = [{"utt_id": f"t{n:02}", "language": "yue"} for n in range(len(replies))]
    sent: list[object] = [{"utt_id": f"t{n:02}", "replies": one} for n, one in enumerate(replies)]
    for n, one in enumerate(more.get("barge_ins", ())):
        wanted.append({"utt_id": f"x{n}", "language": "yue", "barge_in": True})
        sent.append({"utt_id": f"x{n}", "replies": [reply(0, 0)], "barge_in": one})
    dialogues = more.get("naturalness", [[4]])
    for n, marks in enumerate(dialogues):
        wanted.append({**DIALOGUE, "utt_id": f"s{n}"})
        sent.append({"utt_id": f"s{n}", "naturalness": marks})
    references = TRACK.references(lines(*wanted), params)
    checked = check(*sent, ids=" ".join(references.ids), params=params)
    assert checked.report.accepted, codes(checked)
    return TRACK.score(references, checked.predictions, params)


def quick(*latencies: float) -> list[list[dict[str, object]]]:
    return [[reply(ms, ms)] for ms in latencies]


@pytest.mark.parametrize(
    ("replies", "latency", "flags"),
    [
        ([], None, 0),
        ([reply(250, 400)], 250, 0),
        ([reply(250, 750)], 250, 0),
        ([reply(250, 750.000001)], 750.000001, 0),
        ([reply(250, None)], None, 0),
        ([reply(None, 300)], 300, 0),
        ([reply(-200, -100)], 0, OVERLAP),
        ([reply(-200.000001, -100)], None, PREMATURE),
        ([reply(-900, -800), reply(450, 460)], 450, PREMATURE),
        ([reply(450, 460), reply(-900, -800)], 450, PREMATURE),
        ([reply(-900, None), reply(450, 460)], 450, 0),
        ([reply(10_000, 10_000)], 10_000, 0),
        ([reply(10_000.000001, 10_001)], None, 0),
        ([reply(250, 300, audible=750)], 250, 0),
        ([reply(250, 300, audible=750.000001)], 250, LATE_SOUND),
        ([reply(300, 300), reply(250, 300, audible=900)], 250, LATE_SOUND),
    ],
)
def test_a_turn_is_answered_when_a_reply_begins(
    replies: list[dict[str, object]], latency: float | None, flags: int
) -> None:
    turn = turns(replies).items[1]
    assert turn.latency_ns == (None if latency is None else round(latency * MS))
    assert turn.flags == flags


@pytest.mark.parametrize(
    ("barge_in", "state", "ms", "yielded"),
    [
        (barge(1_000, 900, 950), "tested", 0, 1),
        (barge(1_180, 1_100, 1_200), "tested", 180, 1),
        (barge(1_500, None, None), "tested", 500, 1),
        (barge(1_500.1, None, None), "tested", 500.1, 0),
        (barge(1_200, 1_900, 1_950), "tested", 900, 0),
        (barge(None, 1_100, 1_900), "tested", 900, 0),
        (barge(None, 1_100, 1_400), "tested", 400, 1),
        (barge(999, 900, 950), "not-tested", None, 0),
        (barge(None, None, None), "not-tested", None, 0),
        (None, "unknown", None, 0),
    ],
)
def test_a_reply_has_yielded_when_it_stopped_in_time(
    barge_in: Any, state: str, ms: float | None, yielded: int
) -> None:
    turn = turns(*quick(100), barge_ins=[barge_in]).items[-1]
    assert (turn.barge, turn.yielded) == (state, yielded)
    assert turn.yield_ns == (None if ms is None else round(ms * MS))
    assert turn.scored == 0


@pytest.mark.parametrize(
    ("ms", "points"),
    [(0, 100), (300, 100), (301, 99.941176), (640, 80), (1_150, 50), (2_000, 0), (2_500, 0)],
)
def test_the_latency_scores_by_the_law(ms: int, points: float) -> None:
    found = TRACK.compose(turns(*quick(ms)), PARAMS).components
    assert found["latency"] == pytest.approx(points, abs=1e-6)


def test_latency_is_shown_and_the_total_withheld_until_all_is_rated() -> None:
    for marks, natural in (([[4], [4]], 75.0), ([[4], []], None), ([[4], None], None)):
        found = TRACK.compose(turns(*quick(300, 300), naturalness=marks), PARAMS)
        assert found.components["latency"] == 100
        assert found.components["naturalness"] == natural
        assert found.score == (None if natural is None else 0.4 * 100 + 0.6 * 75)
        assert found.withheld_reason == ("" if natural else NATURALNESS_NOT_RATED)


def test_a_dialogue_needs_its_raters() -> None:
    params = TRACK.params({})
    for marks, natural in (([4, 4], None), ([4, 5, 3], 75.0)):
        found = TRACK.compose(turns(*quick(300), naturalness=[marks], params=params), params)
        assert found.components["naturalness"] == natural


def test_yielding_is_shown_breaks_ties_and_changes_no_score() -> None:
    yes, no, gone = barge(1_100, None, None), barge(1_900, None, None), barge(900, None, None)
    kinds = {
        name: TRACK.compose(turns(*quick(100), barge_ins=barge_ins), PARAMS)
        for name, barge_ins in (
            ("all", [yes, yes, yes]),
            ("most", [yes, no, yes]),
            ("two of two", [yes, yes, gone]),
            ("none tested", [gone, gone, gone]),
            ("none", [no, no, no]),
        )
    }
    assert {one.score for one in kinds.values()} == {85.0}
    assert kinds["two of two"].components["yielded"] == [2, 2]
    assert kinds["none tested"].components["yielded"] == [0, 0]
    keys = {name: TRACK.order_key(one, PARAMS) for name, one in kinds.items()}
    assert keys["all"] == keys["two of two"] < keys["most"] < keys["none"] == keys["none tested"]
    withheld = Composed(None, NATURALNESS_NOT_RATED, {}, {})
    assert TRACK.order_key(withheld, PARAMS) > max(keys.values())


def test_a_gate_multiplies_the_latency_by_the_share_of_yields() -> None:
    params = TRACK.params({"raters_needed": 1, "gate": "yield-rate"})
    yes, no, gone = barge(1_100, None, None), barge(1_900, None, None), barge(900, None, None)
    half = turns(*quick(100, 100), barge_ins=[yes, no], naturalness=[[4], [4]], params=params)
    assert TRACK.compose(half, params).score == 0.4 * 50 + 0.6 * 75
    found = TRACK.interval(half, params, seed=1, replicates=10)
    assert found["final"].reason == GATE_WITHOUT_INTERVAL
    none = TRACK.compose(turns(*quick(100), barge_ins=[gone], params=params), params)
    assert (none.score, none.withheld_reason) == (None, YIELD_NOT_TESTED)


def test_what_was_not_measured_withholds_the_total() -> None:
    unknown = turns(*quick(100), barge_ins=[None])
    found = TRACK.compose(unknown, PARAMS)
    assert (found.score, found.withheld_reason) == (None, BARGE_IN_NOT_MEASURED)
    items = [replace_kind(item) for item in turns(*quick(100)).items]
    found = TRACK.compose(TalkTallies(tuple(items)), PARAMS)
    assert (found.score, found.withheld_reason) == (None, TURN_NOT_MEASURED)
    assert found.components["latency"] is None


def replace_kind(item: Any) -> Any:
    return item._replace(measured=0) if item.kind == "turn" else item


def test_a_row_of_a_dialogue_where_a_turn_should_be_is_not_measured() -> None:
    references = TRACK.references(lines({"utt_id": "t0", "language": "yue"}, DIALOGUE), PARAMS)
    rows = ({"utt_id": "t0", "naturalness": [5]}, {"utt_id": "s1", "replies": []})
    given = check(*rows, ids="t0 s1").predictions
    found = TRACK.compose(TRACK.score(references, given, PARAMS), PARAMS)
    assert (found.score, found.withheld_reason) == (None, TURN_NOT_MEASURED)
    assert found.components["naturalness"] is None


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({}, "MISSING_REQUIRED_FIELD"),
        ({"replies": None}, "INVALID_FIELD_TYPE"),
        ({"replies": 300}, "INVALID_FIELD_TYPE"),
        ({"replies": [300]}, "INVALID_FIELD_TYPE"),
        ({"replies": [{}]}, "MISSING_REQUIRED_FIELD"),
        ({"replies": [{"announced_ns": None}]}, "INVALID_FIELD_TYPE"),
        ({"replies": [{"announced_ns": "300"}]}, "INVALID_FIELD_TYPE"),
        ({"replies": [{"announced_ns": True}]}, "INVALID_FIELD_TYPE"),
        ({"replies": [{"announced_ns": 0.5}]}, "NO_WHOLE_NUMBER"),
        ({"replies": [{"sound_ns": 10**18}]}, "NO_WHOLE_NUMBER"),
        ({"replies": [{"sound_ns": 0}] * 1_001}, "TOO_MANY_VALUES"),
        ({"replies": [], "barge_in": 3}, "INVALID_FIELD_TYPE"),
        ({"replies": [], "barge_in": {}}, "MISSING_REQUIRED_FIELD"),
        ({"replies": [], "barge_in": {"began_ns": None}}, "INVALID_FIELD_TYPE"),
        (
            {"replies": [], "barge_in": {"began_ns": 1, "last_sound_ns": 1}},
            "MISSING_REQUIRED_FIELD",
        ),
        ({"naturalness": [6]}, "NUMBER_OUT_OF_RANGE"),
        ({"naturalness": [0]}, "NUMBER_OUT_OF_RANGE"),
        ({"naturalness": 4}, "INVALID_FIELD_TYPE"),
    ],
)
def test_a_row_with_a_fault_is_refused_with_its_line_and_a_sentence(
    row: dict[str, object], code: str
) -> None:
    checked = check({"utt_id": "t0", **row})
    assert codes(checked) == [code]
    assert checked.report.problems[0].line == 1
    assert all(render(problem) for problem in checked.report.problems)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert check({"utt_id": "t0", "replies": [{"sound_ns": 3.0}]}).report.accepted


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([DIALOGUE], "REFERENCE_WITHOUT_TURNS"),
        (
            [{"utt_id": "t", "language": "yue", "latency": False}, DIALOGUE],
            "REFERENCE_WITHOUT_TURNS",
        ),
        ([{"utt_id": "t", "language": "yue"}], "REFERENCE_WITHOUT_DIALOGUES"),
        ([{"utt_id": "t", "language": "yue", "kind": "song"}, DIALOGUE], "UNKNOWN_CHOICE"),
        ([{"utt_id": "t", "language": "yue", "latency": 1}, DIALOGUE], "INVALID_FIELD_TYPE"),
        ([{"utt_id": "t", "language": "en"}, DIALOGUE], "INVALID_LANGUAGE"),
        ([], "EMPTY_FILE"),
    ],
)
def test_references_without_what_is_needed_are_refused(rows: list[Any], code: str) -> None:
    with pytest.raises(ReferencesInvalid) as refused:
        TRACK.references(lines(*rows), PARAMS)
    problems = refused.value.report.problems
    assert code in {problem.code for problem in problems}
    assert all(map(render, problems))


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ({"weights": {"latency": 1}}, "weights.naturalness"),
        ({"percentile": 0}, "percentile"),
        ({"percentile": 95}, "percentile"),
        ({"times_ms": {"full": 2_000}}, "times_ms.zero"),
        ({"times_ms": {"late": 1}}, "times_ms.late"),
        ({"gate": "yes"}, "gate"),
        ({"raters_needed": 0}, "raters_needed"),
        ({"scale": {"lowest": 1, "highest": 5, "mapping": "?"}}, "scale.mapping"),
    ],
)
def test_a_setting_that_is_none_is_told_by_its_path(raw: dict[str, Any], path: str) -> None:
    with pytest.raises(ParamsInvalid) as refused:
        TRACK.params(raw)
    assert path in {fault.path for fault in refused.value.faults}


def test_settings_come_back_from_their_canonical_form() -> None:
    for raw in ({}, {"times_ms": {"yield": 700}, "gate": "yield-rate", "percentile": "0.9"}):
        params = TRACK.params(raw)
        assert TRACK.params(TRACK.params_json(params)) == params


def rated_case(name: str = "g2-g6-rated") -> TalkTallies:
    case = json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))
    params = TRACK.params(case["params"])
    references = TRACK.references(lines(*case["references"]), params)
    checked = check(*case["submission"], ids=" ".join(references.ids), params=params)
    return TRACK.score(references, checked.predictions, params)


def test_tallies_are_the_same_bytes_again_and_nothing_else_is_read() -> None:
    tallies = rated_case()
    data = tallies.to_bytes()
    assert TRACK.tallies(data) == tallies
    whole = json.loads(data)
    for name, value in (("barge", "?"), ("kind", "?"), ("latency_ns", 0.5), ("ratings", -1)):
        broken = {**whole, name: [value, *whole[name][1:]]}
        with pytest.raises(TalliesInvalid):
            TRACK.tallies(json.dumps(broken).encode())


def test_the_interval_is_that_of_drawn_turns_and_dialogues() -> None:
    tallies, params = rated_case(), TRACK.params({})
    found = TRACK.interval(tallies, params, seed=7, replicates=400)
    values = TRACK.replicates(tallies, params, seed=7, replicates=400)
    assert values is not None
    assert bootstrap.bounds(values) == (found["final"].low, found["final"].high)
    by_hand = []
    for turn_counts, dialogue_counts in bootstrap.multiplicities((20, 3), seed=7, replicates=400):
        for drawn, rated in zip(turn_counts, dialogue_counts, strict=True):
            by_hand.append(score_by_hand(tallies, drawn.tolist(), rated.tolist()))
    assert values.tolist() == pytest.approx(by_hand, abs=1e-7)


def score_by_hand(tallies: TalkTallies, drawn: list[int], rated: list[int]) -> float:
    """Return a replicate's score the long way: by sorting what was drawn."""
    pairs = zip(tallies.scored("yue"), drawn, strict=True)
    ms = sorted(turn.latency_ns / MS for turn, times in pairs for _ in range(times))
    latency = max(0.0, min(100.0, 100 * (2_000 - ms[18]) / 1_700))
    marks = [float(one.mean_mark) for one in tallies.dialogues("yue")]
    mean = sum(mark * times for mark, times in zip(marks, rated, strict=True)) / 3
    return 0.4 * latency + 0.6 * 25 * (mean - 1)


def test_an_interval_needs_two_turns_and_two_dialogues() -> None:
    for tallies in (turns(*quick(1), naturalness=[[4], [4]]), turns(*quick(1, 2))):
        found = TRACK.interval(tallies, PARAMS, seed=1)
        assert found["final"].reason == bootstrap.FEWER_THAN_TWO_CLIPS
        assert TRACK.replicates(tallies, PARAMS, seed=1) is None


def test_systems_are_compared_on_the_same_turns() -> None:
    marks = [[4], [3]]
    fast, slow = (turns(*quick(*ms), naturalness=marks) for ms in ((300, 500), (900, 1_900)))
    unrated = turns(*quick(300, 500), naturalness=[[4], []])
    same, other, unknown = TRACK.paired(fast, [fast, slow, unrated], PARAMS, seed=1, replicates=200)
    assert (same.delta, same.low, same.high) == (0, 0, 0)
    assert other.delta is not None
    assert other.delta < 0
    assert other.low is not None
    assert (unknown.delta, unknown.low, unknown.p_value) == (None, None, None)
    with pytest.raises(ClipsDiffer):
        TRACK.paired(fast, [turns(*quick(300), naturalness=marks)], PARAMS, seed=1)


def test_rows_that_lack_turns_cannot_be_scored() -> None:
    references = TRACK.references(lines({"utt_id": "t0", "language": "yue"}, DIALOGUE), PARAMS)
    with pytest.raises(ItemsIncomplete):
        TRACK.score(references, {}, PARAMS)


def test_it_is_a_track_of_the_registry_with_a_page_of_its_own_numbers() -> None:
    assert registry.get("e2e") is TRACK
    sections = {section.title: section for section in TRACK.methodology(PARAMS)}
    assert sections["Score"].examples[0] == ("L 64.117647, N 75", "70.647059")
    assert sections["Latency"].examples[2] == ("301 ms", "99.941176")
    assert sections["Latency"].examples[-1][1] == "910 ms"
    answers = [answer for _, answer in sections["Yielding the floor"].examples]
    assert answers == ["yes", "yes", "yes", "no", "no"]
    texts = [text for one in sections.values() for text in (one.title, *one.paragraphs)]
    assert all(isinstance(text, Phrase) for text in (*texts, *TRACK.sending(PARAMS)))
    sample = TRACK.sample(["t0"], PARAMS).encode()
    ids = {"t0": "yue"}
    assert TRACK.check(sample, ids=ids, params=PARAMS, limits=Limits()).report.accepted


def test_weights_decide_what_each_part_brings() -> None:
    found = TRACK.compose(turns(*quick(1_150)), PARAMS)
    assert TRACK.points(found.languages, PARAMS) == {"latency": 20.0, "naturalness": 45.0}
    latency_alone = replace(PARAMS, weights={"latency": 1, "naturalness": 0})
    unrated = TRACK.compose(turns(*quick(1_150), naturalness=[[]]), latency_alone)
    assert unrated.score == 50
