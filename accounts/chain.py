"""The hash chain of the audit log: pure functions, so that anybody can verify an export."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime

GENESIS = "0" * 64


def canonical_json(value: object) -> str:
    """Return JSON with sorted keys, no spaces and ASCII only; raises ValueError on NaN and infinities."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )


def instant(moment: datetime) -> str:
    """Return the moment in UTC with six digits of a second, as `2026-12-01T12:00:00.000000Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def link_hash(link: Mapping[str, object]) -> str:
    """Return the SHA-256 (64 hex) of a link's canonical JSON.

    A link has the keys scope, number, kind, actor, target, payload (as its canonical text),
    at (see `instant`) and previous (the hash before it, `GENESIS` for the first).
    """
    return hashlib.sha256(canonical_json(link).encode("ascii")).hexdigest()
