"""Submissions at random and on purpose: always an answer, in linear time."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scoring.formats.challenge import (
    BOM,
    GOOD,
    PRETTY_MAP,
    ROWS,
    check,
    codes,
    sentences,
    with_text,
)


@given(st.integers(0, 2**32), st.sampled_from(["jsonl", "list", "map"]), st.integers(1, 4))
def test_changed_bytes_are_answered_and_never_raise(seed: int, form: str, changes: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    whole = {"jsonl": GOOD, "list": json.dumps(ROWS).encode(), "map": PRETTY_MAP}[form]
    data = bytearray(whole)
    for _ in range(changes):
        place = chance.randrange(len(data))
        data[place : place + chance.choice([0, 1])] = chance.choice(
            [
                b"\xff",
                b"{",
                b"}",
                b"[",
                b"]",
                b'"',
                b"\\",
                b"\n",
                b",",
                b":",
                b"\0",
                b"\\ud800",
                b"1",
            ]
        )
    checked = check(bytes(data))
    assert checked.report.accepted or checked.report.problems
    sentences(checked).encode("utf-8")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
)
def test_any_json_is_answered_and_never_raises(value: Any) -> None:
    checked = check(json.dumps(value).encode())
    assert not checked.report.accepted
    assert checked.report.problems
    sentences(checked).encode("utf-8")


@given(st.text(max_size=200))
def test_any_text_is_accepted_or_has_a_problem_on_its_line(text: str) -> None:
    checked = check(with_text(text))
    if checked.report.accepted:
        assert checked.predictions["utt_0002"] == text
    else:
        assert {p.line for p in checked.report.problems} == {2}


MIB = 1 << 20

SIZE = MIB // 10

HOSTILE = {
    "open brackets": b"[" * SIZE,
    "open braces": b"{" * SIZE,
    "pairs of brackets": b"[]" * (SIZE // 2),
    "brackets on lines": b"[\n" * (SIZE // 2),
    "quotes": b'"' * SIZE,
    "escaped quotes": b'["' + b'\\"' * (SIZE // 2),
    "backslashes": b'["' + b"\\" * SIZE,
    "digits": b"1" * SIZE,
    "runs of 400 digits": b"[" + (b"1" * 400 + b",") * (SIZE // 401) + b"1]",
    "exponents": b'{"utt_id": "a", "x": ' + b"1e." * (SIZE // 3) + b"}",
    "nested objects": b'{"a":' * (SIZE // 5),
    "surrogates": b'{"utt_id": "utt_0001", "text_with_nvvs": "' + b"\\ud800" * (SIZE // 6) + b'"}',
    "tags": b'{"utt_id": "utt_0001", "text_with_nvvs": "' + b"[laugh]" * (SIZE // 7) + b'"}',
    "brackets in a text": b'{"utt_id": "utt_0001", "text_with_nvvs": "' + b"[" * SIZE + b'"}',
    "marks": b'{"utt_id": "utt_0001", "text_with_nvvs": "'
    + "\u0301".encode() * (SIZE // 2)
    + b'"}',
    "keys": b"{" + b'"a": "", ' * (SIZE // 9) + b'"a": ""}',
    "bad rows on one line": b"[" + b"NaN," * (SIZE // 4) + b"1]",
    "rows without commas": b"[" + b'{"a": 1}' * (SIZE // 8) + b"]",
    "NUL": bytes(SIZE),
    "bad bytes on lines": b"\xff\n" * (SIZE // 2),
    "numbers on lines": b"1\n" * (SIZE // 2),
    "line ends": b"\r\n" * (SIZE // 2),
    "marks of byte order": BOM * (SIZE // 3),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_answered_in_linear_time(kind: str) -> None:
    start = time.process_time()
    assert not check(HOSTILE[kind]).report.accepted
    assert time.process_time() - start < 10  # quadratic work on 100 KiB would take minutes


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["open brackets", "pairs of brackets", "marks", "digits", "tags"])
def test_a_hostile_file_at_the_size_limit_is_answered_in_seconds(kind: str) -> None:
    data = HOSTILE[kind] * 200
    start = time.process_time()
    assert not check(data[: 20 * MIB]).report.accepted
    assert time.process_time() - start < 30


@pytest.mark.parametrize(
    "data", [b"[" * 5000, b"[" * 99 + b"]" * 99, b'{"a":' * 99, b'[{"a":' * 99]
)
def test_nesting_without_end_is_told_as_nesting(data: bytes) -> None:
    assert "JSON_TOO_DEEP" in codes(check(data))
    assert "nested deeper than 32" in sentences(check(data))


def test_a_long_text_of_tags_is_refused_for_both() -> None:
    checked = check(with_text("[laugh]" * 5000))
    assert codes(checked) == ["TEXT_TOO_LONG", "TOO_MANY_TAGS"]
    assert checked.report.problems[1].params["tags"] == 5000
