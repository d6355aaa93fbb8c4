"""Loading datasets: every fault at once, the same rows once, audio stored where its pool lies."""

from __future__ import annotations

import io
import json
import wave
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from accounts.services import audit
from competition.enums import Pool, Role
from competition.models import Audio, Competition, DatasetClip, DatasetVersion, PoolMove
from competition.services import datasets, pools, references, vault
from competition.services.datasets import Loading
from competition.services.errors import (
    DatasetInvalid,
    NamesHeldOut,
    NotOrganizer,
    PoolMoveRefused,
    ReasonMissing,
)
from competition.services.references import StoredReferences
from tests.competition import shelf
from tests.factories.accounts import UserFactory
from tests.factories.competition import (
    NOW,
    CompetitionFactory,
    ReferenceVersionFactory,
    RoleGrantFactory,
    TrackFactory,
)
from tests.factories.datasets import AudioFactory, PackFileFactory

pytestmark = pytest.mark.django_db

SECRET = "the canary sings at noon"


@pytest.fixture
def competition() -> Competition:
    made: Competition = CompetitionFactory()
    return made


def sound(level: int, frames: int = 1600) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(16000)
        out.writeframes(level.to_bytes(2, "little", signed=True) * frames)
    return file.getvalue()


def row(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "utt_id": f"c{number}",
        "language": "yue",
        "tier": "easy",
        "audio": f"{number}.wav",
        "text": f"{SECRET} {number}",
        **fields,
    }


def loading(folder: Path, rows: list[Any], pool: Pool = Pool.ROTATION) -> Loading:
    folder.mkdir(exist_ok=True)
    for one in rows:
        path = folder / Path(one["audio"] if isinstance(one, dict) else "0.wav").name
        if not path.exists():
            path.write_bytes(sound(int(path.stem)))
    data = b"".join(json.dumps(one).encode() + b"\n" for one in rows)
    return Loading("clips", "Clips", data, folder, pool)


def load(competition: Competition, given: Loading) -> DatasetVersion:
    return datasets.load(actor=None, competition=competition, loading=given, now=NOW)


def test_a_version_holds_its_clips_and_no_text(competition: Competition, tmp_path: Path) -> None:
    version = load(competition, loading(tmp_path / "in", [row(1), row(0, tier="hard")]))
    assert (version.number, version.clip_count) == (1, 2)
    clips = list(version.clips.values_list("utt_id", "language", "tier", "milliseconds"))
    assert clips == [("c0", "yue", "hard", 100), ("c1", "yue", "easy", 100)]
    assert b"".join(vault.read(version.clips.all()[0].audio.storage_key)) == sound(0)
    for model in (DatasetVersion, DatasetClip, Audio):
        assert SECRET not in str(list(model.objects.values()))
    assert audit.verify().ok


def test_the_same_rows_and_audio_are_one_version(competition: Competition, tmp_path: Path) -> None:
    given = loading(tmp_path / "in", [row(0), row(1)])
    first = load(competition, given)
    turned = Loading("clips", "Other", b"\n".join(reversed(given.rows.splitlines())), given.folder, given.pool)  # fmt: skip
    assert load(competition, turned) == first
    more = load(competition, loading(tmp_path / "in", [row(0), row(1), row(2)]))
    assert (more.number, Audio.objects.count()) == (2, 3)


def test_one_changed_sample_is_another_version(competition: Competition, tmp_path: Path) -> None:
    first = load(competition, loading(tmp_path / "in", [row(0)]))
    (tmp_path / "in" / "0.wav").write_bytes(sound(0, 1599) + b"\x01\x00")
    second = load(competition, loading(tmp_path / "in", [row(0)]))
    assert (first.sha256, second.number) != (second.sha256, 1)


def test_every_fault_is_told_with_its_line(competition: Competition, tmp_path: Path) -> None:
    rows = [
        row(0, language="Klingon!"),
        row(1, utt_id="c0", extra=1),
        row(2, tier=""),
        row(3, audio="../3.wav"),
        [1],
        row(5, utt_id=" c5", text=7),
        row(6, utt_id="\ud800"),
        row(7),
        row(8, utt_id="c7"),
    ]
    with pytest.raises(DatasetInvalid) as refusal:
        load(competition, loading(tmp_path / "in", rows))
    lines = [fault.line for fault in refusal.value.params["faults"]]  # type: ignore[attr-defined]
    assert lines == [1, 2, 3, 4, 5, 6, 7, 9]
    assert not Audio.objects.exists()


