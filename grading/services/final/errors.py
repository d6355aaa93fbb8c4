"""What the services of the final refuse, with stable codes."""

from __future__ import annotations

from accounts.refusals import Conflict, Invalid, NotFound, NotYours


class NoFinalHere(Conflict):
    """The track is not scored by marks, so people have nothing to rate."""

    code = "NO_FINAL_HERE"


class PhaseStillOpen(Conflict):
    """Systems are selected when the phase has closed: before, a better one may still come."""

    code = "PHASE_STILL_OPEN"


class BoardBehind(Conflict):
    """The board is being computed; a selection is taken from one that is up to date."""

    code = "BOARD_BEHIND"


class BoardMoved(Conflict):
    """The board has changed since the preview that was confirmed."""

    code = "BOARD_MOVED"


class NothingToSelect(Conflict):
    """No system has a place on the board."""

    code = "NOTHING_TO_SELECT"


class SelectionTooLarge(Conflict):
    """The first n and the baselines alone exceed the limit."""

    code = "SELECTION_TOO_LARGE"


class SelectionStands(Conflict):
    """The phase's systems were selected already; that is done once."""

    code = "SELECTION_STANDS"


class SelectionInvalid(Invalid):
    """A number is out of range, or what is named as reference or anchor cannot be one."""

    code = "SELECTION_INVALID"


class NotConfirmed(Invalid):
    """What was typed is not what was to be typed."""

    code = "NOT_CONFIRMED"


class NoSelection(NotFound):
    """No systems were selected in the phase."""

    code = "NO_SELECTION"


class NothingRanked(Conflict):
    """No system has a final score, so there is nothing to publish or to compute again."""

    code = "NOTHING_RANKED"


class CheckUnderWay(Conflict):
    """The snapshot is being computed again already."""

    code = "FINAL_CHECK_UNDER_WAY"


class NotTheirSystem(NotYours):
    """Only the entrant's own people file its papers."""

    code = "NOT_THEIR_SYSTEM"


class FilingInvalid(Invalid):
    """A filing needs a text, a link or a file, each within its limits."""

    code = "FILING_INVALID"


class FilingRefused(Conflict):
    """Nothing is filed for a reference, an anchor, or an entrant that is out."""

    code = "FILING_REFUSED"
