from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring import bootstrap, registry
from grading.scoring.methodology import Phrase
from grading.scoring.tally import NvvTallies
from grading.scoring.tracks.base import Composed, Track
from grading.scoring.tracks.nvv_t1 import TRACK, ClipsDiffer, PredictionsIncomplete
from grading.scoring.types import Limits, ReferencesInvalid
from tests.scoring.golden import PARAMS, corpus, demo_corpus, transcript
from tests.scoring.oracles import full_matrix

TRANSCRIPTS = st.lists(
    st.sampled_from(["a", "b", "c", "[laugh]", "[cough]"]), min_size=1, max_size=8
).map(" ".join)


def demo_tallies() -> NvvTallies:
    references, predictions = demo_corpus()
    return TRACK.score(references, predictions, PARAMS)


def two_rows(en: str, zh: str) -> tuple[NvvTallies, Composed]:
    rows = [("e", "en", "a b [laugh] c", en), ("z", "zh", "[sigh]你好", zh)]
    tallies = TRACK.score(*corpus(rows), PARAMS)
    return tallies, TRACK.compose(tallies, PARAMS)


def test_the_registry_knows_the_track() -> None:
    track: Track = registry.get("nvv-t1")
    assert track.version == "1.0.0"
    assert {"nvv-t1", "nvv-t2"} <= set(registry.names())
    assert (track.needs_marks, track.sends_sounds) == (False, False)
    with pytest.raises(registry.UnknownTrack, match=r"'nvv-t9'.*nvv-t1"):
        registry.get("nvv-t9")


def test_files_go_all_the_way() -> None:
    references, predictions = demo_corpus()
    rows = [
        {"utt_id": i, "language": references.language_of[i], "text_with_nvvs": references.texts[i]}
        for i in references.ids
    ]
    data = "\n".join(json.dumps(row) for row in reversed(rows)).encode()
    read = TRACK.references(data, PARAMS)
    assert (read.ids, read.sha256) == (references.ids, references.sha256)
    assert read.counts == {"en": 18, "zh": 18}
    submission = json.dumps(predictions).encode()
    checked = TRACK.check(submission, ids=read.language_of, params=PARAMS, limits=Limits())
    assert checked.report.accepted
    assert TRACK.score(read, checked.predictions, PARAMS) == demo_tallies()


def test_references_of_one_language_are_refused() -> None:
    data = b'{"utt_id": "a", "language": "en", "text_with_nvvs": "[laugh] a"}'
    with pytest.raises(ReferencesInvalid) as refused:
        TRACK.references(data, PARAMS)
    assert {problem.code for problem in refused.value.report.problems} == {
        "REFERENCE_LANGUAGE_COVERAGE_ERROR"
    }


def test_references_show_no_text() -> None:
    references, _ = corpus([("a", "en", "canary words", "")])
    assert "canary" not in repr(references)


def test_missing_predictions_are_refused_and_further_ones_ignored() -> None:
    references, predictions = demo_corpus()
    assert TRACK.score(references, {**predictions, "other": "[x"}, PARAMS) == demo_tallies()
    with pytest.raises(PredictionsIncomplete) as refused:
        TRACK.score(references, {}, PARAMS)
    assert refused.value.missing == 36


@pytest.mark.parametrize("count", [1, 36, 150, 199])
def test_progress_is_told_at_most_100_times_and_ends_at_the_whole(count: int) -> None:
    rows = [(f"u{k}", "en", "a", "a") for k in range(count)]
    seen: list[tuple[int, int]] = []
    TRACK.score(*corpus(rows), PARAMS, lambda done, total: seen.append((done, total)))
    assert seen[-1] == (count, count)
    assert len(seen) <= 100
    assert seen == sorted(seen)


def test_each_language_is_rounded_and_then_their_mean() -> None:
    tallies, found = two_rows("a b [laugh] c d d", "[sigh]你好吗好")
    thirds = [
        Fraction(part["edits"], part["reference_tokens"]) for part in found.languages.values()
    ]
    exact = [round(100 * (1 - Fraction(1, 10) * third), 12) for third in thirds]
    assert [part["score"] for part in found.languages.values()] == [float(x) for x in exact]
    assert found.score == float(round(sum(exact) / 2, 12))
    assert thirds == [Fraction(2, 4), Fraction(2, 3)]
    assert NvvTallies.from_bytes(tallies.to_bytes()) == tallies


