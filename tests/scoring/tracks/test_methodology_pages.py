"""What every methodology page keeps to, whatever its track says on it."""

from __future__ import annotations

import pytest

from grading.scoring import registry
from grading.scoring.tracks.latency_figures import FIGURES

LABELS = {"labels": ["laugh"]}
PAGES = [
    *((name, LABELS if name.startswith("nvv") else {}) for name in registry.names()),
    *(("latency", {"headline": figure, "figures": [figure]}) for figure in FIGURES),
]


@pytest.mark.parametrize(("name", "raw"), PAGES)
def test_every_paragraph_is_a_sentence_by_itself(name: str, raw: dict[str, object]) -> None:
    track = registry.get(name)
    sections = track.methodology(track.params(raw))
    assert sections
    bare = [text for one in sections for text in one.paragraphs if not text.endswith((".", ":"))]
    assert bare == []
    followed = [one.paragraphs[-1] for one in sections if one.paragraphs and not one.formula]
    assert not [text for text in followed if text.endswith(":")]
