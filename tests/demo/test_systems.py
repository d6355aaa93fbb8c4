from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from grading.demo.confusions import ENGLISH, LABELS, MANDARIN, mistake
from grading.demo.contents import file_content
from grading.demo.draws import fraction
from grading.demo.entrants import ENTRANTS, Kind, Upload
from grading.demo.systems import (
    Profile,
    predict,
    predict_rows,
    read_utterances,
)

REFERENCES = Path(__file__).parents[2] / "examples" / "nvv-demo" / "references"
# SHA-256 over the files of all uploads in order, and the same on every Python and machine.
ALL_UPLOADS = "d963c599a03f1d3b7464ec363537eb79135627c9b67cc378a5ee88bb3f2a2beb"


@pytest.fixture(scope="module")
def references() -> dict[str, bytes]:
    return {phase: (REFERENCES / f"{phase}.jsonl").read_bytes() for phase in ("dev", "final")}


def uploads() -> list[Upload]:
    return [upload for entrant in ENTRANTS for upload in entrant.uploads]


def test_all_files_are_the_same_bytes_as_ever(references: Mapping[str, bytes]) -> None:
    digest = sha256()
    for upload in uploads():
        digest.update(file_content(upload, references))
    assert digest.hexdigest() == ALL_UPLOADS


def test_a_perfect_system_copies_the_references(references: Mapping[str, bytes]) -> None:
    copied = predict_rows(read_utterances(references["final"]), Profile("perfect", "any", 0, 0))
    texts = [json.loads(line)["text_with_nvvs"] for line in references["final"].splitlines()]
    assert [row["text_with_nvvs"] for row in copied] == texts


def test_a_system_at_a_lower_level_errs_only_where_the_higher_level_does(
    references: Mapping[str, bytes],
) -> None:
    utterances = read_utterances(references["final"])
    perfect = predict_rows(utterances, Profile("perfect", "team", 0, 0))
    spoiled: set[str] = set()
    for level in (0.1, 0.3, 0.6, 0.9):
        heard = predict_rows(utterances, Profile("system", "team", level, level))
        wrong = {row["utt_id"] for row, right in zip(heard, perfect, strict=True) if row != right}
        assert spoiled < wrong
        spoiled = wrong


def test_a_fraction_depends_on_every_name_and_stays_below_one() -> None:
    drawn = [fraction("a", index) for index in range(2_000)]
    assert len(set(drawn)) == 2_000
    assert 0 <= min(drawn) < 0.01
    assert 0.99 < max(drawn) < 1
    assert abs(sum(drawn) / 2_000 - 0.5) < 0.02
    assert fraction("a", 1) != fraction("a1")


def test_every_confusion_is_another_known_label() -> None:
    for label, others in LABELS.items():
        assert label not in others
        assert set(others) <= set(LABELS)


@pytest.mark.parametrize("turn", [0.0, 0.5, 0.999])
def test_a_mistake_always_differs_from_what_was_said(turn: float) -> None:
    for word in [*ENGLISH, "extraordinary", "it", "so", "a", "singing", "Hello,"]:
        assert mistake(word, "en", turn) != word
    for char in [*MANDARIN, "的", "龙", "人"]:
        assert mistake(char, "zh", turn) != char


def test_two_teams_send_the_same_transcripts_in_different_files(
    references: Mapping[str, bytes],
) -> None:
    sent = {
        entrant.team: file_content(entrant.uploads[-1], references)
        for entrant in ENTRANTS
        if entrant.team in ("Team Heath", "Team Islet")
    }
    heath, islet = sent["Team Heath"], sent["Team Islet"]
    assert heath != islet
    assert sorted(heath.splitlines()) == sorted(islet.splitlines())


def test_an_accepted_file_has_one_row_for_each_utterance(references: Mapping[str, bytes]) -> None:
    for upload in uploads():
        if upload.kind in (Kind.SYSTEM, Kind.SHUFFLED):
            wanted = {u.utt_id for u in read_utterances(references[upload.phase])}
            lines = file_content(upload, references).splitlines()
            assert {json.loads(line)["utt_id"] for line in lines} == wanted
            assert len(lines) == len(wanted)
            assert all(json.loads(line)["text_with_nvvs"].strip() for line in lines)


def test_entrants_are_enough_and_of_every_kind() -> None:
    assert len(ENTRANTS) >= 14
    assert len({entrant.team for entrant in ENTRANTS}) == len(ENTRANTS)
    assert [entrant.team for entrant in ENTRANTS if entrant.baseline] == [
        "Baseline A",
        "Baseline B",
    ]
    assert [e.team for e in ENTRANTS if not e.official and not e.baseline] == ["Team Dune"]
    assert {upload.kind for upload in uploads()} == set(Kind)


def test_predictions_of_an_empty_reference_file_are_empty() -> None:
    assert predict(b"", Profile("perfect", "any", 0, 0)) == b""
