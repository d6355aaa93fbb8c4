"""`normalize`: lines in, normalized lines out, one at a time."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from grading.scoring import normalizers
from grading.scoring.cli.inputs import InputError
from grading.scoring.types import ScoringError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from grading.scoring.cli.console import Console


class LineRefused(ScoringError):
    """A line is not UTF-8; the text says which and where."""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("normalize", help="normalize lines of standard input")
    parser.add_argument(
        "--with",
        dest="normalizer",
        required=True,
        choices=normalizers.names(),
        metavar="NAME",
        help=f"the normalizer: {', '.join(normalizers.names())}",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print an object per line: line (from 1), name, version, text, spaced (blanks kept)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Normalize each line as it comes; return the exit code. Raises LineRefused, InputError."""
    normalizer = normalizers.get(arguments.normalizer)
    if sys.stdin is None:
        raise InputError("there is no standard input to read")
    out = sys.stdout.buffer
    sys.stdout.flush()
    for number, raw in read_lines(_named(sys.stdin.buffer)):
        shown = normalizer.text(raw)
        if console.as_json:
            row = {
                "line": number,
                "name": normalizer.name,
                "version": normalizer.version,
                "text": shown,
                "spaced": normalizer.spaced(raw),
            }
            shown = json.dumps(row, ensure_ascii=False)
        out.write(shown.encode() + b"\n")
        out.flush()
    return 0


def _named(stream: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of standard input; a failed read names it."""
    try:
        yield from stream
    except OSError as error:
        error.filename = "standard input"
        raise


def read_lines(stream: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield number (from 1) and text of each line; only a line feed ends one.

    Raises LineRefused at the first line that is not UTF-8; those before it have been yielded.
    """
    for number, line in enumerate(stream, 1):
        try:
            yield number, line.removesuffix(b"\n").decode()
        except UnicodeDecodeError as error:
            raise LineRefused(
                f"line {number} is not UTF-8: byte {error.start + 1} of the line"
            ) from error
