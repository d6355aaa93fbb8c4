"""An upload in parts as API and pages tell it: what is missing, and where to send it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from competition.timeline import grace_end
from grading.models import UploadPart, UploadSession
from grading.services import part_links, upload_sessions
from grading.services.part_links import Absolute, PartLink

LINKS_AT_ONCE = 100


def upload_json(session: UploadSession, absolute: Absolute) -> dict[str, Any]:
    """Return the upload as it stands, with links for the first hundred missing parts.

    Raises StorageUnavailable while the bucket cannot say what it has.
    """
    missing = upload_sessions.missing(session)
    links = part_links.links(session, missing[:LINKS_AT_ONCE], absolute)
    return {
        **_facts(session),
        "part_count": -(-session.size // session.part_size),
        "missing": [part.number for part in missing],
        "parts": [_part_json(session, one) for one in links],
    }


def uploads_json(sessions: Sequence[UploadSession]) -> list[dict[str, Any]]:
    """Return uploads without their parts."""
    return [_facts(session) for session in sessions]


def _facts(session: UploadSession) -> dict[str, Any]:
    phase = session.phase
    return {
        "code": session.code,
        "state": session.state,
        "ended_as": session.ended_as,
        "competition": phase.track.competition.slug,
        "track": phase.track.slug,
        "phase": phase.slug,
        "system": session.system,
        "note": session.note,
        "filename": session.filename,
        "size": session.size,
        "part_size": session.part_size,
        "content_id": session.content_id,
        "created_at": session.created_at.isoformat(),
        "expires_at": session.expires_at.isoformat(),
        "complete_before": min(session.expires_at, grace_end(phase)).isoformat(),
        "submission": session.submission.code if session.submission else None,
    }


def _part_json(session: UploadSession, one: PartLink) -> dict[str, Any]:
    part: UploadPart = one.part
    return {
        "number": part.number,
        "offset": (part.number - 1) * session.part_size,
        "size": part.size,
        "sha256": part.sha256,
        "url": one.link.url,
        "headers": one.link.headers,
    }
