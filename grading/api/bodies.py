"""An uploaded file out of a request, whichever way it was sent, as chunks that are never all in memory."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.message import Message
from typing import IO, Any, cast

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadedfile import UploadedFile
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.request import Request

from grading.services.errors import FileNotGiven
from grading.storage import UploadTooLarge
from grading.uploads import LimitedUploadHandler

CHUNK = 256 * 1024
JSON_TYPES = {"application/json", "application/x-ndjson"}
JSON_START = re.compile(rb"^(?:\xef\xbb\xbf)?[\s\x00-\x20]*(?:[\[{\"]|$)")


@dataclass(frozen=True, slots=True)
class SentFile:
    """What came: the file's name as sent, its chunks, and the text fields beside it."""

    filename: str
    chunks: Iterable[bytes]
    system: str
    note: str


def sent_file(request: Request, *, limit: int) -> SentFile:
    """Return the file of a multipart form or of a raw body.

    Raises UnsupportedMediaType for a compressed body, FileNotGiven without a file, UploadTooLarge
    as soon as `limit` bytes are passed, ParseError for a body that is not what its type says.
    """
    if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise UnsupportedMediaType(
            "Content-Encoding",
            detail=_("Send the file itself, not a compressed body; a zip file is fine."),
        )
    if (request.content_type or "").startswith("multipart/"):
        return _from_form(request, limit)
    return _from_body(request)


def _from_form(request: Request, limit: int) -> SentFile:
    plain = request._request  # noqa: SLF001  DRF has no other way to choose upload handlers
    handler = LimitedUploadHandler(plain, limit=limit)
    plain.upload_handlers = [handler]
    try:
        data = request.data
    except (MultiPartParserError, RequestDataTooBig) as error:
        raise ParseError(_("The form cannot be read.")) from error
    if handler.oversized:
        raise UploadTooLarge.over(limit)
    file = data.get("file") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(file, UploadedFile):
        raise FileNotGiven(_("Send the file in the form field `file`, as a file, not as text."))
    return SentFile(
        filename=file.name or "",
        chunks=file.chunks(CHUNK),
        system=str(data.get("system", "")),
        note=str(data.get("note", "")),
    )


def _from_body(request: Request) -> SentFile:
    data = cast("dict[str, IO[bytes]]", request.data)
    # Without a body nothing is parsed; the storage then refuses an empty file.
    chunks = read_chunks(data["stream"]) if "stream" in data else iter(())
    if (request.content_type or "").split(";")[0].strip() in JSON_TYPES:
        chunks = _checked_json(chunks)
    return SentFile(
        filename=_disposition_name(request.headers.get("Content-Disposition", "")),
        chunks=_checked_digest(chunks, request.headers.get("X-Content-SHA256", "")),
        system=request.query_params.get("system", ""),
        note=request.query_params.get("note", ""),
    )


def _disposition_name(header: str) -> str:
    message = Message()
    message["Content-Disposition"] = header.replace("\r", " ").replace("\n", " ")
    return message.get_filename("") or ""


def read_chunks(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield what is left of a body, in pieces."""
    while chunk := stream.read(CHUNK):
        yield chunk


def _checked_json(chunks: Iterator[bytes]) -> Iterator[bytes]:
    first = next(chunks, b"")
    if not JSON_START.match(first):
        raise ParseError(
            _("The body is not JSON, though its Content-Type says so. Name the type it has.")
        )
    yield first
    yield from chunks


def _checked_digest(chunks: Iterator[bytes], expected: str) -> Iterator[bytes]:
    digest: Any = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
        yield chunk
    if expected and digest.hexdigest() != expected.strip().lower():
        raise ParseError(_("The body does not have the SHA-256 that was named; send it again."))
