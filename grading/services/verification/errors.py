"""What services of held-out verification refuse, with stable codes."""

from __future__ import annotations

from accounts.refusals import Conflict, Invalid, NotYours


class HeldOutInvalid(Invalid):
    """The references fit no held-out clips of the dataset; `faults` lists what is wrong, without texts."""

    code = "HELD_OUT_INVALID"


class VerificationRefused(Conflict):
    """The verification cannot be begun, fed or released as things stand."""

    code = "VERIFICATION_REFUSED"


class VerificationUnfinished(Conflict):
    """Entrants lack a scored output, or one is still being scored; lists their codes."""

    code = "VERIFICATION_UNFINISHED"


class StandingChanged(Conflict):
    """What would be published is not what was looked at."""

    code = "STANDING_CHANGED"


class NotVerifiedHere(NotYours):
    """Only members of an entrant that the inputs were released to may send its output."""

    code = "NOT_VERIFIED_HERE"
