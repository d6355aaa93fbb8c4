from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from grading.scoring.tracks.nvv_drawing import draw
from grading.scoring.tracks.nvv_tally import tally_utterance
from tests.scoring.golden import transcript
from tests.scoring.oracles import full_matrix

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "[laugh]", "[cry]"]), max_size=10).map(" ".join)


@settings(max_examples=150)
@given(TEXTS, TEXTS)
def test_the_drawing_is_a_shortest_alignment_of_both_texts(first: str, second: str) -> None:
    reference, hypothesis = transcript(first, "en"), transcript(second, "en")
    units = draw(reference, hypothesis, 2).units
    assert [pair.reference for pair in units if pair.reference is not None] == reference.units
    assert [pair.hypothesis for pair in units if pair.hypothesis is not None] == hypothesis.units
    edits = sum(pair.reference != pair.hypothesis for pair in units)
    assert edits == full_matrix(reference.units, hypothesis.units)[-1][-1]


@given(TEXTS, TEXTS)
def test_the_drawn_events_are_the_counted_ones(first: str, second: str) -> None:
    reference, hypothesis = transcript(first, "en"), transcript(second, "en")
    events = draw(reference, hypothesis, 2).events
    tally = tally_utterance("u", "en", reference, hypothesis, 2)
    alone = [event for event in events if None in event]
    assert len(events) - len(alone) == tally.tp
    assert sum(event.reference is None for event in alone) == tally.fp
    assert sum(event.hypothesis is None for event in alone) == tally.fn
