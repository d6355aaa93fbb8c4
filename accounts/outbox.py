"""The demo's mails: read from the files that the file-based mail backend writes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

RULE = b"-" * 79


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail as its reader sees it."""

    to: str
    subject: str
    body: str
    sent_at: datetime


def read_outbox(folder: Path) -> list[Mail]:
    """Return every mail written to a folder, the newest first; none when there is no folder."""
    if not folder.is_dir():
        return []
    mails = [mail for path in folder.glob("*.log") for mail in _read_file(path)]
    return sorted(mails, key=lambda mail: mail.sent_at, reverse=True)


def _read_file(path: Path) -> list[Mail]:
    written_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    parts = path.read_bytes().split(RULE + b"\n")
    return [_read_mail(part, written_at) for part in parts if part.strip()]


def _read_mail(raw: bytes, written_at: datetime) -> Mail:
    message = message_from_bytes(raw, EmailMessage, policy=policy.default)
    body = message.get_body(("plain",))
    return Mail(
        to=str(message["to"] or ""),
        subject=str(message["subject"] or ""),
        body=str(body.get_content()).strip() if body else "",
        sent_at=_date(message) or written_at,
    )


def _date(message: EmailMessage) -> datetime | None:
    header = message["date"]
    found: datetime | None = getattr(header, "datetime", None)
    return found.astimezone(UTC) if found and found.tzinfo else None
