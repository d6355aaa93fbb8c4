"""What the tracks of recognition have in common: texts in, tallies of edits, comparisons on the same draws."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from grading.scoring import bootstrap
from grading.scoring.formats.transcript_references import (
    corpora,
    languages,
    read_transcript_references,
)
from grading.scoring.formats.transcripts import read_transcripts
from grading.scoring.tracks import asr_counting, asr_paired
from grading.scoring.tracks.asr_rates import Resampled
from grading.scoring.tracks.asr_references import TranscriptReferences
from grading.scoring.tracks.asr_tallies import ErrorTallies
from grading.scoring.tracks.asr_wer_compose import REASONS
from grading.scoring.tracks.assembled import Assembled, Composing
from grading.scoring.tracks.decimals import COMPARED_DECIMALS
from grading.scoring.transcript_sentences import TRANSCRIPT_MEANINGS
from grading.scoring.types import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction
    from pathlib import Path

    from grading.scoring.tracks.base import Checked, Difference, EditPair, Interval
    from grading.scoring.types import Progress


class RecognitionComposing(Composing, Protocol):
    """The module that makes a score of edits."""

    def exact(self, tallies: ErrorTallies, params: Any) -> Fraction | None:
        """Return the score from pooled tallies, None where it is withheld."""
        ...

    def replicated(self, drawn: Resampled, params: Any) -> bootstrap.Floats:
        """Return the score of every replicate of each system."""
        ...

    def intervals(
        self, tallies: ErrorTallies, params: Any, *, seed: int, replicates: int
    ) -> dict[str, Interval]:
        """Return the interval of `final` and of each part, or the reason for none."""
        ...


class Recognition(Assembled):
    """A track that compares texts with those of the references."""

    __slots__ = ()
    composing: RecognitionComposing
    stored = ErrorTallies
    longest_text: int
    """How many characters a text may have unless a phase says otherwise."""

    @property
    def sends_texts(self) -> bool:
        """Whether a row is an utterance with its text."""
        return True

    @property
    def meanings(self) -> Mapping[str, str]:
        """What problems of transcripts mean, by code."""
        return TRANSCRIPT_MEANINGS

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why a score or an interval is withheld, by code."""
        return REASONS

    def codes(self, params: Any) -> tuple[str, ...]:
        """Return the languages, in code order."""
        raise NotImplementedError

    def corpora(self, params: Any) -> tuple[str, ...]:
        """Return the corpora; empty where the board has one without a name."""
        del params
        return ()

    def sample(self, ids: Sequence[str], params: Any) -> str:
        """Return rows as they are sent."""
        del params
        rows = ({"utt_id": utt_id, "text": "…"} for utt_id in ids)
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)

    def limits(self, raw: Mapping[str, int]) -> Limits:
        """Return the bounds of a submission; texts may be long."""
        return Limits(**{"text_characters": self.longest_text, **raw})

    def references(self, data: bytes, params: Any) -> TranscriptReferences:
        """Read the organizer's JSON Lines. Raises ReferencesInvalid with a report."""
        rows = read_transcript_references(
            data,
            of_languages=languages(self.codes(params)),
            of_corpora=corpora(self.corpora(params)),
            limits=self.limits({}),
            leaves_nothing=asr_counting.leaves_nothing(params.rules),
        )
        return TranscriptReferences.from_rows(rows)

    def check(
        self,
        source: Path | bytes,
        *,
        ids: Mapping[str, str | None],
        params: Any,
        limits: Limits,
        progress: Progress | None = None,
        filename: str = "",
    ) -> Checked:
        """Read a submission against the phase's ids (and languages where they are known)."""
        return read_transcripts(
            source,
            ids=ids,
            limits=limits,
            progress=progress,
            filename=filename,
            may_lack_languages=len(self.codes(params)) > 1,
            leaves_nothing=asr_counting.leaves_nothing(params.rules),
        )

    def score(
        self,
        references: TranscriptReferences,
        given: Mapping[str, str],
        params: Any,
        progress: Progress | None = None,
    ) -> ErrorTallies:
        """Return the tallies of checked predictions (utt_id -> text). Raises PredictionsIncomplete."""
        return asr_counting.tally(references, given, params.rules, progress)

    def interval(
        self,
        tallies: ErrorTallies,
        params: Any,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> dict[str, Interval]:
        """Return the 95 % interval of `final` and of each part, or the reason for none."""
        return self.composing.intervals(tallies, params, seed=seed, replicates=replicates)

    def replicates(
        self,
        tallies: ErrorTallies,
        params: Any,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> bootstrap.Floats | None:
        """Return the score of every replicate, None where it is withheld."""
        if self.composing.exact(tallies, params) is None:
            return None
        drawn = Resampled([tallies], params.measures, seed=seed, replicates=replicates)
        scores: bootstrap.Floats = self.composing.replicated(drawn, params)[0]
        return scores

    def paired(
        self,
        leader: ErrorTallies,
        others: Sequence[ErrorTallies],
        params: Any,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> list[Difference]:
        """Compare others with the leader on the same draws; differences are other minus leader.

        Nothing can be told of a system whose score is withheld. Raises ClipsDiffer.
        """
        by = asr_paired.Comparison(
            score=lambda one: self.composing.exact(one, params),
            measures=params.measures,
            replicated=lambda drawn: self.composing.replicated(drawn, params),
        )
        return asr_paired.compare(leader, others, by, seed=seed, replicates=replicates)

    def edit_pairs(
        self,
        references: TranscriptReferences,
        predictions: Mapping[str, str],
        params: Any,
        utt_ids: Sequence[str],
    ) -> Iterator[EditPair]:
        """Yield the tokens of some utterances, in each unit, with the edits we count."""
        return asr_counting.edit_pairs(references, predictions, params.rules, utt_ids)


def order(*values: float) -> tuple[float, ...]:
    """Return the key of a row that has a score: values of which less is better, at 9 decimals."""
    return (0.0, *(round(value, COMPARED_DECIMALS) for value in values))
