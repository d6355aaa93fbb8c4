"""A person's own data as a file."""

from __future__ import annotations

import json

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.views.access import person, signed_in, spend_by
from grading.services import own_data
from grading.views.exports import attached


@require_POST
@signed_in
def own_data_take(request: HttpRequest) -> HttpResponse:
    """Give what the server holds about the person who is logged in, as one JSON file."""
    spend_by(request, "own-data")
    found = own_data.collect(actor=person(request), now=timezone.now())
    text = json.dumps(found, ensure_ascii=False, indent=1) + "\n"
    response = attached(
        HttpResponse(text, content_type="application/json; charset=utf-8"),
        f"plaudit-{found['account']['code']}.json",
    )
    response["Cache-Control"] = "no-store"
    return response
