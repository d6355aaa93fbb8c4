"""The bytes of a submission, on this machine and proven to be those that were named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from grading import storage
from grading.enums import FailureCode
from grading.identity import Digests
from grading.models import Submission
from grading.services.child import ChildFailed, StorageDown

CHUNK = 1024 * 1024
Watch = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class LocalContent:
    """A path with a submission's bytes, and the SHA-256 (hex) of all of them."""

    path: Path
    sha256: str


class Stored(Protocol):
    """Whatever names bytes: a submission, or an output for held-out clips."""

    @property
    def storage_key(self) -> str: ...
    @property
    def content_id(self) -> str: ...


@contextmanager
def opened(submission: Stored, watch: Watch) -> Iterator[LocalContent]:
    """Give a submission's bytes while inside, once they are proven to be what was received.

    `watch` is called while they are fetched and read, without counts, and may raise to stop it.
    Raises ChildFailed when they are lost or were changed, StorageDown while they cannot be had.
    """

    def tick(_done: int, _whole: int) -> None:
        watch(0, 0)

    with ExitStack() as stack:
        try:
            path = stack.enter_context(storage.local_copy(submission.storage_key, tick))
            sha256 = proven_sha256(path, submission.content_id, tick)
        except storage.BytesMissing:
            raise ChildFailed(FailureCode.STORAGE_ERROR, may_retry=True) from None
        except OSError as error:
            raise StorageDown from error
        yield LocalContent(path, sha256)


def proven_sha256(path: Path, content_id: str, watch: Watch) -> str:
    """Return the SHA-256 (hex) of a file, read once in pieces; raises BytesMissing for other content."""
    digests = Digests()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digests.update(chunk)
            watch(digests.size, 0)
    if digests.content_id != content_id:
        raise storage.BytesMissing
    return digests.sha256


def file_job(submission: Submission, content: LocalContent) -> dict[str, Any]:
    """Return what a child needs to find a submission's bytes and to be sure of them."""
    return {
        "submission_path": str(content.path),
        "submission_sha256": content.sha256,
        "filename": submission.filename,
        "limits": submission.phase.limits,
    }
