"""Short random public identifiers: letters and digits that cannot be mistaken for one another."""

from __future__ import annotations

import secrets

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
CODE_LENGTH = 10


def new_code() -> str:
    """Return a fresh code of 10 characters from 31 look-alike-free ones (about 49 bits)."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
