from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from grading.demo.contents import file_content
from grading.demo.entrants import ENTRANTS, Kind, Upload
from grading.scoring import registry
from grading.scoring.tracks.base import Checked
from grading.scoring.types import Limits

DEMO = Path(__file__).parents[2] / "examples" / "nvv-demo"
TRACK = registry.get("nvv-t1")


@dataclass(frozen=True)
class Demo:
    """The demo's parameters and references as the scorer reads them."""

    params: Any
    files: dict[str, bytes]
    references: dict[str, Any]

    def check(self, upload: Upload) -> Checked:
        references = self.references[upload.phase]
        return TRACK.check(
            file_content(upload, self.files),
            ids=references.language_of,
            params=self.params,
            limits=Limits(),
            filename=upload.filename,
        )

    def score(self, upload: Upload) -> float:
        predictions = self.check(upload).predictions
        tallies = TRACK.score(self.references[upload.phase], predictions, self.params)
        score = TRACK.compose(tallies, self.params).score
        assert score is not None
        return score


@pytest.fixture(scope="module")
def demo() -> Demo:
    definition = YAML(typ="safe", pure=True).load(DEMO / "competition.yaml")
    (track,) = (one for one in definition["tracks"] if one["kind"] == TRACK.name)
    params = TRACK.params(track["params"])
    files = {phase["slug"]: (DEMO / phase["references"]).read_bytes() for phase in track["phases"]}
    references = {phase: TRACK.references(data, params) for phase, data in files.items()}
    return Demo(params, files, references)


@pytest.fixture(scope="module")
def scores(demo: Demo) -> dict[str, list[float]]:
    return {
        entrant.team: [
            demo.score(upload)
            for upload in entrant.uploads
            if upload.phase == "final" and upload.kind is not Kind.REJECTED
        ]
        for entrant in ENTRANTS
    }


def of_kind(kind: Kind) -> Upload:
    (found,) = [u for entrant in ENTRANTS for u in entrant.uploads if u.kind is kind]
    return found


def test_the_scorer_takes_the_references(demo: Demo) -> None:
    assert demo.references["dev"].counts == {"en": 30, "zh": 30}
    assert demo.references["final"].counts == {"en": 106, "zh": 106}


def test_scores_reach_from_near_ninety_to_the_thirties(scores: dict[str, list[float]]) -> None:
    final = [history[-1] for history in scores.values()]
    assert 85 < max(final) < 92
    assert 30 < min(final) < 40
    assert max(final) == scores["Team Alder"][-1]
    assert min(final) == scores["Team Nettle"][-1]


def test_every_teams_newer_system_is_better(scores: dict[str, list[float]]) -> None:
    assert [team for team, history in scores.items() if len(history) > 1] == [
        "Team Alder",
        "Team Estuary",
        "Team Juniper",
    ]
    for history in scores.values():
        assert history == sorted(history)
        assert len(set(history)) == len(history)


def test_two_teams_tie_exactly_and_others_nearly(scores: dict[str, list[float]]) -> None:
    assert scores["Team Heath"] == scores["Team Islet"]
    near = (("Team Basalt", "Team Cinder"), ("Team Juniper", "Team Fjord"))
    for one, other in near:
        assert 0 < abs(scores[one][-1] - scores[other][-1]) < 1


def test_the_rejected_file_shows_forty_problems(demo: Demo) -> None:
    report = demo.check(of_kind(Kind.REJECTED)).report
    assert not report.accepted
    assert report.total == report.errors == 40
    assert Counter(problem.code for problem in report.problems) == {
        "UNSUPPORTED_NVV_TAG": 24,
        "MALFORMED_NVV_TAG": 6,
        "DUPLICATE_UTT_ID": 4,
        "EMPTY_NVV_TAG": 3,
        "INVALID_FIELD_TYPE": 2,
        "MISSING_SAMPLES": 1,
    }


def test_the_file_with_warnings_is_accepted(demo: Demo) -> None:
    report = demo.check(of_kind(Kind.WARNED)).report
    assert report.accepted
    assert Counter(problem.code for problem in report.problems) == {
        "LOOKS_LIKE_TAG": 3,
        "UNKNOWN_SAMPLES": 1,
        "EMPTY_TEXT": 1,
    }


def test_all_other_files_are_accepted_without_a_word(demo: Demo) -> None:
    for entrant in ENTRANTS:
        for upload in entrant.uploads:
            if upload.kind in (Kind.SYSTEM, Kind.SHUFFLED):
                assert demo.check(upload).report.total == 0, upload.filename
