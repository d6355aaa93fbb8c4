"""Odd archives through the server: the verdict of a worker is the offline one, word for word."""

from __future__ import annotations

import pytest

from grading.scoring.messages import render
from grading.services import waveforms
from tests.factories.speech import make_speech_arena, validated
from tests.scoring.audio.test_odd_waves import WAVES
from tests.scoring.formats.sounds import IDS, check, members, zipped
from tests.scoring.formats.test_odd_archives import TARS, ZIPS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db,
    pytest.mark.usefixtures("in_this_process"),
]
AT_ONCE = 8
"""So many are sent by one team: more rejected ones in a day are not taken."""
PACKED_WAVES = {
    name: (zipped(members(utt_0002=data)), wanted) for name, (data, wanted) in WAVES.items()
}


@pytest.mark.parametrize("odd", [PACKED_WAVES, ZIPS, TARS], ids=["waves", "zips", "tars"])
def test_the_server_says_of_everything_odd_what_is_said_offline(odd) -> None:
    arena = make_speech_arena(IDS)
    apart, accepted = [], 0
    for place, (name, (data, _wanted)) in enumerate(odd.items()):
        if place % AT_ONCE == 0:
            _, captain = arena.enter()
        offline = check(data)
        submission = validated(arena, data, filename="odd.zip", actor=captain)
        told = [render(row.found) for row in submission.problems.all()]
        clips = {clip.utt_id: clip.member for clip in submission.clips.all()}
        same = (
            (submission.state == "accepted") is offline.report.accepted
            and told == [render(one) for one in offline.report.problems]
            and clips == {utt_id: clip.name for utt_id, clip in offline.clips.items()}
        )
        apart += [] if same else [(name, submission.state, told)]
        accepted += offline.report.accepted
    assert apart == []
    assert 0 < accepted < len(odd)
    for clip in arena.phase.submissions.filter(state="accepted").first().clips.all():
        assert len(waveforms.read_bytes(clip.waveform)) == clip.waveform.size
