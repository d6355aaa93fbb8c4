"""Correcting a phase: a candidate recipe beside the live one, and what becomes of it.

The candidate's scores touch no board. `rescoring_queue` has them computed, `rescoring_moves` shows who
would move, `rescoring_switch` puts the candidate in the place of the live recipe in one step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from accounts.services import audit
from competition.definition import parse
from competition.models import Phase, ReferenceVersion, Track
from competition.services import references as hidden
from competition.services.authority import require_organizer, require_reason
from grading.enums import EvaluationState, RecipeRole, RescoringState, SubmissionKind
from grading.enums import SubmissionState as State
from grading.models import Evaluation, PhaseRecipe, Recipe, Rescoring, Submission
from grading.scoring import registry
from grading.scoring.tracks.base import References
from grading.scoring.types import ParamsInvalid, ReferencesInvalid
from grading.services import doorbell, errors, loading, recipes

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a candidate is, in submissions that stand: `waiting` counts what has not begun."""

    total: int
    done: int
    failed: int
    running: int

    @property
    def waiting(self) -> int:
        """How many have not begun."""
        return max(0, self.total - self.done - self.failed - self.running)

    @property
    def ended(self) -> int:
        """How many have a result, a score or a failure."""
        return self.done + self.failed

    @property
    def finished(self) -> bool:
        """Whether every one has a result."""
        return self.ended >= self.total

    def as_json(self) -> dict[str, int]:
        """Return the counts by name."""
        return {
            "total": self.total,
            "done": self.done,
            "failed": self.failed,
            "running": self.running,
            "waiting": self.waiting,
        }


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a proposal asks for, read and checked before any row is locked."""

    version: ReferenceVersion
    stored: hidden.StoredReferences | None
    params: Json
    reference_sha256: str


def propose(
    *,
    actor: User | None,
    phase: Phase,
    reason: str,
    now: datetime,
    references: bytes | None = None,
    params: Mapping[str, Any] | None = None,
) -> Rescoring:
    """Make a candidate recipe and have every submission that stands scored by it, beside the live one.

    What is not given stays as it is live; with neither, the scorer that runs here is what is new.
    `reason` is published with the switch. Refuses NotOrganizer, ReasonMissing, NothingScored,
    CandidateExists, ParametersInvalid, ReferencesUnusable, ReferencesAdd, NothingChanges.
    """
    require_organizer(actor, phase.track.competition)
    text = require_reason(reason)
    live = _live_in_use(phase)
    _check_no_candidate(phase)
    wanted = _wanted(phase, live, references, params)
    with audit.audited():
        Track.objects.select_for_update().get(pk=phase.track_id)
        _check_no_candidate(phase)
        live = _live_in_use(phase)
        recipe = _recipe(phase, wanted, now)
        if recipe.pk == live.pk:
            raise errors.NothingChanges(_("The scores are made with this recipe already."))
        rescoring = _open(actor, phase, (recipe, live), text, now)
        doorbell.ring(doorbell.FILL_RESCORING, rescoring.pk)
    return rescoring


def cancel(*, actor: User | None, phase: Phase, now: datetime) -> Rescoring:
    """Drop the candidate; what it has scored is kept, what it has not begun is not begun.

    Refuses NotOrganizer, NoCandidate.
    """
    require_organizer(actor, phase.track.competition)
    with audit.audited():
        Track.objects.select_for_update().get(pk=phase.track_id)
        rescoring = open_of(phase)
        # Evaluations stand before their recipe's role in the order of locks.
        # Never across the relation: after waiting for a claim, only own columns are looked at again.
        Evaluation.objects.filter(
            submission__in=Submission.objects.filter(phase=phase),
            recipe=rescoring.recipe,
            state__in=[EvaluationState.WAITING, EvaluationState.QUEUED],
        ).update(state=EvaluationState.CANCELLED, finished_at=now)
        PhaseRecipe.objects.filter(phase=phase, role=RecipeRole.CANDIDATE).update(
            role=RecipeRole.RETIRED, since=now
        )
        _end(rescoring, RescoringState.CANCELLED, actor, now)
        record(rescoring, "rescoring.cancelled", actor, now)
    rescoring.refresh_from_db()
    return rescoring


def open_of(phase: Phase) -> Rescoring:
    """Return the phase's open proposal; raises NoCandidate."""
    found = Rescoring.objects.filter(phase=phase, state=RescoringState.OPEN).select_related(
        "recipe__references",
        "replaced__references",
        "phase__track__competition",
        "proposed_by",
    )
    rescoring: Rescoring | None = found.first()
    if rescoring is None:
        raise errors.NoCandidate(_("No correction is proposed for this phase."))
    return rescoring


def progress(rescoring: Rescoring) -> Progress:
    """Return how far the candidate is with the submissions that stand."""
    counts: dict[str, int] = dict(
        Evaluation.objects.filter(submission__in=standing(rescoring.phase), recipe=rescoring.recipe)
        .order_by()
        .values_list("state")
        .annotate(count=Count("pk"))
    )
    return Progress(
        total=standing(rescoring.phase).count(),
        done=counts.get(EvaluationState.SCORED, 0),
        failed=counts.get(EvaluationState.FAILED, 0),
        running=counts.get(EvaluationState.RUNNING, 0),
    )


def standing(phase: Phase) -> Any:
    """Return the submissions that a board can show: accepted entries."""
    return Submission.objects.filter(
        phase=phase, kind=SubmissionKind.ENTRY, state=State.ACCEPTED
    ).order_by()


