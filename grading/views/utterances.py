"""A submission utterance by utterance, with the alignment drawn: for organizers alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from grading import queries
from grading.models import Evaluation
from grading.scoring.tracks.nvv_t2_marks import DIMENSIONS
from grading.services import inspection
from grading.views.lookups import Console, acts_in_console

PER_PAGE = 50
PLACE = ("utt_id", "language")
Order = Callable[[dict[str, Any]], Any]
ORDERS: dict[str, Order] = {
    "": lambda row: row["utt_id"],
    "errors": lambda row: (-(row["fp"] + row["fn"]), row["utt_id"]),
    "edits": lambda row: (-row["edits"], row["utt_id"]),
}
MARK_ORDERS: dict[str, Order] = {
    "": lambda row: row["utt_id"],
    **{name: lambda row, name=name: (row[name], row["utt_id"]) for name in DIMENSIONS},  # type: ignore[misc]
}


@acts_in_console
@require_safe
def utterance_list(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """List the tallies of every utterance; `?utt=` draws the alignment of one, where there is any."""
    evaluation = _evaluation(place, code)
    try:
        rows = inspection.utterance_rows(actor=place.user, evaluation=evaluation)
        chosen = _chosen(request, place, evaluation)
    except inspection.NothingToInspect as refusal:
        raise Http404(refusal.message) from refusal
    first = rows[0] if rows else {}
    is_marked, is_tagged = set(DIMENSIONS) <= set(first), "ntd" in first
    orders = MARK_ORDERS if is_marked else _orders(first)
    order, text = request.GET.get("order", ""), request.GET.get("q", "").strip()
    found = [row for row in rows if text.casefold() in row["utt_id"].casefold()]
    found.sort(key=orders.get(order, orders[""]))
    context = {
        "place": place,
        "competition": place.competition,
        "submission": evaluation.submission,
        "recipe": evaluation.recipe,
        "page": Paginator(found, PER_PAGE).get_page(request.GET.get("page")),
        "chosen": chosen,
        "order": order,
        "orders": DIMENSIONS if is_marked else (),
        "kept_orders": orders,
        "is_marked": is_marked,
        "is_tagged": is_tagged,
        "heads": [name for name in first if name not in PLACE],
        "text": text,
    }
    return render(request, "grading/console_utterances.html", context)


def _orders(row: Mapping[str, Any]) -> dict[str, Order]:
    """Return the orders for which rows like this one have the numbers."""
    needed = {"errors": {"fp", "fn"}, "edits": {"edits"}}
    return {name: by for name, by in ORDERS.items() if needed.get(name, set()) <= set(row)}


def _evaluation(place: Console, code: str) -> Evaluation:
    submissions = queries.submission_detail(place.user)
    submission = get_object_or_404(
        submissions, phase__track__competition=place.competition, code=code
    )
    evaluation = queries.live_evaluation(submission)
    if evaluation is None:
        raise Http404
    evaluation.submission = submission
    return evaluation


def _chosen(
    request: HttpRequest, place: Console, evaluation: Evaluation
) -> inspection.Inspected | None:
    utt_id = request.GET.get("utt", "")
    if not utt_id:
        return None
    return inspection.inspect_utterance(actor=place.user, evaluation=evaluation, utt_id=utt_id)
