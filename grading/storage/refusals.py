"""What storage refuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from django.utils.translation import gettext as _

from accounts.refusals import Invalid, Refusal
from grading.shown import filesize


class UploadTooLarge(Refusal):
    """The file is larger than the phase takes."""

    code = "FILE_TOO_LARGE"
    status = 413

    @classmethod
    def over(cls, limit: int) -> Self:
        """Return the refusal of a file over `limit` bytes."""
        text = _("The file is larger than %(limit)s.") % {"limit": filesize(limit)}
        return cls(text, limit=limit)


class EmptyUpload(Invalid):
    """The file has no bytes, or none was sent."""

    code = "EMPTY_FILE"


class StorageUnavailable(Refusal):
    """The disk or the bucket refused; nothing was kept."""

    code = "STORAGE_UNAVAILABLE"
    status = 503


class BytesMissing(Exception):
    """No bytes lie under a key, or not those that were stored there."""


class NotBegunHere(Exception):
    """The storage knows nothing of an upload in parts: it was begun in another one, or given up."""


@contextmanager
def storing() -> Iterator[None]:
    """Turn what disk and bucket refuse, and only that, into our refusal."""
    try:
        yield
    except OSError as error:
        raise StorageUnavailable(
            _("The server could not store the file. Nothing was kept; please try again."),
            errno=error.errno,
            retry_after=10,
        ) from error
