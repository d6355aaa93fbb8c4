"""Receipts: statements in canonical JSON, signed with Ed25519. Pure; the client has a copy of the rules.

A receipt is a JSON object with `format` and `statements`; each entry holds a `statement` and the
`signature` (128 hex digits) over its canonical JSON: sorted keys, no spaces, ASCII. A statement
names its key in `key_id`. Scores stand in it as texts, so that no reader can round them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from accounts.chain import canonical_json, instant

RECEIPT_FORMAT = "plaudit-receipt/1"
STATEMENT_FORMAT = "plaudit-statement/1"
KEYS_FORMAT = "plaudit-keys/1"
MOST_BYTES = 64 * 1024
MOST_STATEMENTS = 8
MOST_LEVELS = 8
SIGNATURE_DIGITS = 128
KEY_ID_DIGITS = 16
SUBJECT = ("server", "submission")
"""What every statement of one receipt has in common."""

Json = dict[str, Any]


class ReceiptFault(ValueError):
    """A text that is no receipt; `code` says in which way."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Outcome(StrEnum):
    """What the check of one statement found."""

    HOLDS = "holds"
    UNKNOWN_KEY = "unknown_key"
    WRONG_SIGNATURE = "wrong_signature"
    OUTSIDE_VALIDITY = "outside_validity"


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key (64 hex digits), the site it belongs to, and when its signatures count."""

    key_id: str
    public_key: str
    server: str
    valid_from: datetime
    valid_until: datetime | None

    def covers(self, moment: datetime) -> bool:
        """Return whether a signature of that moment counts."""
        return self.valid_from <= moment and (self.valid_until is None or moment < self.valid_until)


@dataclass(frozen=True, slots=True)
class Verified:
    """One statement and what its check found; its content is to be believed only if it holds."""

    statement: Json
    outcome: Outcome


def key_id(public_key: bytes) -> str:
    """Return the name of a public key: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(public_key).hexdigest()[:KEY_ID_DIGITS]


def sign(private: Ed25519PrivateKey, statement: Mapping[str, Any]) -> Json:
    """Return the statement with format, key id and signature."""
    named = {
        **statement,
        "format": STATEMENT_FORMAT,
        "key_id": key_id(private.public_key().public_bytes_raw()),
    }
    signature = private.sign(canonical_json(named).encode("ascii"))
    return {"statement": named, "signature": signature.hex()}


def receipt_of(signed: Sequence[Json]) -> Json:
    """Return the receipt that holds signed statements."""
    return {"format": RECEIPT_FORMAT, "statements": list(signed)}


def keys_document(server: str, keys: Iterable[PublicKey]) -> Json:
    """Return the document in which a site tells its public keys and their validity."""
    return {
        "format": KEYS_FORMAT,
        "server": server,
        "keys": [
            {
                "key_id": key.key_id,
                "algorithm": "Ed25519",
                "public_key": key.public_key,
                "server": key.server,
                "valid_from": instant(key.valid_from),
                "valid_until": instant(key.valid_until) if key.valid_until else None,
            }
            for key in keys
        ],
    }


def parse_keys(text: bytes | str) -> list[PublicKey]:
    """Return the public keys of a site's document. Raises ReceiptFault NOT_KEYS."""
    try:
        found = json.loads(text)
        if found["format"] != KEYS_FORMAT:
            raise ReceiptFault("NOT_KEYS")
        return [_public_key(entry) for entry in found["keys"]]
    except (KeyError, TypeError, ValueError) as error:
        raise ReceiptFault("NOT_KEYS") from error


def _public_key(entry: Json) -> PublicKey:
    name, public, until = entry["key_id"], entry["public_key"], entry["valid_until"]
    if key_id(bytes.fromhex(public)) != name:
        raise ReceiptFault("NOT_KEYS")
    return PublicKey(
        key_id=name,
        public_key=public,
        server=str(entry["server"]),
        valid_from=_moment(entry["valid_from"]),
        valid_until=_moment(until) if until else None,
    )


def parse(text: bytes | str) -> list[Json]:
    """Return the signed statements of a receipt. Raises ReceiptFault.

    Codes: TOO_LARGE, NOT_JSON (also repeated keys, fractions, deep nesting), NOT_A_RECEIPT,
    MIXED (statements about different submissions).
    """
    found = _json(text)
    entries = found.get("statements") if isinstance(found, dict) else None
    if not isinstance(entries, list) or found.get("format") != RECEIPT_FORMAT:
        raise ReceiptFault("NOT_A_RECEIPT")
    if not 1 <= len(entries) <= MOST_STATEMENTS or not all(map(_is_signed_statement, entries)):
        raise ReceiptFault("NOT_A_RECEIPT")
    if len({tuple(entry["statement"][name] for name in SUBJECT) for entry in entries}) > 1:
        raise ReceiptFault("MIXED")
    return entries


def verify(entries: Iterable[Json], keys: Iterable[PublicKey]) -> list[Verified]:
    """Return what the check of each signed statement of a parsed receipt found."""
    known = {key.key_id: key for key in keys}
    return [
        Verified(entry["statement"], _outcome(entry, known.get(entry["statement"]["key_id"])))
        for entry in entries
    ]


def _outcome(entry: Json, key: PublicKey | None) -> Outcome:
    statement = entry["statement"]
    if key is None:
        return Outcome.UNKNOWN_KEY
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key.public_key))
    try:
        public.verify(bytes.fromhex(entry["signature"]), canonical_json(statement).encode("ascii"))
    except InvalidSignature:
        return Outcome.WRONG_SIGNATURE
    if statement["server"] != key.server or not key.covers(_moment(statement["issued_at"])):
        return Outcome.OUTSIDE_VALIDITY
    return Outcome.HOLDS


def _json(text: bytes | str) -> Any:
    if len(text) > MOST_BYTES:
        raise ReceiptFault("TOO_LARGE")
    try:
        found = json.loads(
            text, object_pairs_hook=_object, parse_float=_refused, parse_constant=_refused
        )
    except (ValueError, RecursionError):
        raise ReceiptFault("NOT_JSON") from None
    if not _is_shallow(found, MOST_LEVELS):
        raise ReceiptFault("NOT_JSON")
    return found


def _is_shallow(value: object, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return True
    parts = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_shallow(part, levels - 1) for part in parts)


def _is_signed_statement(entry: object) -> bool:
    if not isinstance(entry, dict) or set(entry) != {"statement", "signature"}:
        return False
    statement, signature = entry["statement"], entry["signature"]
    if not isinstance(statement, dict) or statement.get("format") != STATEMENT_FORMAT:
        return False
    needed = ("key_id", "kind", "issued_at", *SUBJECT)
    return all(isinstance(statement.get(name), str) for name in needed) and _is_hex(signature)


def _is_hex(text: object) -> bool:
    if not isinstance(text, str) or len(text) != SIGNATURE_DIGITS:
        return False
    return all(digit in "0123456789abcdef" for digit in text)


def _moment(text: str) -> datetime:
    """Return the moment that `accounts.chain.instant` wrote; anything else lies before all keys."""
    try:
        moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return moment if instant(moment) == text else datetime.min.replace(tzinfo=UTC)


def _object(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is repeated")
    return found


def _refused(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of a receipt")
