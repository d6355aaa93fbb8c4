"""What other machines ask: does this process live, can this installation do its work."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from grading.services.health import examine

READY_PARTS = ("database", "broker", "storage", "workers")


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200: this process takes requests."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when every part works, else 503; names parts only, `manage.py doctor` says more."""
    parts = {finding.part: finding.ok for finding in examine(now=timezone.now(), parts=READY_PARTS)}
    return JsonResponse(
        {"ready": all(parts.values()), **parts}, status=200 if all(parts.values()) else 503
    )
