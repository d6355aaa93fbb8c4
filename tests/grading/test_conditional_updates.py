"""What the watch over conditional updates refuses, and what it lets pass."""

from __future__ import annotations

import pytest

from grading.enums import EvaluationState
from grading.models import Evaluation, Submission

pytestmark = pytest.mark.django_db


def test_an_update_that_filters_across_a_relation_is_refused():
    crossing = Evaluation.objects.filter(submission__phase_id=1, state=EvaluationState.QUEUED)
    with pytest.raises(AssertionError, match="own columns"):
        crossing.update(state=EvaluationState.CANCELLED)


def test_an_update_by_keys_of_another_table_passes():
    of_phase = Submission.objects.filter(phase_id=1)
    queued = Evaluation.objects.filter(submission__in=of_phase, state=EvaluationState.QUEUED)
    assert queued.update(state=EvaluationState.CANCELLED) == 0
