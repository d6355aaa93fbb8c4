"""Every clip of an accepted submission, with the automatic screen, for its team and the organizers."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.views.access import person, signed_in
from grading import rules
from grading.views.clips_page import ClipFilter, ClipsPage
from grading.views.submissions import visible_submission
from grading.views.titles import title_of


@signed_in
@require_safe
def clip_list(request: HttpRequest, code: str) -> HttpResponse:
    """List the clips; none before acceptance, and of a submission of texts."""
    submission = visible_submission(request, code)
    context = {
        "page": ClipsPage(submission, ClipFilter.from_query(request.GET)),
        "submission": submission,
        "name": f"{submission.number:04d}",
        "competition": submission.phase.track.competition,
        "competition_title": title_of(submission.phase.track.competition),
        "is_mine": rules.is_member(person(request), submission),
    }
    return render(request, "grading/clips.html", context)
