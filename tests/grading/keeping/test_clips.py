"""Clips go along with a competition, and come back byte for byte."""

from __future__ import annotations

import shutil

import pytest
from django.conf import settings
from django.db import transaction

from grading.models import Clip, Waveform
from grading.services import waveforms
from grading.services.keeping import exports, imports
from tests.factories.speech import make_speech_arena, validated
from tests.grading.keeping import stage
from tests.grading.keeping.stage import EXPORTED
from tests.scoring.audio.waves import tone, wav
from tests.scoring.formats.sounds import members

pytestmark = pytest.mark.django_db


def told() -> list[tuple]:
    clips = Clip.objects.order_by("submission__number", "utt_id").select_related("waveform")
    return [
        (clip.utt_id, clip.language, clip.member, clip.waveform.sha256, clip.waveform.screen)
        for clip in clips
    ]


def test_clips_of_an_exported_competition_are_there_after_an_import(path):
    with transaction.atomic():
        with stage.in_this_process():
            arena = make_speech_arena(now=EXPORTED)
            files = members(utt_0002=wav(tone(5_000)))
            validated(arena, files, now=EXPORTED, created_at=EXPORTED)
            validated(arena, members(), now=EXPORTED, created_at=EXPORTED, system="second")
        before = told()
        exported = exports.export(competition=arena.competition, path=path, now=EXPORTED)
        transaction.set_rollback(True)
    assert exported.missing == ()
    shutil.rmtree(settings.PUBLIC_FILES)
    assert not Clip.objects.exists()
    imports.bring_in(path=path, now=EXPORTED)
    assert told() == before
    assert len(before) == 6
    found = {waveforms.read_bytes(one) for one in Waveform.objects.all()}
    assert found == set(files.values())
