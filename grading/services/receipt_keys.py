"""The keys that sign receipts: the private half in RECEIPT_KEY or a file of 0600, never in the database."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.db.models import F, Value
from django.db.models.functions import Greatest
from django.utils.translation import gettext as _

from accounts.services import audit
from grading import receipts
from grading.models import ReceiptKey
from grading.services.errors import ReceiptKeyInPlace, ReceiptsUnavailable

SEED_BYTES = 32
OTHERS = 0o077


def current(*, now: datetime) -> tuple[Ed25519PrivateKey, ReceiptKey]:
    """Return the private key and the row of its public half; both are made where they are missing.

    Raises ReceiptsUnavailable when the key cannot be read, is open to other accounts, or is retired.
    """
    private = Ed25519PrivateKey.from_private_bytes(seed())
    row = _register(private, now)
    if row.valid_until is not None:
        raise ReceiptsUnavailable(_("The key that signs receipts is no longer in use."))
    return private, row


def seed() -> bytes:
    """Return the private key's 32 bytes; the file is made when there is none.

    Raises ReceiptsUnavailable.
    """
    if settings.RECEIPT_KEY:
        return _from_hex(settings.RECEIPT_KEY)
    path = Path(settings.RECEIPT_KEY_FILE)
    try:
        if not path.exists():
            _write(path, new_seed(), replace=False)
        if path.stat().st_mode & OTHERS:
            raise ReceiptsUnavailable(_("The file with the key of receipts is open to others."))
        return _from_hex(path.read_text(encoding="ascii"))
    except OSError as error:
        raise ReceiptsUnavailable(_("The key of receipts cannot be read.")) from error


def new_seed() -> str:
    """Return a fresh private key in hex, as RECEIPT_KEY takes it."""
    return secrets.token_hex(SEED_BYTES)


def known() -> list[receipts.PublicKey]:
    """Return every public key, the oldest first: this site's and those of sites it took over."""
    return [
        receipts.PublicKey(
            key_id=row.key_id,
            public_key=row.public_key,
            server=row.server,
            valid_from=row.valid_from,
            valid_until=row.valid_until,
        )
        for row in ReceiptKey.objects.all()
    ]


def rotate(*, clock: Callable[[], datetime]) -> ReceiptKey:
    """Put a new key to use and end the validity of every other; what they signed keeps its worth.

    With RECEIPT_KEY the new one is what the environment says now; raises ReceiptKeyInPlace when
    that is the key in use already. Raises ReceiptsUnavailable.
    """
    made = settings.RECEIPT_KEY or new_seed()
    private = Ed25519PrivateKey.from_private_bytes(_from_hex(made))
    if settings.RECEIPT_KEY and _is_in_use(private):
        raise ReceiptKeyInPlace(_("RECEIPT_KEY still holds the key that is in use."))
    row = _register(private, clock())
    if not settings.RECEIPT_KEY:
        _write(Path(settings.RECEIPT_KEY_FILE), made, replace=True)
    now = clock()
    with audit.audited():
        others = ReceiptKey.objects.filter(valid_until__isnull=True).exclude(pk=row.pk)
        # A clock that was set back meanwhile must not end a window before it begins.
        others.update(valid_until=Greatest(F("valid_from"), Value(now)))
        audit.record(
            kind="receipt_key.rotated", actor=None, target=f"key:{row.key_id}", payload={}, now=now
        )
    return row


def _is_in_use(private: Ed25519PrivateKey) -> bool:
    open_keys = ReceiptKey.objects.filter(valid_until__isnull=True)
    others = open_keys.exclude(public_key=_public(private))
    return open_keys.filter(public_key=_public(private)).exists() and not others.exists()


def _register(private: Ed25519PrivateKey, now: datetime) -> ReceiptKey:
    public = _public(private)
    found = ReceiptKey.objects.filter(public_key=public).first()
    if found is not None:
        return found
    with audit.audited():
        row, is_new = ReceiptKey.objects.get_or_create(
            public_key=public,
            defaults={
                "key_id": receipts.key_id(bytes.fromhex(public)),
                "server": settings.SITE_URL,
                "valid_from": now,
            },
        )
        if is_new:
            audit.record(
                kind="receipt_key.made",
                actor=None,
                target=f"key:{row.key_id}",
                payload={"public_key": public},
                now=now,
            )
    return row


def _public(private: Ed25519PrivateKey) -> str:
    return private.public_key().public_bytes_raw().hex()


def _from_hex(text: str) -> bytes:
    try:
        found = bytes.fromhex(text.strip())
    except ValueError:
        found = b""
    if len(found) != SEED_BYTES:
        raise ReceiptsUnavailable(_("The key of receipts is not 64 hexadecimal digits."))
    return found


def _write(path: Path, text: str, *, replace: bool) -> None:
    """Write the file whole and for its owner alone; without `replace` one that is there stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            made.replace(path)
        elif not path.exists():
            _link(made, path)
    finally:
        made.unlink(missing_ok=True)


def _link(made: Path, path: Path) -> None:
    try:
        path.hardlink_to(made)
    except FileExistsError:
        return  # another process was faster; its key is the one
