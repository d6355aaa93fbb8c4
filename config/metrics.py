"""`/metrics` for Prometheus: for this machine itself, and for whoever has the token."""

from __future__ import annotations

from ipaddress import ip_address

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.latency import LATENCIES
from grading.services import measures

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
FORWARDING = ("X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via")


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer with every measure; 404 to whoever may not know that it is there."""
    if not _may_read(request):
        raise Http404
    found = [*measures.measures(now=timezone.now()), LATENCIES.measure()]
    return HttpResponse(measures.rendered(found), content_type=CONTENT_TYPE)


def _may_read(request: HttpRequest) -> bool:
    """Return whether the request has the token, or is this machine's own and came by no proxy."""
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if settings.METRICS_TOKEN and given:
        return constant_time_compare(given, settings.METRICS_TOKEN)
    came_by_proxy = any(request.headers.get(name) for name in FORWARDING)
    return not settings.METRICS_TOKEN and not came_by_proxy and _is_local(request)


def _is_local(request: HttpRequest) -> bool:
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
