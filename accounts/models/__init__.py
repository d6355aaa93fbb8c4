from __future__ import annotations

from accounts.models.audit import AuditChain, AuditEvent, AuditPrivate
from accounts.models.failure import LoginFailure
from accounts.models.team import Team, TeamInvitation, TeamMembership
from accounts.models.token import ApiToken
from accounts.models.user import User

__all__ = [
    "ApiToken",
    "AuditChain",
    "AuditEvent",
    "AuditPrivate",
    "LoginFailure",
    "Team",
    "TeamInvitation",
    "TeamMembership",
    "User",
]
