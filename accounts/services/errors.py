"""What the services of accounts refuse, with stable codes."""

from __future__ import annotations

from accounts.refusals import Conflict, Invalid, NotAllowed, NotFound, NotYours, Refusal


class EmailInvalid(Invalid):
    """This is no e-mail address."""

    code = "INVALID_EMAIL"


class NameInvalid(Invalid):
    """A name that cannot be shown, is empty or too long."""

    code = "INVALID_NAME"


class PasswordInvalid(Invalid):
    """A new password that the rules for passwords do not allow."""

    code = "INVALID_PASSWORD"


class PasswordWrong(Invalid):
    """The present password is another one."""

    code = "WRONG_PASSWORD"


class AccountHeld(Conflict):
    """An account that others depend on is not erased before that is settled."""

    code = "ACCOUNT_HELD"


class AddressDiffers(Invalid):
    """What was typed to confirm is not the account's address."""

    code = "ADDRESS_DIFFERS"


class LinkInvalid(NotFound):
    """A mailed link that is unknown, expired, used or meant for another address."""

    code = "LINK_INVALID"


class NotVerified(NotAllowed):
    """The person has not opened the link in the verification mail."""

    code = "EMAIL_NOT_VERIFIED"


class AlreadyVerified(Conflict):
    """The address is confirmed already."""

    code = "ALREADY_VERIFIED"


class TooSoon(Refusal):
    """The same mail was asked for a moment ago."""

    code = "TOO_SOON"
    status = 429


class NameTaken(Conflict):
    """A team has this name, or one that looks like it."""

    code = "NAME_TAKEN"


class NotCaptain(NotYours):
    """Only a captain of the team may do this."""

    code = "NOT_CAPTAIN"


class NotInTeam(NotFound):
    """The person is no member of the team."""

    code = "NOT_IN_TEAM"


class AlreadyInTeam(Conflict):
    """The person is a member of the team already."""

    code = "ALREADY_IN_TEAM"


class LastCaptain(Conflict):
    """A team with members keeps at least one captain."""

    code = "LAST_CAPTAIN"


class InvitationInvalid(NotFound):
    """The invitation is unknown, used, revoked or expired."""

    code = "INVITATION_INVALID"


class InvitationElsewhere(NotAllowed):
    """The invitation was sent to another address."""

    code = "INVITATION_ELSEWHERE"


class TooManyOpen(Conflict):
    """As many open invitations, teams or tokens as one may have."""

    code = "TOO_MANY_OPEN"


class ScopesInvalid(Invalid):
    """A token needs at least one scope, of those that there are."""

    code = "INVALID_SCOPES"


class ExpiryInvalid(Invalid):
    """A token cannot expire in the past."""

    code = "INVALID_EXPIRY"
