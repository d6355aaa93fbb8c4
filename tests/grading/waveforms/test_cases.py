"""Every case of waveforms and archives through the server: upload, worker, report, clips."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from grading.models import Waveform
from grading.scoring.messages import render
from grading.services import waveforms
from tests.factories.speech import make_speech_arena, validated
from tests.scoring.formats.challenge import CASES
from tests.scoring.formats.sounds import check
from tests.scoring.formats.test_shared_sounds import DECIDED, SOUNDS, by_id, ids_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_process")]


@pytest.mark.parametrize("case", SOUNDS, ids=by_id)
def test_a_case_gets_the_offline_verdict_and_its_clips_on_the_server(case: dict[str, Any]) -> None:
    data, ids = (CASES / case["file"]).read_bytes(), ids_of(case)
    offline = check(data, ids=ids)
    submission = validated(make_speech_arena(ids), data, filename=case["file"])
    decided = DECIDED.get(case["id"], (case["expect"] == "accept",))[0]
    assert submission.state == ("accepted" if decided else "rejected")
    stored = [row.found for row in submission.problems.all()]
    assert [render(one) for one in stored] == [render(one) for one in offline.report.problems]
    assert (submission.rows, submission.reading) == (offline.report.rows, offline.report.reading)
    kept = {clip.utt_id: clip for clip in submission.clips.select_related("waveform")}
    assert {utt_id: clip.member for utt_id, clip in kept.items()} == {
        utt_id: member.name for utt_id, member in offline.clips.items()
    }
    for utt_id, clip in kept.items():
        content = waveforms.read_bytes(clip.waveform)
        member = offline.clips[utt_id]
        assert hashlib.sha256(content).hexdigest() == clip.waveform.sha256
        assert (clip.waveform.size, clip.waveform.frames) == (len(content), member.frames)
        assert clip.waveform.screen["state"] == "done"
    if not decided:
        assert not Waveform.objects.exists()


def test_the_samples_that_are_kept_are_those_of_the_case(tmp_path) -> None:
    case = next(one for one in SOUNDS if "pcm16_sha256" in one.get("value", {}))
    data, ids = (CASES / case["file"]).read_bytes(), ids_of(case)
    submission = validated(make_speech_arena(ids), data)
    clip = submission.clips.select_related("waveform").get(utt_id="utt_0002")
    content = waveforms.read_bytes(clip.waveform)
    start = check(data, ids=ids).clips["utt_0002"].start
    samples = content[start : start + 2 * clip.waveform.frames]
    assert hashlib.sha256(samples).hexdigest() == case["value"]["pcm16_sha256"]


def test_the_table_is_the_offline_one() -> None:
    table = json.loads((CASES / "inputs.json").read_text("utf-8"))["cases"]
    assert len(SOUNDS) == sum(case["track"] == "2" for case in table) >= 80
