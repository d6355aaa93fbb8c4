"""A phase that takes clips, with a submission of every look; nothing of it is on disk."""

from __future__ import annotations

import hashlib
from datetime import datetime

from accounts.models import User
from grading.enums import SubmissionState
from grading.models import Clip, Submission, ValidationProblem, Waveform
from grading.services.waveforms import Extracted, Kept, record
from tests.factories.grading import Arena, SubmissionFactory, quota_entry
from tests.factories.speech import make_speech_arena

IDS = [f"gen_{language}_{number:03d}" for number in range(1, 21) for language in ("en", "zh")]
FIGURES = {
    "version": 1,
    "state": "done",
    "seconds": 3.2,
    "silent_percent": 4.0,
    "longest_silence": 0.2,
    "longest_zeros": 0.0,
    "clipped_runs": 0,
    "bandwidth_hz": 7_600,
    "loudness": -23.4,
    "speech": None,
}
SCREENS = [
    FIGURES,
    FIGURES | {"silent_percent": 80.0, "longest_zeros": 2.6, "loudness": None},
    FIGURES | {"bandwidth_hz": 1_800, "clipped_runs": 41},
    {"version": 1, "state": "failed", "error": "SCORER_TIMEOUT"},
]


def make_speech_world(now: datetime) -> tuple[User, dict[str, dict[str, str]]]:
    """Return the captain who sent clips, and what the addresses of that phase are made of."""
    arena = make_speech_arena(IDS, now=now)
    _keep_clips(_submission(arena, now, SubmissionState.ACCEPTED), now)
    accepted = Submission.objects.get(phase=arena.phase)
    rejected = _submission(arena, now, SubmissionState.REJECTED)
    _report(rejected)
    busy = _submission(arena, now, SubmissionState.RECEIVED)
    Submission.objects.filter(pk=busy.pk).update(
        lease_until=now, progress_step="screen", progress_done=12, progress_total=40
    )
    names = {
        "slug": arena.competition.slug,
        "track": arena.track.slug,
        "phase": arena.phase.slug,
    }
    return arena.captain, {
        "speech place": names,
        "clips": {"code": accepted.code},
        "clips rejected": {"code": rejected.code},
        "clips busy": {"code": busy.code},
    }


def _submission(arena: Arena, now: datetime, state: SubmissionState) -> Submission:
    is_checked = state != SubmissionState.RECEIVED
    submission = SubmissionFactory(
        entrant=arena.entrant,
        phase=arena.phase,
        uploader=arena.captain,
        filename="clips.zip",
        state=state,
        validated_at=now if is_checked else None,
        ended_at=now if state == SubmissionState.REJECTED else None,
        created_at=now,
        received_at=now,
        rows=len(IDS) if is_checked else None,
        reading="zip" if is_checked else "",
        problems_total=0 if is_checked else None,
        errors_total=0 if is_checked else None,
    )
    quota_entry(submission)
    return submission


def _keep_clips(submission: Submission, now: datetime) -> None:
    digests = {utt_id: hashlib.sha256(utt_id.encode()).hexdigest() for utt_id in IDS}
    clips = tuple(
        Extracted(utt_id, f"mine/{utt_id}.wav", sha256, 102_444, 51_200)
        for utt_id, sha256 in digests.items()
    )
    keys = {sha256: f"uploads/{sha256}" for sha256 in digests.values()}
    screens = {
        sha256: SCREENS[number % len(SCREENS)] for number, sha256 in enumerate(digests.values())
    }
    languages = {utt_id: utt_id.split("_")[1] for utt_id in IDS}
    kept = Kept(clips, keys, screens)
    record(submission=submission, kept=kept, languages=languages, now=now)
    assert Clip.objects.count() == Waveform.objects.count() == len(IDS)


def _report(submission: Submission) -> None:
    problems = [
        ("WAV_FORMAT", {"reason": "rate", "found": 44_100, "wanted": 16_000}),
        ("WAV_TRUNCATED", {"reason": "data", "declared": 9_000, "found": 300}),
    ]
    ValidationProblem.objects.bulk_create(
        ValidationProblem(
            submission=submission,
            position=number,
            code=code,
            severity="error",
            member=f"mine/{IDS[number]}.wav",
            utt_id=IDS[number],
            params=params,
        )
        for number, (code, params) in enumerate(problems, 1)
    )
    counts = [{"code": code, "severity": "error", "count": 1} for code, _params in problems]
    Submission.objects.filter(pk=submission.pk).update(
        problems_total=2, errors_total=2, problem_counts=counts
    )
