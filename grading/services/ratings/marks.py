"""Sentences about marks that cannot be taken."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from grading.scoring.rating.answers import (
    ABSENT_INCONSISTENT,
    MARK_INVALID,
    MARK_MISSING,
    MarkFault,
)
from grading.services.ratings import errors


def refused(faults: Sequence[MarkFault]) -> errors.MarksRefused:
    """Return the refusal that lists every mark with its code and sentence."""
    told = [
        {"mark": fault.mark, "code": fault.code, "message": sentence(fault)} for fault in faults
    ]
    return errors.MarksRefused(" ".join(str(item["message"]) for item in told), faults=told)


def sentence(fault: MarkFault) -> str:
    """Return what is wrong with a mark, in the reader's language."""
    # a minus as it is written, and as it is heard
    low = str(fault.low).replace("-", "−")
    params = {"mark": fault.mark, "low": low, "high": fault.high}
    if fault.code == MARK_MISSING:
        return _("%(mark)s: the score is missing; it is from %(low)s to %(high)s.") % params
    if fault.code == MARK_INVALID:
        return _("%(mark)s: the score is a whole number from %(low)s to %(high)s.") % params
    if fault.code == ABSENT_INCONSISTENT:
        return _("A and P are both 0 (nothing was heard), or neither is.")
    return _("%(mark)s: the score is from %(low)s to %(high)s.") % params
