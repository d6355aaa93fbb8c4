"""The command line of the scorer: what a participant runs to see what the server will say."""

from __future__ import annotations

import argparse
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from grading.scoring import __version__, draws, normalizers, registry
from grading.scoring.cli import (
    bands,
    check,
    compose,
    draw,
    error_rate,
    methodology,
    normalize,
    score,
    select,
    sessions,
)
from grading.scoring.cli.console import SYNOPSIS, Console
from grading.scoring.cli.inputs import InputError
from grading.scoring.metrics.error_rates import Unit
from grading.scoring.types import ScoringError

if TYPE_CHECKING:
    from collections.abc import Sequence

ACCEPTED, NOT_ACCEPTED, USAGE = 0, 1, 2
_INTERRUPTED = 130
_COUNT_DIGITS = 9


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return 0 when accepted, 1 when not, 2 when it cannot be run as asked."""
    parser = make_parser()
    if not _has_output(parser.prog):
        return USAGE
    arguments = parser.parse_args(argv)
    console = Console(as_json=getattr(arguments, "json", False))
    try:
        return _run(arguments, console)
    except InputError as error:
        console.complain(f"{parser.prog}: {error}")
        return USAGE
    except OSError as error:
        return _os_error(parser.prog, console, error)
    except ScoringError as error:
        console.complain(f"{parser.prog}: {error}")
        return NOT_ACCEPTED
    except KeyboardInterrupt:
        console.complain(f"{parser.prog}: stopped")
        return _INTERRUPTED


def _run(arguments: argparse.Namespace, console: Console) -> int:
    code = int(arguments.run(arguments, console))
    sys.stdout.flush()  # a full disk can be told of here, and no longer at exit
    return code


def _has_output(program: str) -> bool:
    """Tell whether there is a standard output. Python has None for a stream that was closed."""
    if sys.stderr is None:
        sys.stderr = io.StringIO()  # read by nobody, like the stream that is not there
    if sys.stdout is None:
        sys.stderr.write(f"{program}: there is no standard output to write to\n")
        return False
    return True


def _os_error(program: str, console: Console, error: OSError) -> int:
    if error.filename is not None:
        console.complain(f"{program}: cannot read {error.filename}: {error.strerror or error}")
        return USAGE
    # No file is named, so it is our output; Python must not complain of it once more at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):  # whoever read it has gone
        return NOT_ACCEPTED
    console.complain(f"{program}: cannot write the result: {error.strerror or error}")
    return USAGE


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; each sets `run`."""
    parser = argparse.ArgumentParser(prog="plaudit-scorer", description=SYNOPSIS)
    parser.add_argument("--version", action="version", version=f"plaudit-scorer {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_check(commands.add_parser("check", help="tell whether a file would be accepted"))
    _add_score(commands.add_parser("score", help="check a file and score it"))
    _add_bands(commands.add_parser("bands", help="rank rows: places, bands, rank ranges"))
    _add_draw(commands.add_parser("draw", help="make a recorded draw of clips again"))
    compose.add(commands)
    select.add(commands)
    sessions.add(commands)
    normalize.add(commands)
    _add_methodology(commands.add_parser("methodology", help="print how the score is made"))
    return parser


def _add_check(parser: argparse.ArgumentParser) -> None:
    _add_track(parser)
    known = parser.add_mutually_exclusive_group(required=True)
    known.add_argument("--reference", type=Path, metavar="REF.jsonl", help="the references")
    known.add_argument(
        "--manifest",
        type=Path,
        metavar="IDS.json",
        help="a JSON list of utterance ids, JSON Lines with utt_id, or what the API's manifest gives",
    )
    _add_submission(parser)
    parser.set_defaults(run=check.run)


def _add_score(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("track", choices=(*registry.names(), error_rate.NAME))
    parser.add_argument(
        "--reference", type=Path, required=True, metavar="REF.jsonl", help="the references"
    )
    parser.add_argument("--submission", type=Path, metavar="FILE", help="what would be uploaded")
    parser.add_argument(
        "--marks",
        type=Path,
        metavar="MARKS.jsonl",
        help="for a track that is scored by marks: rows with utt_id and marks, a list of lists ([A, P, N, Q, E] for speech)",
    )
    _add_settings(parser)
    _add_json(parser)
    parser.add_argument(
        "--seed",
        type=_seed,
        metavar="N",
        help="seed of the interval; the board shows the server's (default: from the recipe)",
    )
    rate = parser.add_argument_group(f"for {error_rate.NAME}")
    rate.add_argument("--unit", choices=tuple(Unit), help="what is counted")
    rate.add_argument(
        "--with",
        dest="normalizer",
        choices=normalizers.names(),
        metavar="NAME",
        help=f"the normalizer: {', '.join(normalizers.names())}",
    )
    parser.set_defaults(run=_score)


def _score(arguments: argparse.Namespace, console: Console) -> int:
    of_rate = arguments.track == error_rate.NAME
    return error_rate.run(arguments, console) if of_rate else score.run(arguments, console)


def _add_bands(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rows",
        type=Path,
        required=True,
        metavar="ROWS.json",
        help="a JSON list of rows with name, score, low, high (null where there is none)",
    )
    parser.add_argument("--rule", choices=("leader", "components"), default="leader")
    parser.add_argument("--lower-is-better", action="store_true", help="the lowest score leads")
    _add_json(parser)
    parser.set_defaults(run=bands.run)


def _add_draw(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--manifest",
        type=Path,
        required=True,
        metavar="M.jsonl",
        help="the pool's manifest: rows with utt_id, tier and language",
    )
    parser.add_argument("--n", type=_count, required=True, metavar="N", help="how many clips")
    parser.add_argument(
        "--key",
        required=True,
        metavar="KEY",
        help="the window's seed; seed:public where a public value was named; then :RUN for a run",
    )
    parser.add_argument("--strata", choices=tuple(map(",".join, draws.STRATA)), default="tier")
    _add_json(parser)
    parser.set_defaults(run=draw.run)


def _add_methodology(parser: argparse.ArgumentParser) -> None:
    _add_track(parser)
    _add_settings(parser)
    _add_json(parser)
    parser.set_defaults(run=methodology.run)


def _add_track(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("track", choices=registry.names())


def _add_submission(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--submission", type=Path, required=True, metavar="FILE", help="what would be uploaded"
    )
    _add_settings(parser)
    _add_json(parser)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--params",
        type=Path,
        metavar="PARAMS.json",
        help="the competition's settings: labels, collars, weights, tie_breaks (default: the protocol's)",
    )
    parser.add_argument(
        "--labels", type=Path, metavar="LABELS.json", help="a JSON list of tags (default: all 16)"
    )


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for machines")


def _count(text: str) -> int:
    """Return a whole number; whether so many clips can be drawn is the draw's own question."""
    if not (text.isascii() and text.isdigit() and len(text) <= _COUNT_DIGITS):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of clips")
    return int(text)


def _seed(text: str) -> int:
    """Return a seed, 0 or more, of at most 64 bits."""
    seed = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= seed < 2**64:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 to 2**64 - 1")
    return seed
