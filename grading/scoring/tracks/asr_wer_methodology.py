"""What the methodology page of `asr-wer` says; every example is computed by the running code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grading.scoring import normalizers
from grading.scoring.methodology import N_, Phrase, Tongue
from grading.scoring.metrics.error_rates import Unit, count, cut
from grading.scoring.tracks.asr_rates import UTTERANCES
from grading.scoring.tracks.asr_wer_params import CORPORA, LANGUAGES
from grading.scoring.tracks.pages import intervals, rule_told, section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from grading.scoring.tracks.asr_wer_params import ErrorParams
    from grading.scoring.tracks.base import Section

EXAMPLES: dict[Unit, tuple[str, str]] = {
    Unit.WER: ("they book a meeting room", "they book meeting rooms"),
    Unit.CER: ("我要一間房", "我要一問房"),
    Unit.MER: ("我要 book 一間 meeting room", "我要卜一間 meeting room"),
}
_OVERALL: dict[str, Phrase] = {
    LANGUAGES: Phrase(N_("The score is the mean of the languages' rates. Lower is better.")),
    CORPORA: Phrase(N_("The score is the mean of the corpora's rates. Lower is better.")),
}
_POOLED = Phrase(N_("The score is all edits over all reference tokens. Lower is better."))


def sections(params: ErrorParams) -> list[Section]:
    """Return the sections of the page, in reading order, the normalizers' last."""
    builders: tuple[Callable[[ErrorParams], Section], ...] = (
        _score,
        _languages,
        _rates,
        _runs,
        _order,
        _intervals,
    )
    names = dict.fromkeys(rule.normalizer for rule in params.languages.values())
    described = (section for name in names for section in normalizers.get(name).describe())
    return [*(build(params) for build in builders), *described]


def sending(params: ErrorParams) -> tuple[str, ...]:
    """Return what is to be known of what is sent."""
    found = [
        Phrase(N_("One row for each utterance, with utt_id and text. An empty text is a text.")),
        TRIALS,
        FAILED,
    ]
    if len(params.languages) > 1:
        found.append(WHOLE)
    return tuple(found)


TRIALS = Phrase(
    N_(
        "A row may name its trial, a whole number; without one it is trial 1. Trial 1 alone is scored; rows of other trials are checked and left out."
    )
)
FAILED = Phrase(
    N_(
        "A row that says that the run failed there (failed: true, or an error) refuses the file: a run with failed rows is not published."
    )
)
WHOLE = Phrase(
    N_(
        "A system without results in one of the languages is shown and takes no place. Within a language every utterance must be there."
    )
)


def _score(params: ErrorParams) -> Section:
    paragraphs = [_OVERALL.get(params.overall, _POOLED)]
    if params.corpora:
        paragraphs.append(Phrase(N_("Corpora: %(names)s."), names=_list(params.corpora.values())))
    return section(N_("Score"), *tuple(paragraphs), formula=_formula(params))


def _formula(params: ErrorParams) -> str:
    symbol = params.unit.upper() if params.unit is not None else "rate"
    rate = f"{symbol} = (S + D + I) / (H + S + D)"
    if params.rate == UTTERANCES:
        rate = f"{rate};  mean = Σ {symbol} / n"
    averaged = {LANGUAGES: params.languages, CORPORA: params.corpora}.get(params.overall, ())
    names = [str(name) for name in averaged]
    if len(names) < 2:  # noqa: PLR2004 - nothing to average
        return rate
    return f"{rate};  score = ({' + '.join(names)}) / {len(names)}"


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def _languages(params: ErrorParams) -> Section:
    rows = [_language(code, params) for code in params.languages]
    return section(
        N_("Languages and units"),
        *rows,
        *(UNITS[unit] for unit in Unit if unit in _units(params)),
        examples=tuple(
            dict.fromkeys(
                example(unit, rule.normalizer)
                for rule in params.languages.values()
                for unit in (rule.unit, *rule.beside)
            )
        ),
    )


def _units(params: ErrorParams) -> set[Unit]:
    return {unit for rule in params.languages.values() for unit in (rule.unit, *rule.beside)}


def _language(code: str, params: ErrorParams) -> Phrase:
    rule = params.languages[code]
    if not rule.beside:
        return rule_told(code, str(rule.unit), rule.normalizer)
    return Phrase(
        N_("%(language)s: %(unit)s, normalizer %(normalizer)s; shown beside it: %(beside)s."),
        language=Tongue(code),
        unit=rule.unit.upper(),
        normalizer=rule.normalizer,
        beside=_list(unit.upper() for unit in rule.beside),
    )


UNITS: dict[Unit, Phrase] = {
    Unit.WER: Phrase(N_("WER counts words: what stands between white space.")),
    Unit.CER: Phrase(
        N_(
            "CER counts characters (code points). White space goes where the normalizer removes it; elsewhere blanks inside the text count and outer ones do not."
        )
    ),
    Unit.MER: Phrase(
        N_(
            "MER counts Han characters one by one and everything else by words, cut before white space goes. Han characters beyond the basic plane and 〇 are Han."
        )
    ),
}


def example(unit: Unit, normalizer: str) -> tuple[str, str]:
    """Return a pair of texts and what its edits are, as the track counts them."""
    wanted, given = EXAMPLES[unit]
    (reference,), (hypothesis,) = (
        cut(text, (unit,), normalizers.get(normalizer)) for text in (wanted, given)
    )
    found = count(reference, hypothesis)
    return f"{wanted} → {given}", f"{unit.upper()} {found.edits} / {found.reference_length}"


def _rates(params: ErrorParams) -> Section:
    is_mean = params.rate == UTTERANCES
    return section(N_("Rates"), _MEAN_RATE if is_mean else _CORPUS_RATE, COUNTS)


_CORPUS_RATE = Phrase(
    N_(
        "Edits and reference tokens are added up over all utterances and divided once. The mean of the utterances' rates is another number; it is kept for diagnosis."
    )
)
_MEAN_RATE = Phrase(
    N_(
        "A rate is the mean of the utterances' rates, as this board's source publishes it. The corpus level, all edits over all tokens, stands beside it."
    )
)
COUNTS = Phrase(
    N_(
        "Where a reference is empty its insertions are added and nothing to the length; the rate of that one utterance is 0 when both sides are empty, else 1. How edits split into substitutions, deletions and insertions is not unique: nothing is ranked by it."
    )
)


def _runs(params: ErrorParams) -> Section:
    whole = (WHOLE,) if len(params.languages) > 1 else ()
    return section(N_("Runs and trials"), TRIALS, FAILED, *whole)


def _order(params: ErrorParams) -> Section:
    return section(N_("Order"), order(params.tie_breaks))


def order(tie_breaks: Iterable[str]) -> Phrase:
    """Return the sentence that says how systems are ordered."""
    names = _list(tie_breaks)
    if not names:
        return Phrase(
            N_(
                "Scores are compared after rounding to 9 decimals; equal systems share the place. The time of upload never decides."
            )
        )
    return Phrase(
        N_(
            "Scores are compared after rounding to 9 decimals. Tie-breaks: %(names)s; still equal systems share the place. The time of upload never decides."
        ),
        names=names,
    )


def _intervals(params: ErrorParams) -> Section:
    del params
    return intervals(
        N_(
            "The 95 %% interval comes from %(replicates)d resamples of the utterances within each language and corpus; the whole score is computed anew for each. The seed follows from the recipe and the phase, so anyone can repeat the draw."
        ),
        N_(
            "With fewer than two utterances in a language or corpus, more than 1 % of resamples without any token, or no spread at all there is no interval. With under 200 utterances it is optimistic."
        ),
    )
