"""Why an evaluation waits for more than its turn, in the sentence that participants read."""

from __future__ import annotations

from django.utils.translation import gettext as _

from grading.enums import WAITS_FOR_SCORER, EvaluationState, JudgeRunState, JudgeStop
from grading.models import Evaluation, JudgeRun
from grading.rules import has_judge, waits_for_scorer


def why_waiting(evaluation: Evaluation | None) -> str:
    """Return the sentence; empty where its turn comes by itself, or its marks do."""
    if evaluation is None:
        return ""
    if waits_for_scorer(evaluation):
        return str(WAITS_FOR_SCORER)
    if evaluation.state != EvaluationState.WAITING:
        return ""
    if not has_judge(evaluation.recipe):
        return _("No judge is named for this phase yet, so this submission waits for its marks.")
    run: JudgeRun | None = getattr(evaluation, "judge_run", None)
    if run is None or run.state != JudgeRunState.STOPPED:
        return ""
    return str(JudgeStop(run.stop_reason).label)
