"""The demo's teams upload their waveforms to Track 2, and its judge's marks are waited for.

As everywhere in the demo, what is there already is not made again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from functools import partial

from django.db.models import Max, QuerySet, Sum

from grading.demo.api_client import SETTLED, Api, Destination, UploadError
from grading.demo.entrants import ENTRANTS
from grading.demo.people import captain_of
from grading.demo.prepare import FOLDER, SLUG
from grading.demo.speakers import PHASE, RECORDINGS, TRACK, Recording
from grading.demo.systems import Utterance, read_utterances
from grading.demo.upload import POLL_SECONDS, STALL_SECONDS, Show, Task, is_settled, send_all
from grading.enums import EvaluationState, JudgeRunState, JudgeStop, SubmissionState
from grading.models import Evaluation, JudgeRun, Submission

# A submission that waits for the judge is uploaded and checked.
_CHECKED = SETTLED | {EvaluationState.WAITING, EvaluationState.QUEUED, EvaluationState.RUNNING}


def utterances() -> tuple[Utterance, ...]:
    """Return the sentences of Track 2."""
    return read_utterances((FOLDER / "references" / f"{TRACK}.jsonl").read_bytes())


def upload_speech(api: Api, *, now: datetime, show: Show) -> int:
    """Send the archives that are missing and wait until all are checked; returns how many were sent.

    Raises UploadError when the server refuses one, or checks nothing for five minutes.
    """
    return send_all(api, list(open_recordings()), now=now, show=show, settled=_CHECKED)


def open_recordings() -> Iterator[Task]:
    """Yield the archives that were not sent or not checked; they are synthesized when they are sent."""
    spoken = utterances()
    captains = {entrant.team: captain_of(entrant).email for entrant in ENTRANTS}
    for recording in RECORDINGS:
        if recording.team not in captains:
            continue
        sent = _sent(recording)
        if sent is None or not is_settled(sent):
            yield Task(
                captains[recording.team],
                Destination(SLUG, TRACK, PHASE),
                recording.filename,
                recording.system,
                partial(recording.content, spoken),
                sent.code if sent is not None else None,
            )


def _sent(recording: Recording) -> Submission | None:
    return (
        Submission.objects.filter(
            entrant__competition__slug=SLUG,
            entrant__team__name=recording.team,
            phase__track__slug=TRACK,
            phase__slug=PHASE,
            filename=recording.filename,
        )
        .exclude(state__in=[SubmissionState.FAILED, SubmissionState.CANCELLED])
        .first()
    )


def await_judge(*, show: Show) -> int:
    """Wait until the judge's marks have become scores; returns how many submissions are scored.

    Raises UploadError with the judge's reason when it stopped, or when nothing moves for five minutes.
    """
    seen, stalled_at = (-1, 0), time.monotonic() + STALL_SECONDS
    while _waiting().exists():
        _refuse_stopped()
        marks = _answers()
        if marks != seen:
            seen, stalled_at = marks, time.monotonic() + STALL_SECONDS
            show("judging", *marks)
        elif time.monotonic() > stalled_at:
            raise UploadError("the judge gave no mark for five minutes")
        time.sleep(POLL_SECONDS)
    scored = _evaluations().filter(state=EvaluationState.SCORED).count()
    show("judged", scored, scored)
    return scored


def _evaluations() -> QuerySet[Evaluation]:
    return Evaluation.objects.filter(
        submission__phase__track__slug=TRACK, submission__phase__track__competition__slug=SLUG
    )


def _waiting() -> QuerySet[Evaluation]:
    open_states = (EvaluationState.WAITING, EvaluationState.QUEUED, EvaluationState.RUNNING)
    return _evaluations().filter(state__in=open_states)


def _answers() -> tuple[int, int]:
    """Return how many answers of the judge are there, and of how many; all need the same number."""
    runs = JudgeRun.objects.filter(evaluation__in=_evaluations())
    sums = runs.aggregate(done=Sum("done", default=0), each=Max("needed", default=0))
    return sums["done"], max(sums["each"] * _evaluations().count(), sums["done"] + 1)


def _refuse_stopped() -> None:
    stopped = JudgeRun.objects.filter(
        evaluation__in=_evaluations(), state=JudgeRunState.STOPPED
    ).first()
    if stopped is not None:
        raise UploadError(f"the judge stopped: {JudgeStop(stopped.stop_reason).label}")
