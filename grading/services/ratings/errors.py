"""What the services of ratings refuse, with stable codes."""

from __future__ import annotations

from accounts.refusals import Conflict, Invalid, NotAllowed, NotFound, Refusal


class RaterUnknown(NotFound):
    """The person does not rate here."""

    code = "RATER_UNKNOWN"


class InvitationInvalid(NotFound):
    """The invitation was used, taken back, has run out, or never was."""

    code = "INVITATION_INVALID"


class InvitationElsewhere(NotAllowed):
    """The invitation was sent to another address."""

    code = "INVITATION_ELSEWHERE"


class TooManyInvitations(Conflict):
    """Too many invitations are open."""

    code = "TOO_MANY_INVITATIONS"


class RaterConflict(NotAllowed):
    """Who organizes or audits the competition knows which system is which, and cannot rate."""

    code = "CONFLICT_OF_INTEREST"


class RaterEnded(NotAllowed):
    """The rater was excluded or has withdrawn."""

    code = "RATER_ENDED"


class ConsentMissing(NotAllowed):
    """The rater has not consented to the newest version of the text."""

    code = "CONSENT_MISSING"


class ConsentOutdated(Conflict):
    """The text that was consented to is not the newest one, or of another protocol."""

    code = "CONSENT_OUTDATED"


class ConsentTextMissing(NotFound):
    """The protocol has no text to consent to."""

    code = "CONSENT_TEXT_MISSING"


class LanguagesInvalid(Invalid):
    """No language was chosen, or one that is not rated here."""

    code = "LANGUAGES_INVALID"


class LanguageNotChosen(Conflict):
    """The rater did not say that they can judge this language."""

    code = "LANGUAGE_NOT_CHOSEN"


class EntrantUnknown(NotFound):
    """The entrant that was named is not in the competition."""

    code = "ENTRANT_UNKNOWN"


class ProtocolNotDraft(Conflict):
    """The protocol has opened; what it was frozen with does not change."""

    code = "PROTOCOL_NOT_DRAFT"


class ProtocolNotOpen(Conflict):
    """The protocol is not open for rating."""

    code = "PROTOCOL_NOT_OPEN"


class ProtocolNotClosed(Conflict):
    """The protocol is still open, and its marks are not handed on."""

    code = "PROTOCOL_NOT_CLOSED"


class ComparisonInvalid(Invalid):
    """A form of comparisons needs a system of its selection to compare with, and no other form has one."""

    code = "COMPARISON_INVALID"


class ProtocolExists(Conflict):
    """The selection has a protocol of this form already."""

    code = "PROTOCOL_EXISTS"


class SettingsInvalid(Invalid):
    """Numbers of the protocol have faults; `faults` lists them."""

    code = "SETTINGS_INVALID"


class NotFeasible(Conflict):
    """The plan cannot complete or lacks something; `problems` lists what."""

    code = "NOT_FEASIBLE"


class ControlInvalid(Invalid):
    """A control item cannot be used; `faults` lists why."""

    code = "CONTROL_INVALID"


class SessionsUsed(Refusal):
    """No more sessions today; says when the next may begin."""

    code = "SESSIONS_USED"
    status = 429


class SessionEnded(Conflict):
    """The session is over, or has not come so far."""

    code = "SESSION_ENDED"


class NotDue(Conflict):
    """This step of the session is not the one that is due."""

    code = "NOT_DUE"


class CheckInvalid(Invalid):
    """The answers to the headphones check are not one of 0, 1, 2 for each trial."""

    code = "CHECK_INVALID"


class NothingToRate(Conflict):
    """There is nothing for this rater at the moment."""

    code = "NOTHING_TO_RATE"


class TaskUnknown(NotFound):
    """There is no such task of this rater."""

    code = "TASK_UNKNOWN"


class TaskEnded(Conflict):
    """The task was answered, reported or given to somebody else."""

    code = "TASK_ENDED"


class TaskNotOpen(Conflict):
    """The task was fetched ahead and not shown yet."""

    code = "TASK_NOT_OPEN"


class MarksRefused(Invalid):
    """Marks are missing, no marks, out of range, or contradict each other; `faults` lists all."""

    code = "MARKS_REFUSED"


class PlacementsInvalid(Invalid):
    """What was heard of the targets does not fit the text."""

    code = "PLACEMENTS_INVALID"


class NoteTooLong(Invalid):
    """The comment is longer than a comment may be."""

    code = "NOTE_TOO_LONG"


class DraftInvalid(Invalid):
    """What was to be saved is no object, or too large."""

    code = "DRAFT_INVALID"


class UuidInvalid(Invalid):
    """The answer has no UUID."""

    code = "UUID_INVALID"


class UuidReused(Conflict):
    """The UUID came with another answer before."""

    code = "UUID_REUSED"


class NotDelivered(Conflict):
    """The sound of the task was never sent."""

    code = "NOT_DELIVERED"


class TooEarly(Conflict):
    """The answer came before the sound can have been heard."""

    code = "TOO_EARLY"


class NotRevisable(Conflict):
    """Only the last answers can be revised, and only for a while."""

    code = "NOT_REVISABLE"


class NothingFailed(Conflict):
    """No sound of the protocol has failed to be prepared."""

    code = "NOTHING_FAILED"


class NothingReported(Conflict):
    """No report on this sound waits for a decision."""

    code = "NOTHING_REPORTED"


class ExclusionExists(Conflict):
    """This is left out already."""

    code = "EXCLUSION_EXISTS"


class ExclusionLifted(Conflict):
    """The exclusion was lifted before."""

    code = "EXCLUSION_LIFTED"


class ImportInvalid(Invalid):
    """Rows of the file cannot be taken; `faults` lists them with line and code."""

    code = "IMPORT_INVALID"


class FormWithoutMarks(Conflict):
    """The protocol's form does not ask for the five marks that a score is made from."""

    code = "FORM_WITHOUT_MARKS"
