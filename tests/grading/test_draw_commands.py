"""The commands of datasets and draws say what they did, and every fault."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from competition import bucket as at_home
from competition.enums import Pool
from competition.models import DatasetVersion, DrawnClip, DrawWindow
from grading.services import draws
from grading.services.draws import Plan
from tests.competition.shelf import load, sound
from tests.factories.competition import CompetitionFactory
from tests.fixtures.bucket import BucketServer

pytestmark = pytest.mark.django_db


@pytest.fixture
def window(tmp_path: Path) -> DrawWindow:
    levels = {f"p_{number}": number for number in range(6)}
    pool = load(CompetitionFactory(), tmp_path / "pool", "pool", levels, Pool.ROTATION)
    now = timezone.now()
    plan = Plan(n=2, opens_at=now, closes_at=now + timedelta(days=1))
    return draws.commit(actor=None, version=pool, plan=plan, now=now)


def test_rows_and_audio_are_loaded_from_the_shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    competition = CompetitionFactory()
    (tmp_path / "a.wav").write_bytes(sound(3))
    rows = tmp_path / "rows.jsonl"
    row = {"utt_id": "a", "language": "en", "tier": "easy", "audio": "a.wav"}
    rows.write_text(json.dumps(row) + "\n")
    call_command("load_dataset", competition.slug, "dev", rows, tmp_path, "--pool", "open")
    version = DatasetVersion.objects.get()
    assert version.sha256 in capsys.readouterr().out
    rows.write_text(json.dumps({**row, "language": "?"}) + "\n[]\n")
    with pytest.raises(CommandError, match=r"line 1: language.*\n  line 2: is not"):
        call_command("load_dataset", competition.slug, "dev", rows, tmp_path, "--pool", "open")
    with pytest.raises(CommandError, match="no competition"):
        call_command("load_dataset", "nowhere", "dev", rows, tmp_path, "--pool", "open")
    with pytest.raises(CommandError, match="No such file"):
        call_command(
            "load_dataset", competition.slug, "d", tmp_path / "x", tmp_path, "--pool", "open"
        )


def test_audio_is_loaded_from_the_bucket(
    tmp_path: Path, bucket: BucketServer, capsys: pytest.CaptureFixture[str]
) -> None:
    competition = CompetitionFactory()
    for name in ("a", "deep/b"):
        path = tmp_path / "sound.wav"
        path.write_bytes(sound(len(name)))
        at_home.put_file(path, f"clips/{name}.wav", hashlib.sha256(path.read_bytes()).hexdigest())
    rows = tmp_path / "rows.jsonl"
    given = [
        {"utt_id": name, "language": "en", "tier": "easy", "audio": audio}
        for name, audio in (("a", "a.wav"), ("b", "deep/b.wav"))
    ]
    rows.write_text("".join(json.dumps(row) + "\n" for row in given))
    load_from = ("load_dataset", competition.slug, "dev", rows, "bucket:clips/", "--pool", "open")
    call_command(*load_from)
    by_bucket = DatasetVersion.objects.get()
    assert by_bucket.sha256 in capsys.readouterr().out
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.wav").write_bytes(sound(1))
    (folder / "deep" / "b.wav").write_bytes(sound(6))
    call_command("load_dataset", competition.slug, "dev", rows, folder, "--pool", "open")
    assert DatasetVersion.objects.get() == by_bucket
    rows.write_text(json.dumps({**given[0], "audio": "gone.wav"}) + "\n")
    with pytest.raises(CommandError, match=r"gone\.wav cannot be read"):
        call_command(*load_from)


def test_without_a_bucket_there_is_none_to_load_from(tmp_path: Path) -> None:
    competition = CompetitionFactory()
    rows = tmp_path / "rows.jsonl"
    rows.write_text("{}")
    with pytest.raises(CommandError, match="S3_BUCKET is not set"):
        call_command("load_dataset", competition.slug, "d", rows, "bucket:x", "--pool", "open")


def test_clips_are_moved_from_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    competition = CompetitionFactory()
    version = load(competition, tmp_path / "pool", "pool", {"p_1": 1, "p_2": 2}, Pool.ROTATION)
    ids = tmp_path / "ids.txt"
    ids.write_text("p_2\n")
    move = ("move_clips", competition.slug, "pool")
    call_command(*move, "open", "--reason", "seen too often", "--ids", ids)
    assert "1 of 1 clips" in capsys.readouterr().out
    pools = dict(version.clips.values_list("utt_id", "audio__pool"))
    assert pools == {"p_1": "rotation", "p_2": "open"}
    call_command(*move, "held-out", "--reason", "kept back", "--all")
    with pytest.raises(CommandError, match="--for-good"):
        call_command(*move, "open", "--reason", "r", "--all")
    call_command(*move, "open", "--reason", "r", "--all", "--for-good")
    with pytest.raises(CommandError, match="POOL_MOVE_REFUSED"):
        call_command(*move, "held-out", "--reason", "r", "--all")
    ids.write_text("p_9\n")
    with pytest.raises(CommandError, match="p_9"):
        call_command(*move, "open", "--reason", "r", "--ids", ids)


def test_a_draw_is_made_and_made_again(
    window: DrawWindow, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("draw", window.code, "--run", "2")
    drawn = capsys.readouterr().out.split()
    call_command("draw", window.code, "--run", "2")
    assert capsys.readouterr().out.split() == drawn
    call_command("reconstruct", window.code, "--list")
    said = capsys.readouterr().out
    assert "run 2: the same" in said
    assert said.split()[-2:] == drawn
    assert DrawnClip.objects.count() == 2


def test_what_is_not_there_is_said(window: DrawWindow) -> None:
    for command in ("draw", "reconstruct"):
        with pytest.raises(CommandError, match="no window"):
            call_command(command, "nowhere")
    with pytest.raises(CommandError, match="Nothing was drawn"):
        call_command("reconstruct", window.code)
    with pytest.raises(CommandError, match="no window"):
        call_command("draw", window.code, "--run", "-1")
