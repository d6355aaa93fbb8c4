from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from grading.alignments import Column, Step, draw_columns, place_tags
from grading.scoring.text.nvv1 import read_transcript

LABELS = frozenset({"laugh", "sigh"})


def transcript(text: str):
    return read_transcript(text, "en", LABELS)


def drawn(reference: str, system: str) -> list[tuple[str, str, str]]:
    columns = draw_columns(transcript(reference), transcript(system))
    return [(column.step.value, column.above, column.below) for column in columns]


def test_equal_texts_stand_under_each_other_with_their_tags():
    assert drawn("so [laugh] yes", "so [laugh] yes") == [
        ("same", "so", "so"),
        ("tag", "[laugh]", "[laugh]"),
        ("same", "yes", "yes"),
    ]


def test_deletions_insertions_and_substitutions_have_their_columns():
    assert drawn("a b c", "a c") == [("same", "a", "a"), ("del", "b", ""), ("same", "c", "c")]
    assert drawn("a c", "a b c") == [("same", "a", "a"), ("ins", "", "b"), ("same", "c", "c")]
    assert drawn("a b", "a x") == [("same", "a", "a"), ("sub", "b", "x")]
    assert drawn("", "x [sigh]") == [("ins", "", "x"), ("hyp-tag", "", "[sigh]")]
    assert drawn("x [sigh]", "") == [("del", "x", ""), ("ref-tag", "[sigh]", "")]


words = st.lists(st.sampled_from(["a", "b", "c", "[laugh]", "[sigh]"]), max_size=9).map(" ".join)


@given(words, words)
def test_the_drawing_holds_both_transcripts_whole_at_the_least_cost(reference, system):
    above, below = transcript(reference), transcript(system)
    columns = draw_columns(above, below)
    assert [c.above for c in columns if c.above] == list(above.tokens)
    assert [c.below for c in columns if c.below] == list(below.tokens)
    cost = sum(c.step in {Step.DELETED, Step.INSERTED, Step.SUBSTITUTED} for c in columns)
    assert cost == Levenshtein.distance(above.units, below.units)


@given(words, words)
def test_a_tag_is_within_its_collar_or_not_by_its_distance(reference, system):
    above, below = transcript(reference), transcript(system)
    for tag in place_tags(above, below, 1):
        places = [p for t, p in zip(above.tags, above.positions, strict=True) if t == tag.label]
        assert tag.within == any(abs(place - tag.mapped) <= 1 for place in places)


def test_a_column_is_a_plain_value():
    assert Column(Step.DELETED, "a") == Column(Step.DELETED, "a", "")
