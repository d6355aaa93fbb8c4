"""Submissions of clips that wait for a judge, and a stand-in that answers over real HTTP."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from typing import Any

from grading.demo.canaries import CANARIES
from grading.enums import EvaluationState, SubmissionState
from grading.judges.standin import StandIn, StandInServer
from grading.models import Clip, Evaluation, Waveform
from grading.services import recipes
from grading.storage import store_stream
from tests.factories.grading import NOW, Arena, SubmissionFactory
from tests.factories.speech import make_speech_arena

IDS = ("gen_en_1", "gen_zh_1", "gen_en_2", "gen_zh_2")
JUDGE = {
    "model": "stand-in",
    "base_url": "http://127.0.0.1:1/v1",
    "label": "Stand-in judge",
    "is_stand_in": True,
    "replicates": 2,
    "timeout_seconds": 5,
    "limits": {"calls_per_minute": 60_000, "concurrency": 4},
}


@contextmanager
def serving(behaviour: StandIn | None = None) -> Iterator[StandInServer]:
    """Run a stand-in on a free port of this machine while inside."""
    with StandInServer(("127.0.0.1", 0), behaviour or StandIn()) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def judged_arena(
    ids: tuple[str, ...] = IDS,
    *,
    now: datetime = NOW,
    texts: dict[str, str] | None = None,
    **judge: Any,
) -> Arena:
    """Return a phase for clips whose recipe names a judge; languages take turns."""
    return make_speech_arena(ids, now=now, texts=texts, params={"judge": JUDGE | judge})


@cache
def clip(number: int) -> bytes:
    """Return one of some twenty synthesized clips, with different marks."""
    return CANARIES[number % len(CANARIES)].wav()


def waiting(
    arena: Arena,
    clips: Mapping[str, bytes] | None = None,
    *,
    now: datetime = NOW,
    folder: str = "",
    **fields: Any,
) -> Evaluation:
    """Return an evaluation that waits for marks of a submission with these clips, sent in a folder.

    `fields` are more of the submission's.
    """
    given = clips or {utt_id: clip(number) for number, utt_id in enumerate(arena.rows)}
    submission = SubmissionFactory(
        entrant=arena.entrant,
        phase=arena.phase,
        uploader=arena.captain,
        state=SubmissionState.ACCEPTED,
        validated_at=now,
        created_at=now,
        received_at=now,
        **fields,
    )
    for utt_id, wav in given.items():
        Clip.objects.create(
            submission=submission,
            utt_id=utt_id,
            language=arena.rows[utt_id][0],
            member=f"{folder}{utt_id}.wav",
            waveform=waveform(wav, now),
        )
    return Evaluation.objects.create(
        submission=submission,
        recipe=recipes.live_recipe(arena.phase),
        state=EvaluationState.WAITING,
        queued_at=now,
    )


def waveform(wav: bytes, now: datetime = NOW) -> Waveform:
    """Return the stored waveform with these bytes."""
    sha256 = hashlib.sha256(wav).hexdigest()
    found = Waveform.objects.filter(sha256=sha256).first()
    if found is not None:
        return found
    stored = store_stream([wav], limit=1 << 24)
    return Waveform.objects.create(
        sha256=sha256,
        size=len(wav),
        frames=(len(wav) - 44) // 2,
        storage_key=stored.key,
        created_at=now,
    )
