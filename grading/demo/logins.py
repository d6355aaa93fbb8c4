"""The demo's log-ins: random passwords, made once, in a file that only its owner can read."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from grading.demo.people import Person

# Without the signs that look alike, so that a password can be typed from paper.
_SIGNS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_LENGTH = 14


@dataclass(frozen=True, slots=True)
class Login:
    """What somebody types to be a person of the demo."""

    email: str
    name: str
    role: str
    team: str | None
    password: str


def stored_logins(path: Path) -> dict[str, Login]:
    """Return the log-ins of the file by e-mail address; none where there is no file."""
    if not path.exists():
        return {}
    return {row["email"]: Login(**row) for row in json.loads(path.read_text(encoding="utf-8"))}


def ensure_logins(path: Path, people: Sequence[Person]) -> tuple[dict[str, Login], set[str]]:
    """Return a log-in for each person, and the addresses whose passwords were made just now.

    Passwords that the file holds stay; the file is replaced in one step, mode 0600.
    """
    known = stored_logins(path)
    fresh = {person.email for person in people if person.email not in known}
    logins = {
        person.email: Login(
            **asdict(person),
            password=_new_password() if person.email in fresh else known[person.email].password,
        )
        for person in people
    }
    if logins != known:
        _replace(path, [asdict(login) for login in logins.values()])
    return logins, fresh


def _new_password() -> str:
    return "".join(secrets.choice(_SIGNS) for _ in range(_LENGTH))


def _replace(path: Path, rows: Sequence[dict[str, str | None]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(rows, file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
