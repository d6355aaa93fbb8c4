from __future__ import annotations

from competition.models.competition import (
    Announcement,
    Competition,
    RoleGrant,
    Terms,
    TermsAcceptance,
)
from competition.models.copy_hash import CopyHash
from competition.models.dataset import Audio, Dataset, DatasetClip, DatasetVersion, PoolMove
from competition.models.draw import Draw, DrawnClip, DrawWindow, Exposure, PhaseDraw, PoolClip
from competition.models.entrant import Entrant, EntrantChange, EntrantMember
from competition.models.pack import Download, Pack, PackAddressee, PackFile, PackIssue
from competition.models.phase import (
    BoardChange,
    DeadlineChange,
    Phase,
    ReferenceUtterance,
    ReferenceVersion,
    Track,
)
from competition.models.question import Question
from competition.models.trust import EntrantMerge, LinkJudgement

__all__ = [
    "Announcement",
    "Audio",
    "BoardChange",
    "Competition",
    "CopyHash",
    "Dataset",
    "DatasetClip",
    "DatasetVersion",
    "DeadlineChange",
    "Download",
    "Draw",
    "DrawWindow",
    "DrawnClip",
    "Entrant",
    "EntrantChange",
    "EntrantMember",
    "EntrantMerge",
    "Exposure",
    "LinkJudgement",
    "Pack",
    "PackAddressee",
    "PackFile",
    "PackIssue",
    "Phase",
    "PhaseDraw",
    "PoolClip",
    "PoolMove",
    "Question",
    "ReferenceUtterance",
    "ReferenceVersion",
    "RoleGrant",
    "Terms",
    "TermsAcceptance",
    "Track",
]