def test_a_language_without_utterances_withholds_the_score() -> None:
    tallies = NvvTallies(demo_tallies().of_language("en"))
    found = TRACK.compose(tallies, PARAMS)
    assert (found.score, found.withheld_reason) == (None, "LANGUAGE_WITHOUT_UTTERANCES")
    assert found.languages["zh"]["score"] is None
    intervals = TRACK.interval(tallies, PARAMS, seed=1, replicates=200)
    assert intervals["zh"].reason == bootstrap.FEWER_THAN_TWO_CLIPS
    assert intervals["final"].reason == bootstrap.LANGUAGE_WITHOUT_INTERVAL
    assert intervals["en"].low is not None


def test_labels_are_counted_one_by_one_and_absent_ones_have_no_f1() -> None:
    _, found = two_rows("a b [cough] c", "[sigh]你好")
    labels = found.languages["en"]["labels"]
    assert set(labels) == set(PARAMS.labels)
    assert labels["laugh"] == {"tp": 0, "fp": 0, "fn": 1, "f1": 0.0}
    assert labels["cough"] == {"tp": 0, "fp": 1, "fn": 0, "f1": 0.0}
    assert labels["yawn"] == {"tp": 0, "fp": 0, "fn": 0, "f1": None}


def test_the_order_is_score_then_tie_breaks_at_nine_decimals() -> None:
    base = Composed(70.0, "", {"f1": 0.5, "mntd": 0.3, "error_rate": 0.2}, {})
    noise = replace(base, score=70.0 + 1e-11)
    better_f1 = replace(base, components={"f1": 0.6, "mntd": 0.9, "error_rate": 0.9})
    lower_mntd = replace(base, components={"f1": 0.5, "mntd": 0.2, "error_rate": 0.9})
    lower_error = replace(base, components={"f1": 0.5, "mntd": 0.3, "error_rate": 0.1})
    withheld = Composed(None, "LANGUAGE_WITHOUT_UTTERANCES", {}, {})
    entries = [withheld, base, lower_error, lower_mntd, better_f1, replace(base, score=71.0)]
    ordered = sorted(entries, key=lambda entry: TRACK.order_key(entry, PARAMS))
    assert ordered == entries[::-1]
    assert TRACK.order_key(noise, PARAMS) == TRACK.order_key(base, PARAMS)
    unbroken = TRACK.params({"tie_breaks": []})
    assert TRACK.order_key(better_f1, unbroken) == TRACK.order_key(base, unbroken)


def test_edit_pairs_carry_tokens_and_their_distance() -> None:
    references, predictions = demo_corpus()
    pairs = list(TRACK.edit_pairs(references, predictions, PARAMS, references.ids))
    tallied = {row.utt_id: row.edits for row in demo_tallies().utterances}
    assert {pair.utt_id: pair.edits for pair in pairs} == tallied
    for pair in pairs:
        assert full_matrix(pair.reference_tokens, pair.hypothesis_tokens)[-1][-1] == pair.edits


@given(st.lists(st.tuples(TRANSCRIPTS, TRANSCRIPTS), min_size=2, max_size=4))
def test_utterances_pool_by_adding(pairs: list[tuple[str, str]]) -> None:
    rows = [
        (f"u{k}", ("en", "zh")[k % 2], reference, hypothesis)
        for k, (reference, hypothesis) in enumerate(pairs)
    ]
    found = TRACK.compose(TRACK.score(*corpus(rows), PARAMS), PARAMS)
    for language, part in found.languages.items():
        own = [row for row in rows if row[1] == language]
        tags = sum(len(transcript(row[2], language).tags) for row in own)
        assert part["tp"] + part["fn"] == tags
        assert part["tp"] + part["fp"] == sum(len(transcript(row[3], language).tags) for row in own)
        assert 0 <= part["score"] <= 100


