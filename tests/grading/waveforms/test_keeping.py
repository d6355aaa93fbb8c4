"""Clips on disk and in a bucket: kept once, made up for after a break, swept when nobody wants them."""

from __future__ import annotations

import hashlib
import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, IntegrityError, transaction

from competition import bucket as buckets
from grading import storage
from grading.models import Clip, Submission, Waveform
from grading.services import (
    child,
    doorbell,
    errors,
    intake,
    kept_bytes,
    leases,
    sweep,
    validation,
    waveforms,
)
from tests.factories.grading import NOW
from tests.factories.speech import IDS, hand_in, make_speech_arena, validated
from tests.scoring.audio.waves import tone, wav
from tests.scoring.formats.sounds import GOOD, gzipped, members, tarred, zipped

pytestmark = pytest.mark.django_db
OTHER = wav(tone(5_000))


def stored_keys() -> set[str]:
    if settings.S3_BUCKET:
        return {buckets.key_in(one) for one in buckets.listed("list_objects_v2", "", "Contents")}
    return set(storage.stored_before(NOW + timedelta(days=365)))


def work_folders() -> list[Path]:
    return list((Path(settings.PUBLIC_FILES) / "work").glob("*"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "pack", [zipped, tarred, lambda files: gzipped(tarred(files))], ids=["zip", "tar", "tar.gz"]
)
def test_clips_of_every_kind_of_archive_are_kept_byte_for_byte(arena, pack) -> None:
    files = members(utt_0002=OTHER + b"behind") | {"notes.txt": b"x"}
    submission = validated(arena, pack(files))
    assert submission.state == "accepted"
    for clip in submission.clips.select_related("waveform"):
        assert waveforms.read_bytes(clip.waveform) == files[clip.member]
        assert clip.waveform.sha256 == hashlib.sha256(files[clip.member]).hexdigest()
        assert clip.language == arena.rows[clip.utt_id][0]
    assert Waveform.objects.count() == 2, "two of the three clips are equal"
    assert work_folders() == []


def test_two_submissions_share_a_stored_waveform(place, arena, in_this_process) -> None:
    first = validated(arena, members())
    keys = stored_keys()
    second = validated(arena, members(utt_0003=OTHER), system="another")
    assert first.state == second.state == "accepted"
    shared = Clip.objects.filter(waveform__sha256=hashlib.sha256(GOOD).hexdigest())
    assert shared.count() == 5
    assert len({clip.waveform_id for clip in shared}) == 1
    assert len(stored_keys() - keys) == 2, "the second archive and the one clip that is new"
    for clip in Clip.objects.select_related("waveform"):
        assert len(waveforms.read_bytes(clip.waveform)) == clip.waveform.size


def test_bytes_that_were_lost_are_stored_again(place, arena, in_this_process) -> None:
    validated(arena, members())
    waveform = Waveform.objects.get()
    storage.remove_before(waveform.storage_key, NOW + timedelta(days=365))
    with pytest.raises((storage.BytesMissing, child.StorageDown)):
        waveforms.read_bytes(waveform)
    validated(arena, members(utt_0003=OTHER), system="another")
    waveform.refresh_from_db()
    assert waveforms.read_bytes(waveform) == GOOD


class BreaksAtTheEnd:
    """A clock that stops the worker between storing clips and writing their rows."""

    def __call__(self):
        if Path(settings.PUBLIC_FILES, "uploads").exists() and len(stored_keys()) > 1:
            raise KeyboardInterrupt
        return NOW


def test_a_break_between_bytes_and_rows_is_made_up_for(arena, in_this_process) -> None:
    submission = hand_in(arena, members())
    with pytest.raises(KeyboardInterrupt):
        validation.validate(submission_id=submission.pk, clock=BreaksAtTheEnd())
    assert not Waveform.objects.exists()
    assert len(stored_keys()) == 2
    later = NOW + timedelta(minutes=5)
    validation.release_lapsed(submission_id=submission.pk, now=later)
    validation.validate(submission_id=submission.pk, clock=lambda: later)
    submission.refresh_from_db()
    assert (submission.state, submission.attempt) == ("accepted", 2)
    assert submission.clips.count() == 3
    assert len(stored_keys()) == 2


def test_bytes_without_rows_and_old_work_folders_are_swept(arena, in_this_process) -> None:
    submission = hand_in(arena, members())
    with pytest.raises(KeyboardInterrupt):
        validation.validate(submission_id=submission.pk, clock=BreaksAtTheEnd())
    left = Path(settings.PUBLIC_FILES) / "work" / "abc.1.ff"
    left.mkdir(parents=True)
    (left / "clip").write_bytes(b"x")
    os.utime(left, (0, 0))
    orphan = next(key for key in stored_keys() if not kept_bytes.is_wanted(key))
    os.utime(storage.path_of(orphan), (0, 0))
    os.utime(storage.path_of(submission.storage_key), (0, 0))
    cache.delete("grading.tidied")
    assert sweep.tidy(now=NOW) == 2
    assert stored_keys() == {submission.storage_key}
    assert work_folders() == []


def test_the_work_folder_of_a_long_validation_is_no_leftover(settings) -> None:
    settings.SOUNDS_TASK_SECONDS = 3 * 3600
    ages = {"abc.1.ff": 2, "abd.1.ff": 4}
    for name, hours in ages.items():
        folder = Path(settings.PUBLIC_FILES) / "work" / name
        folder.mkdir(parents=True)
        moment = (NOW - timedelta(hours=hours)).timestamp()
        os.utime(folder, (moment, moment))
    assert sweep.tidy(now=NOW) == 1
    assert [folder.name for folder in work_folders()] == ["abc.1.ff"]


def test_a_rejected_upload_takes_no_waveform_along(arena, in_this_process) -> None:
    """A clip sent alone is no archive; once its bytes are removed, those of the clip must stay."""
    validated(arena, members())
    alone = validated(arena, GOOD, filename="utt_0001.wav", system="alone")
    assert alone.state == "rejected"
    key = alone.storage_key
    assert key == Waveform.objects.get().storage_key
    os.utime(storage.path_of(key), (0, 0))
    sweep.tidy(now=NOW + timedelta(days=8))
    alone.refresh_from_db()
    assert alone.storage_key == ""
    assert storage.is_stored(key)


@pytest.mark.slow
def test_a_clip_whose_screen_fails_is_accepted(arena, monkeypatch) -> None:
    """The screen's process is killed by its own limit of time; that refuses nobody."""
    bounds = child.Bounds(0.0, 30, 1 << 31)
    monkeypatch.setattr(
        waveforms, "Bounds", type("B", (), {"for_sounds": staticmethod(lambda: bounds)})
    )
    submission = validated(arena, members())
    assert submission.state == "accepted"
    assert Waveform.objects.get().screen == {
        "version": 1,
        "state": "failed",
        "error": "SCORER_TIMEOUT",
    }
    monkeypatch.undo()
    validated(arena, members(utt_0003=OTHER), system="another")
    states = Waveform.objects.values_list("screen__state", flat=True)
    assert set(states) == {"done"}, "what failed is measured again when it comes again"


def test_a_bucket_that_hangs_puts_the_validation_off(bucket, arena, in_this_process) -> None:
    submission = hand_in(arena, members())
    bucket.fault(method="PUT", status=503)
    validation.validate(submission_id=submission.pk, clock=lambda: NOW)
    submission.refresh_from_db()
    assert (submission.state, submission.attempt) == ("received", 0)
    bucket.fault()
    validation.validate(submission_id=submission.pk, clock=lambda: NOW)
    submission.refresh_from_db()
    assert submission.state == "accepted"
    assert submission.clips.count() == 3


@pytest.mark.slow
def test_progress_is_told_step_by_step(arena, monkeypatch) -> None:
    monkeypatch.setattr(leases, "PROGRESS_SECONDS", 0.0)
    seen: list[tuple[str, int]] = []
    submission = hand_in(arena, members(utt_0002=OTHER))

    def clock():
        row = Submission.objects.get(pk=submission.pk)
        seen.append((row.progress_step, row.progress_total))
        return NOW

    validation.validate(submission_id=submission.pk, clock=clock)
    steps = list(dict.fromkeys(step for step, _total in seen if step))
    assert steps[-1] == "store"
    assert steps == [step for step in ("check", "clips", "screen", "store") if step in steps]
    assert ("store", 2) in seen


def test_a_log_line_names_no_clip(arena, in_this_process, caplog) -> None:
    with caplog.at_level("DEBUG"):
        validated(arena, {f"canary/{name}": data for name, data in members().items()})
    said = caplog.text + "".join(str(record.__dict__) for record in caplog.records)
    for word in ("canary", *IDS, hashlib.sha256(GOOD).hexdigest()):
        assert word not in said


class TestTheDatabase:
    """What must hold is a constraint; evidence is kept by triggers."""

    def test_a_submission_has_one_clip_for_an_utterance(self, arena, in_this_process) -> None:
        submission = validated(arena, members())
        clip = submission.clips.first()
        with pytest.raises(IntegrityError), transaction.atomic():
            Clip.objects.create(
                submission=submission,
                utt_id=clip.utt_id,
                language="en",
                member="x",
                waveform=clip.waveform,
            )

    def test_clips_and_what_a_waveform_is_never_change(self, arena, in_this_process) -> None:
        validated(arena, members())
        for rows, change in (
            (Clip.objects, {"member": "other"}),
            (Clip.objects, {"language": "zh"}),
            (Waveform.objects, {"sha256": "0" * 64}),
            (Waveform.objects, {"frames": 1}),
        ):
            with pytest.raises(DatabaseError), transaction.atomic():
                rows.update(**change)
        for rows in (Clip.objects, Waveform.objects):
            with pytest.raises(DatabaseError), transaction.atomic():
                rows.all()._raw_delete("default")
        Waveform.objects.update(storage_key="elsewhere", screen={"state": "failed"})

    @pytest.mark.parametrize(
        "fields",
        [{"frames": 0}, {"size": 4_000}, {"storage_key": ""}, {"sha256": ""}],
        ids=lambda fields: next(iter(fields)),
    )
    def test_a_waveform_is_whole(self, db, fields) -> None:
        whole = {
            "sha256": "1" * 64,
            "size": 4_044,
            "frames": 2_000,
            "storage_key": "uploads/1",
            "created_at": NOW,
        }
        Waveform.objects.create(**whole)
        with pytest.raises(IntegrityError), transaction.atomic():
            Waveform.objects.create(**{**whole, "sha256": "2" * 64} | fields)


def test_a_text_is_still_refused_with_its_track_named(arena, in_this_process) -> None:
    submission = validated(arena, b'{"utt_id": "utt_0001", "text_with_nvvs": "x"}\n')
    assert submission.state == "rejected"
    assert [row.code for row in submission.problems.all()] == ["WRONG_TRACK"]
    assert not Clip.objects.exists()


def test_a_file_over_the_phases_limit_is_refused_before_it_is_stored(db) -> None:
    arena = make_speech_arena(limits={"file_bytes": 1_000})
    with pytest.raises(errors.UploadTooLarge):
        storage.store_stream([zipped(members())], limit=intake.limits_of(arena.phase).file_bytes)


def test_validation_is_rung_on_a_queue_of_its_own(arena, monkeypatch) -> None:
    bells: list[str] = []
    monkeypatch.setattr(doorbell, "_send", lambda name, row: bells.append(name))
    monkeypatch.setattr("django.db.transaction.on_commit", lambda act: act())
    submission = hand_in(arena, members())
    assert bells == [doorbell.VALIDATE_SOUNDS]
    assert doorbell.QUEUES[doorbell.VALIDATE_SOUNDS] == "audio"
    Submission.objects.filter(pk=submission.pk).update(rung_at=None)
    cache.set("grading.tidied", 1)
    sweep.sweep(now=NOW)
    assert bells[1:] == [doorbell.VALIDATE_SOUNDS]


def test_the_time_of_a_large_archive_is_bounded_by_its_own_settings() -> None:
    bounds = child.Bounds.for_sounds()
    assert bounds.wall_seconds == settings.SOUNDS_WALL_SECONDS >= 900
    assert settings.SOUNDS_TASK_SECONDS > 2 * settings.SOUNDS_WALL_SECONDS
