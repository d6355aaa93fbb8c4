"""Sounds are prepared on the queue: once, whole, again after a loss, and nothing holds up the others."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from grading import preparation, storage
from grading.models import PlanSlot, Stimulus, Waveform
from grading.services import kept_bytes
from grading.services.ratings import stimuli
from grading.stimuli import prepare
from tests.factories.grading import NOW
from tests.factories.hearing import small_listening

pytestmark = pytest.mark.django_db
EMPTY = {
    "storage_key": "", "sha256": "", "size": None, "frames": None, "gain_cdb": None,
    "loudness": None, "peaks": None, "prepared_at": None, "rung_at": None, "prepare_error": "",
}  # fmt: skip


@pytest.fixture
def protocol():
    """A rating none of whose sounds is prepared."""
    made = small_listening(NOW).protocol
    PlanSlot.objects.all().delete()
    Stimulus.objects.filter(protocol=made).exclude(kind="practice").delete()
    Stimulus.objects.filter(protocol=made).update(**EMPTY)
    return made


@pytest.fixture
def unplanned(protocol):
    return Stimulus.objects.filter(protocol=protocol).order_by("pk")


def run(protocol, *, now=NOW) -> int:
    return stimuli.prepare(protocol_id=protocol.pk, clock=lambda: now)


@pytest.mark.slow
def test_every_sound_is_prepared_once_and_kept_under_a_name_that_says_nothing(protocol, unplanned):
    assert stimuli.progress(protocol=protocol).prepared == 0
    assert run(protocol) == 2
    for stimulus in unplanned:
        with storage.local_copy(stimulus.waveform.storage_key) as path:
            made = prepare(preparation.samples_of(path.read_bytes()))
        with storage.local_copy(stimulus.storage_key) as path:
            assert path.read_bytes() == made.data
        assert (stimulus.size, stimulus.frames) == (len(made.data), made.frames)
        assert (stimulus.sha256, stimulus.gain_cdb) == (made.sha256, made.levels.gain)
        assert stimulus.sha256 not in stimulus.storage_key
        assert kept_bytes.is_wanted(stimulus.storage_key)
    before = list(unplanned.values())
    assert run(protocol, now=NOW + timedelta(hours=1)) == 0
    assert list(unplanned.values()) == before
    assert stimuli.progress(protocol=protocol).is_complete


@pytest.mark.slow
def test_what_somebody_else_is_at_is_left_to_them_until_they_are_surely_gone(protocol, unplanned):
    unplanned.update(rung_at=NOW)
    assert run(protocol, now=NOW + stimuli.CLAIM) == 0
    assert stimuli.settle(now=NOW + stimuli.CLAIM) == 0
    assert run(protocol, now=NOW + stimuli.CLAIM + timedelta(seconds=1)) == 2


@pytest.mark.slow
def test_the_sweep_rings_for_what_nobody_prepares(protocol, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        assert stimuli.settle(now=NOW) == 1
    assert stimuli.progress(protocol=protocol).is_complete
    assert stimuli.settle(now=NOW) == 0


@pytest.mark.slow
def test_a_clip_that_is_lost_or_changed_is_named_and_holds_up_no_other(protocol, unplanned):
    first, second = unplanned
    lost = Waveform.objects.create(
        sha256="a" * 64, size=10, frames=1, storage_key="uploads/aa/aa/gone", created_at=NOW
    )
    Stimulus.objects.filter(pk=first.pk).update(waveform=lost)
    assert run(protocol) == 1
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.prepare_error, first.prepared_at) == (stimuli.LOST, None)
    assert second.prepared_at == NOW
    assert stimuli.progress(protocol=protocol).failed == 1
    assert stimuli.settle(now=NOW + timedelta(days=1)) == 0
    sound = second.waveform
    other = Waveform.objects.create(
        sha256="b" * 64,
        size=sound.size,
        frames=sound.frames,
        storage_key=sound.storage_key,
        created_at=NOW,
    )
    Stimulus.objects.filter(pk=first.pk).update(waveform=other)
    stimuli.want(protocol=protocol, now=NOW, again=True)
    assert run(protocol) == 0
    first.refresh_from_db()
    assert first.prepare_error == preparation.CHANGED


def test_a_storage_that_does_not_answer_costs_no_sound(protocol, unplanned, settings, tmp_path):
    files = settings.PUBLIC_FILES
    settings.PUBLIC_FILES = tmp_path / "file"
    settings.PUBLIC_FILES.write_text("in the way")
    assert run(protocol) == 0
    settings.PUBLIC_FILES = files
    assert not unplanned.exclude(prepare_error="").filter(prepare_error=stimuli.FAILED).exists()


def test_a_sound_is_prepared_wholly_or_not_at_all(unplanned):
    first = unplanned.first()
    for field, value in (("storage_key", "x"), ("size", 3), ("prepared_at", NOW)):
        with pytest.raises(IntegrityError), transaction.atomic():
            Stimulus.objects.filter(pk=first.pk).update(**{field: value})
