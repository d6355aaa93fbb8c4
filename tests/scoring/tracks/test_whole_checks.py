"""What a file says against the references is told when it is checked, not lost when it is scored."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.scoring import registry
from grading.scoring.messages import render
from grading.scoring.tracks.base import Checked
from grading.scoring.tracks.voice_agent_tallies import UNIT

AGENT = registry.get("voice-agent")
RULES = AGENT.params(
    {"languages": ["en", "ta"], "subtasks": {"chat": "gpt_1to5", "follow": "ifeval", "quiz": "accuracy"}}
)  # fmt: skip
SUBTASKS = {"a": "chat", "b": "follow", "c": "quiz", "t": "quiz"}


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


ITEMS = AGENT.references(
    lines(
        *(
            {"utt_id": one, "language": "ta" if one == "t" else "en", "subtask": subtask}
            for one, subtask in SUBTASKS.items()
        )
    ),
    RULES,
)
HOSTILE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=3),
    st.sampled_from(["\0", "\ud800", "CHAT", "chat ", "audio\n", "x" * 5_000, [], {}, ["chat"]]),
)
FIELDS = {
    "subtask": st.one_of(st.sampled_from(["chat", "follow", "quiz"]), HOSTILE),
    "arm": st.one_of(st.sampled_from(["text", "audio"]), HOSTILE),
    "score": st.one_of(st.sampled_from([0, 1, 4.25, 1e-30, 5, 100, -0.0, None]), HOSTILE),
}
ROWS = st.lists(
    st.builds(
        lambda utt_id, fields: {"utt_id": utt_id, **fields},
        st.sampled_from(["a", "b", "c", "t", " a", "unknown"]),
        st.fixed_dictionaries({}, optional=FIELDS),
    ),
    max_size=8,
)
RIGHT = st.lists(
    st.builds(
        lambda utt_id, arm, subtask: {
            "utt_id": utt_id, "arm": arm, "score": 1, "subtask": subtask or SUBTASKS[utt_id]
        },
        st.sampled_from(sorted(SUBTASKS)),
        st.sampled_from(["text", "audio"]),
        st.sampled_from([None, None, None, "chat", "quiz"]),
    ),
    max_size=8,
    unique_by=lambda row: (row["utt_id"], row["arm"]),
)  # fmt: skip


def both(rows: list[dict[str, Any]]) -> tuple[Checked, Checked]:
    """Return the verdict by the ids alone, and the one against the references."""
    data = lines(*rows)
    limits = AGENT.limits({})
    by_ids = AGENT.check(data, ids=dict(ITEMS.language_of), params=RULES, limits=limits)
    whole = AGENT.check_against(data, references=ITEMS, params=RULES, limits=limits)
    return by_ids, whole


@settings(max_examples=400, deadline=None)
@given(st.one_of(ROWS, RIGHT))
def test_an_accepted_file_loses_no_row_when_it_is_scored(rows: list[dict[str, Any]]) -> None:
    by_ids, whole = both(rows)
    for problem in whole.report.problems:
        assert render(problem)
        assert len(render(problem)) < 1_000
    if not whole.report.accepted:
        assert whole.predictions == {}
        assert whole.report.errors
        return
    assert by_ids.report.accepted
    assert by_ids.predictions == whole.predictions
    tallies = {one.utt_id: one for one in AGENT.score(ITEMS, whole.predictions, RULES).items}
    counted = [row for row in rows if row["utt_id"].strip() in SUBTASKS]
    for row in counted:
        kept = getattr(tallies[row["utt_id"].strip()], row["arm"])
        score = row["score"]
        assert kept == (None if score is None else round(Fraction(str(score)) * UNIT))


@settings(max_examples=200, deadline=None)
@given(RIGHT)
def test_each_row_of_another_subtask_is_told_with_its_line(rows: list[dict[str, Any]]) -> None:
    _, whole = both(rows)
    wrong = [n for n, row in enumerate(rows, 1) if row["subtask"] != SUBTASKS[row["utt_id"]]]
    told = [one.line for one in whole.report.problems if one.code == "OTHER_SUBTASK"]
    assert told == wrong


@pytest.mark.parametrize(
    ("name", "references", "row", "code"),
    [
        (
            "latency",
            [{"utt_id": "a", "language": "en", "leg": "stt", "audio_ms": 900}],
            {"utt_id": "a", "leg": "tts", "measure": "ttfa", "value_ms": 3},
            "OTHER_LEG",
        ),
        (
            "e2e",
            [{"utt_id": "a", "language": "yue"}, {"utt_id": "d", "language": "yue", "kind": "dialogue"}],
            {"utt_id": "a", "naturalness": [4]},
            "OTHER_KIND",
        ),
        (
            "e2e",
            [{"utt_id": "b", "language": "yue"}, {"utt_id": "a", "language": "yue", "kind": "dialogue"}],
            {"utt_id": "a", "replies": []},
            "OTHER_KIND",
        ),
    ],
)  # fmt: skip
def test_a_row_of_something_else_than_its_id_is_refused(name, references, row, code) -> None:
    track = registry.get(name)
    params = track.params({})
    items = track.references(lines(*references), params)
    found = track.check_against(
        lines(row), references=items, params=params, limits=track.limits({})
    )
    (problem,) = [one for one in found.report.problems if one.code.startswith("OTHER")]
    assert (problem.code, problem.line) == (code, 1)
    assert track.checks_against
    assert "{" not in render(problem)
    found = track.check(
        lines(row), ids=dict(items.language_of), params=params, limits=track.limits({})
    )
    assert code not in {one.code for one in found.report.problems}
