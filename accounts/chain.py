"""The hash chain of the audit log: pure functions, so that anybody can verify an export."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any

GENESIS = "0" * 64


def canonical_json(value: object) -> str:
    """Return JSON with sorted keys, no spaces and ASCII only; raises ValueError on NaN and infinities."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )


def instant(moment: datetime) -> str:
    """Return the moment in UTC with six digits of a second, as `2026-12-01T12:00:00.000000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def link_hash(link: Mapping[str, Any]) -> str:
    """Return the SHA-256 (64 hex) of a link's canonical JSON.

    A link has the keys scope, number, kind, actor, target, payload (as its canonical text),
    at (see `instant`) and previous (the hash before it, `GENESIS` for the first).
    """
    # Written out, because a million of them are verified: the same bytes as canonical_json(link).
    text = (
        f'{{"actor":{_quoted(link["actor"])},"at":{_quoted(link["at"])},"kind":{_quoted(link["kind"])}'
        f',"number":{link["number"]:d},"payload":{_quoted(link["payload"])}'
        f',"previous":{_quoted(link["previous"])},"scope":{_quoted(link["scope"])}'
        f',"target":{_quoted(link["target"])}}}'
    )
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def link_pieces(
    *, scope: str, kind: str, actor: str, target: str, payload: str, at: datetime
) -> tuple[str, str, str]:
    """Return the text that `link_hash` hashes without its number and previous hash, in three pieces.

    The number stands between the first and the second, the hash between the second and the third.
    """
    return (
        f'{{"actor":{_quoted(actor)},"at":{_quoted(instant(at))},"kind":{_quoted(kind)},"number":',
        f',"payload":{_quoted(payload)},"previous":"',
        f'","scope":{_quoted(scope)},"target":{_quoted(target)}}}',
    )
