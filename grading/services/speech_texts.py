"""The texts that the clips of a phase were to speak: for the judge and for people who rate."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from competition.services import references as hidden
from grading.models import Recipe
from grading.scoring import registry
from grading.scoring.tracks.nvv_references import NvvReferences

KEPT = 8


def of_recipe(recipe: Recipe) -> NvvReferences:
    """Return the checked texts of a recipe's references, with `ids`, `language_of` and `text_of`.

    Those read last are kept in this process. Raises ReferencesMissing and ReferencesUnreachable.
    """
    return _read(recipe.digest)


@lru_cache(maxsize=KEPT)
def _read(digest: str) -> NvvReferences:
    recipe = Recipe.objects.select_related("references").get(digest=digest)
    data = hidden.read_bytes(recipe.references)
    found: Any = registry.get(recipe.scorer).references(data, recipe.read_params)
    texts: NvvReferences = found
    return texts
