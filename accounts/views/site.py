"""Pages about the site itself: privacy, and the demo's outbox."""

from __future__ import annotations

from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.outbox import read_outbox

MAILS_PER_PAGE = 20


def privacy(request: HttpRequest) -> HttpResponse:
    """Say what is stored about people, for how long, and who sees it."""
    return render(request, "accounts/privacy.html")


def outbox(request: HttpRequest) -> HttpResponse:
    """Show the mails of the demo; there is no such page anywhere else."""
    if not settings.OUTBOX:
        raise Http404
    mails = Paginator(read_outbox(settings.VAR_DIR / "outbox"), MAILS_PER_PAGE)
    page = mails.get_page(request.GET.get("page"))
    return render(request, "accounts/outbox.html", {"page": page})
