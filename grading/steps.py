"""The steps of one submission, from received to its final state, as a page shows them. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from grading.enums import EvaluationState, SubmissionState, ValidationStep
from grading.models import Evaluation, Submission
from grading.shown import filesize, seconds


class StepState(StrEnum):
    """How a step is drawn: behind us, where we are, before us, or where it ended badly."""

    DONE = "done"
    CURRENT = "current"
    TODO = "todo"
    BAD = "bad"


class StepUnit(StrEnum):
    """What a step's progress counts."""

    UTTERANCES = "utterances"
    MARKS = "marks"
    CLIPS = "clips"
    PERCENT = "percent"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: a word, when it was reached, and one short line. `done` of `total` is progress."""

    name: str
    state: StepState
    at: datetime | None = None
    detail: str = ""
    done: int = 0
    total: int = 0
    unit: StepUnit = StepUnit.UTTERANCES

    @property
    def progress(self) -> str:
        """How far it is, in words; empty without a progress."""
        if not self.total:
            return ""
        numbers = {"done": self.done, "total": self.total}
        words = {
            StepUnit.MARKS: _("%(done)s of %(total)s answers of the judge"),
            StepUnit.CLIPS: _("%(done)s of %(total)s clips"),
            StepUnit.PERCENT: _("%(done)s %% read"),
            StepUnit.UTTERANCES: _("%(done)s of %(total)s utterances"),
        }
        return words[self.unit] % numbers


def steps_of(
    submission: Submission, evaluation: Evaluation | None, position: int | None
) -> list[Step]:
    """Return the steps of a submission under its live evaluation; `position` counts those before it."""
    steps = [_received(submission), _validation(submission, position)]
    if submission.state == SubmissionState.ACCEPTED:
        steps.append(_scoring(evaluation, position))
    elif submission.state == SubmissionState.RECEIVED:
        steps.append(Step(_("Scored"), StepState.TODO))
    elif submission.validated_at and submission.state != SubmissionState.REJECTED:
        steps.append(_ended(submission))
    return steps


def is_final(submission: Submission, evaluation: Evaluation | None) -> bool:
    """Return whether nothing more will happen to a submission by itself."""
    if submission.state == SubmissionState.RECEIVED:
        return False
    if submission.state != SubmissionState.ACCEPTED:
        return True
    return evaluation is not None and evaluation.state in {
        EvaluationState.SCORED,
        EvaluationState.FAILED,
        EvaluationState.CANCELLED,
    }


def _received(submission: Submission) -> Step:
    took = submission.received_at - submission.created_at
    detail = _("%(size)s in %(time)s") % {
        "size": filesize(submission.size),
        "time": seconds(max(took, timedelta(0))),
    }
    return Step(_("Received"), StepState.DONE, submission.received_at, detail)


def _validation(submission: Submission, position: int | None) -> Step:
    if submission.state == SubmissionState.RECEIVED:
        if submission.lease_until is not None:
            return _checking(submission)
        return Step(_("Waiting to be checked"), StepState.CURRENT, detail=_queue(position))
    if submission.state == SubmissionState.REJECTED:
        counted = ngettext("%(n)s error", "%(n)s errors", submission.errors_total or 0)
        detail = counted % {"n": submission.errors_total or 0}
        return Step(_("Rejected"), StepState.BAD, submission.validated_at, detail)
    if submission.validated_at is None:
        return _ended(submission)
    took = seconds(submission.validated_at - submission.received_at)
    detail = f"{_warnings(submission)}, {took}"
    return Step(_("Validated"), StepState.DONE, submission.validated_at, detail)


def _checking(submission: Submission) -> Step:
    """Return the step of a validation that is under way; of an archive of clips, how far it is."""
    step = Step(_("Checking the file"), StepState.CURRENT)
    if not submission.progress_step or not submission.progress_total:
        return step
    at = ValidationStep(submission.progress_step)
    return replace(
        step,
        detail=str(at.label),
        done=submission.progress_done,
        total=submission.progress_total,
        unit=StepUnit.PERCENT if at == ValidationStep.CHECK else StepUnit.CLIPS,
    )


def _warnings(submission: Submission) -> str:
    count = (submission.problems_total or 0) - (submission.errors_total or 0)
    if not count:
        return _("nothing to mend")
    return ngettext("%(n)s remark", "%(n)s remarks", count) % {"n": count}


def _ended(submission: Submission) -> Step:
    if submission.state == SubmissionState.CANCELLED:
        return Step(_("Cancelled"), StepState.BAD, submission.ended_at, _("by the team"))
    return Step(_("Failed"), StepState.BAD, submission.ended_at, _("on our side, no quota spent"))


def _scoring(evaluation: Evaluation | None, position: int | None) -> Step:
    if evaluation is not None and evaluation.state == EvaluationState.WAITING:
        return _judging(evaluation)
    if evaluation is None or evaluation.state == EvaluationState.QUEUED:
        return Step(_("Waiting to be scored"), StepState.CURRENT, detail=_queue(position))
    if evaluation.state == EvaluationState.RUNNING:
        step = Step(_("Scoring"), StepState.CURRENT)
        done, total = evaluation.progress_done, evaluation.progress_total
        return replace(step, done=done, total=total)
    if evaluation.state == EvaluationState.SCORED:
        return Step(_("Scored"), StepState.DONE, evaluation.finished_at, _durations(evaluation))
    if evaluation.state == EvaluationState.CANCELLED:
        return Step(_("Cancelled"), StepState.BAD, evaluation.finished_at, _("by the team"))
    return Step(_("Failed"), StepState.BAD, evaluation.finished_at, _("on our side"))


def _judging(evaluation: Evaluation) -> Step:
    """Return the step of an evaluation that waits for marks: how many of those it needs are there."""
    if not evaluation.progress_total:
        return Step(_("Waiting for the judge"), StepState.CURRENT)
    return Step(
        _("With the judge"),
        StepState.CURRENT,
        done=evaluation.progress_done,
        total=evaluation.progress_total,
        unit=StepUnit.MARKS,
    )


def _queue(position: int | None) -> str:
    if position is None:
        return ""
    if position == 0:
        return _("next in the queue")
    return ngettext("%(n)s before it", "%(n)s before it", position) % {"n": position}


def _durations(evaluation: Evaluation) -> str:
    if evaluation.started_at is None or evaluation.finished_at is None:
        return ""
    return _("waited %(waited)s, ran %(ran)s") % {
        "waited": seconds(evaluation.started_at - evaluation.queued_at),
        "ran": seconds(evaluation.finished_at - evaluation.started_at),
    }
