"""The identity of a way to score: track, version, parameters and references, as one digest."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def canonical_json(value: object) -> bytes:
    """Return JSON with sorted keys and no blanks, in UTF-8. Raises ValueError on NaN or infinity.

    >>> canonical_json({"b": 1, "a": ["é"]}).decode()
    '{"a":["é"],"b":1}'
    """
    text = json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    return text.encode()


def digest(*, track: str, version: str, params: Mapping[str, Any], reference_sha256: str) -> str:
    """Return the recipe digest, 64 hexadecimal digits; `params` is the track's canonical form."""
    recipe = {
        "params": params,
        "reference_sha256": reference_sha256,
        "track": track,
        "version": version,
    }
    return hashlib.sha256(canonical_json(recipe)).hexdigest()


def seed(recipe_digest: str, phase_code: str) -> int:
    """Return the bootstrap's seed, 0 … 2⁶⁴−1; offline scoring has an empty phase code.

    >>> seed("ab", "")
    11981155609481783466
    """
    start = hashlib.sha256(f"{recipe_digest}:{phase_code}".encode()).digest()[:8]
    return int.from_bytes(start, "big")
