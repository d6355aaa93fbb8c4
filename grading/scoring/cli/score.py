"""`score`: check a file, then score it with its interval."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from grading.scoring import registry
from grading.scoring.cli import inputs, marks
from grading.scoring.cli.check import (
    check_submission,
    print_report,
    refuse_references,
    refuse_submission,
    report_json,
)
from grading.scoring.evaluate import Evaluated, evaluate
from grading.scoring.tracks.base import Sent
from grading.scoring.types import ReferencesInvalid

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import Any

    from grading.scoring.cli.console import Console
    from grading.scoring.tracks.base import References, Track
    from grading.scoring.tracks.columns import Column

SEED_NOTE = (
    "The seed was made with an empty phase code, since there is no phase offline, so the "
    "server's interval differs a little. Give --seed the seed that the board shows to get its digits."
)
_REASONS = {
    "FEWER_THAN_TWO_CLIPS": "fewer than two utterances",
    "DEGENERATE_REPLICATES": "too many resamples without any event or token",
    "ZERO_WIDTH": "every resample gives the same score",
    "LANGUAGE_WITHOUT_INTERVAL": "a language has no interval",
    "LANGUAGE_WITHOUT_UTTERANCES": "a language has no utterances",
    "MARKS_MISSING": "a clip lacks marks",
}
_FEW_CLIPS = 200


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Check and score a submission against references; return the exit code."""
    track = inputs.track_of_files(arguments.track)
    params = inputs.read_params(track, arguments.params, arguments.labels)
    try:
        references = inputs.read_references(track, arguments.reference, params)
    except ReferencesInvalid as error:
        return refuse_references(error, arguments, console)
    is_marked = track.is_marked(params)
    _require_files(track, arguments, is_marked=is_marked)
    if is_marked and not track.needs_sent:
        found = _evaluate(arguments, console, params, references, marks.given(arguments))
        _print_evaluated(found, arguments, console, params)
        return 0
    check = partial(track.check_against, references=references)
    checked = check_submission(arguments, console, check=check, params=params)
    if not checked.report.accepted:
        return refuse_submission(checked.report, arguments, console)
    given = checked.predictions
    if is_marked:
        told = inputs.read_marks(arguments.marks) if arguments.marks else {}
        given = {utt_id: Sent(row, told.get(utt_id)) for utt_id, row in given.items()}
    evaluated = _evaluate(arguments, console, params, references, given)
    if not console.as_json:
        print_report(checked.report, str(arguments.submission), console)
    _print_evaluated(evaluated, arguments, console, params, report_json(checked.report))
    return 0


def _require_files(track: Track, arguments: argparse.Namespace, *, is_marked: bool) -> None:
    """Raise InputError where a file is missing that the track is scored from, or one is too many."""
    by_marks = is_marked and not track.needs_sent
    if by_marks and arguments.submission is not None and arguments.marks is None:
        raise inputs.InputError(
            f"{track.name} is scored by marks: give --marks MARKS.jsonl (rows with utt_id and marks)"
        )
    if by_marks and arguments.submission is not None:
        raise inputs.InputError(f"{track.name} is scored by marks alone: leave out --submission")
    if not by_marks and arguments.submission is None:
        raise inputs.InputError(f"{track.name} is scored from a file: give --submission FILE")
    if not is_marked and arguments.marks is not None:
        raise inputs.InputError(f"{track.name} is scored from a file alone: leave out --marks")


def _print_evaluated(
    evaluated: Evaluated,
    arguments: argparse.Namespace,
    console: Console,
    params: Any,
    report: Mapping[str, Any] | None = None,
) -> None:
    note = SEED_NOTE if arguments.seed is None else ""
    if console.as_json:
        extra = {"seed_note": note} if note else {}
        console.result({**(report or {}), **evaluated.as_json(), **extra})
    else:
        _print_score(evaluated, params, note, console)


def _evaluate(
    arguments: argparse.Namespace,
    console: Console,
    params: Any,
    references: References,
    given: Mapping[str, Any],
) -> Evaluated:
    bar = console.progress("Scoring ")
    try:
        return evaluate(
            track=registry.get(arguments.track),
            params=params,
            references=references,
            given=given,
            seed=arguments.seed,
            progress=bar,
        )
    finally:
        if bar is not None:
            bar.close()


