"""`score error-rate`: a plain error rate of a file, in one unit and with one normalizer."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from grading.scoring import __version__, bootstrap, normalizers, recipe
from grading.scoring.cli import inputs
from grading.scoring.cli.check import (
    print_report,
    refuse_references,
    refuse_submission,
    report_json,
)
from grading.scoring.formats.transcript_references import (
    corpora,
    languages,
    read_transcript_references,
)
from grading.scoring.formats.transcripts import read_transcripts
from grading.scoring.metrics.error_rates import Split, Unit, cut, split
from grading.scoring.text.normalize import UNICODE_VERSIONS
from grading.scoring.tracks import asr_counting, asr_rates
from grading.scoring.tracks.asr_rates import UTTERANCES, Measure, Resampled, as_float
from grading.scoring.tracks.asr_references import TranscriptReferences
from grading.scoring.tracks.asr_tallies import ErrorTallies, add
from grading.scoring.tracks.asr_wer import TEXT_CHARACTERS
from grading.scoring.tracks.asr_wer_compose import REFERENCE_WITHOUT_TOKENS
from grading.scoring.types import Limits, ReferencesInvalid

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from grading.scoring.cli.console import Console
    from grading.scoring.tracks.base import Checked

NAME = "error-rate"
VERSION = "1.0.0"
SEED_NOTE = (
    "The seed was made of the references, the unit and the normalizer, with an empty phase code."
)
_LIMITS = Limits(text_characters=TEXT_CHARACTERS)
_REASONS = {
    bootstrap.FEWER_THAN_TWO_CLIPS: "fewer than two utterances",
    bootstrap.DEGENERATE_REPLICATES: "too many resamples without any token",
    bootstrap.ZERO_WIDTH: "every resample gives the same rate",
    REFERENCE_WITHOUT_TOKENS: "nothing is left of the references",
}


class _Run(NamedTuple):
    """What the figures are made of."""

    unit: Unit
    normalizer: str
    references: TranscriptReferences
    given: Mapping[str, str]
    tallies: ErrorTallies
    digest: str
    seed: int


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Check and score a file against references; return the exit code.

    Raises InputError without a unit or a normalizer, and OSError.
    """
    if arguments.unit is None or arguments.normalizer is None or arguments.submission is None:
        raise inputs.InputError(f"{NAME} needs --submission FILE, --unit and --with")
    try:
        references = _references(arguments)
    except ReferencesInvalid as error:
        return refuse_references(error, arguments, console)
    checked = _check(arguments, console, references)
    if not checked.report.accepted:
        return refuse_submission(checked.report, arguments, console)
    found = _figures(_score(arguments, references, checked.predictions))
    if arguments.seed is None:
        found["seed_note"] = SEED_NOTE
    if console.as_json:
        console.result({**found, **report_json(checked.report)})
    else:
        print_report(checked.report, str(arguments.submission), console)
        _print(found, console)
    return 0


def _references(arguments: argparse.Namespace) -> TranscriptReferences:
    rows = read_transcript_references(
        inputs.read_file(arguments.reference),
        of_languages=languages(None),
        of_corpora=corpora(None),
        limits=_LIMITS,
    )
    return TranscriptReferences.from_rows(rows)


def _check(
    arguments: argparse.Namespace, console: Console, references: TranscriptReferences
) -> Checked:
    ids = {utt_id: code or None for utt_id, code in references.language_of.items()}
    bar = console.progress("Checking")
    try:
        return read_transcripts(arguments.submission, ids=ids, limits=_LIMITS, progress=bar)
    finally:
        if bar is not None:
            bar.close()


def _score(
    arguments: argparse.Namespace, references: TranscriptReferences, given: Mapping[str, Any]
) -> _Run:
    unit = Unit(arguments.unit)
    rule = asr_counting.Rule(arguments.normalizer, (unit,))
    tallies = asr_counting.tally(references, given, dict.fromkeys(references.counts, rule))
    digest = recipe.digest(
        track=NAME,
        version=VERSION,
        params={"unit": str(unit), "normalizer": rule.normalizer},
        reference_sha256=references.sha256,
    )
    seed = recipe.seed(digest, "") if arguments.seed is None else arguments.seed
    return _Run(unit, rule.normalizer, references, given, tallies, digest, seed)


