"""What a file is checked against: the references, where a track says that ids do not tell all."""

from __future__ import annotations

from typing import Any

from competition.models import ReferenceVersion
from competition.services import references
from competition.services.errors import ReferencesMissing, ReferencesUnreachable
from grading.enums import FailureCode
from grading.scoring import registry
from grading.services.child import ChildFailed, StorageDown

Json = dict[str, Any]


def references_job(version: ReferenceVersion) -> Json:
    """Return what a job says of its references. Raises StorageDown and ChildFailed.

    Where this machine has them; whether they are the same the child proves.
    """
    try:
        path = references.bring(version)
    except ReferencesUnreachable as error:
        raise StorageDown from error
    except ReferencesMissing:
        raise ChildFailed(FailureCode.STORAGE_ERROR, may_retry=True) from None
    return {"references_path": str(path), "references_sha256": version.sha256}


def check_job(kind: str, version: ReferenceVersion) -> Json:
    """Return what a job that checks a file says of references: nothing, where ids are enough.

    Raises StorageDown and ChildFailed.
    """
    return references_job(version) if registry.get(kind).checks_against else {}
