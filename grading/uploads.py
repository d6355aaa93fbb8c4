"""How a browser's upload is read: to a temporary file, never over the limit, never held in memory."""

from __future__ import annotations

from django.core.files.uploadhandler import SkipFile, TemporaryFileUploadHandler
from django.http import HttpRequest


class LimitedUploadHandler(TemporaryFileUploadHandler):
    """Streams a file to disk; one over `limit` bytes is skipped, so that the typed fields are kept."""

    chunk_size = 256 * 1024

    def __init__(self, request: HttpRequest | None = None, *, limit: int) -> None:
        super().__init__(request)
        self.limit = limit
        self.oversized = False

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write one chunk; raises SkipFile once the limit is passed."""
        if start + len(raw_data) > self.limit:
            self.oversized = True
            raise SkipFile
        self.file.write(raw_data)