def params_of_definition(*, text: str, phase: Phase) -> Json:
    """Return the parameters that a competition's definition names for the phase's track.

    Refuses ParametersInvalid with every fault of the definition, or when it has no such track.
    """
    parsed = parse(text.encode("utf-8", "surrogatepass"), loading.catalog())
    if parsed.definition is None or parsed.faults:
        raise _faulty([str(fault) for fault in parsed.faults])
    for track in parsed.definition.tracks:
        if track.slug == phase.track.slug and track.kind == phase.track.kind:
            return dict(track.params)
    raise _faulty([_("The definition has no track %(name)s.") % {"name": phase.track.slug}])


def record(
    rescoring: Rescoring, kind: str, actor: User | None, now: datetime, **payload: object
) -> None:
    """Write what happened into the competition's log; inside the caller's block."""
    audit.record(
        scope=rescoring.phase.track.competition.audit_scope,
        kind=kind,
        actor=actor,
        target=f"phase:{rescoring.phase.code}",
        payload={
            "rescoring": rescoring.code,
            "from": rescoring.replaced.digest,
            "to": rescoring.recipe.digest,
            **payload,
        },
        now=now,
    )


def _live_in_use(phase: Phase) -> Recipe:
    live = recipes.live_recipe(phase)
    if live is None or not recipes.is_used(phase):
        raise errors.NothingScored(
            _("Nothing was scored in this phase yet: change the definition and load it instead.")
        )
    return live


def _check_no_candidate(phase: Phase) -> None:
    if recipes.candidate_recipe(phase) is not None:
        raise errors.CandidateExists(
            _("A correction is proposed already. Switch to it or drop it first.")
        )


def _wanted(
    phase: Phase, live: Recipe, references: bytes | None, params: Mapping[str, Any] | None
) -> _Wanted:
    track = registry.get(phase.track.kind)
    try:
        checked = track.params(live.params if params is None else params)
    except ParamsInvalid as error:
        raise _faulty([f"{fault.path}: {fault.message}" for fault in error.faults]) from None
    canonical = track.params_json(checked)
    if references is None:
        # Other labels may not fit the references that stay.
        read = _read_references(phase, hidden.read_bytes(live.references), checked)
        return _Wanted(live.references, None, canonical, read.sha256)
    read = _read_references(phase, references, checked)
    _check_no_more(phase, read)
    return _Wanted(live.references, _store(references, read), canonical, read.sha256)


def _check_no_more(phase: Phase, read: References) -> None:
    known = set(phase.references.utterances.values_list("utt_id", flat=True))
    added = sum(utt_id not in known for utt_id in read.ids)
    if added:
        raise errors.ReferencesAdd(
            ngettext(
                "The new references add %(added)s utterance that no submission holds. "
                "They may drop some, never add any.",
                "The new references add %(added)s utterances that no submission holds. "
                "They may drop some, never add any.",
                added,
            )
            % {"added": added},
            added=added,
        )


def _store(data: bytes, read: References) -> hidden.StoredReferences:
    key, digest = hidden.store_bytes(data)
    return hidden.StoredReferences(
        storage_key=key,
        sha256=digest,
        size=len(data),
        counts=dict(read.counts),
        languages=dict(read.language_of),
    )


def _read_references(phase: Phase, data: bytes, params: Any) -> References:
    if len(data) > loading.REFERENCES_LIMIT:
        raise errors.ReferencesUnusable(_("The file is larger than a reference file may be."))
    try:
        return registry.get(phase.track.kind).references(data, params)
    except ReferencesInvalid as error:
        lines = loading.told(_("references"), error)
        raise errors.ReferencesUnusable(
            _("The references have faults: %(count)s.") % {"count": error.report.total},
            faults=lines,
        ) from None


def _faulty(lines: list[str]) -> errors.ParametersInvalid:
    return errors.ParametersInvalid(
        _("The parameters have faults: %(faults)s") % {"faults": "; ".join(lines[:20])},
        faults=lines,
    )


def _recipe(phase: Phase, wanted: _Wanted, now: datetime) -> Recipe:
    """Return the recipe of a proposal; the bytes of its references are stored and were read."""
    version = wanted.version
    if wanted.stored is not None:
        version = hidden.keep_version(
            track=phase.track, name=phase.references.name, given=wanted.stored, now=now
        )
    return recipes.keep(
        track_row=phase.track,
        version=version,
        params=wanted.params,
        reference_sha256=wanted.reference_sha256,
        now=now,
    )


def _open(
    actor: User | None, phase: Phase, change: tuple[Recipe, Recipe], reason: str, now: datetime
) -> Rescoring:
    recipe, live = change
    PhaseRecipe.objects.update_or_create(
        phase=phase, recipe=recipe, defaults={"role": RecipeRole.CANDIDATE, "since": now}
    )
    rescoring = Rescoring.objects.create(
        phase=phase,
        recipe=recipe,
        replaced=live,
        reason=reason,
        proposed_by=actor,
        proposed_at=now,
    )
    record(
        rescoring,
        "rescoring.proposed",
        actor,
        now,
        reason_sha256=hashlib.sha256(reason.encode()).hexdigest(),
        references=recipe.references.sha256,
    )
    return rescoring


def _end(rescoring: Rescoring, state: RescoringState, actor: User | None, now: datetime) -> None:
    Rescoring.objects.filter(pk=rescoring.pk).update(state=state, ended_by=actor, ended_at=now)
