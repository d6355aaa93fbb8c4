"""Who takes part in the demo, and what each of them uploads, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from grading.demo.systems import Profile


class Kind(StrEnum):
    """What an upload is: a system's honest output, or one of the two files that show a report."""

    SYSTEM = "system"
    SHUFFLED = "shuffled"
    REJECTED = "rejected"
    WARNED = "warned"


@dataclass(frozen=True, slots=True)
class Upload:
    """One file that an entrant of the demo uploads to a phase."""

    profile: Profile
    phase: str = "final"
    kind: Kind = Kind.SYSTEM

    @property
    def filename(self) -> str:
        return f"{self.profile.system.lower().replace(' + ', '-').replace(' ', '-')}.jsonl"


@dataclass(frozen=True, slots=True)
class Entrant:
    """A team of the demo and its uploads, oldest first.

    `official` False: on the board without a place. `baseline`: uploaded for by the organizers.
    """

    team: str
    uploads: tuple[Upload, ...]
    official: bool = True
    baseline: bool = False

    @property
    def slug(self) -> str:
        return self.team.removeprefix("Team ").lower().replace(" ", "-")


def _steps(
    voice: str, levels: Mapping[str, tuple[float, float]], *, words: float = 1.0
) -> list[Profile]:
    return [Profile(system, voice, en, zh, words) for system, (en, zh) in levels.items()]


_ALDER = _steps(
    "alder", {"alder-nvv-3": (0.30, 0.27), "alder-nvv-4": (0.19, 0.17), "alder-nvv-5": (0.11, 0.12)}
)
_BASALT = Profile("bs-tagger 2.1", "basalt", 0.12, 0.12, 0.8, bare=True)
_CINDER = Profile("cinder-ctc", "cinder", 0.20, 0.17, bare=True)
_DUNE = Profile("dune-speech-llm", "dune", 0.21, 0.20, 0.5)
_ESTUARY = _steps(
    "estuary", {"estuary-1": (0.52, 0.46), "estuary-2": (0.40, 0.36), "estuary-3": (0.32, 0.28)}
)
_FJORD = Profile("fjord-small", "fjord", 0.36, 0.33, bare=True)
_JUNIPER = _steps("juniper", {"juniper-fusion-6": (0.45, 0.47), "juniper-fusion-7": (0.33, 0.32)})
_GRANITE = Profile("granite-2", "granite", 0.46, 0.44)
# Two teams that start from the same public checkpoint and send the same transcripts.
_HEATH = Profile("heath-tiny", "open checkpoint", 0.52, 0.50, bare=True)
_ISLET = Profile("islet-1", "open checkpoint", 0.52, 0.50, bare=True)
_KELP = Profile("kelp-encoder-2", "kelp", 0.58, 0.55, 1.2)
_LAGOON = Profile("lagoon-joint", "lagoon", 0.63, 0.66)
_MOOR = Profile("moor-crf", "moor", 0.74, 0.75, 1.3, bare=True)
_NETTLE = Profile("nettle-0.9", "nettle", 0.90, 0.94, 1.4, bare=True)
_OSIER = Profile("osier-zh", "osier", 0.95, 0.30)
_BASELINE_A = Profile("frozen encoder + CTC", "baseline a", 0.55, 0.52, bare=True)
_BASELINE_B = Profile("label prior + CTC", "baseline b", 0.85, 0.82, favorite="breath", bare=True)


ENTRANTS: tuple[Entrant, ...] = (
    Entrant("Team Alder", (Upload(_ALDER[1], "dev"), *map(Upload, _ALDER))),
    Entrant("Team Basalt", (Upload(_BASALT, "dev"), Upload(_BASALT))),
    Entrant("Team Cinder", (Upload(_CINDER),)),
    Entrant("Team Dune", (Upload(_DUNE),), official=False),
    Entrant("Team Estuary", (Upload(_ESTUARY[0], "dev"), *map(Upload, _ESTUARY))),
    Entrant("Team Fjord", (Upload(_FJORD),)),
    Entrant("Team Granite", (Upload(_GRANITE, "dev"), Upload(_GRANITE))),
    Entrant("Team Heath", (Upload(_HEATH),)),
    Entrant("Team Islet", (Upload(_ISLET, kind=Kind.SHUFFLED),)),
    Entrant("Team Juniper", (Upload(_JUNIPER[0], "dev"), *map(Upload, _JUNIPER))),
    Entrant("Team Kelp", (Upload(_KELP, kind=Kind.REJECTED), Upload(_KELP))),
    Entrant("Team Lagoon", (Upload(_LAGOON, kind=Kind.WARNED),)),
    Entrant("Team Moor", (Upload(_MOOR),)),
    Entrant("Team Nettle", (Upload(_NETTLE),)),
    Entrant("Team Osier", (Upload(_OSIER),)),
    Entrant("Baseline A", (Upload(_BASELINE_A, "dev"), Upload(_BASELINE_A)), official=False, baseline=True),
    Entrant("Baseline B", (Upload(_BASELINE_B),), official=False, baseline=True),
)  # fmt: skip
