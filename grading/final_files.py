"""A final board as bytes: the object as JSON with its tag, and one list as CSV."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from competition.models import Phase
from competition.models.querysets import Viewer
from grading import finals
from grading.enums import FilingKind, FinalList
from grading.spreadsheets import csv_text

NAMES = (
    "list",
    "place",
    "rank_first",
    "rank_last",
    "band",
    "team",
    "system",
    "submission",
    "kind",
    "state",
    "chosen_as",
    "score",
    "low",
    "high",
    "judge",
    "people",
    "is_provisional",
    "judge_is_stand_in",
    "judge_is_recorded",
    "raters",
    "simulated_raters",
    "ratings_least",
    "withheld_reason",
    *"APNQE",
    "difference",
    "differs_from_first",
    *FilingKind.values,
)


@dataclass(frozen=True, slots=True)
class Body:
    """The object as JSON, and a quoted tag that changes with any byte of it."""

    data: Mapping[str, Any]
    body: bytes
    etag: str


def body_of(phase: Phase, user: Viewer, now: datetime) -> Body | None:
    """Return the object that somebody may see, as bytes; None while nothing is shown to them."""
    seen = finals.seen_by(phase, user, now)
    if seen is None:
        return None
    data = finals.final_object(phase, seen)
    body = json.dumps(data, ensure_ascii=False, sort_keys=True, allow_nan=False).encode()
    return Body(data, body, f'"{hashlib.sha256(body).hexdigest()}"')


def list_csv(data: Mapping[str, Any], *, view: str, listing: str) -> str | None:
    """Return one list in one view ("" is the final one) as CSV; None for what there is not.

    Empty `listing` is that of systems which people rated: the two are never in one file.
    """
    chosen = listing or FinalList.RATED.value
    rows = data["views"].get(view or finals.FINAL, {}).get(chosen)
    whose = _whose_marks(data, chosen)
    return (
        None
        if rows is None
        else csv_text([{**_record(row, chosen), **whose} for row in rows], NAMES)
    )


def _whose_marks(data: Mapping[str, Any], listing: str) -> dict[str, Any]:
    """Return whether the judge is one, and how many of the raters are: the same in every row.

    People stand beside the systems alone that they rated.
    """
    rating = (data["rating"] or {}) if listing == FinalList.RATED else {}
    return {
        "judge_is_stand_in": data["judge"]["is_stand_in"],
        "judge_is_recorded": data["judge"]["is_recorded"],
        "raters": rating.get("raters"),
        "simulated_raters": rating.get("simulated_raters"),
    }


def _record(row: Mapping[str, Any], listing: str) -> dict[str, Any]:
    first, last = row["range"] or (None, None)
    low, high = row["interval"] or (None, None)
    papers = row["verification"] or {}
    return {
        "list": listing,
        "rank_first": first,
        "rank_last": last,
        "team": row["entrant"]["team"],
        "kind": row["entrant"]["kind"],
        "state": row["entrant"]["state"],
        "chosen_as": row["reason"],
        "low": low,
        "high": high,
        "difference": row["difference"].get("delta"),
        "differs_from_first": row["difference"].get("differs"),
        **{name: row["shares"].get(name) for name in "APNQE"},
        **{name: papers.get(name) for name in FilingKind.values},
        **{name: row[name] for name in NAMES if name in row},
    }
