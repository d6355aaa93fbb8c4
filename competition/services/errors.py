"""What the services of competitions refuse, with stable codes."""

from __future__ import annotations

from accounts.refusals import Conflict, Invalid, NotAllowed, NotFound, NotYours, Refusal


class NotOrganizer(NotYours):
    """Only an organizer of the competition may do this."""

    code = "NOT_ORGANIZER"


class NotCaptain(NotYours):
    """Only a captain of the team or of the entrant may do this."""

    code = "NOT_CAPTAIN"


class NotInTeam(NotFound):
    """The person is not in the entrant's team."""

    code = "NOT_IN_TEAM"


class NotAMember(NotFound):
    """The person is no active member of the entrant."""

    code = "NOT_A_MEMBER"


class TermsNotAccepted(NotAllowed):
    """The person has not accepted the terms that are in force."""

    code = "TERMS_NOT_ACCEPTED"


class TermsChanged(Conflict):
    """The terms that were read are not the ones in force."""

    code = "TERMS_CHANGED"


class RegistrationClosed(Conflict):
    """The competition is not published, is archived, or its last phase has closed."""

    code = "REGISTRATION_CLOSED"


class AlreadyEntered(Conflict):
    """The team, or one of its members, takes part already."""

    code = "ALREADY_ENTERED"


class EntrantOut(Conflict):
    """The entrant was refused, has withdrawn or was disqualified."""

    code = "ENTRANT_OUT"


class WrongState(Conflict):
    """The entrant's state does not allow the move."""

    code = "WRONG_STATE"


class ConflictOfInterest(Conflict):
    """An organizer or auditor cannot be a member of an official entrant."""

    code = "CONFLICT_OF_INTEREST"


class MembersFixed(Conflict):
    """A submission was charged; members change only by an organizer's act."""

    code = "MEMBERS_FIXED"


class LastCaptain(Conflict):
    """An entrant with members keeps a captain."""

    code = "LAST_CAPTAIN"


class ReasonMissing(Invalid):
    """This act is recorded with a reason, and none was given."""

    code = "REASON_MISSING"


class DeadlineInvalid(Invalid):
    """The new moment does not fit the phase's other moments, or lies in the past."""

    code = "DEADLINE_INVALID"


class RoleHeld(Conflict):
    """The person holds the role already."""

    code = "ROLE_HELD"


class DefinitionInvalid(Invalid):
    """The definition has faults; `faults` lists every one with its place."""

    code = "DEFINITION_INVALID"


class RecipeNeeded(Conflict):
    """After the first submission labels, collars, weights and references change only by a new recipe."""

    code = "RECIPE_NEEDED"


class PhaseKept(Conflict):
    """A phase or track that has history cannot be removed."""

    code = "PHASE_KEPT"


class VersionNotRaised(Conflict):
    """The definition has changed and its version has not gone up."""

    code = "VERSION_NOT_RAISED"


class TermsVersionKept(Conflict):
    """The text of the terms has changed under a version that people may have accepted."""

    code = "TERMS_VERSION_KEPT"


class DefinitionStale(Conflict):
    """The competition was loaded by somebody else since the plan was made."""

    code = "DEFINITION_STALE"


class ReferencesMissing(NotFound):
    """The bytes of a reference version are not where they were stored, or are not the same."""

    code = "REFERENCES_MISSING"


class ReferencesUnreachable(ReferencesMissing):
    """The bytes of a reference version cannot be had now; trying later may help."""

    code = "REFERENCES_UNREACHABLE"
    status = 503


class TextInvalid(Invalid):
    """A text is empty, too long, or holds characters that cannot be seen."""

    code = "INVALID_TEXT"


class TooManyQuestions(Refusal):
    """Too many of the person's questions wait, or were asked today."""

    code = "TOO_MANY_QUESTIONS"
    status = 429


class AlreadyAnnounced(Conflict):
    """The same news was published before."""

    code = "ALREADY_ANNOUNCED"


class DatasetInvalid(Invalid):
    """Rows or audio of a dataset have faults; `faults` lists every one with its line."""

    code = "DATASET_INVALID"


class NamesHeldOut(Conflict):
    """References name a clip that the competition holds out; no phase may ask for it."""

    code = "NAMES_HELD_OUT"


class PoolMoveRefused(Conflict):
    """The audio cannot go into that pool, or was moved meanwhile."""

    code = "POOL_MOVE_REFUSED"


class PackRefused(Invalid):
    """The files are no pack, or name what is held out; `faults` says which."""

    code = "PACK_INVALID"


class IssueRefused(Conflict):
    """The copy cannot be asked for, issued or revoked as things stand."""

    code = "ISSUE_REFUSED"


class DownloadDenied(NotAllowed):
    """The copy is not for this person, or not any more; `reason` is kept with the attempt."""

    code = "DOWNLOAD_DENIED"


class CopyGone(Refusal):
    """The person's own copy was revoked or has expired, or the link to it is old."""

    code = "COPY_GONE"
    status = 410


class MergeRefused(Conflict):
    """The two entrants cannot be merged as they stand."""

    code = "MERGE_REFUSED"


class JudgementRefused(Invalid):
    """The two people are no pair that can be judged."""

    code = "JUDGEMENT_REFUSED"


class WindowRefused(Conflict):
    """The window or draw cannot be made, opened or revealed as things stand."""

    code = "WINDOW_REFUSED"


class ClipsNotDrawn(Conflict):
    """The phase's clips are drawn by a window, and the draw has not been made yet."""

    code = "CLIPS_NOT_DRAWN"
