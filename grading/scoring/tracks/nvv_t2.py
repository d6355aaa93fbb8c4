"""Track `nvv-t2`: controllable speech generation, protocol 1.0.0.

What is sent are waveforms; what is scored are the marks that a judge gives them. Marks of people
come in with the final ranking (`nvv_t2_scores`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from grading.scoring import bootstrap
from grading.scoring.audio.limits import AudioLimits, phase_limits
from grading.scoring.formats.references import read_references
from grading.scoring.formats.waveforms import CheckedSounds, read_waveforms
from grading.scoring.methodology import N_
from grading.scoring.tracks import nvv_t2_compose, nvv_t2_methodology, nvv_t2_params
from grading.scoring.tracks.base import Composed, Difference, Interval, Section
from grading.scoring.tracks.columns import Column, View
from grading.scoring.tracks.declared import Declared
from grading.scoring.tracks.nvv_references import NvvReferences
from grading.scoring.tracks.nvv_t2_scores import COMPARED_DECIMALS
from grading.scoring.tracks.nvv_t2_tallies import ClipTally, SpeechTallies, judged
from grading.scoring.types import FIXED_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from grading.scoring.tracks.nvv_t2_params import SpeechParams
    from grading.scoring.types import Progress


def _share(key: str, meaning: str) -> Column:
    return Column(key, key, N_("0–1"), lower_is_better=False, meaning=meaning)


@dataclass(frozen=True, slots=True)
class NvvSpeech(Declared):
    """The track as one object; what a competition may set is in its parameters."""

    name: str = "nvv-t2"
    version: str = "1.0.0"
    languages: tuple[str, ...] = nvv_t2_params.LANGUAGES
    needs_marks: bool = True
    sends_sounds: bool = True
    has_final: bool = True
    overall: str = N_("bilingual")
    columns: tuple[Column, ...] = (
        Column("score", N_("Final score"), N_("0–100"), lower_is_better=False),
        _share("A", N_("accuracy of the vocalization")),
        _share("P", N_("effect of the vocalization")),
        _share("N", N_("naturalness")),
        _share("Q", N_("quality")),
        _share("E", N_("expression")),
    )

    def views(self, params: SpeechParams) -> tuple[View, ...]:
        """Return the languages, Mandarin first as the challenge names them."""
        del params
        return tuple(View(language) for language in sorted(self.languages, reverse=True))

    def params(self, raw: Mapping[str, Any]) -> SpeechParams:
        """Return full parameters. Raises ParamsInvalid with every fault."""
        return nvv_t2_params.read_params(raw)

    def params_json(self, params: SpeechParams) -> dict[str, Any]:
        """Return the canonical form of the parameters, for the recipe."""
        return nvv_t2_params.params_json(params)

    def limit_names(self) -> frozenset[str]:
        """Return the names of the limits that a phase may set."""
        return frozenset(field.name for field in fields(AudioLimits)) - FIXED_LIMITS

    def limits(self, raw: Mapping[str, int]) -> AudioLimits:
        """Return the bounds of a submission; what a phase does not set keeps the product's own."""
        return phase_limits(raw)

    def references(self, data: bytes, params: SpeechParams) -> NvvReferences:
        """Read the texts to be spoken, JSON Lines. Raises ReferencesInvalid with a report."""
        rows = read_references(data, labels=params.label_set, languages=params.languages)
        return NvvReferences.from_rows(rows, params.label_set)

    def check(
        self,
        source: Path | bytes,
        *,
        ids: Iterable[str],
        params: SpeechParams,
        limits: AudioLimits,
        progress: Progress | None = None,
        filename: str = "",
    ) -> CheckedSounds:
        """Read an archive of waveforms against the phase's ids. Raises OSError.

        What kind of archive it is is told by its content: `filename` decides nothing.
        """
        return read_waveforms(
            source, ids=ids, limits=limits, bounds=params.bounds, progress=progress
        )

    def score(
        self,
        references: NvvReferences,
        given: Mapping[str, Any],
        params: SpeechParams,
        progress: Progress | None = None,
    ) -> SpeechTallies:
        """Return the tallies of a judge's marks: utt_id -> lists of A, P, N, Q, E, profile by profile.

        A clip without all of its marks has none, and the score is withheld. Marks of utterances
        that are not in the references are not looked at. Raises MarksInvalid.
        """
        judge = params.judge
        profiles = 1 if judge is None else len(judge.profiles)
        replicates = None if judge is None else judge.replicates
        clips = tuple(
            ClipTally(
                utt_id,
                references.language_of[utt_id],
                judged(given.get(utt_id), profiles=profiles, replicates=replicates),
            )
            for utt_id in references.ids
        )
        if progress is not None:
            progress(len(clips), len(clips))
        return SpeechTallies(clips)

    def tallies(self, data: bytes) -> SpeechTallies:
        """Return stored tallies. Raises TalliesInvalid."""
        return SpeechTallies.from_bytes(data)

    def compose(self, tallies: SpeechTallies, params: SpeechParams) -> Composed:
        """Return score, components and languages from tallies."""
        return nvv_t2_compose.compose(tallies, params)

    def points(
        self, languages: Mapping[str, Mapping[str, Any]], params: SpeechParams
    ) -> dict[str, float]:
        """Return what each dimension brings to the final score, in points."""
        return nvv_t2_compose.points(languages, params)

    def interval(
        self,
        tallies: SpeechTallies,
        params: SpeechParams,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> dict[str, Interval]:
        """Return the 95 % interval of `final` and of each language, or the reason for none."""
        return nvv_t2_compose.interval(tallies, params, seed=seed, replicates=replicates)

    def paired(
        self,
        leader: SpeechTallies,
        others: Sequence[SpeechTallies],
        params: SpeechParams,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> list[Difference]:
        """Compare others with the leader on the same draws of the same utterances. Raises ClipsDiffer."""
        return nvv_t2_compose.paired([leader, *others], params, seed=seed, replicates=replicates)

    def order_key(self, composed: Composed, params: SpeechParams) -> tuple[Any, ...]:
        """Return a key that sorts the best first: score, then the tie-breaks, at 6 decimals.

        A withheld score sorts last and equal to other withheld ones.
        """
        if composed.score is None:
            return (1,)
        values = (composed.score, *(composed.components[name] for name in params.tie_breaks))
        return (0, *(-_compared(value) for value in values))

    def methodology(self, params: SpeechParams) -> list[Section]:
        """Return the page that explains the score, with examples computed by this code."""
        return nvv_t2_methodology.sections(params)


def _compared(value: float) -> float:
    """Return a stored value at 6 decimals, half to even in decimals rather than in binary."""
    return float(round(Fraction(str(value)), COMPARED_DECIMALS))


TRACK = NvvSpeech()
