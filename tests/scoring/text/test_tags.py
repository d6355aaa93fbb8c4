from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.text.tags import EMPTY, MALFORMED, UNSUPPORTED, lookalikes, scan, suggest
from tests.scoring.golden import PARAMS, nvv, transcript

LABELS = PARAMS.label_set
AWKWARD = st.text(st.sampled_from("[]［］ laughcoΣé\u3000\n"), max_size=40)


@pytest.mark.parametrize("case", nvv()["validation"], ids=lambda case: case["text"])
def test_golden_verdicts(case: dict[str, Any]) -> None:
    faults = scan(case["text"], LABELS).faults
    if case["code"] is None:
        read = transcript(case["text"], case["language"])
        assert (faults, read.units, read.tokens) == ((), case["units"], case["tagged"])
    else:
        assert {fault.code for fault in faults} == {case["code"]}


def test_every_fault_is_listed_with_its_column() -> None:
    found = scan("ab [ ] c [gigle] [laugh] x] [", LABELS)
    assert [(fault.code, fault.column) for fault in found.faults] == [
        (EMPTY, 4),
        (UNSUPPORTED, 10),
        (MALFORMED, 27),
        (MALFORMED, 29),
    ]
    assert found.tags == ("laugh",)


def test_content_is_folded_before_it_is_compared() -> None:
    assert scan("[ＬＡＵＧＨ][ Throat \u00a0 clearing\t][𝐂ough]", LABELS).tags == (
        "laugh",
        "throat clearing",
        "cough",
    )


@pytest.mark.parametrize(
    ("content", "label"),
    [
        ("sniffl", "sniff"),
        ("throatclearing", "throat clearing"),
        ("throat-clearing", "throat clearing"),
        ("clears throat", "throat clearing"),
        ("笑声", "laugh"),
        ("laughter", "laugh"),
        ("laugh:2.3s", "laugh"),
        ("la ugh", "laugh"),
        ("l\u0430ugh", "laugh"),
        ("lip smack", "lipsmack"),
        ("applause", None),
        ("music", None),
    ],
)
def test_suggestions(content: str, label: str | None) -> None:
    assert suggest(content, LABELS) == label


def test_only_labels_of_the_competition_are_suggested() -> None:
    assert suggest("laughter", frozenset({"cough"})) is None


def test_letters_of_another_alphabet_are_named() -> None:
    (fault,) = scan("[l\u0430ugh]", LABELS).faults
    assert fault.odd == ("U+0430",)


@pytest.mark.parametrize(
    "text", ["［laugh］", "【Laugh】", "<laugh>", "(laughter)", "（咳嗽）", "<|cough|>", "</sigh>"]
)
def test_other_brackets_are_noticed(text: str) -> None:
    (found,) = lookalikes(f"well {text} no", LABELS)
    assert found.found == text
    assert found.suggestion in LABELS


def test_ordinary_parentheses_are_not_noticed() -> None:
    assert lookalikes("(that is) a <b> 【注】 (high) (lough)", LABELS) == ()


@given(AWKWARD)
def test_pieces_and_tags_make_up_the_text(text: str) -> None:
    found = scan(text, LABELS)
    assert len(found.pieces) == len(found.tags) + 1
    if not found.faults:
        contents = re.findall(r"\[([^\[\]]*)\]", text)
        rebuilt = "".join(
            piece + (f"[{content}]" if content is not None else "")
            for piece, content in zip(found.pieces, [*contents, None], strict=True)
        )
        assert rebuilt == text


@given(AWKWARD)
def test_a_text_is_faultless_when_its_brackets_pair_around_labels(text: str) -> None:
    rest = re.sub(
        r"\[([^\[\]]*)\]",
        lambda match: "" if " ".join(match[1].lower().split()) in LABELS else match[0],
        text,
    )
    assert (not scan(text, LABELS).faults) == ("[" not in rest and "]" not in rest)


def test_long_rows_of_brackets_are_read_in_linear_time() -> None:
    for unit in ("[", "]", "[a", "[]", "[[laugh]"):
        assert len(scan(unit * 20_000, LABELS).faults) >= 20_000
