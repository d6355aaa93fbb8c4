"""Loading a competition: the definition and its references are checked whole, shown as a diff, then written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import IntegrityError
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.definition import Catalog, Definition, Fault, Parsed, parse
from competition.definition.difference import (
    MOMENTS,
    PHASE_FIELDS,
    Change,
    Moved,
    difference,
    flatten,
    in_words,
)
from competition.enums import CompetitionState
from competition.models import Competition, Phase
from competition.rules import is_organizer
from competition.services import loading as rows
from competition.services import references as hidden
from competition.services.errors import DefinitionInvalid, DefinitionStale, NotOrganizer
from grading.models import Board, PhaseRecipe, Submission
from grading.scoring import registry
from grading.scoring.tracks.composed import gives_points
from grading.scoring.types import ParamsInvalid, ReferencesInvalid
from grading.services import boards, canary, news, recipes

REFERENCES_LIMIT = 256 * 1024 * 1024
LISTED_PROBLEMS = 20

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class CheckedReferences:
    """References of one phase that the track accepts; `languages` maps utt_id -> language."""

    data: bytes
    sha256: str
    counts: Mapping[str, int]
    languages: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """What loading would change, or every fault. Its text and references are what was checked."""

    text: str
    definition: Definition | None
    faults: tuple[Fault, ...]
    changes: tuple[Change, ...]
    references: Mapping[Key, CheckedReferences]
    previous_version: int | None
    previous_sha256: str | None
    moved: tuple[Moved, ...] = ()
    needs_reason: bool = False

    def lines(self) -> list[str]:
        """Return the faults, else the changes and what was changed on the site, as sentences."""
        if self.faults:
            return [str(fault) for fault in self.faults]
        return [str(change) for change in self.changes] + [str(moved) for moved in self.moved]


def plan(*, definition_text: str, base_dir: Path, now: datetime) -> Plan:
    """Check a definition and its references, and compare with what is loaded; writes nothing.

    Paths in the definition are relative to `base_dir` and stay inside it.
    """
    parsed = parse(definition_text.encode("utf-8", "surrogatepass"), catalog())
    references, faults = _check_references(parsed, base_dir)
    known = _known(parsed.definition)
    changes: tuple[Change, ...] = ()
    before = _previous(known)
    if parsed.definition and not faults:
        digests = {key: checked.sha256 for key, checked in references.items()}
        changes = difference(
            flatten(before, _loaded_digests(known, digests)) if before else {},
            flatten(parsed.definition, digests),
        )
    return Plan(
        text=definition_text,
        definition=parsed.definition,
        faults=(
            *parsed.faults,
            *sorted([*faults, *_check_pillars(parsed), *_check_slug(parsed)]),
        ),
        changes=changes,
        references=references,
        previous_version=(before.version if before else 0) if known else None,
        previous_sha256=known.definition_sha256 if known else None,
        moved=tuple(_moved(known, before, changes)) if known and before else (),
        needs_reason=_was_public(known) and rows.needs_reason(changes),
    )


def _was_public(known: Competition | None) -> bool:
    return known is not None and known.state != CompetitionState.DRAFT


def _moved(known: Competition, before: Definition, changes: Sequence[Change]) -> Iterator[Moved]:
    """Yield what was changed on the site since the last load, and what this load does to it."""
    wanted = {change.path: change.new for change in changes}
    loaded = {(track.slug, phase.slug): phase for track in before.tracks for phase in track.phases}
    for row in Phase.objects.filter(track__competition=known).select_related("track"):
        phase = loaded.get((row.track.slug, row.slug))
        for name in (*MOMENTS, *PHASE_FIELDS) if phase else ():
            in_force, said = in_words(name, row), in_words(name, phase)
            path = f"tracks.{row.track.slug}.phases.{row.slug}.{name}"
            if in_force not in (said, wanted.get(path)):
                yield Moved(path, in_force, said, wanted.get(path))


def apply(*, actor: User | None, plan: Plan, now: datetime, reason: str = "") -> Competition:
    """Write a plan: rows, references into the hidden area, recipes. Twice changes nothing.

    `actor` None is the server's own command line. Refuses DefinitionInvalid, NotOrganizer,
    DefinitionStale and what `competition.services.loading.apply` refuses.
    """
    definition = _valid(plan)
    known = _known(definition)
    _require_authority(actor, known)
    _require_unchanged(plan, known)
    load = rows.Load(
        definition=definition,
        text=plan.text,
        changes=plan.changes,
        references={key: _store(checked) for key, checked in plan.references.items()},
        previous_version=plan.previous_version,
        used=_used(known),
        reason=reason,
        forget=_forget,
    )
    competition = _written(actor, plan, load, now)
    for phase in Phase.objects.filter(track__competition=competition).select_related(
        "track__competition", "references"
    ):
        recipes.ensure_live(phase=phase, now=now)
    return competition


def _written(actor: User | None, plan: Plan, load: rows.Load, now: datetime) -> Competition:
    """Return the competition as it is written; of two who load at once, one looks again."""
    slug = load.definition.slug
    try:
        with audit.audited():
            present = Competition.objects.select_for_update().filter(slug=slug).first()
            _require_unchanged(plan, present)
            competition = rows.apply(actor=actor, load=load, now=now)
            news.deadlines_moved(competition=competition, now=now)
            if plan.changes:
                # A board that is built while this commits may have read what stood before.
                boards.want_rebuild_of_competition(competition_id=competition.pk, now=now)
    except IntegrityError as error:
        if plan.previous_sha256 is None and Competition.objects.filter(slug=slug).exists():
            raise _stale() from error
        raise
    return competition


def _require_unchanged(plan: Plan, known: Competition | None) -> None:
    if (known.definition_sha256 if known else None) != plan.previous_sha256:
        raise _stale()


def _stale() -> DefinitionStale:
    return DefinitionStale(_("The competition has changed since. Look at the changes again."))


def catalog() -> Catalog:
    """Return what this version of the scorer knows."""
    return Catalog(
        limits={name: registry.get(name).limit_names() for name in registry.names()},
        check_params=_check_params,
        without_references=frozenset(registry.composed()),
    )


def _check_params(kind: str, raw: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    try:
        registry.get(kind).params(raw)
    except ParamsInvalid as error:
        return [(fault.path, fault.message) for fault in error.faults]
    return []


def _check_references(
    parsed: Parsed, base_dir: Path
) -> tuple[dict[Key, CheckedReferences], list[Fault]]:
    found: dict[Key, CheckedReferences] = {}
    faults: list[Fault] = []
    for index, track in enumerate(parsed.definition.tracks if parsed.definition else ()):
        for place, phase in enumerate(track.phases):
            path = f"tracks[{index}].phases[{place}].references"
            checked = _checked(base_dir, phase.references, track.kind, track.params)
            if isinstance(checked, CheckedReferences):
                found[track.slug, phase.slug] = checked
            else:
                faults += [parsed.fault_at(path, message) for message in checked]
    return found, faults


def _check_pillars(parsed: Parsed) -> Iterator[Fault]:
    """Yield a fault for each pillar whose board has no score that a composed board can take."""
    tracks = parsed.definition.tracks if parsed.definition else ()
    kinds = {track.slug: track.kind for track in tracks}
    for index, track in enumerate(tracks):
        composed = registry.get(track.kind)
        for pillar in composed.pillars(composed.params(track.params)):
            kind = kinds.get(pillar.track)
            if kind is not None and not gives_points(registry.get(kind)):
                path = f"tracks[{index}].params.boards.{pillar.key}"
                message = (
                    f"{pillar.track} is a track of {kind}, whose score is not"
                    " from 0 to 100 with more being better"
                )
                yield parsed.fault_at(path, message)


def _check_slug(parsed: Parsed) -> Iterator[Fault]:
    """Yield a fault for the name that the server's own test submissions have."""
    if parsed.definition and parsed.definition.slug == canary.SLUG:
        yield parsed.fault_at("slug", f"{canary.SLUG} is the server's own; take another name")