def test_audio_that_is_none_twice_or_elsewhere(competition: Competition, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    given = loading(folder, [row(0), row(1), row(2), row(3)])
    (folder / "1.wav").write_bytes(b"RIFF")
    (folder / "2.wav").write_bytes(sound(0))
    (folder / "3.wav").unlink()
    (folder / "3.wav").symlink_to("/etc/passwd")
    with pytest.raises(DatasetInvalid) as refusal:
        load(competition, given)
    said = " ".join(fault.message for fault in refusal.value.params["faults"])  # type: ignore[attr-defined]
    assert "c1: 1.wav cannot be read" in said
    assert "c2 has the same audio as c0" in said
    assert "outside the folder" in said


def test_audio_of_another_pool_is_named(competition: Competition, tmp_path: Path) -> None:
    load(competition, loading(tmp_path / "in", [row(0)], Pool.HELD_OUT))
    with pytest.raises(DatasetInvalid) as refusal:
        load(competition, loading(tmp_path / "in", [row(0), row(1)], Pool.OPEN))
    assert "c0 is in the pool held-out" in str(refusal.value.params["faults"])
    served = list((tmp_path / "hidden" / "vault" / "served").rglob("*"))
    assert served == []


def test_only_an_organizer_loads(competition: Competition, tmp_path: Path) -> None:
    given = loading(tmp_path / "in", [row(0)])
    grant = RoleGrantFactory(competition=competition, role=Role.AUDITOR)
    with pytest.raises(NotOrganizer):
        datasets.load(actor=grant.user, competition=competition, loading=given, now=NOW)


def test_held_out_bytes_are_never_served(competition: Competition, tmp_path: Path) -> None:
    version = load(competition, loading(tmp_path / "in", [row(0)], Pool.HELD_OUT))
    key = version.clips.get().audio.storage_key
    with pytest.raises(PermissionError):
        vault.served_slice(key, 0, 10)
    with pytest.raises(ValueError, match="not a key"):
        vault.read("vault/../../etc/passwd")


def test_a_move_takes_the_bytes_along_and_is_recorded(
    competition: Competition, tmp_path: Path
) -> None:
    version = load(competition, loading(tmp_path / "in", [row(0)], Pool.HELD_OUT))
    audio = version.clips.get().audio
    moved = pools.move(
        actor=None, competition=competition, audio=[audio], new=Pool.OPEN, reason="released", now=NOW
    )  # fmt: skip
    found = Audio.objects.get()
    assert (moved, found.pool) == (1, Pool.OPEN)
    assert b"".join(vault.served_slice(found.storage_key, 44, 6)) == sound(0)[44:50]
    assert list((tmp_path / "hidden/vault/held-out").rglob(audio.sha256)) == []
    assert PoolMove.objects.get().reason == "released"
    with pytest.raises(PoolMoveRefused):
        pools.move(
            actor=None, competition=competition, audio=[found], new=Pool.HELD_OUT, reason="back", now=NOW
        )  # fmt: skip
    assert b"".join(vault.read(Audio.objects.get().storage_key)) == sound(0)


def test_moves_that_are_refused_change_nothing(competition: Competition, tmp_path: Path) -> None:
    version = load(competition, loading(tmp_path / "in", [row(0), row(1)]))
    first, second = (clip.audio for clip in version.clips.select_related("audio"))
    PackFileFactory(sha256=second.sha256)
    asked = {"competition": competition, "new": Pool.HELD_OUT, "now": NOW}
    with pytest.raises(PoolMoveRefused):
        pools.move(actor=None, audio=[first, second], reason="x", **asked)
    with pytest.raises(PoolMoveRefused):
        pools.move(actor=None, audio=[AudioFactory()], reason="x", **asked)
    with pytest.raises(ReasonMissing):
        pools.move(actor=None, audio=[first], reason=" ", **asked)
    with pytest.raises(NotOrganizer):
        pools.move(actor=UserFactory(), audio=[first], reason="x", **asked)
    assert not PoolMove.objects.exists()
    assert set(Audio.objects.filter(pk__in=[first.pk, second.pk]).values_list("pool", flat=True)) == {Pool.ROTATION}  # fmt: skip


def test_what_a_phase_asks_for_is_refused_as_held_out_in_words(
    competition: Competition, tmp_path: Path
) -> None:
    """The database refuses; whoever loads reads why, and nothing was kept."""
    ReferenceVersionFactory(track__competition=competition, utterances=[("asked", "yue")])
    with pytest.raises(DatasetInvalid) as refused:
        shelf.load(competition, tmp_path / "held", "held", {"asked": 5}, Pool.HELD_OUT)
    (fault,) = refused.value.params["faults"]
    assert "a phase asks for" in fault.message
    assert not Audio.objects.exists()
    assert not competition.datasets.exists()


def test_references_that_name_a_held_out_clip_are_refused_in_words(
    competition: Competition, tmp_path: Path
) -> None:
    shelf.load(competition, tmp_path / "held", "held", {"secret": 5}, Pool.HELD_OUT)
    key, sha256 = references.store_bytes(b"{}")
    given = StoredReferences(
        storage_key=key, sha256=sha256, size=2, counts={"yue": 1}, languages={"secret": "yue"}
    )
    track = TrackFactory(competition=competition)
    with pytest.raises(NamesHeldOut), transaction.atomic():
        references.keep_version(track=track, name="dev", given=given, now=NOW)
    assert not track.reference_versions.exists()
    # Another competition may use the id for something else.
    references.keep_version(track=TrackFactory(), name="dev", given=given, now=NOW)
