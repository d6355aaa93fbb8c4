from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from grading.scoring import recipe
from grading.scoring.evaluate import evaluate
from grading.scoring.tracks.base import Composed
from grading.scoring.tracks.nvv_t1 import TRACK, NvvUnderstanding
from scripts.check_determinism import golden_evaluation
from tests.scoring.golden import GOLDEN, PARAMS, demo_corpus


def run(**options: Any) -> Any:
    references, predictions = demo_corpus()
    return evaluate(track=TRACK, params=PARAMS, references=references, given=predictions, **options)


def test_the_golden_interval_is_the_committed_one() -> None:
    wanted = json.loads((GOLDEN / "determinism.json").read_text(encoding="utf-8"))
    assert golden_evaluation() == wanted["evaluation"]


def test_the_seed_follows_from_recipe_and_phase() -> None:
    found, other = run(), run(phase_code="final")
    start = hashlib.sha256(f"{found.recipe_digest}:".encode()).digest()[:8]
    assert found.seed == int.from_bytes(start, "big")
    assert other.recipe_digest == found.recipe_digest
    assert other.seed == recipe.seed(found.recipe_digest, "final") != found.seed
    assert run(seed=5).seed == 5


def test_the_json_has_what_a_page_needs() -> None:
    found = run(seed=7).as_json()
    assert json.loads(json.dumps(found)) == found
    assert found["track"] == "nvv-t1"
    assert found["unicode"] == {"classes": "15.1.0", "normalization": "14.0.0"}
    assert found["interval"][0] < found["score"] < found["interval"][1]
    assert set(found["languages"]) == {"en", "zh"}
    assert {
        "score",
        "interval",
        "f1",
        "precision",
        "recall",
        "tp",
        "fp",
        "fn",
        "mntd",
        "ntd_utterances",
        "error_rate",
        "edits",
        "reference_tokens",
        "labels",
    } <= set(found["languages"]["en"])


def test_a_perfect_copy_has_no_interval_and_says_why() -> None:
    references, _ = demo_corpus()
    found = evaluate(
        track=TRACK, params=PARAMS, references=references, given=references.texts
    ).as_json()
    assert (found["score"], found["interval"]) == (100, None)
    assert found["interval_reason"] == "LANGUAGE_WITHOUT_INTERVAL"
    assert found["languages"]["zh"]["interval_reason"] == "ZERO_WIDTH"


def test_a_withheld_score_has_no_interval() -> None:
    class Withholding(NvvUnderstanding):
        def compose(self, tallies: Any, params: Any) -> Composed:
            return Composed(None, "NOT_YET", {}, {})

    references, predictions = demo_corpus()
    found = evaluate(track=Withholding(), params=PARAMS, references=references, given=predictions)
    assert (found.score, found.interval, found.interval_reason) == (None, None, "NOT_YET")


def test_the_digest_changes_with_each_part_of_the_recipe() -> None:
    base = {"track": "t", "version": "1", "params": {"a": 1}, "reference_sha256": "0"}
    digests = {recipe.digest(**base)}
    for change in ({"track": "u"}, {"version": "2"}, {"params": {"a": 2}}):
        digests.add(recipe.digest(**{**base, **change}))
    digests.add(recipe.digest(**{**base, "reference_sha256": "1"}))
    assert len(digests) == 5
    assert all(len(digest) == 64 for digest in digests)


def test_canonical_json_sorts_and_refuses_nan() -> None:
    assert recipe.canonical_json({"b": [1, 0.5], "a": "é"}) == '{"a":"é","b":[1,0.5]}'.encode()
    with pytest.raises(ValueError, match="JSON"):
        recipe.canonical_json({"a": float("nan")})


def test_the_digest_of_references_does_not_depend_on_their_order() -> None:
    references, _ = demo_corpus()
    rows = [(i, references.language_of[i], references.texts[i]) for i in references.ids]
    again = type(references).from_rows(reversed(rows), references.labels)
    changed = type(references).from_rows([*rows[1:], (*rows[0][:2], "x")], references.labels)
    assert again.sha256 == references.sha256 != changed.sha256
