from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from grading.demo.confusions import LABELS
from grading.demo.systems import split_utterance

REFERENCES = Path(__file__).parents[2] / "examples" / "nvv-demo" / "references"
LANGUAGES = ("en", "zh")


def rows(phase: str) -> list[dict[str, str]]:
    text = (REFERENCES / f"{phase}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def words_only(row: dict[str, str]) -> str:
    slots = split_utterance(row["utt_id"], row["language"], row["text_with_nvvs"]).slots
    return "".join(char for char in "".join(slots).lower() if char.isalnum())


@pytest.fixture(scope="module")
def all_rows() -> list[dict[str, str]]:
    return rows("dev") + rows("final")


def test_each_set_has_the_promised_number_of_utterances_per_language() -> None:
    assert Counter(row["language"] for row in rows("dev")) == {"en": 30, "zh": 30}
    assert Counter(row["language"] for row in rows("final")) == {"en": 106, "zh": 106}


def test_ids_name_the_set_and_the_language_and_stand_once(all_rows: list[dict[str, str]]) -> None:
    assert len({row["utt_id"] for row in all_rows}) == len(all_rows) >= 240
    for prefix, phase in (("dev", "dev"), ("fin", "final")):
        for row in rows(phase):
            assert row["utt_id"].startswith(f"{prefix}_{row['language']}_")


def test_no_sentence_stands_twice(all_rows: list[dict[str, str]]) -> None:
    repeated = [text for text, n in Counter(map(words_only, all_rows)).items() if n > 1]
    assert repeated == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_label_occurs_at_least_five_times_and_no_other_does(
    language: str, all_rows: list[dict[str, str]]
) -> None:
    counts = Counter(
        label
        for row in all_rows
        if row["language"] == language
        for label, _ in split_utterance(row["utt_id"], language, row["text_with_nvvs"]).tags
    )
    assert set(counts) == set(LABELS)
    assert min(counts.values()) >= 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_tags_stand_at_the_start_in_the_middle_and_at_the_end(
    language: str, all_rows: list[dict[str, str]]
) -> None:
    places: Counter[str] = Counter()
    for row in all_rows:
        if row["language"] == language:
            utterance = split_utterance(row["utt_id"], language, row["text_with_nvvs"])
            places[f"{min(len(utterance.tags), 3)} tags"] += 1
            labels = [label for label, _ in utterance.tags]
            places["same label again"] += len(set(labels)) < len(labels)
            for _, position in utterance.tags:
                first, last = position == 0, position == len(utterance.slots)
                places["start" if first else "end" if last else "middle"] += 1
    for kind in (
        "start",
        "middle",
        "end",
        "0 tags",
        "1 tags",
        "2 tags",
        "3 tags",
        "same label again",
    ):
        assert places[kind] >= 3, kind


def test_mandarin_is_written_in_simplified_characters(all_rows: list[dict[str, str]]) -> None:
    text = "".join(row["text_with_nvvs"] for row in all_rows if row["language"] == "zh")
    assert text.encode("gb2312")
