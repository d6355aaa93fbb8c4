"""The status page: how the server does, for everybody."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from grading.services import status as state
from grading.services.canary import CanaryState


@never_cache
@require_safe
def status(request: HttpRequest) -> HttpResponse:
    """Show queue, workers and the last canary; the page asks for its changing part again by itself."""
    found = state.status(now=timezone.now())
    context = {
        "status": found,
        "heard": found.at - found.heard_at if found.heard_at else None,
        "canary_sent": found.at - found.canary.sent_at if found.canary.sent_at else None,
        "canary_says": _canary_words()[found.canary.state],
        "now": found.at,
    }
    template = "partials/status_live.html" if "live" in request.GET else "status.html"
    return render(request, f"grading/{template}", context)


def _canary_words() -> dict[CanaryState, str]:
    return {
        CanaryState.NONE: _("none has ended yet"),
        CanaryState.WELL: _("scored with the right digits"),
        CanaryState.LATE: _("no newer one has ended"),
        CanaryState.WRONG: _("scored with wrong digits"),
        CanaryState.FAILED: _("could not be scored"),
    }
