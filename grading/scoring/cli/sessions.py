"""`sessions` and `join`: a long recording in sessions that overlap, and their texts joined again."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.scoring.cli import objects
from grading.scoring.cli.inputs import InputError
from grading.scoring.normalizers import a5s
from grading.scoring.selections import sessions
from grading.scoring.selections.sessions import Joined, Result

if TYPE_CHECKING:
    import argparse

    from grading.scoring.cli.console import Console

_MOST_TOKENS = 10_000


def add(commands: Any) -> None:
    """Add both commands to the parser."""
    parser = commands.add_parser("sessions", help="split a recording into sessions that overlap")
    for name, default, text in (
        ("--duration", None, "how long the recording is, in seconds or any other unit"),
        ("--length", sessions.LENGTH, "how long a session is at most, its replay included"),
        ("--replay", sessions.REPLAY, "how much of the session before is heard again"),
    ):
        parser.add_argument(
            name, type=objects.amount, default=default, required=default is None, help=text
        )
    parser.add_argument("--json", action="store_true", help="print JSON for machines")
    parser.set_defaults(run=run_sessions)
    _add_join(commands.add_parser("join", help="join the texts of sessions at their seams"))


def _add_join(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sessions",
        type=Path,
        required=True,
        metavar="SESSIONS.jsonl",
        help='a row for each session: {"results": [{"text": …, "end": seconds into the session}]}',
    )
    parser.add_argument(
        "--replay",
        type=objects.amount,
        default=sessions.REPLAY,
        help="results that end at or before it are dropped, but in the first session",
    )
    parser.add_argument(
        "--most",
        type=objects.amount,
        default=sessions.MOST_TOKENS,
        metavar="N",
        help="how many tokens of a5s-1 a seam has at most",
    )
    parser.add_argument("--json", action="store_true", help="print JSON for machines")
    parser.set_defaults(run=run_join)


def run_sessions(arguments: argparse.Namespace, console: Console) -> int:
    """Split a recording; return the exit code. Raises SelectionRefused."""
    found = sessions.split(arguments.duration, length=arguments.length, replay=arguments.replay)
    rows = [{name: objects.shown(value) for name, value in one._asdict().items()} for one in found]
    sent = objects.shown(sessions.streamed(found))
    if console.as_json:
        given = ("duration", "length", "replay")
        console.result(
            {
                "algorithm": sessions.ALGORITHM,
                "version": sessions.VERSION,
                **{name: objects.shown(getattr(arguments, name)) for name in given},
                "streamed": sent,
                "sessions": rows,
            }
        )
        return 0
    table = [[str(number), *map(str, row.values())] for number, row in enumerate(rows, 1)]
    console.table(["session", "start", "end", "replay"], table)
    console.line()
    console.line(f"  {sent} are sent in all")
    return 0


def run_join(arguments: argparse.Namespace, console: Console) -> int:
    """Join the texts of sessions; return the exit code. Raises SelectionRefused, InputError, OSError."""
    if arguments.most != int(arguments.most) or arguments.most > _MOST_TOKENS:
        raise InputError(f"--most must be a whole number up to {_MOST_TOKENS}")
    normalizer = a5s.NORMALIZER

    @cache
    def tokens(text: str) -> list[str]:
        return normalizer.text(text).split()

    found = sessions.join(
        _read_sessions(arguments.sessions),
        tokens=tokens,
        replay=arguments.replay,
        most=int(arguments.most),
    )
    if not console.as_json:
        console.line(found.text)
        return 0
    console.result(
        {
            "algorithm": sessions.ALGORITHM,
            "version": sessions.VERSION,
            "replay": objects.shown(arguments.replay),
            "most": int(arguments.most),
            "normalizer": {"name": normalizer.name, "version": normalizer.version},
            **_as_json(found),
        }
    )
    return 0


def _as_json(found: Joined) -> dict[str, object]:
    return {
        "text": found.text,
        "sessions": [
            {
                "results": part.results,
                "dropped": part.dropped,
                "removed_words": part.removed_words,
                "text": part.text,
            }
            for part in found.parts
        ],
    }


def _read_sessions(path: Path) -> list[list[Result]]:
    found = [
        [_result(one, f"{path}: {place}") for one in _results(row, f"{path}: {place}")]
        for place, row in objects.read_objects(path, "sessions")
    ]
    if not found:
        raise InputError(f"{path}: there are no sessions")
    return found


def _results(row: objects.Row, where: str) -> list[Any]:
    results = row.get("results")
    if not isinstance(results, list):
        raise InputError(f"{where}: must have results, a list of objects with text and end")
    return results


def _result(value: object, where: str) -> Result:
    if not isinstance(value, dict):
        raise InputError(f"{where}: a result must be an object with text and end")
    return Result(objects.text_of(value, ("text",), where), objects.number_of(value, "end", where))