def _figures(run: _Run) -> dict[str, Any]:
    """Return every figure: the whole, each corpus and each language that has a name."""
    measure = Measure(run.unit)
    drawn = Resampled([run.tallies], lambda _language: (measure,), seed=run.seed)
    named = {"corpus": set(run.references.corpus_of.values()), "language": {*run.references.counts}}
    parts = {
        field: {name: _part(run, drawn, **{field: name}) for name in sorted(names) if name}
        for field, names in named.items()
    }
    return {
        **_part(run, drawn),
        "corpora": parts["corpus"],
        "languages": parts["language"],
        "mean_of_corpora": _mean(run, "corpus", parts["corpus"]),
        "mean_of_languages": _mean(run, "language", parts["language"]),
        "one_split": _split(run)._asdict(),
        "unit": str(run.unit),
        "normalizer": run.normalizer,
        "normalizer_version": normalizers.get(run.normalizer).version,
        "scorer": __version__,
        "unicode": dict(UNICODE_VERSIONS),
        "seed": run.seed,
        "recipe_digest": run.digest,
    }


def _part(
    run: _Run, drawn: Resampled, *, language: str | None = None, corpus: str | None = None
) -> dict[str, Any]:
    parts, unit = run.tallies.of(language, corpus), run.unit
    total = add(parts, unit)
    interval, reason = None, REFERENCE_WITHOUT_TOKENS
    if total.rate is not None:
        rates = drawn.rates(language=language, corpus=corpus)
        clips = drawn.fewest(language=language, corpus=corpus)
        found = bootstrap.interval(rates.values[0], rates.degenerate[0], clips)
        interval, reason = None if found.low is None else [found.low, found.high], found.reason
    return {
        "error_rate": as_float(total.rate),
        "edits": total.edits,
        "reference_length": total.reference_length,
        "interval": interval,
        "mean_of_utterances": as_float(asr_rates.rate(parts, Measure(unit, UTTERANCES))),
        "interval_reason": reason,
        "hypothesis_length": total.hypothesis_length,
        "utterances": sum(len(part.utt_ids) for part in parts),
    }


def _mean(run: _Run, field: str, names: Mapping[str, Any]) -> float | None:
    """Return the mean of the parts' exact rates; None without parts, or where one has no rate."""
    rates = [add(run.tallies.of(**{field: name}), run.unit).rate for name in names]
    known = [rate for rate in rates if rate is not None]
    if not known or len(known) < len(rates):
        return None
    return as_float(sum(known, Fraction(0)) / len(known))


def _split(run: _Run) -> Split:
    """Return how one best alignment splits the edits: a diagnosis, not unique."""
    normalizer = normalizers.get(run.normalizer)
    sums = [0, 0, 0]
    for utt_id in run.references.ids:
        (wanted,) = cut(run.references.texts[utt_id], (run.unit,), normalizer)
        (heard,) = cut(run.given[utt_id], (run.unit,), normalizer)
        for place, number in enumerate(split(wanted, heard)):
            sums[place] += number
    return Split(*sums)


def _print(found: Mapping[str, Any], console: Console) -> None:
    console.line()
    heads = [found["unit"].upper(), "rate", "95 % interval", "edits", "tokens", "utterances"]
    rows = [_cells("all", found)]
    for field in ("languages", "corpora"):
        rows += [_cells(name, part) for name, part in found[field].items()]
    console.table(heads, rows)
    console.line()
    for field in ("mean_of_languages", "mean_of_corpora"):
        if found[field] is not None:
            console.line(f"  {field.replace('_', ' ')}: {found[field]:.6f}")
    console.line(f"  mean of utterances (for diagnosis): {_rate(found['mean_of_utterances'])}")
    parts = ", ".join(f"{number} {name}" for name, number in found["one_split"].items())
    console.line(f"  one way to split the edits: {parts}")
    console.line(f"  normalizer {found['normalizer']} {found['normalizer_version']}")
    console.line(f"  recipe {found['recipe_digest']}, seed {found['seed']}")
    if "seed_note" in found:
        console.wrapped(found["seed_note"], "  ")


def _cells(name: str, part: Mapping[str, Any]) -> list[str]:
    if part["interval"] is None:
        interval = f"none ({_REASONS[part['interval_reason']]})"
    else:
        low, high = part["interval"]
        interval = f"{low:.6f} – {high:.6f}"
    numbers = [str(part[key]) for key in ("edits", "reference_length", "utterances")]
    return [name, _rate(part["error_rate"]), interval, *numbers]


def _rate(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:.6f}"