@given(st.lists(TRANSCRIPTS.filter(lambda text: "[" in text), min_size=2, max_size=4))
def test_a_perfect_prediction_scores_100(texts: list[str]) -> None:
    rows = [(f"u{k}", ("en", "zh")[k % 2], text, text.upper()) for k, text in enumerate(texts)]
    assert TRACK.compose(TRACK.score(*corpus(rows), PARAMS), PARAMS).score == 100


def test_a_paired_comparison_uses_the_same_draws() -> None:
    references, _ = demo_corpus()
    perfect = TRACK.score(references, references.texts, PARAMS)
    worse = demo_tallies()
    same, better = TRACK.paired(worse, [worse, perfect], PARAMS, seed=5, replicates=400)
    assert (same.delta, same.low, same.high, same.p_value) == (0, 0, 0, 1)
    assert better.delta == pytest.approx(100 - TRACK.compose(worse, PARAMS).score)
    assert better.low > 0
    assert better.p_value == pytest.approx(2 / 401)
    replicate = TRACK.interval(worse, PARAMS, seed=5, replicates=400)["final"]
    assert (100 - better.high, 100 - better.low) == pytest.approx(
        (replicate.low, replicate.high), abs=0.5
    )


def test_a_paired_comparison_needs_the_same_clips_and_two_of_each_language() -> None:
    tallies = demo_tallies()
    with pytest.raises(ClipsDiffer):
        TRACK.paired(tallies, [NvvTallies(tallies.utterances[1:])], PARAMS, seed=1)
    thin, composed = two_rows("a", "b")
    (unknown,) = TRACK.paired(thin, [thin], PARAMS, seed=1)
    assert (unknown.delta, unknown.low, unknown.p_value) == (0, None, None)
    assert composed.score is not None


def test_the_methodology_follows_the_parameters() -> None:
    params = TRACK.params(
        {
            "labels": ["ß click"],
            "collars": {"en": 0, "zh": 1},
            "weights": {"f1": 1, "mntd": 0, "error": 0},
            "tie_breaks": ["mntd"],
        }
    )
    sections = TRACK.methodology(params)
    page = "\n".join(
        "\n".join((section.title, *section.paragraphs, section.formula)) for section in sections
    )
    assert "ß click" in page
    assert "at most 0 words" in page
    assert "100 · (1 · F1 + 0 · (1 − mNTD)" in page
    assert "ordered by: mNTD" in page


def test_methodology_texts_can_be_translated() -> None:
    for section in TRACK.methodology(PARAMS):
        for phrase in (section.title, *section.paragraphs):
            assert isinstance(phrase, Phrase)
            values = phrase.values
            assert str(phrase) == (phrase.template % values if values else phrase.template)


def test_the_methodology_shows_what_the_code_does() -> None:
    shown = dict(pair for section in TRACK.methodology(PARAMS) for pair in section.examples)
    assert shown["I’m fine, well-known U.S. dogs' 3.5%"] == (
        "i'm | fine | well | known | u | s | dogs | 3 | 5"
    )
    assert "NTD 3/8" in shown.values()
    assert "TP 2, FP 0, FN 0" in shown.values()


def test_the_points_of_the_parts_make_up_the_score() -> None:
    found = TRACK.compose(demo_tallies(), PARAMS)
    points = TRACK.points(found.languages, PARAMS)
    assert set(points) == {"f1", "mntd", "error"}
    assert sum(points.values()) == pytest.approx(found.score, abs=1e-9)
    half = TRACK.compose(NvvTallies(demo_tallies().of_language("zh")), PARAMS)
    assert TRACK.points(half.languages, PARAMS) == {}


def test_stored_tallies_are_read_back() -> None:
    tallies = demo_tallies()
    assert TRACK.tallies(tallies.to_bytes()) == tallies


def test_a_withheld_score_has_no_difference() -> None:
    half = NvvTallies(demo_tallies().of_language("zh"))
    (unknown,) = TRACK.paired(half, [half], PARAMS, seed=1, replicates=100)
    assert (unknown.delta, unknown.low, unknown.high, unknown.p_value) == (None,) * 4
