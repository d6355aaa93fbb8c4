"""Which recipe a phase scores with."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from competition.models import Phase, ReferenceVersion, Track
from competition.services import references as hidden
from grading.enums import RecipeRole
from grading.models import Board, Evaluation, PhaseRecipe, Recipe
from grading.scoring import recipe as identity
from grading.scoring import registry


def ensure_live(*, phase: Phase, now: datetime) -> Recipe:
    """Return the phase's live recipe; make it, and the phase's board, where they are missing.

    Until the phase's first evaluation the live recipe follows the definition. Afterwards it stays
    what it is: a correction is a new recipe beside it, and a recorded switch.
    """
    live = live_recipe(phase)
    if live is not None and is_used(phase):
        return live
    wanted = _recipe_of(phase, now)
    if live is not None and live.pk == wanted.pk:
        return live
    with transaction.atomic():
        Track.objects.select_for_update().get(pk=phase.track_id)
        live = live_recipe(phase)
        if live is not None and is_used(phase):
            return live
        _retire(phase, now)
        PhaseRecipe.objects.update_or_create(
            phase=phase, recipe=wanted, defaults={"role": RecipeRole.LIVE, "since": now}
        )
        Board.objects.get_or_create(phase=phase)
    return wanted


def live_recipe(phase: Phase) -> Recipe | None:
    """Return the recipe that the phase's board is made with, None before it has one."""
    return Recipe.objects.filter(phases__phase=phase, phases__role=RecipeRole.LIVE).first()


def candidate_recipe(phase: Phase) -> Recipe | None:
    """Return the recipe that is proposed in place of the live one, None without a proposal."""
    return Recipe.objects.filter(phases__phase=phase, phases__role=RecipeRole.CANDIDATE).first()


def params_of(phase: Phase) -> Mapping[str, Any]:
    """Return the parameters that files of the phase are read with: the live recipe's."""
    live = live_recipe(phase)
    params: Mapping[str, Any] = live.params if live is not None else phase.track.params
    return params


def recipes_to_run(phase: Phase) -> list[tuple[Recipe, RecipeRole]]:
    """Return the recipes that an accepted submission is scored by: the live one first."""
    roles = [RecipeRole.LIVE, RecipeRole.CANDIDATE]
    bound = PhaseRecipe.objects.filter(phase=phase, role__in=roles).select_related("recipe")
    rows = sorted(bound, key=lambda row: row.role != RecipeRole.LIVE)
    return [(row.recipe, RecipeRole(row.role)) for row in rows]


def lock_role(*, phase_id: int, recipe_id: int) -> RecipeRole | None:
    """Return the recipe's role in the phase, held until the transaction ends; None without one.

    Who finishes an evaluation holds it, so that no score falls between a board and a switch. It
    stands after Evaluation and before Board in the order of locks.
    """
    row = PhaseRecipe.objects.select_for_update().filter(phase=phase_id, recipe=recipe_id).first()
    return RecipeRole(row.role) if row is not None else None


def is_used(phase: Phase) -> bool:
    """Return whether anything of the phase was evaluated: its recipe changes by a switch only."""
    return Evaluation.objects.filter(submission__phase=phase).exists()


def keep(
    *,
    track_row: Track,
    version: ReferenceVersion,
    params: Mapping[str, Any],
    reference_sha256: str,
    now: datetime,
) -> Recipe:
    """Return the recipe of canonical parameters and references under the scorer that runs here.

    `reference_sha256` is the track's own hash of what the references say, not of the file.
    """
    track = registry.get(track_row.kind)
    digest = identity.digest(
        track=track.name, version=track.version, params=params, reference_sha256=reference_sha256
    )
    return Recipe.objects.get_or_create(
        digest=digest,
        defaults={
            "track": track_row,
            "scorer": track.name,
            "version": track.version,
            "params": dict(params),
            "references": version,
            "created_at": now,
        },
    )[0]


def _recipe_of(phase: Phase, now: datetime) -> Recipe:
    """Return the recipe that the definition asks for; the references are read for a new one only."""
    track = registry.get(phase.track.kind)
    params = track.params(phase.track.params)
    canonical = track.params_json(params)
    alike = Recipe.objects.filter(
        references=phase.references, scorer=track.name, version=track.version
    )
    for recipe in alike:
        if recipe.params == canonical:
            return recipe
    references = track.references(hidden.read_bytes(phase.references), params)
    return keep(
        track_row=phase.track,
        version=phase.references,
        params=canonical,
        reference_sha256=references.sha256,
        now=now,
    )


def _retire(phase: Phase, now: datetime) -> None:
    PhaseRecipe.objects.filter(phase=phase, role=RecipeRole.LIVE).update(
        role=RecipeRole.RETIRED, since=now
    )
