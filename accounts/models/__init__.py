from __future__ import annotations

from accounts.models.audit import AuditChain, AuditCheckpoint, AuditEvent, AuditPrivate
from accounts.models.failure import LoginFailure
from accounts.models.team import Team, TeamInvitation, TeamMembership
from accounts.models.token import ApiToken
from accounts.models.user import User

__all__ = [
    "ApiToken",
    "AuditChain",
    "AuditCheckpoint",
    "AuditEvent",
    "AuditPrivate",
    "LoginFailure",
    "Team",
    "TeamInvitation",
    "TeamMembership",
    "User",
]
