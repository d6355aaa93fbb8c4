"""Held-out clips by the ways that those who run the site have: admin, definitions, datasets, archives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from accounts.models import User
from competition.enums import Pool
from competition.models import (
    Audio,
    Competition,
    Dataset,
    DatasetClip,
    DrawnClip,
    PackFile,
    PoolClip,
    ReferenceUtterance,
)
from grading.services.keeping import exports
from tests.competition import shelf
from tests.factories.accounts import UserFactory
from tests.factories.competition import (
    NOW,
    REFERENCES,
    CompetitionFactory,
    PhaseFactory,
    ReferenceVersionFactory,
)
from tests.factories.datasets import (
    DatasetClipFactory,
    DrawFactory,
    DrawWindowFactory,
    PackFactory,
    PackFileFactory,
)
from tests.factories.verification import SECRET_ID, make_stage
from tests.grading.keeping import stage as keeping
from tests.grading.keeping.altering import altered

pytestmark = pytest.mark.django_db
OURS = [
    model
    for model in admin.site._registry
    if model._meta.app_label in {"accounts", "competition", "grading"}
]

DEFINITION = """\
slug: challenge
version: 1
languages: [en]
state: published
title: {en: Challenge}
terms: {version: "1", text: {en: Play fair.}}
tracks:
  - slug: understanding
    kind: nvv-t1
    title: {en: Understanding}
    params:
      labels: [laugh, sigh, throat clearing]
      collars: {en: 2, zh: 5}
      weights: {f1: 0.70, mntd: 0.20, error: 0.10}
      tie_breaks: [f1, mntd, error]
    phases:
      - slug: dev
        title: {en: Development}
        opens_at: 2026-11-01 00:00 AoE
        closes_at: 2026-12-08 23:59 AoE
        references: dev.jsonl
