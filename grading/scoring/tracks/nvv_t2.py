"""Track `nvv-t2`: controllable speech generation, protocol 1.0.0.

What can be told from the waveforms alone. Marks come from a judge and from people; `nvv_t2_marks`
and `nvv_t2_scores` make scores of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grading.scoring.formats.waveforms import CheckedSounds, read_waveforms
from grading.scoring.tracks import nvv_t2_params

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from grading.scoring.audio.limits import AudioLimits
    from grading.scoring.tracks.nvv_t2_params import SpeechParams
    from grading.scoring.types import Progress


@dataclass(frozen=True, slots=True)
class NvvSpeech:
    """The track as one object; what a competition may set is in its parameters."""

    name: str = "nvv-t2"
    version: str = "1.0.0"
    languages: tuple[str, ...] = nvv_t2_params.LANGUAGES

    def params(self, raw: Mapping[str, Any]) -> SpeechParams:
        """Return full parameters. Raises ParamsInvalid with every fault."""
        return nvv_t2_params.read_params(raw)

    def params_json(self, params: SpeechParams) -> dict[str, Any]:
        """Return the canonical form of the parameters, for the recipe."""
        return nvv_t2_params.params_json(params)

    def check(
        self,
        source: Path | bytes,
        *,
        ids: Iterable[str],
        params: SpeechParams,
        limits: AudioLimits,
        progress: Progress | None = None,
    ) -> CheckedSounds:
        """Read an archive of waveforms against the phase's ids. Raises OSError."""
        return read_waveforms(
            source, ids=ids, limits=limits, bounds=params.bounds, progress=progress
        )


TRACK = NvvSpeech()
