"""A competition with a dataset whose bytes are really there, and people who may ask for packs."""

from __future__ import annotations

import io
import json
import wave
from dataclasses import dataclass
from pathlib import Path

from accounts.models import User
from competition.enums import Pool
from competition.models import Competition, DatasetVersion, Entrant, Pack
from competition.services import datasets, packs
from competition.services.datasets import Loading
from competition.services.packs import Content, Terms
from tests.factories.accounts import UserFactory
from tests.factories.competition import NOW, CompetitionFactory, EntrantFactory

SECRET = "the canary sings at noon"


def sound(level: int, frames: int = 1600) -> bytes:
    """Return a WAV file whose every sample is `level`."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(16000)
        out.writeframes(level.to_bytes(2, "little", signed=True) * frames)
    return file.getvalue()


def write_folder(folder: Path, levels: dict[str, int]) -> Path:
    """Write a WAV file for each name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, level in levels.items():
        (folder / f"{name}.wav").write_bytes(sound(level))
    return folder


def load(
    competition: Competition, folder: Path, slug: str, levels: dict[str, int], pool: Pool
) -> DatasetVersion:
    """Load clips named and leveled so into a pool; tiers alternate, texts are secret."""
    rows = [
        {
            "utt_id": name,
            "language": "yue",
            "tier": ("easy", "hard")[place % 2],
            "audio": f"{name}.wav",
            "text": f"{SECRET} {name}",
        }
        for place, name in enumerate(levels)
    ]
    data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    given = Loading(slug, slug.title(), data, write_folder(folder, levels), pool)
    return datasets.load(actor=None, competition=competition, loading=given, now=NOW)


@dataclass(slots=True)
class Shelf:
    """A competition, its datasets, an entrant with two people, and a pack on offer."""

    competition: Competition
    opened: DatasetVersion
    held: DatasetVersion
    entrant: Entrant
    captain: User
    member: User
    pack: Pack


def make_shelf(folder: Path, *, approve: bool = True) -> Shelf:
    """Return a shelf with three open and two held-out clips, and a pack of the open ones."""
    competition = CompetitionFactory()
    opened = load(competition, folder / "a", "dev", {"dev_1": 1, "dev_2": 2, "dev_3": 3}, Pool.OPEN)
    held = load(competition, folder / "b", "held", {"held_1": 11, "held_2": 12}, Pool.HELD_OUT)
    captain, member = UserFactory(), UserFactory()
    entrant = EntrantFactory(competition=competition, captain=captain, people=[member])
    pack = packs.make(
        actor=None,
        competition=competition,
        name="dev",
        content=Content(version=opened, texts={"README.txt": b"Clips to practise on.\n"}),
        terms=Terms(approve=approve, valid_days=10),
        now=NOW,
    )
    packs.offer(actor=None, pack=pack, now=NOW)
    return Shelf(competition, opened, held, entrant, captain, member, Pack.objects.get(pk=pack.pk))