"""


@pytest.fixture(autouse=True)
def folders(settings, tmp_path: Path) -> None:
    settings.HIDDEN_FILES, settings.PUBLIC_FILES = tmp_path / "hidden", tmp_path / "public"


@pytest.fixture
def superuser() -> User:
    made: User = UserFactory(is_staff=True, is_superuser=True)
    return made


@pytest.fixture
def root(superuser: User) -> Client:
    client = Client()
    client.force_login(superuser)
    return client


def from_database(error: BaseException | None) -> bool:
    """Whether an error came about because the database refused."""
    while error is not None and not isinstance(error, IntegrityError):
        error = error.__cause__
    return error is not None


def reachable(sha256: str) -> bool:
    """Whether audio stands in anything that entrants are given."""
    clips = DatasetClip.objects.filter(audio__sha256=sha256)
    return (
        PackFile.objects.filter(sha256=sha256).exists()
        or PoolClip.objects.filter(clip__in=clips).exists()
        or DrawnClip.objects.filter(clip__in=clips).exists()
    )


@pytest.mark.parametrize("model", OURS, ids=lambda one: one._meta.label_lower)
def test_the_admin_has_no_form_and_no_action_for_any_of_our_models(
    model, root: Client, rf, superuser: User
) -> None:
    shown = admin.site._registry[model]
    request = rf.get("/")
    request.user = superuser
    assert dict(shown.get_actions(request)) == {}
    assert shown.list_editable == ()
    place = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    assert root.post(reverse(f"{place}_add"), {}).status_code == 403
    before = model._default_manager.count()
    form = {"action": "delete_selected", ACTION_CHECKBOX_NAME: "1", "post": "yes"}
    root.post(reverse(f"{place}_changelist"), form)
    assert model._default_manager.count() == before


def _pack_file(clip: DatasetClip) -> tuple[str, dict[str, object]]:
    key = f"vault/served/{clip.audio.sha256[:2]}/{clip.audio.sha256}"
    given = {"path": "a.wav", "size": 1, "crc32": 1, "sha256": clip.audio.sha256}
    return "packfile_add", given | {"pack": PackFactory().pk, "storage_key": key}


def _pool_clip(clip: DatasetClip) -> tuple[str, dict[str, object]]:
    window = DrawWindowFactory(version=clip.version)
    return "poolclip_add", {"window": window.pk, "clip": clip.pk}


def _drawn_clip(clip: DatasetClip) -> tuple[str, dict[str, object]]:
    draw = DrawFactory(window__version=clip.version)
    return "drawnclip_add", {"draw": draw.pk, "clip": clip.pk}


def _utterance(clip: DatasetClip) -> tuple[str, dict[str, object]]:
    asked = ReferenceVersionFactory(track__competition=clip.version.dataset.competition)
    given = {"references": asked.pk, "utt_id": clip.utt_id, "language": "en"}
    return "referenceutterance_add", given


ADDED = {"pack": _pack_file, "pool": _pool_clip, "draw": _drawn_clip, "phase": _utterance}


@pytest.mark.urls("tests.security.open_admin")
@pytest.mark.parametrize("way", list(ADDED))
def test_were_every_model_open_in_the_admin_the_database_would_refuse(
    way: str, root: Client
) -> None:
    clip = DatasetClipFactory(audio__pool=Pool.HELD_OUT)
    name, given = ADDED[way](clip)
    with pytest.raises(IntegrityError):
        root.post(reverse(f"open:competition_{name}"), given)


@pytest.mark.urls("tests.security.open_admin")
def test_nor_is_what_stands_turned_into_it_there(root: Client) -> None:
    clip = DatasetClipFactory(audio__pool=Pool.HELD_OUT)
    file = PackFileFactory()
    _name, given = _pack_file(clip)
    changed = given | {"pack": file.pack_id}
    with pytest.raises(IntegrityError):
        root.post(reverse("open:competition_packfile_change", args=[file.pk]), changed)


def write_definition(folder: Path, *ids: str) -> Path:
    rows = [json.loads(line) for line in REFERENCES.splitlines()]
    for row, utt_id in zip(rows, ids, strict=False):
        row["utt_id"] = utt_id
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    folder.mkdir(exist_ok=True)
    (folder / "dev.jsonl").write_text(data)
    path = folder / "competition.yaml"
    path.write_text(DEFINITION)
    return path


def test_no_definition_lets_a_phase_ask_for_it(tmp_path: Path) -> None:
    path = write_definition(tmp_path / "one")
    call_command("load_competition", str(path))
    made = Competition.objects.get(slug="challenge")
    DatasetClipFactory(
        audio__pool=Pool.HELD_OUT, version__dataset__competition=made, utt_id="secret_1"
    )
    before = list(ReferenceUtterance.objects.order_by("pk").values_list("utt_id", flat=True))
    again = write_definition(tmp_path / "two", "secret_1")
    again.write_text(DEFINITION.replace("version: 1", "version: 2", 1))
    with pytest.raises(CommandError, match="HELD_OUT") as refused:
        call_command("load_competition", str(again), reason="tried")
    assert from_database(refused.value)
    after = list(ReferenceUtterance.objects.order_by("pk").values_list("utt_id", flat=True))
    assert after == before


def written_rows(folder: Path, levels: dict[str, int]) -> Path:
    shelf.write_folder(folder, levels)
    rows = folder / "rows.jsonl"
    given = (
        {"utt_id": name, "language": "yue", "tier": "easy", "audio": f"{name}.wav"}
        for name in levels
    )
    rows.write_text("".join(json.dumps(row) + "\n" for row in given))
    return rows


def test_no_dataset_holds_out_what_a_phase_asks_for(tmp_path: Path) -> None:
    phase = PhaseFactory()
    slug = phase.track.competition.slug
    asked = phase.references.utterances.first().utt_id
    rows = written_rows(tmp_path / "clips", {asked: 5})
    with pytest.raises(CommandError, match="held out") as refused:
        call_command("load_dataset", slug, "kept", str(rows), str(rows.parent), pool="held-out")
    assert from_database(refused.value)
    assert not Audio.objects.exists()


@pytest.mark.parametrize("pool", ["open", "rotation"])
def test_held_out_audio_is_not_loaded_under_another_name(tmp_path: Path, pool: str) -> None:
    made = shelf.make_shelf(tmp_path / "shelf")
    other = CompetitionFactory()
    rows = written_rows(tmp_path / "again", {"renamed": 11})
    with pytest.raises(CommandError, match="held-out"):
        call_command("load_dataset", other.slug, "again", str(rows), str(rows.parent), pool=pool)
    assert not Dataset.objects.filter(competition=other).exists()
    held = DatasetClip.objects.filter(version=made.held)
    assert {clip.audio.pool for clip in held.select_related("audio")} == {Pool.HELD_OUT}


def imported(path: Path) -> CommandError:
    with pytest.raises(CommandError) as refused:
        call_command("import_competition", str(path))
    assert from_database(refused.value), refused.value
    return refused.value


def test_no_archive_brings_a_pack_of_what_is_held_out_here(tmp_path: Path) -> None:
    path = tmp_path / "competition.zip"
    with keeping.elsewhere(tmp_path / "there"):
        there = shelf.make_shelf(tmp_path / "clips")
        exports.export(competition=there.competition, path=path, now=NOW)
    here = shelf.load(CompetitionFactory(), tmp_path / "own", "held", {"own": 1}, Pool.HELD_OUT)
    imported(path)
    audio = here.clips.get().audio
    assert audio.pool == Pool.HELD_OUT
    assert not reachable(audio.sha256)
    assert Competition.objects.count() == 1


def test_no_archive_brings_a_window_over_what_is_held_out_here(tmp_path: Path) -> None:
    path = tmp_path / "competition.zip"
    with keeping.elsewhere(tmp_path / "there"):
        competition = CompetitionFactory()
        version = shelf.load(
            competition, tmp_path / "clips", "pool", {"a": 21, "b": 22}, Pool.ROTATION
        )
        window = DrawWindowFactory(version=version)
        PoolClip.objects.create(window=window, clip=version.clips.first())
        exports.export(competition=competition, path=path, now=NOW)
    here = shelf.load(CompetitionFactory(), tmp_path / "own", "held", {"own": 21}, Pool.HELD_OUT)
    imported(path)
    assert not reachable(here.clips.get().audio.sha256)


def test_no_archive_that_was_changed_asks_for_it(tmp_path: Path) -> None:
    """Somebody renames an utterance of the phase to a held-out clip, and mends the manifest."""
    path = tmp_path / "competition.zip"
    with keeping.elsewhere(tmp_path / "there"):
        made = make_stage(clips=2)
        exports.export(competition=made.arena.competition, path=path, now=NOW)
        asked, secret = next(iter(made.arena.rows)), next(iter(made.rows))
    assert SECRET_ID in secret

    def rename(rows: bytes) -> bytes:
        assert asked.encode() in rows
        return rows.replace(f'"{asked}"'.encode(), f'"{secret}"'.encode())

    changes = {"rows/competition.referenceutterance.jsonl": rename}
    imported(altered(path, changes, to=tmp_path / "x.zip", rehash=True))
    assert not ReferenceUtterance.objects.exists()


def test_no_archive_that_was_changed_calls_a_held_out_set_open(tmp_path: Path) -> None:
    path = tmp_path / "competition.zip"
    with keeping.elsewhere(tmp_path / "there"):
        made = make_stage(clips=2)
        exports.export(competition=made.arena.competition, path=path, now=NOW)

    def open_up(rows: bytes) -> bytes:
        assert b'"held-out"' in rows
        return rows.replace(b'"held-out"', b'"open"').replace(b"vault/held-out", b"vault/served")

    changes = {"rows/competition.audio.jsonl": open_up}
    imported(altered(path, changes, to=tmp_path / "x.zip", rehash=True))
    assert not Audio.objects.exists()
    assert not Competition.objects.exists()
