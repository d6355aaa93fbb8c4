"""`compose`: one entrant's row on a board that is made of other boards, from the pillars' own files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.scoring import registry
from grading.scoring.cli import inputs
from grading.scoring.evaluate import Evaluated, evaluate
from grading.scoring.messages import render
from grading.scoring.tracks.composed import HIGHEST_POINTS, Entered, PillarScore, gives_points
from grading.scoring.types import ParamsInvalid, ReferencesInvalid

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from grading.scoring.cli.console import Console
    from grading.scoring.tracks.base import Track
    from grading.scoring.tracks.composed import ComposedRow, Table
    from grading.scoring.types import Report

NAME = "row"
GIVEN = {"score", "withheld_reason"}
FILES = {"track", "params", "reference", "submission", "seed"}
IN_POINTS = "from 0 to 100, where more is better"
_SHOWN = 3


def add(commands: Any) -> None:
    """Add the command to the parser's."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "compose", help="make a row of a board that is composed of other boards"
    )
    parser.add_argument("track", choices=registry.composed())
    parser.add_argument(
        "--pillars",
        type=Path,
        required=True,
        metavar="PILLARS.json",
        help="an object: pillar -> its score as a board shows it (score, withheld_reason), or files"
        " to score again (reference, submission, params, seed); paths are beside this file",
    )
    parser.add_argument(
        "--params", type=Path, metavar="PARAMS.json", help="the composed track's settings"
    )
    parser.add_argument("--json", action="store_true", help="print JSON for machines")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the row of each table that it stands in; return the exit code."""
    track = registry.get(arguments.track)
    params = inputs.read_params(track, arguments.params, None)
    given = inputs.read_json(arguments.pillars)
    known = {pillar.key for pillar in track.pillars(params)}
    if not isinstance(given, dict) or not given or not known.issuperset(given):
        names = ", ".join(sorted(known))
        raise inputs.InputError(f"{arguments.pillars}: must be an object of some of {names}")
    scores = {key: _pillar(key, part, arguments.pillars) for key, part in given.items()}
    tables = track.compose_tables([Entered(NAME, scores)], params)
    if console.as_json:
        whole = {"track": track.name, "version": track.version}
        console.result({**whole, "tables": [_table_json(table) for table in tables]})
    else:
        _print(tables, console)
    return 0


def _pillar(key: str, given: object, plan: Path) -> PillarScore:
    part: Mapping[str, Any] = given if isinstance(given, dict) else {}
    if "score" in part and GIVEN.issuperset(part):
        return _as_given(key, part, plan)
    if not {"reference", "submission"} <= set(part) <= FILES:
        raise inputs.InputError(
            f"{plan}: {key}: must have a score, or reference and submission with params and seed"
        )
    kind = part.get("track", key)
    if kind not in registry.names():
        raise inputs.InputError(f"{plan}: {key}: no track is named {kind!r}")
    track = registry.get(kind)
    if not track.is_composed and not gives_points(track):
        raise inputs.InputError(f"{plan}: {key}: the score of {kind} is no pillar's, {IN_POINTS}")
    if track.is_composed or (track.needs_marks and not track.needs_sent):
        raise inputs.InputError(f"{plan}: {key}: {kind} is not scored from a file: give its score")
    return _scored_again(key, track, part, plan)


def _as_given(key: str, part: Mapping[str, Any], plan: Path) -> PillarScore:
    score, reason = part["score"], part.get("withheld_reason", "")
    is_number = isinstance(score, int | float) and not isinstance(score, bool)
    if not (score is None or is_number) or not isinstance(reason, str):
        raise inputs.InputError(f"{plan}: {key}: score must be a number or null")
    if score is None:
        return PillarScore(None, reason)
    if not 0 <= score <= HIGHEST_POINTS:  # an infinity and what no float can hold are outside too
        raise inputs.InputError(f"{plan}: {key}: score must be {IN_POINTS}")
    if reason:
        raise inputs.InputError(f"{plan}: {key}: has a score and withheld_reason; give one of them")
    return PillarScore(float(score))


def _scored_again(key: str, track: Track, part: Mapping[str, Any], plan: Path) -> PillarScore:
    """Return a pillar's score with its replicates, from what was sent to its own board."""
    place, seed, settings = f"{plan}: {key}", part.get("seed"), part.get("params")
    if seed is not None and not _is_seed(seed):
        raise inputs.InputError(f"{place}: seed must be a whole number from 0 to 2**64 - 1")
    if not (settings is None or isinstance(settings, dict)):
        raise inputs.InputError(f"{place}: params must be an object of the track's settings")
    try:
        params = track.params(settings or {})
        references = track.references(inputs.read_file(_beside(plan, part["reference"])), params)
    except ParamsInvalid as error:
        raise inputs.InputError(f"{place}: {error}") from error
    except ReferencesInvalid as error:
        raise inputs.InputError(_told(place, error.report)) from error
    if track.is_marked(params):
        raise inputs.InputError(f"{place}: its marks come from a judge: give its score")
    checked = track.check_against(
        _beside(plan, part["submission"]),
        references=references,
        params=params,
        limits=track.limits({}),
    )
    if not checked.report.accepted:
        raise inputs.InputError(_told(place, checked.report))
    found = evaluate(
        track=track, params=params, references=references, given=checked.predictions, seed=seed
    )
    return _score(track, params, found)


def _is_seed(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64


def _score(track: Track, params: Any, found: Evaluated) -> PillarScore:
    if found.score is None or found.interval is None:
        return PillarScore(found.score, found.withheld_reason)
    replicates = track.replicates(found.tallies, params, seed=found.seed)
    return PillarScore(found.score, "", *found.interval, replicates)


def _beside(plan: Path, name: object) -> Path:
    if not isinstance(name, str) or not name or "\0" in name or _has_surrogate(name):
        raise inputs.InputError(f"{plan}: reference and submission must be names of files")
    return plan.parent / name


def _has_surrogate(name: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in name)


def _told(place: str, report: Report) -> str:
    return "\n".join([f"{place}: not accepted", *map(render, report.problems[:_SHOWN])])


def _table_json(table: Table) -> dict[str, Any]:
    return {"key": table.key, "label": table.label, "row": _row_json(table.rows[0])}


def _row_json(row: ComposedRow) -> dict[str, Any]:
    has_interval = row.low is not None and row.high is not None
    return {
        "score": row.score,
        "withheld_reason": row.withheld_reason,
        "interval": [row.low, row.high] if has_interval else None,
        "interval_reason": row.interval_reason,
        "components": dict(row.components),
    }


def _print(tables: tuple[Table, ...], console: Console) -> None:
    rows = []
    for table in tables:
        row = table.rows[0]
        score = f"withheld ({row.withheld_reason})" if row.score is None else f"{row.score:.2f}"
        interval = f"none ({row.interval_reason})"
        if row.low is not None and row.high is not None:
            interval = f"{row.low:.2f} – {row.high:.2f}"
        rows.append([table.label, table.columns[0].label, score, interval])
    console.table(["table", "", "score", "95 % interval"], rows, left=2)
