"""A verification is begun: which phase, against which set, for whom, and how their output comes here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import ClipSource, EntrantKind, EntrantState
from competition.models import Entrant, Phase
from competition.services.authority import require_organizer
from grading.enums import VerificationWay
from grading.models import Evaluation, HeldOutSet, Recipe, Standing, Verification, VerifiedEntrant
from grading.scoring import recipe as identity
from grading.scoring import registry
from grading.services import recipes, selection
from grading.services.verification import sets
from grading.services.verification.errors import VerificationRefused

OFFERED = 3
MOST = 50


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be verified: entrants, the phase that stands for the pool, the way, and its window."""

    entrants: tuple[Entrant, ...]
    rotation: Phase | None = None
    way: VerificationWay = VerificationWay.ORGANIZER
    opens_at: datetime | None = None
    closes_at: datetime | None = None


def ranked(phase: Phase) -> list[Standing]:
    """Return the rows of the phase's board as organizers see it, in order, with their entrants."""
    rows = Standing.objects.filter(board__phase=phase, audience="current", view="")
    return list(
        rows.filter(entrant__state=EntrantState.ACCEPTED)
        .select_related("entrant__team", "evaluation")
        .order_by("position")
    )


def offered(rows: Sequence[Standing]) -> list[Standing]:
    """Return the rows that are proposed: the first three places of official entrants."""
    placed = [
        row for row in rows if row.place is not None and row.entrant.kind == EntrantKind.OFFICIAL
    ]
    return placed[:OFFERED]


def rotations_of(phase: Phase) -> list[Phase]:
    """Return the phases of the track whose clips were drawn, the phase itself included."""
    drawn = phase.track.phases.filter(clips=ClipSource.DRAWN, taken_draw__isnull=False)
    return list(drawn.order_by("position", "slug"))


def begin(
    *, actor: User | None, phase: Phase, held_out: HeldOutSet, wish: Wish, now: datetime
) -> Verification:
    """Begin a verification of what counts on the phase's board at this moment.

    Nobody but overseers knows of it. The recipe is the phase's live one with the set's references in
    place of its own. Refuses NotOrganizer and VerificationRefused. Raises ReferencesMissing, OSError.
    """
    require_organizer(actor, phase.track.competition)
    _require_wish(phase, held_out, wish)
    recipe = recipes.live_recipe(phase)
    rows = {row.entrant_id: row for row in ranked(phase)}
    if recipe is None or any(one.pk not in rows for one in wish.entrants):
        raise VerificationRefused(
            _("Only entrants with a score on the phase's board can be verified."),
            field="entrants",
        )
    digest = _digest(held_out, recipe)
    in_rotation = _counted(wish.rotation)
    with audit.audited():
        made = Verification.objects.create(
            phase=phase,
            held_out=held_out,
            rotation=wish.rotation,
            recipe=recipe,
            digest=digest,
            way=wish.way,
            opens_at=wish.opens_at,
            closes_at=wish.closes_at,
            begun_by=actor,
            begun_at=now,
        )
        for entrant in wish.entrants:
            _add(made, rows[entrant.pk], in_rotation.get(entrant.pk))
        _record(actor, made, wish, now)
    return made


def _require_wish(phase: Phase, held_out: HeldOutSet, wish: Wish) -> None:
    if held_out.track_id != phase.track_id:
        raise VerificationRefused(_("The set belongs to another track."), field="held_out")
    if not 1 <= len(set(wish.entrants)) <= MOST:
        raise VerificationRefused(_("Choose the entrants to verify."), field="entrants")
    if wish.rotation is not None and wish.rotation not in rotations_of(phase):
        raise VerificationRefused(
            _("The rotation's phase is one of this track whose clips were drawn."),
            field="rotation",
        )
    if wish.way != VerificationWay.RELEASED:
        if wish.opens_at is not None or wish.closes_at is not None:
            raise VerificationRefused(
                _("Only inputs that are released have a window."), field="opens_at"
            )
    elif wish.opens_at is None or wish.closes_at is None or wish.opens_at >= wish.closes_at:
        raise VerificationRefused(
            _("Say when the window opens and, after that, closes."), field="closes_at"
        )


def _digest(held_out: HeldOutSet, recipe: Recipe) -> str:
    """Return the digest of the recipe with the set's references, read under its own parameters."""
    track = registry.get(recipe.scorer)
    found = track.references(sets.read_bytes(held_out), recipe.read_params)
    return identity.digest(
        track=recipe.scorer,
        version=recipe.version,
        params=recipe.params,
        reference_sha256=found.sha256,
    )


def _counted(phase: Phase | None) -> dict[int, Evaluation]:
    found: dict[Any, Evaluation] = selection.counted(phase) if phase is not None else {}
    return {entrant.pk: one for entrant, one in found.items()}


def _add(made: Verification, row: Standing, rotation: Evaluation | None) -> None:
    VerifiedEntrant.objects.create(
        verification=made,
        entrant=row.entrant,
        evaluation=row.evaluation,
        rotation=rotation,
        place=row.place,
    )


def _record(actor: User | None, made: Verification, wish: Wish, now: datetime) -> None:
    audit.record(
        scope=made.phase.track.competition.audit_scope,
        kind="verification.begun",
        actor=actor,
        target=f"verification:{made.code}",
        payload={
            "phase": made.phase.code,
            "held_out": made.held_out.sha256,
            "digest": made.digest,
            "way": str(made.way),
            "entrants": sorted(one.code for one in wish.entrants),
            "rotation": wish.rotation.code if wish.rotation else None,
        },
        now=now,
    )
