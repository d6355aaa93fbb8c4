"""What the grading services refuse, with stable codes."""

from __future__ import annotations

from accounts.refusals import Conflict, Invalid, NotAllowed, NotFound, Refusal
from grading.storage import EmptyUpload, StorageUnavailable, UploadTooLarge

__all__ = [
    "AlreadyScoring",
    "ChecksThrottled",
    "EmptyUpload",
    "EntrantNotAccepted",
    "FileNotGiven",
    "IdempotencyKeyInvalid",
    "IdempotencyKeyReused",
    "MarkingNotUsed",
    "NotAMember",
    "NotMarkable",
    "NotVerified",
    "PhaseNotOpen",
    "QuotaExceeded",
    "RequestStillRunning",
    "ScorerBusy",
    "ScorerFailed",
    "StaleTransition",
    "StorageUnavailable",
    "SubmissionEnded",
    "SubmissionUnknown",
    "TermsNotAccepted",
    "TextInvalid",
    "TooManyRejected",
    "UploadTooLarge",
]


class NotAMember(NotAllowed):
    """The person belongs to no entrant of the competition, or not to this one."""

    code = "NOT_A_MEMBER"


class NotVerified(NotAllowed):
    """The person has not opened the link in the verification mail."""

    code = "EMAIL_NOT_VERIFIED"


class EntrantNotAccepted(NotAllowed):
    """The team is not (or no longer) accepted in the competition."""

    code = "ENTRANT_NOT_ACCEPTED"


class TermsNotAccepted(NotAllowed):
    """The person has not accepted the current terms."""

    code = "TERMS_NOT_ACCEPTED"


class PhaseNotOpen(NotAllowed):
    """The upload began, or ended, outside the phase's window."""

    code = "WINDOW_CLOSED"


class QuotaExceeded(Refusal):
    """No slot is left today or in the whole phase; says when the day's quota resets."""

    code = "QUOTA_EXCEEDED"
    status = 429


class TooManyRejected(Refusal):
    """Too many rejected uploads today, or too many bytes of them."""

    code = "TOO_MANY_REJECTED"
    status = 429


class ChecksThrottled(Refusal):
    """Too many checks in a short time."""

    code = "TOO_MANY_CHECKS"
    status = 429


class ScorerBusy(Refusal):
    """Too many checks are running on this machine."""

    code = "CHECKER_BUSY"
    status = 503


class ScorerFailed(Refusal):
    """The check itself ran into its limits."""

    code = "CHECK_FAILED"
    status = 503


class FileNotGiven(Invalid):
    """No file was sent."""

    code = "FILE_MISSING"
    status = 400


class TextInvalid(Invalid):
    """A name or note holds characters that cannot be shown."""

    code = "INVALID_TEXT"


class IdempotencyKeyInvalid(Invalid):
    """The Idempotency-Key header is empty, too long or not printable."""

    code = "IDEMPOTENCY_KEY_INVALID"
    status = 400


class IdempotencyKeyReused(Invalid):
    """The key came before with another body."""

    code = "IDEMPOTENCY_KEY_REUSED"


class RequestStillRunning(Conflict):
    """The first request with this key has not ended."""

    code = "REQUEST_STILL_RUNNING"


class SubmissionUnknown(NotFound):
    """No such submission, or none of this person's."""

    code = "SUBMISSION_NOT_FOUND"


class SubmissionEnded(Conflict):
    """The submission is in a final state."""

    code = "SUBMISSION_ENDED"


class AlreadyScoring(Conflict):
    """Scoring has begun; the slot is used."""

    code = "ALREADY_SCORING"


class MarkingNotUsed(Conflict):
    """The phase chooses the counted submission by itself."""

    code = "MARKING_NOT_USED"


class NotMarkable(Conflict):
    """A rejected, failed or cancelled submission cannot count."""

    code = "NOT_MARKABLE"


class StaleTransition(Conflict):
    """The row is no longer in the state that the move starts from."""

    code = "STALE_TRANSITION"
