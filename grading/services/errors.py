"""What the grading services refuse, with stable codes."""

from __future__ import annotations

from accounts.refusals import Conflict, Invalid, NotAllowed, NotFound, NotYours, Refusal
from grading.storage import EmptyUpload, StorageUnavailable, UploadTooLarge

__all__ = [
    "AlreadyScoring",
    "BoardBusy",
    "CandidateExists",
    "CheckUnderWay",
    "ChecksThrottled",
    "EmptyUpload",
    "EntrantNotAccepted",
    "FailuresNotAccepted",
    "FileNotGiven",
    "FileRefused",
    "FilesMissing",
    "FilesNotTaken",
    "IdempotencyKeyInvalid",
    "IdempotencyKeyReused",
    "MarkingNotUsed",
    "NoCandidate",
    "NotAMember",
    "NotMarkable",
    "NotScored",
    "NotVerified",
    "NothingChanges",
    "NothingScored",
    "ParametersInvalid",
    "PartHashesInvalid",
    "PartLinkInvalid",
    "PartMismatch",
    "PartsMissing",
    "PhaseNotOpen",
    "QuotaExceeded",
    "ReceiptKeyInPlace",
    "ReceiptsUnavailable",
    "ReferencesAdd",
    "ReferencesUnusable",
    "RequestStillRunning",
    "RescoringUnfinished",
    "ScorerBusy",
    "ScorerFailed",
    "StaleTransition",
    "StorageUnavailable",
    "SubmissionEnded",
    "SubmissionUnknown",
    "TermsNotAccepted",
    "TextInvalid",
    "TooManyRejected",
    "TooManyUploads",
    "UploadEnded",
    "UploadTooLarge",
    "UploadTooSmall",
    "UploadUnknown",
]


class NotAMember(NotYours):
    """The person belongs to no entrant of the competition, or not to this one."""

    code = "NOT_A_MEMBER"


class OrganizersSend(NotAllowed):
    """Organizers alone send files to this phase: what they hold are measurements and marks."""

    code = "ORGANIZERS_SEND"


class SentWhole(Conflict):
    """What organizers send for an entrant comes in one request."""

    code = "SENT_WHOLE"


class EntrantUnnamed(Invalid):
    """An organizer's upload must say for which entrant it is; an entrant's own must not."""

    code = "ENTRANT_UNNAMED"


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


class TooManyUploads(Refusal):
    """Too many uploads in parts are open, or were begun today."""

    code = "TOO_MANY_UPLOADS"
    status = 429


class UploadTooSmall(Invalid):
    """The file fits into one request; only larger ones come in parts."""

    code = "FILE_TOO_SMALL_FOR_PARTS"


class PartHashesInvalid(Invalid):
    """The hashes of the parts do not fit the size, or are no hashes."""

    code = "PART_HASHES_INVALID"


class PartLinkInvalid(NotAllowed):
    """The link of a part was changed, is too old or belongs to another part."""

    code = "PART_LINK_INVALID"


class PartMismatch(Invalid):
    """A part is not what was named: another size or another SHA-256."""

    code = "PART_MISMATCH"


class PartsMissing(Conflict):
    """The upload cannot be completed yet; `missing` lists part numbers."""

    code = "PARTS_MISSING"


class FilesNotTaken(Conflict):
    """The phase takes one file, not a set of files."""

    code = "FILES_NOT_TAKEN"


class FileRefused(Invalid):
    """A file of a set is not what is wanted; `problems` are the checker's."""

    code = "FILE_REFUSED"


class FilesMissing(Conflict):
    """The set cannot be completed yet; `missing` lists up to a hundred utterances."""

    code = "FILES_MISSING"


class UploadUnknown(NotFound):
    """No such upload or part, or none of this person's."""

    code = "UPLOAD_NOT_FOUND"


class UploadEnded(Conflict):
    """The upload was completed, aborted or has expired."""

    code = "UPLOAD_ENDED"


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


class ReceiptsUnavailable(Refusal):
    """The key that signs receipts cannot be used; the operator has to mend it."""

    code = "RECEIPTS_UNAVAILABLE"
    status = 503


class ReceiptKeyInPlace(Conflict):
    """RECEIPT_KEY holds the key that is in use already."""

    code = "RECEIPT_KEY_IN_PLACE"


class NothingScored(Conflict):
    """The phase has no score yet: its recipe still follows the definition."""

    code = "NOTHING_SCORED"


class NothingChanges(Conflict):
    """The proposed recipe is the one that is live."""

    code = "NOTHING_CHANGES"


class CandidateExists(Conflict):
    """A phase has at most one candidate; it is switched to or dropped first."""

    code = "CANDIDATE_EXISTS"


class NoCandidate(Conflict):
    """The phase has no candidate recipe, or another one than was meant."""

    code = "NO_CANDIDATE"


class ReferencesAdd(Invalid):
    """A new version of references may drop utterances, never add any; says how many it adds."""

    code = "REFERENCES_ADD_UTTERANCES"


class ReferencesUnusable(Invalid):
    """The references have faults; lists them by code and line, never by what they say."""

    code = "REFERENCES_INVALID"


class ParametersInvalid(Invalid):
    """The parameters have faults; lists them."""

    code = "PARAMETERS_INVALID"


class RescoringUnfinished(Conflict):
    """Submissions lack a finished evaluation under the candidate; says how many."""

    code = "RESCORING_UNFINISHED"


class FailuresNotAccepted(Conflict):
    """Submissions failed under the candidate and were not accepted by name; lists them."""

    code = "FAILURES_NOT_ACCEPTED"


class BoardBusy(Conflict):
    """What is being switched changed in this very moment; the same act works when repeated."""

    code = "BOARD_BUSY"


class NotScored(Conflict):
    """Only a score that stands can be computed again."""

    code = "NOT_SCORED"


class CheckUnderWay(Conflict):
    """The score is being computed again already."""

    code = "CHECK_UNDER_WAY"


class FiguresChanged(Conflict):
    """What was confirmed is not what would happen now."""

    code = "FIGURES_CHANGED"
