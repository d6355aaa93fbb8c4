"""The console's datasets: which clips are in which pool, what each has been through, and moves of pools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.forms.refusals import refusals_on
from competition.enums import Pool
from competition.models import Competition, DatasetClip, DatasetVersion, PoolMove
from competition.services import pools
from grading.dataset_forms import MoveForm
from grading.services import clip_exposure
from grading.services.clip_exposure import ClipSeen
from grading.views.lookups import Console, acts_in_console, in_console

PER_PAGE = 100
MOVES_SHOWN = 100


@dataclass(frozen=True, slots=True)
class PoolCount:
    """How many clips of a version are in a pool."""

    pool: Pool
    count: int


@dataclass(frozen=True, slots=True)
class ClipsPage:
    """Clips of a version as an overseer sees them: an auditor is told how many are held out, not which."""

    version: DatasetVersion
    page: Page[DatasetClip]
    pools: list[PoolCount]
    chosen: dict[str, str]

    @property
    def rows(self) -> list[ClipSeen]:
        """The clips of the page with what each has been through."""
        return clip_exposure.of_clips(self.version.dataset.competition, list(self.page.object_list))


@in_console
@require_safe
def dataset_list(request: HttpRequest, place: Console) -> HttpResponse:
    """List the versions of every dataset with the pools of their clips, and the newest moves of pools."""
    versions = list(
        DatasetVersion.objects.visible_to(place.user)
        .filter(dataset__competition=place.competition)
        .select_related("dataset", "loaded_by")
        .order_by("dataset__slug", "-number")
    )
    counts = _counts(versions)
    context = {
        "place": place,
        "competition": place.competition,
        "versions": [(one, counts[one.pk]) for one in versions],
        "moves": _moves(place),
    }
    return render(request, "grading/console_datasets.html", context)


@in_console
@require_safe
def dataset_clips(request: HttpRequest, place: Console, dataset: str, number: int) -> HttpResponse:
    """Show the clips of a version: pool, draws, how many entrants have each."""
    shown = _shown(request, place, _version(place, dataset, number))
    form = MoveForm(clips=list(shown.page.object_list)) if place.may_act else None
    return _show(request, place, shown, form)


@acts_in_console
@require_POST
def clips_move(request: HttpRequest, place: Console, dataset: str, number: int) -> HttpResponse:
    """Move ticked clips to another pool, with the reason."""
    version = _version(place, dataset, number)
    shown = _shown(request, place, version)
    form = MoveForm(request.POST, clips=list(version.clips.select_related("audio")))
    if form.is_valid():
        with refusals_on(form):
            moved = pools.move(
                actor=place.user,
                competition=place.competition,
                audio=[clip.audio for clip in form.chosen],
                new=Pool(form.cleaned_data["pool"]),
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
            told = ngettext(
                "%(count)s clip was moved; the rest were there already.",
                "%(count)s clips were moved; the rest were there already.",
                moved,
            )
            messages.success(request, told % {"count": moved})
            return redirect("grading:dataset-clips", place.competition.slug, dataset, number)
    return _show(request, place, shown, form)


def _show(
    request: HttpRequest, place: Console, shown: ClipsPage, form: MoveForm | None
) -> HttpResponse:
    context = {
        "place": place,
        "competition": place.competition,
        "shown": shown,
        "form": form,
        "choices": Pool.choices,
    }
    return render(request, "grading/console_clips.html", context)


def _version(place: Console, dataset: str, number: int) -> DatasetVersion:
    rows = DatasetVersion.objects.visible_to(place.user).select_related("dataset__competition")
    found: DatasetVersion = get_object_or_404(
        rows, dataset__competition=place.competition, dataset__slug=dataset, number=number
    )
    return found


def _shown(request: HttpRequest, place: Console, version: DatasetVersion) -> ClipsPage:
    chosen = {name: request.GET.get(name, "").strip()[:200] for name in ("pool", "q")}
    found = version.clips.select_related("audio").order_by("utt_id")
    if not place.may_act:
        found = found.exclude(audio__pool=Pool.HELD_OUT)
    if chosen["pool"] in Pool.values:
        found = found.filter(audio__pool=chosen["pool"])
    if chosen["q"]:
        found = found.filter(utt_id__icontains=chosen["q"])
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    return ClipsPage(version, page, _counts([version])[version.pk], chosen)


def _counts(versions: list[DatasetVersion]) -> dict[int, list[PoolCount]]:
    rows = DatasetClip.objects.filter(version__in=versions)
    found: dict[int, list[PoolCount]] = {one.pk: [] for one in versions}
    counted = rows.values_list("version_id", "audio__pool").annotate(n=Count("pk"))
    for version, pool, count in counted.order_by("version_id", "audio__pool"):
        found[version].append(PoolCount(Pool(pool), count))
    return found


def _moves(place: Console) -> list[tuple[PoolMove, str]]:
    """Return the newest moves, each with the id of its clip; of what is held out now no auditor reads the id."""
    rows: QuerySet[Any] = PoolMove.objects.filter(
        audio__clips__version__dataset__competition=place.competition
    ).distinct()
    moves = list(rows.select_related("audio", "actor").order_by("-at", "-pk")[:MOVES_SHOWN])
    names = _names(place.competition, [move.audio_id for move in moves])
    return [
        (
            move,
            "" if not place.may_act and move.audio.pool == Pool.HELD_OUT else names[move.audio_id],
        )
        for move in moves
    ]


def _names(competition: Competition, audio: list[int]) -> dict[int, str]:
    clips = DatasetClip.objects.filter(version__dataset__competition=competition, audio__in=audio)
    return dict(clips.order_by("version_id").values_list("audio_id", "utt_id"))
