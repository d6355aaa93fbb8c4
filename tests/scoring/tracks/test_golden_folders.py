"""Every track has a folder of golden cases, and gives what they say."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from grading.scoring import registry
from grading.scoring.evaluate import evaluate
from grading.scoring.tracks.base import Sent
from grading.scoring.tracks.composed import Entered, PillarScore
from grading.scoring.types import Problem

FOLDERS = Path(__file__).parents[2] / "golden" / "tracks"
OLDER = {"nvv-t1", "nvv-t2"}
"""Their golden values are in one file of their own (`test_nvv_golden`)."""

Json = dict[str, Any]


def cases() -> Iterator[Any]:
    for name in registry.names():
        for path in sorted((FOLDERS / name).glob("*.json")):
            yield pytest.param(name, path, id=f"{name}/{path.stem}")


@pytest.mark.parametrize("name", sorted(set(registry.names()) - OLDER))
def test_a_track_has_golden_cases_and_a_page(name: str) -> None:
    assert list((FOLDERS / name).glob("*.json"))
    track = registry.get(name)
    case = json.loads(next(iter(sorted((FOLDERS / name).glob("*.json")))).read_text("utf-8"))
    sections = track.methodology(track.params(case["params"]))
    assert sections
    assert all(section.title and section.paragraphs for section in sections)


@pytest.mark.parametrize(("name", "path"), list(cases()))
def test_a_case_gives_what_it_says(name: str, path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    run_case(name, case)


def run_case(name: str, case: Json) -> None:
    """Check, score and compare one case."""
    track = registry.get(name)
    params = track.params(case["params"])
    if track.is_composed:
        _compare(case["expected"]["tables"], _tables(track, case, params), name)
        return
    references = track.references(_lines(case["references"]), params)
    given = case.get("marks") or {}
    if case.get("submission") is not None:
        checked = track.check(
            _lines(case["submission"]),
            ids=dict(references.language_of),
            params=params,
            limits=track.limits({}),
        )
        codes = {problem.code for problem in _errors(checked.report.problems)}
        assert codes == set(case.get("codes", ()))
        if not case.get("accepted", True):
            return
        given = _given(track, checked.predictions, case)
    found = evaluate(
        track=track,
        params=params,
        references=references,
        given=given,
        seed=case.get("seed", 0),
    )
    assert track.tallies(found.tallies.to_bytes()).to_bytes() == found.tallies.to_bytes()
    assert set(found.languages) >= {view.key for view in track.views(params)}
    _compare(case["expected"], found.as_json(), name)


def _errors(problems: tuple[Problem, ...]) -> list[Problem]:
    return [one for one in problems if one.severity == "error"]


def _given(track: Any, sent: Mapping[str, Any], case: Json) -> Mapping[str, Any]:
    marks = case.get("marks") or {}
    if track.needs_marks and track.needs_sent:
        return {utt_id: Sent(row, marks.get(utt_id)) for utt_id, row in sent.items()}
    return marks if track.needs_marks else sent


def _tables(track: Any, case: Json, params: Any) -> list[Json]:
    entered = [
        Entered(one["name"], {key: PillarScore(**part) for key, part in one["pillars"].items()})
        for one in case["entered"]
    ]
    return [
        {
            "key": table.key,
            "rows": [
                {
                    "name": row.name,
                    "score": row.score,
                    "withheld_reason": row.withheld_reason,
                    "components": dict(row.components),
                }
                for row in table.rows
            ],
        }
        for table in track.compose_tables(entered, params)
    ]


def _lines(rows: list[Json]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _compare(wanted: Any, found: Any, place: str) -> None:
    """Compare what the case names; numbers to 1e-9."""
    if isinstance(wanted, Mapping):
        for key, value in wanted.items():
            assert key in found, f"{place}.{key}"
            _compare(value, found[key], f"{place}.{key}")
    elif isinstance(wanted, list):
        assert len(wanted) == len(found), place
        for index, value in enumerate(wanted):
            _compare(value, found[index], f"{place}[{index}]")
    elif isinstance(wanted, float) and found is not None:
        assert math.isclose(wanted, found, rel_tol=0, abs_tol=1e-9), f"{place}: {wanted}, {found}"
    else:
        assert wanted == found, f"{place}: {wanted}, {found}"
