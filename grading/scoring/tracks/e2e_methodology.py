"""What the methodology page of `e2e` says; every example is computed by the running code."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from grading.scoring.methodology import N_, Phrase
from grading.scoring.metrics.percentiles import percentile
from grading.scoring.metrics.turns import MILLISECOND, Interruption, has_yielded, latency_score
from grading.scoring.tracks.decimals import STORED_DECIMALS, decimal_text
from grading.scoring.tracks.e2e_params import LATENCY, NATURALNESS, YIELD_RATE
from grading.scoring.tracks.pages import intervals, section

if TYPE_CHECKING:
    from grading.scoring.tracks.base import Section
    from grading.scoring.tracks.e2e_params import TalkParams

LATENCIES_MS = (0, 300, 301, 640, 1_150, 2_000, 2_500)
EXAMPLE_TURNS_MS = (
    *(180, 210, 220, 240, 250, 260, 270, 280, 290, 310),
    *(330, 350, 380, 410, 450, 500, 560, 640, 910, 1_900),
)
YIELDS_US = (0, 180_000, 500_000, 500_100, 900_000)
EXAMPLE_MARK = Fraction(4)


def sections(params: TalkParams) -> list[Section]:
    """Return the sections of the page, in reading order."""
    return [
        _score(params),
        _latency(params),
        _answers(params),
        _yielding(params),
        _naturalness(params),
        _intervals(),
    ]


def _points(latency_ns: int, params: TalkParams) -> Fraction:
    return latency_score(latency_ns, full=params.ns("full"), none=params.ns("zero"))


def _score(params: TalkParams) -> Section:
    weights = {name: decimal_text(params.weights[name]) for name in (LATENCY, NATURALNESS)}
    p95 = percentile(EXAMPLE_TURNS_MS, params.part) or 0
    latency = _points(p95 * MILLISECOND, params)
    natural = 100 * params.scale.share(EXAMPLE_MARK)
    score = params.weights[LATENCY] * latency + params.weights[NATURALNESS] * natural
    return section(
        N_("Score"),
        N_(
            "A score from 0 to 100 of how quickly a system answers and of how natural people find the dialogue. It is withheld until every dialogue is rated; the latency is shown as soon as it is measured."
        ),
        Phrase(
            N_(
                "It is an exact fraction, rounded once, to %(decimals)d decimals, when it is stored."
            ),
            decimals=STORED_DECIMALS,
        ),
        formula=f"{weights[LATENCY]} · L + {weights[NATURALNESS]} · N",
        examples=(
            (f"L {float(latency):.6f}, N {float(natural):g}", f"{float(score):.6f}"),
            (f"L {float(latency):.6f}, N –", "–"),
        ),
    )


def _latency(params: TalkParams) -> Section:
    p95 = percentile(EXAMPLE_TURNS_MS, params.part) or 0
    full, zero = params.times["full"], params.times["zero"]
    return section(
        N_("Latency"),
        Phrase(
            N_(
                "The latency of a turn runs from the end of our utterance to the first sign of an answer, on our monotonic clock. All turns whose latency counts are pooled over the scenarios, and the value at rank ⌈%(part)s · n⌉ is scored: a nearest rank, one of the values that were measured, not a mean of scores."
            ),
            part=decimal_text(params.part),
        ),
        Phrase(
            N_(
                "Up to %(full)d ms the score is 100, since a caller cannot tell; from %(zero)d ms on it is 0; between them it falls in a straight line. It is computed from nanoseconds as they were measured."
            ),
            full=full,
            zero=zero,
        ),
        Phrase(
            N_(
                "A turn without an answer within %(timeout)d ms has latency +∞. Nothing is dropped or capped."
            ),
            timeout=params.times["timeout"],
        ),
        formula=f"L = 100 · ({zero} − p) / ({zero} − {full})",
        examples=(
            *(
                (f"{ms} ms", f"{float(_points(ms * MILLISECOND, params)):.6f}")
                for ms in LATENCIES_MS
            ),
            (", ".join(map(str, EXAMPLE_TURNS_MS)), f"{p95} ms"),
        ),
    )


def _answers(params: TalkParams) -> Section:
    return section(
        N_("What counts as an answer"),
        Phrase(
            N_(
                "A reply begins when it is announced, if its sound follows within %(sound)d ms; else with its first sound. An announcement without sound is no reply."
            ),
            sound=params.times["sound"],
        ),
        Phrase(
            N_(
                "A reply that begins up to %(early)d ms before our utterance ends has latency 0 and is counted as an overlap. One that begins earlier is premature and answers nothing; the turn is unanswered unless another reply follows."
            ),
            early=params.times["early"],
        ),
        Phrase(
            N_(
                "Where the first sound that can be heard comes more than %(sound)d ms after the announcement, the turn is counted as late sound; that is shown and changes no score."
            ),
            sound=params.times["sound"],
        ),
    )


def _yielding(params: TalkParams) -> Section:
    within = params.ns("yield")
    gated = N_(
        "The latency's score is multiplied by the share of tested barge-ins that were yielded to."
    )
    shown = N_(
        "Yielding is no part of the score. It is shown beside it, k of those tested, with the times, and it is the first tie-break."
    )
    told = {True: "yes", False: "no", None: "–"}
    return section(
        N_("Yielding the floor"),
        Phrase(
            N_(
                "Each scenario ends with a turn in which the caller talks over the reply. The reply has stopped when it says so, if no sound follows, else with its last sound; where it never says so, when a caller has heard all of it in real time. It yielded if that was at most %(within)d ms after the caller began."
            ),
            within=params.times["yield"],
        ),
        N_(
            "A reply that was over before the caller began tests nothing. Where nothing was tested there is no figure."
        ),
        gated if params.gate == YIELD_RATE else shown,
        examples=tuple(
            (f"{us / 1000:g} ms", told[has_yielded(Interruption(0, us * 1_000), within=within)])
            for us in YIELDS_US
        ),
    )


def _naturalness(params: TalkParams) -> Section:
    scale = params.scale
    marks = (scale.lowest, (scale.lowest + scale.highest) / 2, EXAMPLE_MARK, scale.highest)
    return section(
        N_("Naturalness"),
        Phrase(
            N_(
                "People who know the language rate each dialogue from %(low)s to %(high)s. A dialogue has the mean of its ratings, at least %(needed)d; N is the mean over the dialogues. While one has too few, there is none."
            ),
            low=decimal_text(scale.lowest),
            high=decimal_text(scale.highest),
            needed=params.raters_needed,
        ),
        formula=f"N = 100 · {scale.formula}",
        examples=tuple((decimal_text(m), f"{float(100 * scale.share(m)):.6f}") for m in marks),
    )


def _intervals() -> Section:
    return intervals(
        N_(
            "95 %% percentile bootstrap, %(replicates)d replicates: the turns whose latency counts are drawn anew, then the dialogues, and the score is made of them again. With three dialogues it is optimistic: it says nothing about other scenarios, nor about other raters."
        )
    )
