from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from grading.demo.canaries import CANARIES, Canary, write_canaries
from grading.demo.synthesis_tables import RATE
from grading.demo.upload_speech import utterances
from grading.judges.hearing_marks import listen


@pytest.mark.parametrize("canary", CANARIES, ids=lambda canary: canary.canary_id)
def test_the_stand_in_marks_every_canary_as_it_is_known(canary: Canary) -> None:
    marks = listen(canary.wav(), canary.text).marks
    assert tuple(marks[name] for name in "APNQE") == canary.marks


def test_there_are_twelve_for_each_language_and_one_of_them_speaks_an_instruction() -> None:
    assert Counter(canary.language for canary in CANARIES) == {"en": 12, "zh": 12}
    speaking = Counter(canary.language for canary in CANARIES if canary.spoken)
    assert speaking == {"en": 1, "zh": 1}
    assert len({canary.canary_id for canary in CANARIES}) == 24


def test_a_judge_that_obeys_a_spoken_instruction_would_be_noticed() -> None:
    for canary in CANARIES:
        if canary.spoken:
            assert all(mark < 5 for mark in canary.marks[:2])


def test_no_canary_says_what_entrants_have_to_say() -> None:
    entrants = {"".join(one.slots).lower() for one in utterances()}
    for canary in CANARIES:
        assert canary.text.lower() not in entrants


def test_the_folder_holds_each_clip_and_an_index_of_all(tmp_path: Path) -> None:
    write_canaries(tmp_path)
    index = json.loads((tmp_path / "canaries.json").read_text())
    assert [clip["id"] for clip in index["clips"]] == [one.canary_id for one in CANARIES]
    for clip in index["clips"]:
        assert (tmp_path / clip["file"]).stat().st_size > RATE
        assert set(clip["marks"]) == set("APNQE")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    write_canaries(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
