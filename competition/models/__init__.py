from __future__ import annotations

from competition.models.competition import (
    Announcement,
    Competition,
    RoleGrant,
    Terms,
    TermsAcceptance,
)
from competition.models.entrant import Entrant, EntrantChange, EntrantMember
from competition.models.phase import (
    BoardChange,
    DeadlineChange,
    Phase,
    ReferenceUtterance,
    ReferenceVersion,
    Track,
)
from competition.models.question import Question

__all__ = [
    "Announcement",
    "BoardChange",
    "Competition",
    "DeadlineChange",
    "Entrant",
    "EntrantChange",
    "EntrantMember",
    "Phase",
    "Question",
    "ReferenceUtterance",
    "ReferenceVersion",
    "RoleGrant",
    "Terms",
    "TermsAcceptance",
    "Track",
]
