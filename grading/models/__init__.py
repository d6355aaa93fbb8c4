from __future__ import annotations

from grading.models.audio_grant import AudioGrant
from grading.models.board import Board, Standing
from grading.models.evaluation import (
    Evaluation,
    EvaluationTallies,
    PhaseRecipe,
    Recipe,
    WorkerHeartbeat,
)
from grading.models.filing import Filing, FilingCheck
from grading.models.final import (
    FinalAct,
    FinalBoard,
    FinalCheck,
    FinalRanking,
    FinalSelection,
    FinalStanding,
    FinalSystem,
)
from grading.models.judging import JudgeAttempt, JudgeGate, JudgeRating, JudgeRun
from grading.models.judging_answer import JudgeAnswer
from grading.models.judging_canary import JudgeCanary, JudgeCanarySet
from grading.models.notice import Notice
from grading.models.rating import (
    RatedSystem,
    RatedText,
    RatingOpening,
    RatingProtocol,
    Stimulus,
)
from grading.models.rating_answers import (
    BrokenReport,
    QualityReport,
    Rating,
    RatingExclusion,
    RatingNote,
)
from grading.models.rating_people import (
    ConsentText,
    DeclaredConflict,
    Rater,
    RaterConsent,
    RaterInvitation,
    RatingSession,
)
from grading.models.rating_work import PlanRow, PlanSlot, RatingTask
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
from grading.models.verification import (
    HeldOutClip,
    HeldOutSet,
    Verification,
    VerificationOutcome,
    VerificationPublication,
    VerificationRun,
    VerifiedEntrant,
)
from grading.models.waveform import Clip, FileSet, SentFile, Waveform

__all__ = [
    "AudioGrant",
    "Board",
    "BrokenReport",
    "Clip",
    "ConsentText",
    "DeclaredConflict",
    "Evaluation",
    "EvaluationTallies",
    "FileSet",
    "Filing",
    "FilingCheck",
    "FinalAct",
    "FinalBoard",
    "FinalCheck",
    "FinalRanking",
    "FinalSelection",
    "FinalStanding",
    "FinalSystem",
    "HeldOutClip",
    "HeldOutSet",
    "IdempotencyKey",
    "JudgeAnswer",
    "JudgeAttempt",
    "JudgeCanary",
    "JudgeCanarySet",
    "JudgeGate",
    "JudgeRating",
    "JudgeRun",
    "Notice",
    "PhaseRecipe",
    "PlanRow",
    "PlanSlot",
    "QualityReport",
    "QuotaEntry",
    "RatedSystem",
    "RatedText",
    "Rater",
    "RaterConsent",
    "RaterInvitation",
    "Rating",
    "RatingExclusion",
    "RatingNote",
    "RatingOpening",
    "RatingProtocol",
    "RatingSession",
    "RatingTask",
    "ReceiptKey",
    "Recipe",
    "Renaming",
    "RescoreCheck",
    "Rescoring",
    "SentFile",
    "Standing",
    "Stimulus",
    "Submission",
    "UploadPart",
    "UploadSession",
    "ValidationProblem",
    "Verification",
    "VerificationOutcome",
    "VerificationPublication",
    "VerificationRun",
    "VerifiedEntrant",
    "Waveform",
    "WorkerHeartbeat",
]
