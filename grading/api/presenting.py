"""A submission with what the API tells about it: its stage, the reason, and its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.urls import reverse
from rest_framework.request import Request

from grading import queries
from grading.api.serializers import UploadSerializer
from grading.enums import EvaluationState, FailureCode, SubmissionState
from grading.models import Evaluation, Submission
from grading.presentation import Sight, columns_of, judge_of, shown_score
from grading.scoring.tracks.columns import Column
from grading.waiting import why_waiting

WITHHELD = "withheld"


def stage_of(submission: Submission, evaluation: Evaluation | None) -> str:
    """Return the state as one word: that of the submission, once accepted that of its evaluation."""
    if submission.state != SubmissionState.ACCEPTED:
        return str(submission.state)
    if evaluation is None:
        return str(EvaluationState.QUEUED)
    if evaluation.state == EvaluationState.SCORED and evaluation.score is None:
        return WITHHELD
    return str(evaluation.state)


def reason_of(submission: Submission, evaluation: Evaluation | None) -> str:
    """Return the sentence a participant reads about a failure, or about a wait that is no turn in a queue.

    Empty for anything else.
    """
    waiting = why_waiting(evaluation)
    if waiting:
        return waiting
    code = submission.failure_code or (evaluation.failure_code if evaluation else "")
    return str(FailureCode(code).label) if code in FailureCode.values else code


def submission_json(request: Request, submission: Submission, now: datetime) -> dict[str, Any]:
    """Return one submission as JSON, with its place in the queue while it waits."""
    evaluation = queries.live_evaluation(submission)
    position = queries.place_in_queue(submission)
    sight = queries.sight_for(request.user, submission.phase, now)
    fields = UploadSerializer(submission).data
    return {**_json(request, submission, fields, evaluation, sight), "queue_position": position}


def submissions_json(
    request: Request, submissions: Sequence[Submission], now: datetime
) -> list[dict[str, Any]]:
    """Return a page of submissions as JSON; the number of queries does not grow with the page."""
    found = queries.live_evaluations(submissions)
    phases = {one.phase_id: one.phase for one in submissions}
    sights = {key: queries.sight_for(request.user, phase, now) for key, phase in phases.items()}
    fields = UploadSerializer(submissions, many=True).data
    return [
        _json(request, one, told, found.get(one.pk), sights[one.phase_id])
        for one, told in zip(submissions, fields, strict=True)
    ]


def _json(
    request: Request,
    submission: Submission,
    fields: Mapping[str, Any],
    evaluation: Evaluation | None,
    sight: Sight,
) -> dict[str, Any]:
    place = reverse("grading:submission-detail", kwargs={"code": submission.code})
    return {
        **fields,
        "stage": stage_of(submission, evaluation),
        "reason": reason_of(submission, evaluation),
        "repeated": submission.repeated,
        "queue_position": None,
        "marking": _marking(evaluation),
        "counts_by_mark": submission.marked_at is not None,
        "result": _result(evaluation, sight),
        "url": request.build_absolute_uri(place),
    }


def _marking(evaluation: Evaluation | None) -> dict[str, int] | None:
    """Return how many of the judge's answers are there, None unless it waits for them and they began."""
    if evaluation is None or evaluation.state != EvaluationState.WAITING:
        return None
    done, total = evaluation.progress_done, evaluation.progress_total
    return {"done": done, "total": total} if total else None


def _result(evaluation: Evaluation | None, sight: Sight) -> dict[str, Any] | None:
    if evaluation is None or evaluation.state != EvaluationState.SCORED:
        return None
    return {
        **shown_score(evaluation, sight),
        "shown": score_shown(columns_of(evaluation.recipe)[0]),
        "judge": judge_of(evaluation.recipe),
    }


def score_shown(column: Column) -> dict[str, Any]:
    """Return how the board writes the score, so that others write it alike."""
    return {
        "name": column.label,
        "unit": column.unit,
        "shown_as": column.shown_as,
        "digits": column.digits,
        "lower_is_better": bool(column.lower_is_better),
    }