def _checked(
    base_dir: Path, name: str, kind: str, raw: Mapping[str, Any]
) -> CheckedReferences | list[str]:
    data = _read(base_dir, name) if name else b""
    if isinstance(data, str):
        return [f"{name}: {data}"]
    track = registry.get(kind)
    try:
        references = track.references(data, track.params(raw))
    except ReferencesInvalid as error:
        return told(name, error)
    return CheckedReferences(
        data=data,
        sha256=hashlib.sha256(data).hexdigest(),
        counts=dict(references.counts),
        languages=dict(references.language_of),
    )


def _read(base_dir: Path, name: str) -> bytes | str:
    path = (base_dir / name).resolve()
    if not path.is_relative_to(base_dir.resolve()):
        return "it lies outside the definition's folder"
    try:
        if path.stat().st_size > REFERENCES_LIMIT:
            return f"it is larger than {REFERENCES_LIMIT} bytes"
        return path.read_bytes()
    except OSError as error:
        return f"it cannot be read ({error.strerror})"


def told(name: str, error: ReferencesInvalid) -> list[str]:
    """Return the problems by code and place: what a reference says is never repeated."""
    report = error.report
    lines = [
        f"{name}, line {problem.line}: {problem.code}"
        if problem.line
        else f"{name}: {problem.code}"
        for problem in report.problems[:LISTED_PROBLEMS]
    ]
    rest = report.total - len(lines)
    return [*lines, f"{name}: {rest} problems more"] if rest > 0 else lines


