"""Links under which one part of an upload may be sent, good for an hour: to this server or a bucket.

They carry no log-in: whoever holds one may send exactly the bytes whose size and hash were named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.core.signing import BadSignature, TimestampSigner
from django.urls import reverse
from django.utils.translation import gettext as _

from grading.models import UploadPart, UploadSession
from grading.services import errors
from grading.storage import Assembly, Link, Part, store

LINK_SECONDS = 3600
Absolute = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class PartLink:
    """A part that is missing, and where to PUT it."""

    part: UploadPart
    link: Link


def links(
    session: UploadSession, parts: Iterable[UploadPart], absolute: Absolute
) -> list[PartLink]:
    """Return a fresh link for each part; `absolute` completes an address of this server."""
    assembly, place = assembly_of(session, ()), store()
    found = []
    for row in parts:
        link = place.link(assembly, Part(row.number, row.size, row.sha256))
        found.append(PartLink(row, link or _own(session, row.number, absolute)))
    return found


def check(*, code: str, number: int, signature: str) -> None:
    """Raise PartLinkInvalid unless the signature is of this part and not older than an hour."""
    try:
        signed = _signer().unsign(signature, max_age=LINK_SECONDS)
    except BadSignature:
        signed = ""
    if signed != _claim(code, number):
        raise errors.PartLinkInvalid(
            _("This link is not valid, or too old. Ask for the upload again to get a new one.")
        )


def assembly_of(session: UploadSession, parts: Iterable[UploadPart]) -> Assembly:
    """Return the upload as its storage sees it."""
    return Assembly(
        code=session.code,
        key=session.storage_key,
        handle=session.storage_handle,
        parts=tuple(Part(part.number, part.size, part.sha256) for part in parts),
    )


def _own(session: UploadSession, number: int, absolute: Absolute) -> Link:
    path = reverse("api-v1:upload-part", kwargs={"code": session.code, "number": number})
    signature = _signer().sign(_claim(session.code, number))
    return Link(absolute(f"{path}?signature={signature}"), {})


def _claim(code: str, number: int) -> str:
    return f"{code}-{number}"


def _signer() -> TimestampSigner:
    return TimestampSigner(salt="grading.upload-part")
