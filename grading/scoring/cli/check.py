"""`check`: would this file be accepted, and if not, why."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from grading.scoring import registry
from grading.scoring.cli import inputs, sounds
from grading.scoring.messages import render
from grading.scoring.types import ReferencesInvalid, Severity

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    from grading.scoring.cli.console import Console
    from grading.scoring.tracks.base import Checked
    from grading.scoring.types import Problem, Report

_READINGS = {
    "jsonl": "rows read as JSON Lines",
    "list": "rows read as a JSON list",
    "map": "rows read as a JSON map of ids to texts",
    "object": "rows read as a single JSON object",
    "zip": "WAV files read from a zip archive",
    "tar": "WAV files read from a tar archive",
    "tar.gz": "WAV files read from a tar.gz archive",
}


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Check a submission against references or a manifest; return the exit code."""
    track = inputs.track_of_files(arguments.track)
    if track.sends_sounds:
        return _finish(sounds.check(arguments, console), arguments, console)
    params = inputs.read_params(track, arguments.params, arguments.labels)
    if arguments.manifest is not None:
        ids = inputs.read_manifest(arguments.manifest, track)
        check = partial(track.check, ids=ids)
    else:
        try:
            references = inputs.read_references(track, arguments.reference, params)
        except ReferencesInvalid as error:
            return refuse_references(error, arguments, console)
        check = partial(track.check_against, references=references)
    checked = check_submission(arguments, console, check=check, params=params)
    return _finish(checked.report, arguments, console)


def _finish(report: Report, arguments: argparse.Namespace, console: Console) -> int:
    _tell(report, arguments, console)
    return 0 if report.accepted else 1


def refuse_submission(report: Report, arguments: argparse.Namespace, console: Console) -> int:
    """Print why the submission cannot be scored; return the exit code."""
    _tell(report, arguments, console)
    return 1


def _tell(report: Report, arguments: argparse.Namespace, console: Console) -> None:
    if console.as_json:
        console.result(report_json(report))
    else:
        print_report(report, str(arguments.submission), console)


def check_submission(
    arguments: argparse.Namespace, console: Console, *, check: Callable[..., Checked], params: Any
) -> Checked:
    """Check the submission with a progress bar; `check` is the track's, with what it checks against."""
    track = registry.get(arguments.track)
    bar = console.progress("Checking")
    try:
        checked = check(arguments.submission, params=params, limits=track.limits({}), progress=bar)
    finally:
        if bar is not None:
            bar.close()
    return checked


def refuse_references(
    error: ReferencesInvalid, arguments: argparse.Namespace, console: Console
) -> int:
    """Print why the references cannot be used; the submission is then not looked at."""
    if console.as_json:
        console.result({**report_json(error.report), "file": "reference"})
    else:
        print_report(error.report, str(arguments.reference), console)
    return 1


def report_json(report: Report) -> dict[str, Any]:
    """Return the JSON of a report: verdict, problems with their sentences, counts."""
    return {
        "accepted": report.accepted,
        "problems": [_problem_json(problem) for problem in report.problems],
        "problems_total": report.total,
        "counts": [
            {"code": one.code, "severity": str(one.severity), "count": one.count}
            for one in report.counts
        ],
        "rows": report.rows,
        "reading": report.reading,
    }


def _problem_json(problem: Problem) -> dict[str, Any]:
    place: dict[str, Any] = {"line": problem.line}
    if problem.member is not None:
        place = {"member": problem.member}
    return {
        "code": problem.code,
        "severity": str(problem.severity),
        **place,
        "utt_id": problem.utt_id,
        "params": dict(problem.params),
        "message": render(problem),
    }


def print_report(report: Report, name: str, console: Console) -> None:
    """Print a report for people: the verdict first, then problem by problem."""
    verdict = console.color("✓ Accepted", "good")
    if not report.accepted:
        verdict = console.color("✗ Not accepted", Severity.ERROR)
    reading = _READINGS.get(report.reading)
    read = f", {report.rows} {reading}" if reading else ""
    console.line(f"{verdict}: {name}{read}")
    for problem in report.problems:
        _print_problem(problem, console)
    left = report.total - len(report.problems)
    if left > 0:
        console.line()
        console.line(f"  {report.total} problems in all; {left} are not shown.")


def _print_problem(problem: Problem, console: Console) -> None:
    place = [f"line {problem.line}"] if problem.line is not None else []
    place += [part for part in (problem.member, problem.utt_id) if part is not None]
    head = console.color(f"{problem.severity:<8}", problem.severity)
    console.line()
    console.line(f"  {head} {console.color(problem.code, 'strong')}  {', '.join(place)}".rstrip())
    console.wrapped(render(problem, place=False), " " * 11)
