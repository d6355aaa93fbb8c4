"""Who of the demo takes part in Track 2, and the archives that they upload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from grading.demo.synthesis_text import Manner
from grading.demo.systems import Utterance
from grading.demo.voices import Voice, speak
from grading.demo.waves import tar_gz_of, wav, zip_of

TRACK = "generation"
PHASE = "final"
_WRONG_RATE = 22_050


class Packing(StrEnum):
    """The kind of archive; a tar holds the clips in a folder of its own."""

    ZIP = "zip"
    TAR_GZ = "tar.gz"


@dataclass(frozen=True, slots=True)
class Recording:
    """One archive that a team uploads to Track 2; `spoiled` ones are rejected."""

    team: str
    voice: Voice
    packing: Packing = Packing.ZIP
    spoiled: bool = False

    @property
    def system(self) -> str:
        return self.voice.system

    @property
    def filename(self) -> str:
        name = self.voice.system.lower().replace(" ", "-")
        return f"{name}-broken.{self.packing}" if self.spoiled else f"{name}.{self.packing}"

    def content(self, utterances: Sequence[Utterance]) -> bytes:
        """Return the archive's bytes; synthesizing them takes about 5 ms for each utterance."""
        files = {
            f"{utterance.utt_id}.wav": wav(speak(utterance, self.voice)) for utterance in utterances
        }
        if self.spoiled:
            files = _spoil(files)
        if self.packing is Packing.TAR_GZ:
            return tar_gz_of(files, folder=self.filename.removesuffix(f".{self.packing}"))
        return zip_of(files)


def _spoil(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files with one left out, one of another rate, one cut short, one misnamed, one no WAV."""
    names = sorted(files)
    spoiled = dict(files)
    del spoiled[names[2]]
    rate = _WRONG_RATE.to_bytes(4, "little") + (2 * _WRONG_RATE).to_bytes(4, "little")
    spoiled[names[5]] = files[names[5]][:24] + rate + files[names[5]][32:]
    spoiled[names[9]] = files[names[9]][: len(files[names[9]]) // 2]
    spoiled[f"take2_{names[-1]}"] = spoiled.pop(names[-1])
    spoiled[names[12]] = b"ID3\x03" + bytes(400)
    return spoiled


_ALDER = Voice("alder-voice-2", "alder", 1180, missed=0.07)
_JUNIPER = Voice("juniper-say-1", "juniper", 2060, stretch=116, sounds=40)
_ESTUARY = Voice("estuary-tts", "estuary", 1420, stretch=106, missed=0.45)
_LAGOON = Voice("lagoon-vocoder", "lagoon", 980, stretch=96, sounds=190, hiss=44, gain=1000)
_BASELINE = Voice(
    "flat concatenation", "baseline a", 1100, manner=Manner(movement=0, pace=118), misplaced=True
)  # fmt: skip

RECORDINGS: tuple[Recording, ...] = (
    Recording("Team Alder", _ALDER),
    Recording("Team Juniper", _JUNIPER, Packing.TAR_GZ),
    Recording("Team Estuary", _ESTUARY, spoiled=True),
    Recording("Team Estuary", _ESTUARY),
    Recording("Team Lagoon", _LAGOON, Packing.TAR_GZ),
    Recording("Baseline A", _BASELINE),
)
