"""A definition whose composed board names boards: each pillar has a score in points."""

from __future__ import annotations

from pathlib import Path

import pytest

from grading.services import loading
from tests.factories.competition import REFERENCES
from tests.grading.test_loading import DEFINITION, NOW

pytestmark = pytest.mark.django_db

WER_TRACK = """\
  - slug: recognition
    kind: asr-wer
    title: {en: Recognition}
    params: {}
    phases:
      - slug: dev
        title: {en: Development}
        opens_at: 2026-11-01 00:00 AoE
        closes_at: 2026-12-08 23:59 AoE
        references: words.jsonl
"""
STACK = """\
  - slug: stack
    kind: pillars
    title: {en: Stack}
    params: {weights: {asr: 1, llm: 1}, boards: {asr: BOARD, llm: elsewhere}}
    phases:
      - slug: dev
        title: {en: Development}
        opens_at: 2026-11-01 00:00 AoE
        closes_at: 2026-12-08 23:59 AoE
"""


@pytest.mark.parametrize(
    ("board", "told"),
    [("recognition", "recognition is a track of asr-wer"), ("understanding", ""), ("stack", "of pillars")],
)  # fmt: skip
def test_a_pillar_has_a_score_in_points(tmp_path: Path, board: str, told: str):
    for name in ("dev.jsonl", "final.jsonl"):
        (tmp_path / name).write_bytes(REFERENCES)
    (tmp_path / "words.jsonl").write_text('{"utt_id": "a", "language": "en", "text": "well"}\n')
    text = DEFINITION + WER_TRACK + STACK.replace("BOARD", board)
    faults = loading.plan(definition_text=text, base_dir=tmp_path, now=NOW).faults
    assert [fault.path for fault in faults] == ["tracks[2].params.boards.asr"] * bool(told)
    assert all(told in str(fault) for fault in faults)
