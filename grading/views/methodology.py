"""The methodology page: what the running code does, beside what it produced in this edition."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db.models import Count, F, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from competition.models import Phase, Track
from grading import scoring_bundle
from grading.enums import EvaluationState, RecipeRole
from grading.models import PhaseRecipe
from grading.scoring import __version__, registry
from grading.scoring.tracks.base import Section
from grading.sentences import phrase
from grading.views.lookups import track_of
from grading.views.titles import title_of

ZIP_TYPE = "application/zip"


@dataclass(frozen=True, slots=True)
class Produced:
    """What the live recipe of one phase has produced so far."""

    phase: Phase
    bound: PhaseRecipe | None
    scored: int

    @property
    def utterances(self) -> list[tuple[str, int]]:
        """How many utterances each language has."""
        return sorted(self.phase.references.counts.items())


@dataclass(frozen=True, slots=True)
class Bundle:
    """The participants' scorer as a download."""

    version: str
    name: str
    data: bytes
    sha256: str
    url: str

    @property
    def size(self) -> int:
        """The size in bytes."""
        return len(self.data)


@require_safe
def methodology(request: HttpRequest, slug: str, track: str) -> HttpResponse:
    """Explain a track's score from the code that computes it."""
    found = track_of(request, slug, track)
    scorer_of = registry.get(found.kind)
    params = scorer_of.params(found.params)
    told = scorer_of.params_json(params)
    is_labeled = "labels" in told
    context = {
        "track": found,
        "track_title": title_of(found),
        "competition": found.competition,
        "scorer": scorer_of,
        "is_marked": scorer_of.is_marked(params),
        "params": told,
        "is_labeled": is_labeled,
        "settings": [] if is_labeled else _settings(told),
        "sections": [_section(section) for section in scorer_of.methodology(params)],
        "phases": produced_by(found),
        "bundle": _bundle(),
    }
    return render(request, "grading/methodology.html", context)


@require_safe
def scorer(request: HttpRequest, version: str) -> HttpResponse:
    """Give the participants' scorer: the same bytes for the same code."""
    bundle = _bundle()
    if version != bundle.version:
        raise Http404
    response = HttpResponse(bundle.data, content_type=ZIP_TYPE)
    response["Content-Disposition"] = f'attachment; filename="{bundle.name}"'
    response["ETag"] = f'"{bundle.sha256}"'
    return response


def produced_by(track: Track) -> list[Produced]:
    """Return each phase with its live recipe and the number of scored submissions."""
    phases = Phase.objects.filter(track=track).select_related("references")
    bound = {
        row.phase_id: row
        for row in PhaseRecipe.objects.filter(phase__track=track, role=RecipeRole.LIVE)
        .select_related("recipe__references")
        .annotate(
            scored=Count(
                "recipe__evaluations",
                filter=Q(
                    recipe__evaluations__state=EvaluationState.SCORED,
                    recipe__evaluations__submission__phase=F("phase"),
                ),
            )
        )
    }
    return [
        Produced(phase, bound.get(phase.pk), getattr(bound.get(phase.pk), "scored", 0))
        for phase in phases
    ]


def _section(section: Section) -> dict[str, Any]:
    title = phrase(section.title)
    return {
        "title": title,
        "paragraphs": [phrase(text) for text in section.paragraphs],
        "formula": section.formula,
        "examples": section.examples,
    }


def _settings(params: Mapping[str, Any], path: str = "") -> list[tuple[str, str]]:
    """Return every setting with its path, `scales.mos`, and its value as it would be written.

    The settings of a group that has no groups within stand in one line: `lowest 1, highest 5`.
    """
    found: list[tuple[str, str]] = []
    for name, value in params.items():
        if value in (None, "", [], {}):
            continue
        if isinstance(value, Mapping) and any(isinstance(one, Mapping) for one in value.values()):
            found += _settings(value, f"{path}{name}.")
        else:
            found.append((f"{path}{name}", _written(value)))
    return found


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        told = ((name, one) for name, one in value.items() if one not in (None, "", [], {}))
        return ", ".join(f"{name} {_written(one)}" for name, one in told)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False).strip('"')


@cache
def _bundle() -> Bundle:
    """Return the bundle of the running code, made once."""
    data = scoring_bundle.build_scorer()
    url = reverse("grading:scorer-download", args=[__version__])
    digest = hashlib.sha256(data).hexdigest()
    return Bundle(__version__, scoring_bundle.file_name(), data, digest, url)
