"""What pages need of a board's snapshot, laid into the cache by the worker that made the snapshot.

The database holds the snapshot; this only spares every web process taking it apart again, three
megabytes for a thousand teams, while people wait. What is not there is read from the database.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.cache import cache
from redis.exceptions import RedisError

KEPT_SECONDS = 86_400
DATA = "data"
AWAY = (OSError, RedisError)
"""What a cache that is not there raises."""

Json = dict[str, Any]
Stamp = tuple[int, datetime]
"""A snapshot's number and the time of its making, which tell it from all others of its board."""

log = logging.getLogger(__name__)


def encode(data: Json) -> bytes:
    """Return a board's object as the bytes of data.json."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True).encode()


def lay(phase_code: str, stamp: Stamp, data: Json) -> None:
    """Keep a snapshot in the place of the board's earlier one; a cache that is away is logged."""
    head = {key: value for key, value in data.items() if key != "views"}
    parts = {name: encode(_page(head, view)) for name, view in data["views"].items()}
    kept = {
        _key(phase_code, part): (stamp, body)
        for part, body in (*parts.items(), (DATA, encode(data)))
    }
    try:
        cache.set_many(kept, timeout=KEPT_SECONDS)
    except AWAY as error:
        log.warning("board.not-laid-ready", extra={"error": type(error).__name__})


def data_of(phase_code: str, stamp: Stamp) -> bytes | None:
    """Return data.json of this very snapshot, None where it is not at hand."""
    return _taken(phase_code, DATA, stamp)


def view_of(phase_code: str, stamp: Stamp, view: str) -> Json | None:
    """Return the board's object with one view alone, its rows with what pages show of them."""
    body = _taken(phase_code, view, stamp)
    if body is None:
        return None
    page: Json = json.loads(body)
    return {**page["head"], "views": {view: {"rows": page["rows"]}}}


def _page(head: Json, view: Json) -> Json:
    return {"head": head, "rows": [_row(row) for row in view["rows"]]}


def _row(row: Json) -> Json:
    """Return a row with each language's score alone: the rest of them only data.json has."""
    parts: Mapping[str, Json] = row["languages"]
    return {**row, "languages": {name: {"score": one.get("score")} for name, one in parts.items()}}


def _taken(phase_code: str, part: str, stamp: Stamp) -> bytes | None:
    try:
        found = cache.get(_key(phase_code, part))
    except AWAY as error:
        log.warning("board.not-at-hand", extra={"error": type(error).__name__})
        return None
    if found is None or found[0] != stamp:
        return None
    body: bytes = found[1]
    return body


def _key(phase_code: str, part: str) -> str:
    return f"board-1:{phase_code}:{part}"
