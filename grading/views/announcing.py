"""The console's news: write in each language, look at it, publish it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.forms.refusals import refusals_on
from competition.models import Announcement
from competition.services import announcing
from competition.texts import Text
from grading.console_forms import AnnouncementForm
from grading.services import correspondence, notices
from grading.views.lookups import Console, acts_in_console, in_console

PER_PAGE = 20


@in_console
@require_safe
def announcement_list(request: HttpRequest, place: Console) -> HttpResponse:
    """List the news of the competition, newest first."""
    news = Announcement.objects.filter(competition=place.competition)
    context = _context(place) | {
        "page": Paginator(news, PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "grading/console_announcements.html", context)


@acts_in_console
def announcement_create(request: HttpRequest, place: Console) -> HttpResponse:
    """Write news; the first button shows it as it will look, the second publishes and mails it."""
    languages = [code for code, _name in settings.LANGUAGES]
    form = AnnouncementForm(request.POST or None, languages=languages)
    preview: list[tuple[Text, Text]] = []
    if form.is_valid():
        with refusals_on(form):
            if request.POST.get("act") == "publish":
                correspondence.announce(
                    actor=place.user,
                    competition=place.competition,
                    texts=form.texts,
                    now=timezone.now(),
                )
                messages.success(request, _("The news is published and goes out by mail."))
                return redirect("grading:console-announcements", place.competition.slug)
            preview = [
                (Text(given["title"], code), Text(given["body"], code))
                for code, given in announcing.checked(form.texts).items()
            ]
    context = _context(place) | {
        "form": form,
        "preview": preview,
        "readers": notices.participants(place.competition).count(),
    }
    return render(request, "grading/console_announce.html", context)


def _context(place: Console) -> dict[str, Any]:
    return {"place": place, "competition": place.competition}
