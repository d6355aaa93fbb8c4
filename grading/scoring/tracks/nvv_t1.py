"""Track `nvv-t1`: nonverbal vocalization understanding, protocol 1.0.0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from grading.scoring import bootstrap
from grading.scoring.formats.predictions import read_predictions
from grading.scoring.formats.references import read_references
from grading.scoring.methodology import N_
from grading.scoring.metrics.edits import count_edits
from grading.scoring.tally import NvvTallies, UtteranceTally
from grading.scoring.text.nvv1 import read_transcript
from grading.scoring.tracks import nvv_compose, nvv_methodology, nvv_params
from grading.scoring.tracks.base import (
    Checked,
    ClipsDiffer,
    Composed,
    Difference,
    EditPair,
    Interval,
    Section,
)
from grading.scoring.tracks.columns import Column, View
from grading.scoring.tracks.declared import Declared
from grading.scoring.tracks.nvv_params import NvvParams
from grading.scoring.tracks.nvv_references import NvvReferences
from grading.scoring.tracks.nvv_tally import tally_utterance
from grading.scoring.types import Limits, Progress, ScoringError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

COMPARED_DECIMALS = 9
_SAMPLES = (
    '{"utt_id": "%s", "text_with_nvvs": "[breath] Okay, here we go."}',
    '{"utt_id": "%s", "text_with_nvvs": "[breath]好，我们开始吧。"}',
)
_LOWER_IS_BETTER = {"f1": False, "mntd": True, "error": True}
_COMPONENT = {"f1": "f1", "mntd": "mntd", "error": "error_rate"}


class PredictionsIncomplete(ScoringError):
    """Predictions lack utterances of the references; they should have been checked before."""

    def __init__(self, missing: int) -> None:
        super().__init__(f"{missing} utterances have no prediction")
        self.missing = missing


@dataclass(frozen=True, slots=True)
class NvvUnderstanding(Declared):
    """The track as one object; what a competition may set is in its parameters."""

    name: str = "nvv-t1"
    version: str = "1.0.0"
    languages: tuple[str, ...] = nvv_params.LANGUAGES
    overall: str = N_("bilingual")
    sends_texts: bool = True
    columns: tuple[Column, ...] = (
        Column("score", N_("Final score"), N_("0–100"), lower_is_better=False),
        Column("f1", "F1", N_("0–1"), lower_is_better=False),
        Column("mntd", "mNTD", N_("0–1"), lower_is_better=True),
        Column(
            "error_rate",
            N_("Error"),
            N_("≥ 0"),
            lower_is_better=True,
            meaning=N_("Tagged error rate: characters for zh, words for en."),
        ),
    )

    counts: tuple[Column, ...] = (
        Column("tp", "TP", "", None, shown_as="count", meaning=N_("found")),
        Column("fp", "FP", "", None, shown_as="count", meaning=N_("too many")),
        Column("fn", "FN", "", None, shown_as="count", meaning=N_("missed")),
    )

    def views(self, params: NvvParams) -> tuple[View, ...]:
        """Return the languages, Mandarin first as the challenge names them."""
        return tuple(View(language) for language in sorted(params.languages, reverse=True))

    def sample(self, ids: Sequence[str], params: NvvParams) -> str:
        """Return a row as it is sent."""
        del params
        lines = (_SAMPLES[at % 2] % utt_id for at, utt_id in enumerate(ids))
        return "\n".join(lines)

    def params(self, raw: Mapping[str, Any]) -> NvvParams:
        """Return full parameters. Raises ParamsInvalid with every fault."""
        return nvv_params.read_params(raw)

    def params_json(self, params: NvvParams) -> dict[str, Any]:
        """Return the canonical form of the parameters, for the recipe."""
        return nvv_params.params_json(params)

    def references(self, data: bytes, params: NvvParams) -> NvvReferences:
        """Read the organizer's JSON Lines. Raises ReferencesInvalid with a report."""
        rows = read_references(data, labels=params.label_set, languages=params.languages)
        return NvvReferences.from_rows(rows, params.label_set)

    def check(
        self,
        source: Path | bytes,
        *,
        ids: Mapping[str, str | None],
        params: NvvParams,
        limits: Limits,
        progress: Progress | None = None,
        filename: str = "",
    ) -> Checked:
        """Read a submission against the phase's ids (and languages where they are known)."""
        return read_predictions(
            source,
            ids=ids,
            labels=params.label_set,
            limits=limits,
            progress=progress,
            filename=filename,
        )

    def score(
        self,
        references: NvvReferences,
        given: Mapping[str, str],
        params: NvvParams,
        progress: Progress | None = None,
    ) -> NvvTallies:
        """Return the tallies of checked predictions (utt_id -> text); ids that are not in the references are ignored.

        Raises PredictionsIncomplete, and TranscriptInvalid on a faulty tag.
        """
        missing = sum(utt_id not in given for utt_id in references.ids)
        if missing:
            raise PredictionsIncomplete(missing)
        total = len(references.ids)
        step = max(1, -(-total // 100))
        rows: list[UtteranceTally] = []
        for done, utt_id in enumerate(references.ids, 1):
            rows.append(_tally(utt_id, references, given[utt_id], params))
            if progress is not None and (done == total or done % step == 0):
                progress(done, total)
        return NvvTallies(tuple(rows))

    def tallies(self, data: bytes) -> NvvTallies:
        """Return stored tallies. Raises TalliesInvalid."""
        return NvvTallies.from_bytes(data)

    def compose(self, tallies: NvvTallies, params: NvvParams) -> Composed:
        """Return score, components and languages from tallies."""
        return nvv_compose.compose(tallies, params)

    def points(
        self, languages: Mapping[str, Mapping[str, Any]], params: NvvParams
    ) -> dict[str, float]:
        """Return what each weighted part brings to the final score, in points."""
        return nvv_compose.points(languages, params)

    def interval(
        self,
        tallies: NvvTallies,
        params: NvvParams,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> dict[str, Interval]:
        """Return the 95 % interval of `final` and of each language, or the reason for none."""
        parts = _resample([tallies], params, seed, replicates)
        found = {
            language: bootstrap.interval(part[0].scores, part[0].degenerate, clips)
            for language, (clips, part) in parts.items()
        }
        for language in params.languages:
            found.setdefault(language, Interval(None, None, bootstrap.FEWER_THAN_TWO_CLIPS))
        if any(found[language].low is None for language in params.languages):
            found["final"] = Interval(None, None, bootstrap.LANGUAGE_WITHOUT_INTERVAL)
            return found
        final, degenerate = _final_scores(parts, 0)
        found["final"] = bootstrap.interval(final, degenerate, len(tallies.utterances))
        return found

    def replicates(
        self,
        tallies: NvvTallies,
        params: NvvParams,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> bootstrap.Floats | None:
        """Return the final score of every replicate, in points; None where a language has under two clips."""
        parts = _resample([tallies], params, seed, replicates)
        if len(parts) < len(params.languages) or min(clips for clips, _ in parts.values()) < 2:  # noqa: PLR2004 - no spread in one
            return None
        return _final_scores(parts, 0)[0]

    def paired(
        self,
        leader: NvvTallies,
        others: Sequence[NvvTallies],
        params: NvvParams,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> list[Difference]:
        """Compare others with the leader on the same draws of the same utterances.

        Differences are other minus leader, in points of the final score. Bounds and p-value are
        None where a language has fewer than two utterances. Raises ClipsDiffer.
        """
        systems = [leader, *others]
        if any(_clips(system) != _clips(leader) for system in others):
            raise ClipsDiffer("the systems were scored on different utterances")
        scores = [nvv_compose.compose(system, params).score for system in systems]
        parts = _resample(systems, params, seed, replicates)
        thin = any(clips < 2 for clips, _ in parts.values())  # noqa: PLR2004 - no spread in one
        if thin or len(parts) < len(params.languages):
            return [_unknown(score, scores[0]) for score in scores[1:]]
        base, _ = _final_scores(parts, 0)
        found = []
        for index, score in enumerate(scores[1:], 1):
            values, _ = _final_scores(parts, index)
            found.append(_difference(_delta(score, scores[0]), values - base))
        return found

    def edit_pairs(
        self,
        references: NvvReferences,
        predictions: Mapping[str, str],
        params: NvvParams,
        utt_ids: Sequence[str],
    ) -> Iterator[EditPair]:
        """Yield the tagged token sequences of some utterances with the edits we count."""
        for utt_id in utt_ids:
            language = references.language_of[utt_id]
            reference = references.transcript(utt_id).tokens
            given = read_transcript(predictions[utt_id], language, params.label_set).tokens
            edits = count_edits(reference, given)
            yield EditPair(utt_id, tuple(reference), tuple(given), edits)

    def order_key(self, composed: Composed, params: NvvParams) -> tuple[float, ...]:
        """Return a key that sorts the best first: final score, then the tie-breaks.

        All compared after rounding to 9 decimals; a withheld score sorts last and equal to other
        withheld ones.
        """
        if composed.score is None:
            return (1.0,)
        values = [-round(composed.score, COMPARED_DECIMALS)]
        for name in params.tie_breaks:
            value = round(composed.components[_COMPONENT[name]], COMPARED_DECIMALS)
            values.append(value if _LOWER_IS_BETTER[name] else -value)
        return (0.0, *values)

    def methodology(self, params: NvvParams) -> list[Section]:
        """Return the page that explains the score, with examples computed by this code."""
        return nvv_methodology.sections(params)


def _tally(
    utt_id: str, references: NvvReferences, prediction: str, params: NvvParams
) -> UtteranceTally:
    language = references.language_of[utt_id]
    return tally_utterance(
        utt_id,
        language,
        references.transcript(utt_id),
        read_transcript(prediction, language, params.label_set),
        params.collars[language],
    )


def _clips(tallies: NvvTallies) -> list[tuple[str, str, int]]:
    return [(row.utt_id, row.language, row.tokens) for row in tallies.utterances]


# Per language: the number of utterances, and the replicates of each system.
_Parts = dict[str, tuple[int, list[nvv_compose.Replicates]]]


def _resample(
    systems: Sequence[NvvTallies], params: NvvParams, seed: int, replicates: int
) -> _Parts:
    """Resample all systems on the same draws; languages without utterances are left out."""
    strata = {
        language: [system.of_language(language) for system in systems]
        for language in params.languages
    }
    strata = {language: rows for language, rows in strata.items() if rows[0]}
    columns = [
        np.concatenate([nvv_compose.integer_columns(rows) for rows in systems_rows])
        for systems_rows in strata.values()
    ]
    sums = bootstrap.resample(columns, seed=seed, replicates=replicates)
    parts: _Parts = {}
    for (language, rows), table in zip(strata.items(), sums, strict=True):
        tables = table.reshape(len(systems), nvv_compose.COLUMNS, -1)
        scored = [nvv_compose.replicate_scores(one, params) for one in tables]
        parts[language] = (len(rows[0]), scored)
    return parts


def _final_scores(
    parts: _Parts, index: int
) -> tuple[bootstrap.Floats, np.ndarray[Any, np.dtype[np.bool_]]]:
    chosen = [scored[index] for _, scored in parts.values()]
    total = chosen[0].scores
    degenerate = chosen[0].degenerate
    for replicates in chosen[1:]:
        total = total + replicates.scores
        degenerate = degenerate | replicates.degenerate
    return total / len(chosen), degenerate


def _delta(score: float | None, leader: float | None) -> float | None:
    if score is None or leader is None:
        return None
    return round(score - leader, nvv_compose.STORED_DECIMALS)


def _unknown(score: float | None, leader: float | None) -> Difference:
    return Difference(_delta(score, leader), None, None, None)


def _difference(delta: float | None, values: bootstrap.Floats) -> Difference:
    low, high = bootstrap.bounds(values)
    return Difference(delta, low, high, bootstrap.p_value(values))


TRACK = NvvUnderstanding()
