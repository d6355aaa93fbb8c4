"""A competition as its definition says it: plain values, everything checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from competition.enums import ClipSource, Senders

Texts = Mapping[str, Mapping[str, str]]
"""Language -> key -> text."""


@dataclass(frozen=True, slots=True)
class PhaseDefinition:
    """A phase; moments in UTC, `closes_at` exclusive, quotas None when unlimited.

    `references` is a path relative to the definition file.
    """

    slug: str
    texts: Texts
    opens_at: datetime
    closes_at: datetime
    grace_minutes: int
    frozen_from: datetime | None
    quota_per_day: int | None
    quota_total: int | None
    feedback: str
    board_visibility: str
    selection: str
    band_rule: str
    references: str
    limits: Mapping[str, int]
    clips: str = ClipSource.LISTED.value
    senders: str = Senders.ENTRANTS.value


@dataclass(frozen=True, slots=True)
class TrackDefinition:
    """A track; `params` as written, checked by the scorer."""

    slug: str
    kind: str
    texts: Texts
    params: Mapping[str, Any]
    phases: tuple[PhaseDefinition, ...]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A system that the organizers enter themselves."""

    team: str
    system: str


@dataclass(frozen=True, slots=True)
class Definition:
    """A competition; `terms` maps language -> text."""

    slug: str
    version: int
    state: str
    languages: tuple[str, ...]
    texts: Texts
    contact: str
    accept_automatically: bool
    terms_version: str
    terms: Mapping[str, str]
    baselines: tuple[Baseline, ...]
    tracks: tuple[TrackDefinition, ...]
