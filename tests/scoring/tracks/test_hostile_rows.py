"""Whatever stands in a row of the pillars' tracks: no exception, every problem a sentence, sound numbers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.scoring import registry
from grading.scoring.messages import render

SCALE = {"lowest": 1, "highest": 5, "mapping": "above-lowest"}
LISTENS = {"recognizer": "r", "languages": {"yue": {"normalizer": "yue-1"}}}
SETTINGS: dict[str, dict[str, Any]] = {
    "llm": {"scale": SCALE, "marks_in_rows": True},
    "tts": {"scales": {"mos": SCALE}, "loop_back": LISTENS, "raters_needed": 1},
    "e2e": {"raters_needed": 1},
}
REFERENCES: dict[str, list[dict[str, Any]]] = {
    "llm": [{"utt_id": "a", "language": "yue", "fields": {"x": 1}}],
    "tts": [{"utt_id": "a", "language": "yue", "text": "你好"}],
    "e2e": [
        {"utt_id": "a", "language": "yue", "barge_in": True, "latency": True},
        {"utt_id": "b", "language": "yue", "kind": "dialogue"},
    ],
}
FIELDS = {
    "llm": ("answer", "fields", "marks"),
    "tts": ("failed", "repeated", "transcript", "mos", "comos", "similarity"),
    "e2e": ("replies", "barge_in", "naturalness"),
}
INSIDE = ("announced_ns", "sound_ns", "audible_ns", "began_ns", "played_until_ns", "x", "X ")
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**22), 10**22)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([1, 3, 4.5, 300_000_000, "", "你好", "\0", "\x1b[2J"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(INSIDE), inner, max_size=3)
    ),
    max_leaves=5,
)


def rows_for(name: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    fields = st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS[name], VALUES))
    ids = st.sampled_from(["a", "b", " a", "z"])
    row = st.tuples(ids, fields).map(lambda pair: {"utt_id": pair[0], **pair[1]})
    return st.lists(row, max_size=3)


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def judge_file(name: str, data: bytes) -> None:
    """Check a file, and score it where it is accepted."""
    track = registry.get(name)
    params = track.params(SETTINGS[name])
    references = track.references(lines(REFERENCES[name]), params)
    checked = track.check(
        data, ids=dict(references.language_of), params=params, limits=track.limits({})
    )
    assert all(render(problem) for problem in checked.report.problems)
    if not checked.report.accepted:
        assert checked.predictions == {}
        return
    tallies = track.score(references, checked.predictions, params)
    assert track.tallies(tallies.to_bytes()) == tallies
    found = track.compose(tallies, params)
    json.dumps([found.components, found.languages, tallies.rows()], allow_nan=False)
    assert (found.score is None) == bool(found.withheld_reason)
    assert found.withheld_reason in {"", *track.reasons}
    assert found.score is None or 0 <= found.score <= 100


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_any_row_is_judged(name: str) -> None:
    @settings(max_examples=40, deadline=None)
    @given(rows_for(name))
    def run(rows: list[dict[str, Any]]) -> None:
        judge_file(name, lines(rows))

    run()


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_any_bytes_are_judged(name: str) -> None:
    @settings(max_examples=20, deadline=None)
    @given(st.binary(max_size=60) | st.text(max_size=40).map(lambda text: text.encode()))
    def run(data: bytes) -> None:
        judge_file(name, data)
        judge_file(name, b'{"utt_id": "a", ' + data)

    run()
