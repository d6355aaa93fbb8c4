"""Headers that every answer carries: a content security policy without inline code, and permissions."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from competition.bucket import public_origin

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "media-src 'self' blob:; connect-src {connect}; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


def policy() -> str:
    """Return the policy; scripts may send to the bucket that uploads lie in, and nowhere else."""
    return POLICY.format(connect=f"'self' {public_origin()}".strip())


class SecurityHeadersMiddleware:
    """Adds the policy to every answer that does not bring its own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", policy())
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        return response
