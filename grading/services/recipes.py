"""Which recipe a phase scores with."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from competition.models import Phase, Track
from competition.services import references as hidden
from grading.enums import RecipeRole
from grading.models import Board, Evaluation, PhaseRecipe, Recipe
from grading.scoring import recipe as identity
from grading.scoring import registry


def ensure_live(*, phase: Phase, now: datetime) -> Recipe:
    """Return the phase's live recipe; make it, and the phase's board, where they are missing.

    Until the first evaluation the live recipe follows the definition. Afterwards it stays what it
    is: a correction is a new recipe beside it, and a recorded switch.
    """
    live = live_recipe(phase)
    if live is not None and _is_used(phase, live):
        return live
    wanted = _recipe_of(phase, now)
    if live is not None and live.pk == wanted.pk:
        return live
    with transaction.atomic():
        Track.objects.select_for_update().get(pk=phase.track_id)
        live = live_recipe(phase)
        if live is not None and _is_used(phase, live):
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


def recipes_to_run(phase: Phase) -> list[Recipe]:
    """Return the recipes that an accepted submission is scored by: the live one first."""
    roles = [RecipeRole.LIVE, RecipeRole.CANDIDATE]
    bound = PhaseRecipe.objects.filter(phase=phase, role__in=roles).select_related("recipe")
    return [row.recipe for row in sorted(bound, key=lambda row: row.role != RecipeRole.LIVE)]


def is_live(*, phase_id: int, recipe_id: int) -> bool:
    """Return whether the phase's board is made with this recipe."""
    return PhaseRecipe.objects.filter(
        phase=phase_id, recipe=recipe_id, role=RecipeRole.LIVE
    ).exists()


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
    digest = identity.digest(
        track=track.name,
        version=track.version,
        params=canonical,
        reference_sha256=references.sha256,
    )
    return Recipe.objects.get_or_create(
        digest=digest,
        defaults={
            "track": phase.track,
            "scorer": track.name,
            "version": track.version,
            "params": canonical,
            "references": phase.references,
            "created_at": now,
        },
    )[0]


def _is_used(phase: Phase, recipe: Recipe) -> bool:
    return Evaluation.objects.filter(submission__phase=phase, recipe=recipe).exists()


def _retire(phase: Phase, now: datetime) -> None:
    PhaseRecipe.objects.filter(phase=phase, role=RecipeRole.LIVE).update(
        role=RecipeRole.RETIRED, since=now
    )