def _print_score(evaluated: Evaluated, params: Any, note: str, console: Console) -> None:
    console.line()
    track = registry.get(evaluated.track)
    columns = track.columns_of(params)
    score = "withheld" if evaluated.score is None else written(columns[0], evaluated.score)
    interval = _interval(evaluated.interval, evaluated.interval_reason, columns[0])
    label = "Score" if columns[0].unit == "0–100" else columns[0].label
    console.line(f"  {label} {console.color(score, 'strong')}   95 % interval {interval}")
    if evaluated.withheld_reason:
        reason = track.reasons.get(evaluated.withheld_reason, evaluated.withheld_reason)
        console.wrapped(_REASONS.get(reason, reason), "  ")
    elif evaluated.interval_reason in track.reasons:
        console.wrapped(track.reasons[evaluated.interval_reason], "  ")
    console.line()
    languages = evaluated.languages
    if any("labels" in part for part in languages.values()):
        _print_counts(languages, console)
    else:
        _print_parts(evaluated, columns, track.counts, console)
    console.line()
    console.line(f"  {evaluated.track} {evaluated.version}, recipe {evaluated.recipe_digest}")
    console.line(f"  seed {evaluated.seed}")
    if note:
        console.wrapped(note, "  ")
    if any(0 < part["utterances"] < _FEW_CLIPS for part in languages.values()):
        console.wrapped(
            "A language has fewer than 200 utterances: the interval is optimistic"
            " (at 30 it covers about 90 to 93 %).",
            "  ",
        )


def _print_parts(
    evaluated: Evaluated, columns: Sequence[Column], counts: Sequence[Column], console: Console
) -> None:
    """Print what the board shows: the parts in a table, then what is told of the whole alone."""
    head, *others = columns
    shown = [*(one for one in others if one.place == "table"), *counts]
    rows = [
        [
            *_head_cells(name, part, head),
            *(written(one, part.get(one.key), more=2) for one in shown),
        ]
        for name, part in evaluated.languages.items()
    ]
    if rows:
        names = _heads(shown)
        console.table(["", head.label.lower(), "95 % interval", *names], rows)
        console.line()
    for one, name in zip(others, _heads(others), strict=True):
        value = evaluated.components.get(one.key)
        if value is not None:
            unit = f" {one.unit}" if one.unit else ""
            console.line(f"  {name}: {written(one, value)}{unit}")


def written(column: Column, value: Any, *, more: int = 0) -> str:
    """Return a value as its column shows it, a plain number with some digits `more`."""
    if value is None:
        return "–"
    if column.shown_as == "percent":
        return f"{100 * value:.{column.digits}f}"
    if column.shown_as == "counted":
        return f"{value[0]}/{value[1]}"
    if column.shown_as == "number":
        return f"{value:.{column.digits + more}f}"
    return str(value)


def _print_counts(languages: Mapping[str, Mapping[str, Any]], console: Console) -> None:
    heads = ["", "score", "95 % interval", "F1", "precision", "recall", "mNTD", "error"]
    rows = [_language_row(name, part) for name, part in languages.items()]
    console.table([*heads, "tp", "fp", "fn", "edits", "tokens"], rows)
    for name, part in languages.items():
        console.line()
        heads = [f"{name} label", "tp", "fp", "fn", "F1"]
        console.table(heads, [_label_row(*item) for item in part["labels"].items()])


def _heads(columns: Sequence[Column]) -> list[str]:
    """Return the heads of columns: a label that several groups have is told with its group."""
    labels = [one.title for one in columns]
    return [
        f"{one.group}: {one.title}" if one.group and labels.count(one.title) > 1 else one.title
        for one in columns
    ]


def _interval(interval: Any, reason: str, head: Column | None = None) -> str:
    if interval is None:
        return f"none ({_REASONS.get(reason, reason)})"
    low, high = interval
    if head is not None:
        return f"{written(head, low)} – {written(head, high)}"
    return f"{low:.2f} – {high:.2f}"


def _language_row(name: str, part: Mapping[str, Any]) -> list[str]:
    rates = [f"{part[key]:.4f}" for key in ("f1", "precision", "recall", "mntd", "error_rate")]
    counts = [str(part[key]) for key in ("tp", "fp", "fn", "edits", "reference_tokens")]
    return [*_head_cells(name, part), *rates, *counts]


def _head_cells(name: str, part: Mapping[str, Any], head: Column | None = None) -> list[str]:
    interval = _interval(part["interval"], part["interval_reason"], head)
    if head is not None:
        return [name, written(head, part["score"]), interval]
    score = "–" if part["score"] is None else f"{part['score']:.2f}"
    return [name, score, interval]


def _label_row(label: str, counts: Mapping[str, Any]) -> list[str]:
    f1 = "–" if counts["f1"] is None else f"{counts['f1']:.4f}"
    return [label, str(counts["tp"]), str(counts["fp"]), str(counts["fn"]), f1]