def _known(definition: Definition | None) -> Competition | None:
    return Competition.objects.filter(slug=definition.slug).first() if definition else None


def _previous(known: Competition | None) -> Definition | None:
    """Return the definition that was loaded last, None when this version can no longer read it."""
    if known is None:
        return None
    lenient = replace(catalog(), check_params=lambda kind, raw: ())
    return parse(known.definition.encode(), lenient).definition


def _loaded_digests(known: Competition | None, wanted: Mapping[Key, str]) -> dict[Key, str]:
    """Return the digests as loaded; a file that was loaded under this phase before is no change."""
    phases = Phase.objects.filter(track__competition=known).select_related("track", "references")
    digests = {}
    for phase in phases:
        key = (phase.track.slug, phase.slug)
        versions = phase.track.reference_versions.filter(name=phase.slug)
        is_known = versions.filter(sha256=wanted.get(key, "")).exists()
        digests[key] = wanted[key] if is_known else phase.references.sha256
    return digests


def _valid(plan: Plan) -> Definition:
    if plan.faults or plan.definition is None:
        raise DefinitionInvalid(
            _("The definition has faults: %(count)s.") % {"count": len(plan.faults)},
            faults=plan.lines(),
        )
    return plan.definition


def _require_authority(actor: User | None, known: Competition | None) -> None:
    if actor is None or actor.is_superuser:
        return
    if known is None or not is_organizer(actor, known):
        raise NotOrganizer(_("Only an organizer of this competition can do this."))


def _store(checked: CheckedReferences) -> hidden.StoredReferences:
    key, digest = hidden.store_bytes(checked.data)
    return hidden.StoredReferences(
        storage_key=key,
        sha256=digest,
        size=len(checked.data),
        counts=checked.counts,
        languages=checked.languages,
    )


def _used(known: Competition | None) -> frozenset[Key]:
    if known is None:
        return frozenset()
    phases = Submission.objects.filter(phase__track__competition=known)
    return frozenset(phases.values_list("phase__track__slug", "phase__slug").distinct())


def _forget(phase: Phase) -> None:
    """Remove what the scorer keeps of a phase that no file was ever sent to; recipes are evidence."""
    Board.objects.filter(phase=phase).delete()
    PhaseRecipe.objects.filter(phase=phase).delete()
