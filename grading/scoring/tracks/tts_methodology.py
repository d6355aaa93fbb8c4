"""What the methodology page of `tts` says; every example is computed by the running code."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from grading.scoring.methodology import N_, Phrase
from grading.scoring.metrics import error_rates
from grading.scoring.tracks.decimals import STORED_DECIMALS, decimal_text
from grading.scoring.tracks.pages import intervals, rule_told, section
from grading.scoring.tracks.tts_params import LOOP_BACK, PARTS, SCALED, STABILITY

if TYPE_CHECKING:
    from grading.scoring.tracks.base import Section
    from grading.scoring.tracks.pillars_reading import Scale
    from grading.scoring.tracks.tts_params import ListeningRule, SpeechPillarParams

SYMBOLS = {"mos": "M", "comos": "C", "similarity": "S", LOOP_BACK: "B", STABILITY: "T"}
NAMES = {
    "mos": N_("Mean opinion (MOS)"),
    "comos": N_("Comparative opinion (CoMOS)"),
    "similarity": N_("Similarity of the speaker (SIM)"),
}
WHAT = {
    "mos": N_(
        "M is the mean over the clips of what a clip's mean mark is worth. A clip counts once it has %(needed)d ratings."
    ),
    "comos": N_(
        "C is the mean over the clips of what a clip's mean preference over the reference voice is worth. A clip counts once it has %(needed)d ratings."
    ),
    "similarity": N_(
        "S is the mean over the clips of what the likeness of the voice to the one that was wanted is worth."
    ),
}
HEARD = (("請你哋三百個人喺元朗等。", "請你哋300個人喺元朗等"), ("好", ""))


def sections(params: SpeechPillarParams) -> list[Section]:
    """Return the sections of the page, in reading order."""
    scaled = [_scaled(part, params) for part in SCALED]
    return [_score(params), *scaled, _loop_back(params), _stability(), _failed(), _intervals()]


def _score(params: SpeechPillarParams) -> Section:
    if params.weights is None:
        return section(
            N_("Score"),
            N_(
                "Nobody has set what the parts weigh. There are no weights to guess: until they are set, the parts alone are shown and the score is withheld."
            ),
        )
    weights = {name: weight for name, weight in params.weights.items() if weight}
    return section(
        N_("Score"),
        N_(
            "Each part is a share of 0 to 1. Each language has a score from 0 to 100; the final score is their mean. It is withheld while a part that weighs was not measured on every clip; what is known is shown."
        ),
        Phrase(
            N_(
                "It is an exact fraction, rounded once, to %(decimals)d decimals, when it is stored."
            ),
            decimals=STORED_DECIMALS,
        ),
        formula="100 · ("
        + " + ".join(f"{decimal_text(w)} · {SYMBOLS[n]}" for n, w in weights.items())
        + ")",
        examples=tuple((SYMBOLS[n], decimal_text(params.weights[n])) for n in PARTS),
    )


def _scaled(part: str, params: SpeechPillarParams) -> Section:
    scale = params.scales[part]
    if scale is None:
        return section(
            NAMES[part], N_("No scale is set for it: nobody knows what its numbers are worth.")
        )
    by = params.measured_by.get(part, "")
    needed = {"needed": params.raters_needed} if part != "similarity" else {}
    return section(
        NAMES[part],
        Phrase(WHAT[part], **needed),
        *[Phrase(N_("It comes from: %(by)s."), by=by)] if by else [],
        formula=f"{SYMBOLS[part]} = {scale.formula}",
        examples=_worth(scale),
    )


def _worth(scale: Scale) -> tuple[tuple[str, str], ...]:
    marks = (scale.lowest, (scale.lowest + scale.highest) / 2, scale.highest)
    return tuple((decimal_text(mark), f"{float(scale.share(mark)):.6f}") for mark in marks)


def _loop_back(params: SpeechPillarParams) -> Section:
    if params.loop_back is None:
        return section(N_("Loop-back"), N_("No recognizer is named that would listen back."))
    rules = params.loop_back.rules
    return section(
        N_("Loop-back"),
        Phrase(
            N_(
                "Every clip is transcribed by %(recognizer)s, and the transcript is compared with the text that was to be spoken, both normalized alike. Edits and lengths are added up over a language's clips and divided once."
            ),
            recognizer=params.loop_back.recognizer,
        ),
        *(rule_told(language, str(rule.unit), rule.normalizer) for language, rule in rules.items()),
        N_("The recognizer errs too: its own errors are in the figure, alike for every system."),
        formula="B = max(0, 1 − edits / length)",
        examples=tuple(
            (f"{text} → {heard or '–'}", _compared(text, heard, rule))
            for rule in list(rules.values())[:1]
            for text, heard in HEARD
        ),
    )


def _compared(text: str, heard: str, rule: ListeningRule) -> str:
    sides = (error_rates.tokens(one, rule.unit, rule.of_text) for one in (text, heard))
    found = error_rates.count(*sides)
    return f"{found.edits} / {found.reference_length}"


def _stability() -> Section:
    return section(
        N_("Stability"),
        N_(
            "A clip is unstable where the system gave nothing that could be measured (it failed), or said something again that stands once in the text (it repeated). T is the share of the clips that are stable."
        ),
        formula="T = 1 − unstable / clips",
        examples=(("2 / 80", f"{float(1 - Fraction(2, 80)):.6f}"),),
    )


def _failed() -> Section:
    return section(
        N_("Clips that failed"),
        N_(
            "A clip that failed is worth nothing in any part: its shares are 0, and it was heard as an empty transcript. So no system gains by failing on what it speaks badly. The figures beside the score are means over the clips that did not fail."
        ),
    )


def _intervals() -> Section:
    return intervals(
        N_(
            "95 %% percentile bootstrap over the clips of each language, %(replicates)d replicates, from whole numbers (shares in parts of 2³²). It tells what other texts would have given, not what other listeners would."
        )
    )
