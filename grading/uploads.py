"""How a browser's upload is read: to a temporary file, hashed on the way, never over the limit."""

from __future__ import annotations

import hashlib
from typing import Any

from django.core.files.uploadedfile import TemporaryUploadedFile
from django.core.files.uploadhandler import SkipFile, TemporaryFileUploadHandler
from django.http import HttpRequest


class LimitedUploadHandler(TemporaryFileUploadHandler):
    """Streams one file to disk; a file over `limit` bytes is skipped, the typed fields are kept.

    `oversized` tells that a file was skipped, `sha256` is the digest of what was kept.
    """

    chunk_size = 256 * 1024

    def __init__(self, request: HttpRequest | None = None, *, limit: int) -> None:
        super().__init__(request)
        self.limit = limit
        self.oversized = False
        self._digest = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """The hex digest of every byte kept so far."""
        return self._digest.hexdigest()

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begin a fresh temporary file and digest."""
        super().new_file(*args, **kwargs)
        self._digest = hashlib.sha256()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write and hash one chunk; raises SkipFile once the limit is passed."""
        if start + len(raw_data) > self.limit:
            self.oversized = True
            raise SkipFile
        self._digest.update(raw_data)
        self.file.write(raw_data)

    def file_complete(self, file_size: int) -> TemporaryUploadedFile | None:
        """Return the finished file with its size."""
        return super().file_complete(file_size)
