"""What everything of a claimed run needs to know: whose calls, of which judge, where, and how it is asked."""

from __future__ import annotations

from dataclasses import dataclass

from grading.judges.asking import Asking
from grading.models import JudgeRun
from grading.scoring.tracks.nvv_t2_judge import JudgeDefinition


@dataclass(frozen=True, slots=True)
class Desk:
    """Whose calls are written down: a claimed run, its definition, the address, how it is asked."""

    run: JudgeRun
    definition: JudgeDefinition
    address: str
    asking: Asking
