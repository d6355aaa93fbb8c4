"""From texts to tallies: both sides normalized and cut alike, edits counted in each unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from grading.scoring import normalizers
from grading.scoring.metrics.error_rates import Column, Unit, count_all, cut
from grading.scoring.tracks.asr_tallies import ErrorTallies, Part
from grading.scoring.tracks.base import EditPair
from grading.scoring.types import ScoringError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from grading.scoring.tracks.asr_references import TranscriptReferences
    from grading.scoring.types import Progress

_REPORTS = 100
CHECKED_TOKENS = 60_000
"""Longer pairs get no second opinion: it costs the product of both sides, and symbols run out."""


class PredictionsIncomplete(ScoringError):
    """Predictions lack utterances of the references; they should have been checked before."""

    def __init__(self, missing: int) -> None:
        super().__init__(f"{missing} utterances have no prediction")
        self.missing = missing


class Rule(NamedTuple):
    """How the texts of one language are cut: the normalizer's name, and the units counted."""

    normalizer: str
    units: tuple[Unit, ...]


def tally(
    references: TranscriptReferences,
    given: Mapping[str, str],
    rules: Mapping[str, Rule],
    progress: Progress | None = None,
) -> ErrorTallies:
    """Return the tallies of predictions (utt_id -> text); `rules` has each language's rule.

    A language of which no utterance was given is left out, as long as another one is there. Ids
    that are not in the references are ignored. Raises PredictionsIncomplete.
    """
    parts = _given_parts(references, given)
    total = sum(map(len, parts.values()))
    step = max(1, -(-total // _REPORTS))
    found, done = [], 0
    for (language, corpus), utt_ids in parts.items():
        rule = rules[language]
        columns = {unit: Column([], [], []) for unit in rule.units}
        for first in range(0, len(utt_ids), step):
            some = utt_ids[first : first + step]
            _extend(columns, some, references.texts, given, rule)
            done += len(some)
            if progress is not None:
                progress(done, total)
        found.append(Part(language, corpus, list(utt_ids), dict(sorted(columns.items()))))
    return ErrorTallies(tuple(found))


def _given_parts(
    references: TranscriptReferences, given: Mapping[str, str]
) -> dict[tuple[str, str], list[str]]:
    missing = [utt_id for utt_id in references.ids if utt_id not in given]
    if not missing:
        return dict(references.parts)
    sent = {references.language_of[utt_id] for utt_id in references.ids if utt_id in given}
    lacking = sum(references.language_of[utt_id] in sent for utt_id in missing)
    if lacking or not sent:
        raise PredictionsIncomplete(lacking or len(missing))
    return {key: utt_ids for key, utt_ids in references.parts.items() if key[0] in sent}


def _extend(
    columns: Mapping[Unit, Column],
    utt_ids: Sequence[str],
    texts: Mapping[str, str],
    given: Mapping[str, str],
    rule: Rule,
) -> None:
    normalizer = normalizers.get(rule.normalizer)
    wanted = [cut(texts[utt_id], rule.units, normalizer) for utt_id in utt_ids]
    heard = [cut(given[utt_id], rule.units, normalizer) for utt_id in utt_ids]
    for place, unit in enumerate(rule.units):
        found = count_all([one[place] for one in wanted], [one[place] for one in heard])
        for values, more in zip(columns[unit], found, strict=True):
            values.extend(more)


def edit_pairs(
    references: TranscriptReferences,
    given: Mapping[str, str],
    rules: Mapping[str, Rule],
    utt_ids: Sequence[str],
) -> Iterator[EditPair]:
    """Yield the tokens of some utterances in each unit with the edits we count.

    Utterances that were not given are passed over, and pairs of more than 60,000 tokens.
    """
    for utt_id in utt_ids:
        if utt_id not in given:
            continue
        rule = rules[references.language_of[utt_id]]
        normalizer = normalizers.get(rule.normalizer)
        wanted = cut(references.texts[utt_id], rule.units, normalizer)
        heard = cut(given[utt_id], rule.units, normalizer)
        for reference, hypothesis in zip(wanted, heard, strict=True):
            if len(reference) + len(hypothesis) > CHECKED_TOKENS:
                continue
            edits = count_all([reference], [hypothesis]).edits[0]
            yield EditPair(utt_id, tuple(reference), tuple(hypothesis), edits)


def leaves_nothing(rules: Mapping[str, Rule]) -> Callable[[str, str | None], bool]:
    """Return what tells whether normalization leaves nothing of a text in its language.

    Where the language is not known, in every language.
    """

    def ask(text: str, language: str | None) -> bool:
        known = rules.get(language) if language is not None else None
        asked = list(rules.values()) if known is None else [known]
        return not any(normalizers.get(rule.normalizer).spaced(text) for rule in asked)

    return ask
