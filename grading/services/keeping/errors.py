"""What backup, restore, export and import refuse."""

from __future__ import annotations

from accounts.refusals import Conflict, Invalid


class ArchiveExists(Conflict):
    """There is a file of that name; archives are never overwritten."""

    code = "ARCHIVE_EXISTS"


class ArchiveBroken(Invalid):
    """The archive is not what was written: cut, changed, or of another kind."""

    code = "ARCHIVE_BROKEN"


class ArchiveUnsuited(Conflict):
    """The archive is whole but does not fit this installation: another database, another version."""

    code = "ARCHIVE_UNSUITED"


class NotEmpty(Conflict):
    """There is something here that a restore or an import would mix with."""

    code = "NOT_EMPTY"


class FilesMissing(Conflict):
    """Bytes that the database names are not in the storage."""

    code = "FILES_MISSING"


class EvidenceBroken(Conflict):
    """What was read does not hold together: the log's chain, a board, a hash."""

    code = "EVIDENCE_BROKEN"
