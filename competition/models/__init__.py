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
    DeadlineChange,
    Phase,
    ReferenceUtterance,
    ReferenceVersion,
    Track,
)

__all__ = [
    "Announcement",
    "Competition",
    "DeadlineChange",
    "Entrant",
    "EntrantChange",
    "EntrantMember",
    "Phase",
    "ReferenceUtterance",
    "ReferenceVersion",
    "RoleGrant",
    "Terms",
    "TermsAcceptance",
    "Track",
]
