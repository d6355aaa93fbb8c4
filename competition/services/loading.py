"""Rows of a competition from its definition: what may change when, and the change itself.

Reading files, checking references and parameters is the scorer's side (`grading.services.loading`).
A path that the file did not change keeps what the database says, so that a deadline moved on a page
is not moved back by loading the same file again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.definition import Definition, PhaseDefinition, TrackDefinition
from competition.definition.difference import MOMENTS, PHASE_FIELDS, Change
from competition.enums import CompetitionState
from competition.models import (
    Competition,
    Phase,
    Terms,
    Track,
)
from competition.queries import has_draw
from competition.services import deadlines
from competition.services.authority import require_reason
from competition.services.errors import PhaseKept, TermsVersionKept
from competition.services.loading_rules import check_changes
from competition.services.references import StoredReferences, keep_version

QUOTAS = ("quota_per_day", "quota_total")


@dataclass(frozen=True, slots=True)
class Load:
    """All that a load writes. `used` holds (track, phase) slugs that have submissions."""

    definition: Definition
    text: str
    changes: tuple[Change, ...]
    references: Mapping[tuple[str, str], StoredReferences]
    previous_version: int | None
    used: frozenset[tuple[str, str]] = frozenset()
    reason: str = ""
    forget: Callable[[Phase], None] = field(default=lambda phase: None)

    @property
    def changed(self) -> frozenset[str]:
        """The paths that the file changes."""
        return frozenset(change.path for change in self.changes)

    def fields_under(self, prefix: str) -> frozenset[str]:
        """Return the first words of the changed paths below a prefix."""
        below = f"{prefix}."
        return frozenset(
            path.removeprefix(below).split(".")[0]
            for path in self.changed
            if path.startswith(below)
        )


def apply(*, actor: User | None, load: Load, now: datetime) -> Competition:
    """Write the definition, its history and one audit event; nothing changes when nothing differs.

    Refuses NotOrganizer (through its caller), RecipeNeeded, PhaseKept, VersionNotRaised,
    TermsVersionKept, ReasonMissing, DeadlineInvalid.
    """
    with audit.audited():
        competition = _competition(load, now)
        if not load.changes:
            return competition
        was_public = load.previous_version is not None and (
            competition.state != CompetitionState.DRAFT
        )
        reason = _reason(load, was_public=was_public)
        check_changes(load, was_public=was_public)
        _write_competition(competition, load, now)
        _write_tracks(_Writer(actor, load, reason, now, was_public=was_public), competition)
        _tell(actor, competition, load, now)
    return competition


def needs_reason(changes: Iterable[Change]) -> bool:
    """Return whether changes of a competition that people have seen must say why."""
    return any(
        None not in (change.old, change.new) and change.path.split(".")[-1] in (*MOMENTS, *QUOTAS)
        for change in changes
    )


def _reason(load: Load, *, was_public: bool) -> str:
    if was_public and needs_reason(load.changes):
        return require_reason(load.reason)
    return load.reason.strip()[:300]


def _competition(load: Load, now: datetime) -> Competition:
    definition = load.definition
    known = Competition.objects.select_for_update().filter(slug=definition.slug).first()
    digest = hashlib.sha256(load.text.encode()).hexdigest()
    if known is None:
        return Competition.objects.create(
            slug=definition.slug,
            state=definition.state,
            terms_version=definition.terms_version,
            definition=load.text,
            definition_sha256=digest,
            created_at=now,
            loaded_at=now,
        )
    if known.definition_sha256 != digest:
        known.definition, known.definition_sha256, known.loaded_at = load.text, digest, now
        known.save(update_fields=["definition", "definition_sha256", "loaded_at"])
    return known


def _write_competition(competition: Competition, load: Load, now: datetime) -> None:
    definition = load.definition
    if load.previous_version is None or "state" in load.changed:
        competition.state = definition.state
    competition.texts = _plain(definition.texts)
    competition.contact = definition.contact
    competition.accept_automatically = definition.accept_automatically
    competition.terms_version = definition.terms_version
    competition.save()
    _write_terms(competition, definition, now)


def _write_terms(competition: Competition, definition: Definition, now: datetime) -> None:
    texts = dict(definition.terms)
    digest = audit.digest(texts)
    terms, is_new = Terms.objects.get_or_create(
        competition=competition,
        version=definition.terms_version,
        defaults={"texts": texts, "sha256": digest, "created_at": now},
    )
    if not is_new and terms.sha256 != digest:
        raise TermsVersionKept(
            _(
                "The text of terms %(version)s has changed: people accepted the old one. Give it a new version."
            )
            % {"version": terms.version}
        )


@dataclass(frozen=True, slots=True)
class _Writer:
    """Who writes what and why; `was_public` tells whether moved deadlines are history."""

    actor: User | None
    load: Load
    reason: str
    now: datetime
    was_public: bool


def _write_tracks(writer: _Writer, competition: Competition) -> None:
    kept = [track.slug for track in writer.load.definition.tracks]
    for track in competition.tracks.exclude(slug__in=kept):
        for phase in track.phases.all():
            _remove_phase(phase, writer)
        _remove(track)
    for position, definition in enumerate(writer.load.definition.tracks):
        track, _is_new = Track.objects.update_or_create(
            competition=competition,
            slug=definition.slug,
            defaults={
                "kind": definition.kind,
                "position": position,
                "texts": _plain(definition.texts),
                "params": _plain(definition.params),
            },
        )
        _write_phases(writer, track, definition)


def _write_phases(writer: _Writer, track: Track, definition: TrackDefinition) -> None:
    kept = [phase.slug for phase in definition.phases]
    for gone in track.phases.exclude(slug__in=kept):
        _remove_phase(gone, writer)
    for position, phase in enumerate(definition.phases):
        given = writer.load.references[track.slug, phase.slug]
        values = _phase_values(phase, position, track, given, writer.now)
        row = Phase.objects.select_for_update().filter(track=track, slug=phase.slug).first()
        if row is None:
            Phase.objects.create(track=track, slug=phase.slug, **values)
        else:
            fields = writer.load.fields_under(f"tracks.{track.slug}.phases.{phase.slug}")
            _change_phase(row, {name: values[name] for name in sorted(fields)}, writer)


def _phase_values(
    phase: PhaseDefinition, position: int, track: Track, given: StoredReferences, now: datetime
) -> dict[str, Any]:
    return {
        "position": position,
        "texts": _plain(phase.texts),
        "references": keep_version(track=track, name=phase.slug, given=given, now=now),
        "limits": dict(phase.limits),
        **{name: getattr(phase, name) for name in (*MOMENTS, *PHASE_FIELDS)},
    }


def _change_phase(row: Phase, values: Mapping[str, Any], writer: _Writer) -> None:
    changes = [
        (name, getattr(row, name), value)
        for name, value in values.items()
        if getattr(row, name) != value
    ]
    _require_not_drawn(row, [name for name, _old, _new in changes])
    for name, _old, new in changes:
        if writer.was_public and name in {"opens_at", "closes_at"}:
            deadlines.check_time(row, name, new, writer.now)
        setattr(row, name, new)
    row.save(update_fields=[name for name, _old, _new in changes])
    if writer.was_public:
        _keep_history(row, changes, writer)


def _require_not_drawn(row: Phase, names: Iterable[str]) -> None:
    """Raise PhaseKept where clips were drawn: what they were drawn from is fixed for good."""
    if not {"references", "clips"}.isdisjoint(names) and has_draw(row):
        raise PhaseKept(
            _("The clips of %(name)s were drawn; where they come from cannot be changed any more.")
            % {"name": row.slug},
            name=row.slug,
        )


def _keep_history(row: Phase, changes: list[tuple[str, Any, Any]], writer: _Writer) -> None:
    for name, old, new in changes:
        if name in MOMENTS:
            deadlines.keep_history(
                actor=writer.actor,
                phase=row,
                change=(name, old, new),
                reason=writer.reason,
                now=writer.now,
            )
        elif name in QUOTAS:
            audit.record(
                scope=row.track.competition.audit_scope,
                kind="quota.changed",
                actor=writer.actor,
                target=f"phase:{row.code}",
                payload={"field": name, "old": old, "new": new},
                now=writer.now,
            )


def _remove_phase(phase: Phase, writer: _Writer) -> None:
    writer.load.forget(phase)
    _remove(phase)


def _remove(row: Phase | Track) -> None:
    try:
        if isinstance(row, Track):
            row.reference_versions.all().delete()
        row.delete()
    except ProtectedError as error:
        raise PhaseKept(
            _("%(name)s has a history and cannot be removed.") % {"name": row.slug}, name=row.slug
        ) from error


def _tell(actor: User | None, competition: Competition, load: Load, now: datetime) -> None:
    audit.record(
        scope=competition.audit_scope,
        kind="competition.loaded",
        actor=actor,
        target=f"competition:{competition.code}",
        payload={
            "version": load.definition.version,
            "sha256": competition.definition_sha256,
            "paths": sorted(load.changed),
            "references": {
                f"{track}/{phase}": given.sha256
                for (track, phase), given in load.references.items()
            },
        },
        now=now,
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(below) for key, below in value.items()}
    return value
