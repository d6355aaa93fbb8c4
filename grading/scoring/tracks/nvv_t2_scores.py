"""From means of marks to scores of Track 2: language, final, judge and people, and the ranking."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from grading.scoring import ranking
from grading.scoring.tracks.nvv_t2_marks import Marks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grading.scoring.tracks.nvv_t2_marks import LanguageMarks
    from grading.scoring.tracks.nvv_t2_params import SpeechParams

COMPARED_DECIMALS = 6
STORED_DECIMALS = 12
NOT_JUDGED = "NOT_JUDGED"


@dataclass(frozen=True, slots=True)
class SpeechScore:
    """A score of 0 to 100 with its languages and shares, or the reason why it is withheld.

    `norms` are the shares (0 to 1) whose weighted sum the score is, means over the languages.
    """

    score: Fraction | None
    languages: Mapping[str, Fraction]
    norms: Marks | None
    withheld_reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the score as numbers of 12 decimals; null where it is withheld."""
        shares = {} if self.norms is None else self.norms._asdict()
        return {
            "score": None if self.score is None else stored(self.score),
            "withheld_reason": self.withheld_reason,
            "languages": {name: stored(score) for name, score in self.languages.items()},
            "norms": {name: stored(share) for name, share in shares.items()},
        }


def stored(value: Fraction) -> float:
    """Return a value as it is stored and shown from: 12 decimals, half to even."""
    return float(round(value, STORED_DECIMALS))


def language_score(norms: Marks, params: SpeechParams) -> Fraction:
    """Return 100 times the weighted sum of the shares of one language."""
    shares = norms._asdict()
    return 100 * sum(
        (weight * shares[name] for name, weight in params.weights.items()), Fraction(0)
    )


def speech_score(languages: Mapping[str, LanguageMarks], params: SpeechParams) -> SpeechScore:
    """Return the score that one sort of listener gives: the mean over the languages.

    Withheld as soon as one language is, or is not there.
    """
    norms: dict[str, Marks] = {}
    reason = ""
    for name in params.languages:
        found = languages.get(name)
        shares = None if found is None else found.norms
        if shares is not None:
            norms[name] = shares
        else:
            reason = reason or (found.withheld_reason if found is not None else NOT_JUDGED)
    return _composed(norms, params, reason)


def _composed(norms: Mapping[str, Marks], params: SpeechParams, reason: str) -> SpeechScore:
    scores = {name: language_score(shares, params) for name, shares in norms.items()}
    if reason:
        return SpeechScore(None, scores, None, reason)
    count = len(params.languages)
    means = Marks(*(sum(parts, Fraction(0)) / count for parts in zip(*norms.values(), strict=True)))
    return SpeechScore(sum(scores.values(), Fraction(0)) / count, scores, means)


def combine(judge: Fraction, people: Fraction, params: SpeechParams) -> Fraction:
    """Return the judge's share of a value and the people's rest of it.

    >>> from grading.scoring.tracks.nvv_t2_params import read_params
    >>> float(combine(Fraction("72.94"), Fraction("48.04"), read_params({})))
    55.51
    """
    return params.judge_weight * judge + (1 - params.judge_weight) * people


def combined_score(judge: SpeechScore, people: SpeechScore, params: SpeechParams) -> SpeechScore:
    """Return the final score: combined per language, then the mean of the languages.

    Its shares are combined alike, so that the score stays their weighted sum. Withheld as soon as
    one of the two is.
    """
    if judge.norms is None or people.norms is None:
        reason = people.withheld_reason or judge.withheld_reason
        return SpeechScore(None, {}, None, reason)
    languages = {
        name: combine(judge.languages[name], people.languages[name], params)
        for name in params.languages
    }
    norms = Marks(
        *(
            combine(mine, theirs, params)
            for mine, theirs in zip(judge.norms, people.norms, strict=True)
        )
    )
    return SpeechScore(sum(languages.values(), Fraction(0)) / len(languages), languages, norms)


def order_key(score: SpeechScore, params: SpeechParams) -> tuple[Fraction, ...]:
    """Return what sorts the best first: the score, then the tie-breaks, all at 6 decimals.

    Rounding is half to even. Raises ValueError for a score that is withheld: it has no place.
    """
    if score.score is None or score.norms is None:
        raise ValueError("a withheld score cannot be ranked")
    shares = score.norms._asdict()
    values = (score.score, *(shares[name] for name in params.tie_breaks))
    return tuple(-Fraction(round(value, COMPARED_DECIMALS)) for value in values)


@dataclass(frozen=True, slots=True)
class Contender:
    """One system of the final: the marks of judge and people, `people` None when not rated.

    `official` is False for a baseline, a reference or an entrant outside the ranking.
    """

    name: str
    judge: SpeechScore
    people: SpeechScore | None = None
    official: bool = True


@dataclass(frozen=True, slots=True)
class FinalRow:
    """One row of the final board with its three scores kept apart; `place` None where it has none."""

    contender: Contender
    final: SpeechScore
    place: int | None


@dataclass(frozen=True, slots=True)
class FinalBoard:
    """Two lists that are never one: systems that people rated, and those the judge alone heard."""

    final: tuple[FinalRow, ...]
    judged_only: tuple[FinalRow, ...]


def rank_final(contenders: Sequence[Contender], params: SpeechParams) -> FinalBoard:
    """Return the final board: places by the combined score, equal keys sharing a place (1, 1, 3).

    A system that people were to rate and whose marks are not complete stands in the first list,
    withheld and without a place. In the second list places are those of the judge's score.
    """
    rated = [
        (one, combined_score(one.judge, one.people, params)) for one in contenders if one.people
    ]
    judged = [(one, one.judge) for one in contenders if one.people is None]
    return FinalBoard(_rows(rated, params), _rows(judged, params))


def _rows(
    scored: Sequence[tuple[Contender, SpeechScore]], params: SpeechParams
) -> tuple[FinalRow, ...]:
    entries = [
        ranking.Entry(
            name=one.name,
            score=None if score.score is None else stored(score.score),
            key=None if score.score is None else order_key(score, params),
            ranked=one.official,
        )
        for one, score in scored
    ]
    found = dict(zip(map(id, entries), scored, strict=True))
    return tuple(
        FinalRow(*found[id(ranked.entry)], ranked.place) for ranked in ranking.rank(entries)
    )
