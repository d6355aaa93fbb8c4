"""Uploads sent as the body of a request: left unread here, streamed to storage by the view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser


class RawUploadParser(BaseParser):
    """Leaves the body unread: the view streams it to storage."""

    media_type = "application/octet-stream"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the open stream under `stream`."""
        return {"stream": stream}


class RawJSONParser(RawUploadParser):
    """A predictions file sent as the body, JSON."""

    media_type = "application/json"


class RawJSONLinesParser(RawUploadParser):
    """A predictions file sent as the body, JSON Lines."""

    media_type = "application/x-ndjson"


class RawZipParser(RawUploadParser):
    """A predictions file sent as the body, zip."""

    media_type = "application/zip"


class RawTarParser(RawUploadParser):
    """An archive of clips sent as the body, tar."""

    media_type = "application/x-tar"


class RawGzipParser(RawUploadParser):
    """An archive of clips sent as the body, tar.gz."""

    media_type = "application/gzip"
