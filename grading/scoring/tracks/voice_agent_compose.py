"""From tallies of `voice-agent` to accuracies of both arms, their gap, and the score.

A subtask's accuracy is the mean of its items brought to 0 … 1; a language's is the mean of its
subtasks, each counting alike; the board's is the mean of the languages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from grading.scoring.formats.arm_scores import ARMS, AUDIO, TEXT
from grading.scoring.tracks.base import Composed
from grading.scoring.tracks.decimals import mean_or_none, stored, stored_or_none
from grading.scoring.tracks.voice_agent_tallies import UNIT, ItemTally

if TYPE_CHECKING:
    from grading.scoring.tracks.pillars_reading import Scale
    from grading.scoring.tracks.voice_agent_params import AgentParams
    from grading.scoring.tracks.voice_agent_tallies import AgentTallies

SUBTASK_FAILED = "SUBTASK_FAILED"
GAP = "gap"


class Arms(NamedTuple):
    """The accuracy of both arms, exact, 0 … 1; None where the system failed in an item."""

    text: Fraction | None
    audio: Fraction | None

    @property
    def gap(self) -> Fraction | None:
        """Text minus audio: what recognition costs; below 0 where audio did better."""
        return None if self.text is None or self.audio is None else self.text - self.audio


Cells = Mapping[tuple[str, str], list[ItemTally]]
"""Items by language and subtask, of those that have any."""


def by_cell(items: Iterable[ItemTally], params: AgentParams) -> Cells:
    """Return the items of each language and subtask; a subtask without items is not there."""
    cells: dict[tuple[str, str], list[ItemTally]] = {}
    for item in items:
        if item.language in params.languages and item.subtask in params.subtasks:
            cells.setdefault((item.language, item.subtask), []).append(item)
    return dict(sorted(cells.items()))


def accuracy(items: Iterable[ItemTally], arm: str, scale: Scale) -> Fraction | None:
    """Return a subtask's mean brought to 0 … 1; None as soon as an item has no score."""
    scores = [item.text if arm == TEXT else item.audio for item in items]
    known = [score for score in scores if score is not None]
    if not known or len(known) < len(scores):
        return None
    return scale.share(Fraction(sum(known), UNIT * len(known)))


def macro(values: Iterable[Fraction | None]) -> Fraction | None:
    """Return the mean of parts that count alike, None while one is missing.

    >>> macro([Fraction("0.84"), Fraction("0.625"), Fraction("0.7")])
    Fraction(433, 600)
    """
    return mean_or_none(list(values))


def compose(tallies: AgentTallies, params: AgentParams) -> Composed:
    """Return 100 × the accuracy of the arm that ranks; withheld where the system failed anywhere.

    A subtask of which the benchmark has no items in a language is left out there (rule B8); one in
    which an item of either arm has no score withholds the row. Rounded once, to 12 decimals.
    """
    cells = by_cell(tallies.items, params)
    found = {
        cell: Arms(*(accuracy(items, arm, params.subtasks[cell[1]]) for arm in ARMS))
        for cell, items in cells.items()
    }
    languages = {
        name: _language(name, {key: one for key, one in found.items() if key[0] == name}, cells)
        for name in params.languages
    }
    arms = {name: _arms(one for key, one in found.items() if key[0] == name) for name in languages}
    whole = _arms(arms.values())
    components = {**_numbers(whole), **_subtasks(found, params), "failed": _failed(cells)}
    score = _headline(whole, params)
    for name, part in languages.items():
        part["score"] = _headline(arms[name], params)
        part["withheld_reason"] = "" if part["score"] is not None else SUBTASK_FAILED
    return Composed(score, "" if score is not None else SUBTASK_FAILED, components, languages)


def _arms(parts: Iterable[Arms]) -> Arms:
    known = list(parts)
    return Arms(macro(part.text for part in known), macro(part.audio for part in known))


def _headline(arms: Arms, params: AgentParams) -> float | None:
    """Return the score: both arms must be whole, or the row would have no gap to tell."""
    value = arms.audio if params.headline == AUDIO else arms.text
    return None if arms.gap is None or value is None else stored(100 * value)


def _numbers(arms: Arms) -> dict[str, float | None]:
    return {
        TEXT: stored_or_none(arms.text),
        AUDIO: stored_or_none(arms.audio),
        GAP: stored_or_none(arms.gap),
    }


def _language(language: str, found: Mapping[tuple[str, str], Arms], cells: Cells) -> dict[str, Any]:
    of_it = {key: items for key, items in cells.items() if key[0] == language}
    return {
        "score": None,
        "withheld_reason": SUBTASK_FAILED,
        "utterances": sum(map(len, of_it.values())),
        **_numbers(_arms(found.values())),
        **{
            column(arm, subtask): stored_or_none(getattr(arms, arm))
            for (_, subtask), arms in found.items()
            for arm in ARMS
        },
        "failed": _failed(of_it),
    }


def column(arm: str, subtask: str) -> str:
    """Return the name of a subtask's accuracy in an arm."""
    return f"{arm}_{subtask}"


def _subtasks(
    found: Mapping[tuple[str, str], Arms], params: AgentParams
) -> dict[str, float | None]:
    """Return the mean of each subtask over the languages that have it."""
    means = {}
    for subtask in params.subtasks:
        of_it = _arms(arms for (_, name), arms in found.items() if name == subtask)
        means[column(TEXT, subtask)] = stored_or_none(of_it.text)
        means[column(AUDIO, subtask)] = stored_or_none(of_it.audio)
    return means


def _failed(cells: Cells) -> dict[str, int]:
    """Return how many items lack a score, by language, subtask and arm, where any does."""
    counts = {
        f"{language}/{subtask}/{arm}": sum(getattr(item, arm) is None for item in items)
        for (language, subtask), items in cells.items()
        for arm in ARMS
    }
    return {name: count for name, count in counts.items() if count}
