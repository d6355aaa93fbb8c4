"""`score`: check a file, then score it with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grading.scoring import registry
from grading.scoring.cli import inputs
from grading.scoring.cli.check import (
    check_submission,
    print_report,
    refuse_references,
    report_json,
)
from grading.scoring.evaluate import Evaluated, evaluate
from grading.scoring.types import ReferencesInvalid

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from typing import Any

    from grading.scoring.cli.console import Console
    from grading.scoring.tracks.base import References

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
}
_FEW_CLIPS = 200


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Check and score a submission against references; return the exit code."""
    track = registry.get(arguments.track)
    params = inputs.read_params(track, arguments.params, arguments.labels)
    try:
        references = inputs.read_references(track, arguments.reference, params)
    except ReferencesInvalid as error:
        return refuse_references(error, arguments, console)
    ids: dict[str, str | None] = dict(references.language_of)
    checked = check_submission(arguments, console, ids=ids, params=params)
    if not checked.report.accepted:
        if console.as_json:
            console.result(report_json(checked.report))
        else:
            print_report(checked.report, str(arguments.submission), console)
        return 1
    evaluated = _evaluate(arguments, console, params, references, checked.predictions)
    note = SEED_NOTE if arguments.seed is None else ""
    if console.as_json:
        extra = {"seed_note": note} if note else {}
        console.result({**report_json(checked.report), **evaluated.as_json(), **extra})
    else:
        print_report(checked.report, str(arguments.submission), console)
        _print_score(evaluated, note, console)
    return 0


def _evaluate(
    arguments: argparse.Namespace,
    console: Console,
    params: Any,
    references: References,
    predictions: Mapping[str, str],
) -> Evaluated:
    bar = console.progress("Scoring ")
    try:
        return evaluate(
            track=registry.get(arguments.track),
            params=params,
            references=references,
            predictions=predictions,
            seed=arguments.seed,
            progress=bar,
        )
    finally:
        if bar is not None:
            bar.close()


def _print_score(evaluated: Evaluated, note: str, console: Console) -> None:
    console.line()
    score = "withheld" if evaluated.score is None else f"{evaluated.score:.2f}"
    interval = _interval(evaluated.interval, evaluated.interval_reason)
    console.line(f"  Score {console.color(score, 'strong')}   95 % interval {interval}")
    console.line()
    languages = evaluated.languages
    heads = ["", "score", "95 % interval", "F1", "precision", "recall", "mNTD", "error"]
    rows = [_language_row(name, part) for name, part in languages.items()]
    console.table([*heads, "tp", "fp", "fn", "edits", "tokens"], rows)
    for name, part in languages.items():
        console.line()
        heads = [f"{name} label", "tp", "fp", "fn", "F1"]
        console.table(heads, [_label_row(*item) for item in part["labels"].items()])
    console.line()
    console.line(f"  {evaluated.track} {evaluated.version}, recipe {evaluated.recipe_digest}")
    console.line(f"  seed {evaluated.seed}")
    if note:
        console.wrapped(note, "  ")
    if any(part["utterances"] < _FEW_CLIPS for part in languages.values()):
        console.wrapped(
            "A language has fewer than 200 utterances: the interval is optimistic"
            " (at 30 it covers about 90 to 93 %).",
            "  ",
        )


def _interval(interval: Any, reason: str) -> str:
    if interval is None:
        return f"none ({_REASONS.get(reason, reason)})"
    low, high = interval
    return f"{low:.2f} – {high:.2f}"


def _language_row(name: str, part: Mapping[str, Any]) -> list[str]:
    rates = [f"{part[key]:.4f}" for key in ("f1", "precision", "recall", "mntd", "error_rate")]
    counts = [str(part[key]) for key in ("tp", "fp", "fn", "edits", "reference_tokens")]
    score = "–" if part["score"] is None else f"{part['score']:.2f}"
    return [name, score, _interval(part["interval"], part["interval_reason"]), *rates, *counts]


def _label_row(label: str, counts: Mapping[str, Any]) -> list[str]:
    f1 = "–" if counts["f1"] is None else f"{counts['f1']:.4f}"
    return [label, str(counts["tp"]), str(counts["fp"]), str(counts["fn"]), f1]
