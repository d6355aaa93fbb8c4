"""What the methodology page of `nvv-t2` says; every example is computed by the running code."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from grading.scoring import bootstrap
from grading.scoring.methodology import N_, Phrase
from grading.scoring.tracks.base import Section
from grading.scoring.tracks.decimals import decimal_text
from grading.scoring.tracks.nvv_t2_marks import CAPPED_EXPRESSION, Marks, collapse, norm
from grading.scoring.tracks.nvv_t2_scores import (
    COMPARED_DECIMALS,
    STORED_DECIMALS,
    combine,
    language_score,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from grading.scoring.tracks.nvv_t2_params import SpeechParams

EXAMPLE = {"A": "4.5225", "P": "4.40625", "N": "3.7325", "Q": "3.02625", "E": "4.2175"}
EXAMPLE_SCORES = ("72.94", "48.04")


def sections(params: SpeechParams) -> list[Section]:
    """Return the sections of the page, in reading order."""
    builders: tuple[Callable[[SpeechParams], Section], ...] = (
        _score,
        _marks,
        _cap,
        _judge,
        _means,
        _withheld,
        _order,
        _intervals,
        _final,
    )
    return [build(params) for build in builders]


def _score(params: SpeechParams) -> Section:
    shares = " + ".join(f"{decimal_text(w)} · norm({name})" for name, w in params.weights.items())
    means = Marks(*(Fraction(EXAMPLE[name]) for name in Marks._fields))
    score = language_score(Marks(*map(norm, means)), params)
    return Section(
        title=Phrase(N_("Score")),
        paragraphs=(
            Phrase(
                N_(
                    "Each language has a score from 0 to 100; the final score is the mean of English and Mandarin."
                )
            ),
            Phrase(
                N_(
                    "All means are exact fractions. A score is rounded once, to %(decimals)d decimals, when it is stored."
                ),
                decimals=STORED_DECIMALS,
            ),
            Phrase(
                N_(
                    "The board of the phase is provisional: its scores are made of the judge's marks alone."
                )
            ),
        ),
        formula=f"100 · ({shares})",
        examples=(
            (", ".join(f"{name} {mark}" for name, mark in EXAMPLE.items()), _decimal(score)),
        ),
    )


def _marks(params: SpeechParams) -> Section:
    return Section(
        title=Phrase(N_("Marks")),
        paragraphs=(
            Phrase(
                N_(
                    "Every clip is given five marks. A is how accurate the vocalization of the text is, P how well it works; both go from 0 to 5, and 0 says that it is absent or almost inaudible. N is naturalness, Q quality, E expression; these go from 1 to 5."
                )
            ),
            Phrase(
                N_("The labels of the texts are: %(labels)s."),
                labels=", ".join(params.labels),
            ),
        ),
    )


def _cap(params: SpeechParams) -> Section:
    del params
    given = _read(0, 3, 4, 4, 5)
    return Section(
        title=Phrase(N_("Cap on expression")),
        paragraphs=(
            Phrase(
                N_(
                    "Where A or P is 0, E counts as at most %(cap)d: what lacks its vocalization does not express it. Marks are kept as they were given; the cap is applied to each before anything is averaged."
                ),
                cap=CAPPED_EXPRESSION,
            ),
        ),
        examples=((_told(given), _told(given.capped())),),
    )


def _judge(params: SpeechParams) -> Section:
    judge = params.judge
    if judge is None:
        return Section(
            title=Phrase(N_("Judge")),
            paragraphs=(
                Phrase(N_("No judge is named for this phase, so no marks come by themselves.")),
            ),
        )
    given = [_read(4, 4, 3, 3, 5), _read(0, 4, 3, 4, 5), _read(4, 5, 2, 3, 4)]
    return Section(
        title=Phrase(N_("Judge")),
        paragraphs=(
            Phrase(
                N_(
                    "The judge is a model, %(label)s. It hears one clip at a time, with its tagged text. Profiles: %(profiles)s; answers of each on every clip: %(replicates)d. The answers of a profile are collapsed by their median per dimension, each after its own cap; several profiles count as several listeners, and a clip has their mean."
                ),
                label=judge.label,
                replicates=judge.replicates,
                profiles=", ".join(profile.name for profile in judge.profiles),
            ),
            *_stand_in(is_stand_in=judge.is_stand_in),
        ),
        examples=((" | ".join(map(_told, given)), _told(collapse(given))),),
    )


def _stand_in(*, is_stand_in: bool) -> tuple[str, ...]:
    if not is_stand_in:
        return ()
    return (
        Phrase(
            N_(
                "This judge is a stand-in that measures the signal by simple rules. Its marks show how the page works and say nothing about speech."
            )
        ),
    )


def _means(params: SpeechParams) -> Section:
    del params
    shown = [Fraction(text) for text in ("0", "0.5", "1", "2.5", "3", "5")]
    return Section(
        title=Phrase(N_("Means and shares")),
        paragraphs=(
            Phrase(
                N_(
                    "Per dimension the marks of all utterances of a language are averaged first, and only then is the mean brought to a share from 0 to 1. Zeros pull a mean down with their full weight."
                )
            ),
        ),
        formula="norm(m) = max(0, min(1, (m − 1) / 4))",
        examples=tuple((_decimal(mark), _decimal(norm(mark))) for mark in shown),
    )


def _withheld(params: SpeechParams) -> Section:
    del params
    return Section(
        title=Phrase(N_("Missing marks")),
        paragraphs=(
            Phrase(
                N_(
                    "There is no score before every utterance has all of its marks. A missing mark is never filled in, and a judge that fails gives no mark at all."
                )
            ),
        ),
    )


def _order(params: SpeechParams) -> Section:
    return Section(
        title=Phrase(N_("Order")),
        paragraphs=(
            Phrase(
                N_(
                    "Scores are compared after rounding to %(decimals)d decimals. Equal scores are ordered by: %(names)s (shares, means of the languages); still equal systems share the place. The time of upload never decides."
                ),
                decimals=COMPARED_DECIMALS,
                names=", ".join(params.tie_breaks) or "—",
            ),
        ),
    )


def _intervals(params: SpeechParams) -> Section:
    del params
    return Section(
        title=Phrase(N_("Intervals")),
        paragraphs=(
            Phrase(
                N_(
                    "The 95 %% interval comes from %(replicates)d resamples of the utterances within each language; means, shares and score are computed anew for each. The seed follows from the recipe and the phase, so anyone can repeat the draw."
                ),
                replicates=bootstrap.REPLICATES,
            ),
            Phrase(
                N_(
                    "It tells how much the score hangs on the choice of utterances. What another judge would say it does not tell."
                )
            ),
        ),
    )


def _final(params: SpeechParams) -> Section:
    judge, people = (Fraction(text) for text in EXAMPLE_SCORES)
    weight = params.judge_weight
    return Section(
        title=Phrase(N_("Final ranking")),
        paragraphs=(
            Phrase(
                N_(
                    "The best systems are also marked by people. In each language the judge's score counts %(judge)s and theirs %(people)s; the final score is the mean of the languages. Both are shown apart."
                ),
                judge=decimal_text(weight),
                people=decimal_text(1 - weight),
            ),
        ),
        formula=f"{decimal_text(weight)} · judge + {decimal_text(1 - weight)} · people",
        examples=((" ; ".join(EXAMPLE_SCORES), _decimal(combine(judge, people, params))),),
    )


def _read(*marks: int) -> Marks:
    return Marks(*map(Fraction, marks))


def _told(marks: Marks) -> str:
    return " ".join(f"{name} {_decimal(mark)}" for name, mark in marks._asdict().items())


def _decimal(value: Fraction) -> str:
    """Return a value with at most 6 decimals, without idle zeros."""
    text = f"{float(round(value, COMPARED_DECIMALS)):.6f}"
    return text.rstrip("0").rstrip(".")
