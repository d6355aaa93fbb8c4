from __future__ import annotations

from grading.models.board import Board, Standing
from grading.models.evaluation import (
    Evaluation,
    EvaluationTallies,
    PhaseRecipe,
    Recipe,
    WorkerHeartbeat,
)
from grading.models.notice import Notice
from grading.models.receipt import ReceiptKey
from grading.models.renaming import Renaming
from grading.models.rescoring import RescoreCheck, Rescoring
from grading.models.submission import (
    IdempotencyKey,
    QuotaEntry,
    Submission,
    ValidationProblem,
)
from grading.models.upload import UploadPart, UploadSession

__all__ = [
    "Board",
    "Evaluation",
    "EvaluationTallies",
    "IdempotencyKey",
    "Notice",
    "PhaseRecipe",
    "QuotaEntry",
    "ReceiptKey",
    "Recipe",
    "Renaming",
    "RescoreCheck",
    "Rescoring",
    "Standing",
    "Submission",
    "UploadPart",
    "UploadSession",
    "ValidationProblem",
    "WorkerHeartbeat",
]
