"""What a new definition changes, path by path, old and new in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from competition.definition.values import Definition, PhaseDefinition, TrackDefinition
from competition.timeline import format_moment

SHOWN: Final = 80
COMPETITION_FIELDS: Final = ("state", "contact", "accept_automatically", "terms_version")
TRACK_FIELDS: Final = ("kind",)
PHASE_FIELDS: Final = (
    "grace_minutes",
    "quota_per_day",
    "quota_total",
    "feedback",
    "board_visibility",
    "selection",
    "band_rule",
    "clips",
    "senders",
)
MOMENTS: Final = ("opens_at", "closes_at", "frozen_from")

Digests = Mapping[tuple[str, str], str]
"""(track, phase) -> SHA-256 of its references."""


@dataclass(frozen=True, slots=True)
class Change:
    """One path with what stood there and what will; None means nothing."""

    path: str
    old: str | None
    new: str | None

    def __str__(self) -> str:
        if self.old is None:
            return f"+ {self.path}: {_shown(self.new)}"
        if self.new is None:
            return f"- {self.path}: {_shown(self.old)}"
        return f"~ {self.path}: {_shown(self.old)} -> {_shown(self.new)}"


@dataclass(frozen=True, slots=True)
class Moved:
    """A value that was changed on the site since the last load: what is in force, what the file said.

    `wanted` is what the file says now, None where loading it keeps what is in force.
    """

    path: str
    in_force: str
    loaded: str
    wanted: str | None

    def __str__(self) -> str:
        after = (
            "loading keeps it" if self.wanted is None else f"LOADING REPLACES IT by {self.wanted}"
        )
        return (
            f"! {self.path}: {self.in_force} is in force, changed on the site; "
            f"the file loaded last said {self.loaded}; {after}"
        )


def flatten(definition: Definition, digests: Digests) -> dict[str, str]:
    """Return path -> value in words, in the order of the definition."""
    return dict(_competition(definition, digests))


def difference(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[Change, ...]:
    """Return what differs: changed and new paths in the new order, then what is gone."""
    changed = [
        Change(path, old.get(path), value) for path, value in new.items() if old.get(path) != value
    ]
    gone = [Change(path, value, None) for path, value in old.items() if path not in new]
    return (*changed, *gone)


def _competition(definition: Definition, digests: Digests) -> Iterator[tuple[str, str]]:
    yield "languages", ", ".join(definition.languages)
    yield from _fields("", definition, COMPETITION_FIELDS)
    yield from _nested("texts", definition.texts)
    yield from _nested("terms", definition.terms)
    for baseline in definition.baselines:
        yield f"baselines.{baseline.team}", baseline.system
    for position, track in enumerate(definition.tracks):
        yield from _track(track, position, digests)


def _track(track: TrackDefinition, position: int, digests: Digests) -> Iterator[tuple[str, str]]:
    path = f"tracks.{track.slug}"
    yield f"{path}.position", str(position)
    yield from _fields(f"{path}.", track, TRACK_FIELDS)
    yield from _nested(f"{path}.texts", track.texts)
    yield from _nested(f"{path}.params", track.params)
    for place, phase in enumerate(track.phases):
        yield from _phase(f"{path}.phases.{phase.slug}", phase, place)
        yield f"{path}.phases.{phase.slug}.references", digests.get((track.slug, phase.slug), "")


def _phase(path: str, phase: PhaseDefinition, position: int) -> Iterator[tuple[str, str]]:
    yield f"{path}.position", str(position)
    yield from _nested(f"{path}.texts", phase.texts)
    for name in MOMENTS:
        yield f"{path}.{name}", moment_in_words(name, getattr(phase, name))
    yield from _fields(f"{path}.", phase, PHASE_FIELDS)
    yield from _nested(f"{path}.limits", phase.limits)


def in_words(name: str, holder: object) -> str:
    """Return a field of a phase, from the definition or from the database, as a change shows it."""
    value = getattr(holder, name)
    return moment_in_words(name, value) if name in MOMENTS else _word(value)


def moment_in_words(name: str, moment: datetime | None) -> str:
    """Return a deadline as the definition writes it, `never` for none."""
    if moment is None:
        return "never"
    if moment.second or moment.microsecond:
        return moment.isoformat()
    return format_moment(moment, closing=name == "closes_at")


def _fields(prefix: str, holder: object, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name in names:
        yield f"{prefix}{name}", _word(getattr(holder, name))


def _nested(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, below in value.items():
            yield from _nested(f"{path}.{key}", below)
    elif isinstance(value, list):
        yield path, ", ".join(_word(item) for item in value)
    else:
        yield path, _word(value)


def _word(value: object) -> str:
    if value is None:
        return "unlimited"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _shown(text: str | None) -> str:
    line = " ".join((text or "").split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
