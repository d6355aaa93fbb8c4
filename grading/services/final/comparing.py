"""What arrived between two snapshots of a final board, and who moved by it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

Json = dict[str, Any]


class Placed(NamedTuple):
    """Where a system stood: its list, its place and its score, None where it had none."""

    listing: str
    place: int | None
    score: float | None


def arrived(before: Mapping[str, Any], after: Mapping[str, Any]) -> Json:
    """Return what the inputs of two snapshots differ in; only what differs is named.

    `ratings_more` and `ratings_fewer` count rater by rater, so that one who was left out shows
    beside new answers; `marks_changed` says that answers were revised while none came or went.
    """
    told: Json = {}
    old, new = before.get("raters", {}), after.get("raters", {})
    more, fewer = _steps(old, new)
    if more:
        told["ratings_more"] = more
    if fewer:
        told["ratings_fewer"] = fewer
    if new.keys() - old.keys():
        told["raters_more"] = len(new.keys() - old.keys())
    if old.keys() - new.keys():
        told["raters_fewer"] = len(old.keys() - new.keys())
    if after.get("simulated", 0) > before.get("simulated", 0):
        told["simulated_more"] = after["simulated"] - before.get("simulated", 0)
    for key in ("recipe", "protocol_state", "settings_digest", "utterances"):
        if before.get(key) != after.get(key):
            told[key] = [before.get(key), after.get(key)]
    systems = _systems(before.get("systems", {}), after.get("systems", {}))
    if systems:
        told["systems"] = systems
    if not told:
        told["marks_changed"] = True
    return told


def moved(before: Mapping[str, Placed], after: Mapping[str, Placed]) -> list[Json]:
    """Return the systems whose list, place or score is another one, by code."""
    changes = []
    for code in sorted(before.keys() | after.keys()):
        old, new = before.get(code), after.get(code)
        if old != new:
            changes.append({"system": code, "before": _json(old), "after": _json(new)})
    return changes


def _steps(old: Mapping[str, int], new: Mapping[str, int]) -> tuple[int, int]:
    steps = [new.get(rater, 0) - old.get(rater, 0) for rater in old.keys() | new.keys()]
    return sum(step for step in steps if step > 0), -sum(step for step in steps if step < 0)


def _systems(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Json]:
    """Return what became of systems: their entrant's state or kind, or the judge's score."""
    found = []
    for code in sorted(old.keys() | new.keys()):
        one, other = old.get(code) or {}, new.get(code) or {}
        differs = [key for key in ("kind", "state", "judge") if one.get(key) != other.get(key)]
        found += [
            {"system": code, "what": key, "before": one.get(key), "after": other.get(key)}
            for key in differs
        ]
    return found


def _json(placed: Placed | None) -> Json | None:
    return None if placed is None else dict(placed._asdict())
