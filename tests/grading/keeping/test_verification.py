"""A verified standing goes along with its competition: sets, outputs, outcomes, and what was drawn."""

from __future__ import annotations

import zipfile
from datetime import timedelta
from pathlib import Path

import pytest

from competition.enums import Pool, Strata
from competition.models import Audio, PackFile, PhaseDraw, PoolMove
from competition.services import vault
from competition.services.vault import Area
from grading import storage
from grading.models import HeldOutClip, HeldOutSet, VerificationOutcome, VerificationRun
from grading.services import draws
from grading.services.draws import Plan
from grading.services.keeping import exports, imports
from grading.services.keeping.errors import ArchiveBroken, NotEmpty
from grading.services.verification import comparing, publishing, sets
from tests.competition.shelf import make_shelf
from tests.factories.datasets import DatasetClipFactory, DatasetVersionFactory
from tests.factories.grading import NOW
from tests.factories.verification import Stage, make_stage, references_of
from tests.grading.keeping import stage as keeping
from tests.grading.keeping.altering import altered
from tests.grading.keeping.stage import EXPORTED

pytestmark = pytest.mark.django_db


def told() -> dict[str, object]:
    outcomes = VerificationOutcome.objects.order_by("named__code")
    return {
        "outcomes": list(outcomes.values_list("named__code", "verdict", "place", "figures")),
        "runs": list(VerificationRun.objects.order_by("code").values_list("code", "score")),
        "clips": HeldOutClip.objects.count(),
        "drawn": list(PhaseDraw.objects.values_list("phase__code", "draw__sha256")),
    }


def released(made: Stage) -> None:
    """Move the clips of the set out of the held-out pool, as a release does."""
    for row in made.held_out.clips.select_related("clip__audio"):
        audio = row.clip.audio
        PoolMove.objects.create(
            audio=audio, old=Pool.HELD_OUT, new=Pool.OPEN, reason="released", at=NOW
        )
        key = vault.key_of(Area.SERVED, audio.sha256)
        Audio.objects.filter(pk=audio.pk).update(pool=Pool.OPEN, storage_key=key)


def drawn(made: Stage) -> None:
    """Let another phase of the track take its clips from a draw."""
    phase = made.arena.phase
    opens_at = NOW + timedelta(hours=1)
    other = phase.track.phases.create(
        slug="drawn",
        references=phase.references,
        opens_at=opens_at,
        closes_at=opens_at + timedelta(days=1),
        clips="drawn",
    )
    version = DatasetVersionFactory(dataset__competition=made.arena.competition)
    for utt_id, (language, _) in made.arena.rows.items():
        DatasetClipFactory(version=version, utt_id=utt_id, language=language)
    plan = Plan(
        n=8,
        opens_at=opens_at,
        closes_at=opens_at + timedelta(days=1),
        strata=Strata.LANGUAGE_TIER,
        phase=other,
    )
    draws.draw(window=draws.commit(actor=None, version=version, plan=plan, now=NOW), now=opens_at)


def test_it_is_the_same_elsewhere_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "competition.zip"
    with keeping.elsewhere(tmp_path / "there"):
        made = make_stage(clips=2)
        found = made.begin()
        seen = comparing.digest(made.verified(found, (0, 1, 2)))
        publishing.publish(actor=None, verification=found, seen=seen, now=NOW)
        released(made)
        drawn(made)
        before, references = told(), references_of(made.rows)
        exports.export(competition=made.arena.competition, path=path, now=EXPORTED)
    imports.bring_in(path=path, now=EXPORTED)
    assert told() == before
    assert sets.read_bytes(HeldOutSet.objects.get()) == references
    for run in VerificationRun.objects.all():
        with storage.local_copy(run.storage_key) as copy:
            assert copy.stat().st_size == run.size
    (publication,) = {one.publication for one in VerificationOutcome.objects.all()}
    assert comparing.digest(comparing.compare(publication.verification)) == publication.sha256


def archive_of(tmp_path: Path) -> Path:
    """Return an archive of a competition with held-out audio and a pack of open audio, made elsewhere."""
    path = tmp_path / "competition.zip"
    with keeping.elsewhere(tmp_path / "there"):
        shelf = make_shelf(tmp_path / "clips")
        exports.export(competition=shelf.competition, path=path, now=EXPORTED)
    return path


def members(path: Path, part: str) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        return sorted(name for name in archive.namelist() if part in name)


def test_held_out_bytes_do_not_come_in_as_others(tmp_path: Path) -> None:
    """Whoever changes an archive and its manifest still has to name every file by its hash."""
    path = archive_of(tmp_path)
    (secret, _other), served = members(path, "vault/held-out/"), members(path, "vault/served/")
    with zipfile.ZipFile(path) as archive:
        data = archive.read(secret)
    swapped = altered(
        path, {served[0]: lambda _old: data}, to=tmp_path / "swapped.zip", rehash=True
    )
    with pytest.raises(ArchiveBroken, match="not what its name says"):
        imports.bring_in(path=swapped, now=EXPORTED)
    # Named as lost: then no row's hash is compared with it.
    key = served[0].removeprefix("hidden/")
    lost = altered(
        path,
        {served[0]: lambda _old: data},
        to=tmp_path / "lost.zip",
        head={"missing": [key]},
        rehash=True,
    )
    with pytest.raises(ArchiveBroken, match="not what its name says"):
        imports.bring_in(path=lost, now=EXPORTED)
    assert not Audio.objects.exists()


@pytest.mark.parametrize("table", ["competition.audio", "competition.packfile"])
def test_no_row_of_an_archive_names_held_out_bytes_as_served(tmp_path: Path, table: str) -> None:
    path = archive_of(tmp_path)
    secret = members(path, "vault/held-out/")[0].removeprefix("hidden/")
    keys = [name.removeprefix("hidden/") for name in members(path, "vault/served/")]
    with zipfile.ZipFile(path) as archive:
        listed = archive.read(f"rows/{table}.jsonl").decode()
    served = next(key for key in keys if key in listed)

    def redirect(rows: bytes) -> bytes:
        return rows.replace(served.encode(), secret.encode())

    changed = altered(path, {f"rows/{table}.jsonl": redirect}, to=tmp_path / "x.zip", rehash=True)
    with pytest.raises(NotEmpty):
        imports.bring_in(path=changed, now=EXPORTED)
    assert not PackFile.objects.exists()
