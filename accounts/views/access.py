"""Pages for people who are logged in, and how a form survives a session that has ended."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, ParamSpec
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from accounts.models import User
from accounts.services import throttles

P = ParamSpec("P")
Page = Callable[Concatenate[HttpRequest, P], HttpResponse]

KEPT = "kept_form"
KEPT_LIMIT = 64 * 1024
NEVER_KEPT = ("password", "secret", "csrfmiddlewaretoken")


def signed_in(view: Page[P]) -> Page[P]:
    """Send people who are not logged in to the log-in page and back; what they typed is kept."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        return _to_login(request)

    return guarded


def person(request: HttpRequest) -> User:
    """Return who is logged in; only for views under `signed_in`."""
    if not isinstance(request.user, User):
        raise TypeError("The view lacks @signed_in.")
    return request.user


def viewer(request: HttpRequest) -> User | None:
    """Return who is logged in, or None."""
    return request.user if isinstance(request.user, User) else None


def remember_language(response: HttpResponse, language: str) -> None:
    """Let this browser show every page in the language from now on."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        samesite="Lax",
    )


def kept(request: HttpRequest) -> dict[str, str] | None:
    """Return, once, what was typed on this page when the session had ended."""
    stored = request.session.get(KEPT) if request.method == "GET" else None
    if not stored or stored["path"] != request.path:
        return None
    del request.session[KEPT]
    fields: dict[str, str] = stored["fields"]
    return fields


def spend_from(request: HttpRequest, name: str) -> None:
    """Count one act of the address that the request came from; raises Throttled beyond the limit."""
    throttles.spend(name=name, who=request.META.get("REMOTE_ADDR", ""), now=timezone.now())


def spend_by(request: HttpRequest, name: str) -> None:
    """Count one act of the person who is logged in; raises Throttled beyond the limit."""
    throttles.spend(name=name, who=person(request).code, now=timezone.now())


def back(request: HttpRequest, fallback: str) -> str:
    """Return the page of this site that the request came from, else the fallback."""
    referer = request.headers.get("referer", "")
    if referer and url_has_allowed_host_and_scheme(referer, {request.get_host()}):
        return urlsplit(referer).path
    return fallback


def confirmed(request: HttpRequest, word: str) -> bool:
    """Return whether the word that confirms the act was typed; if not, say so on the next page."""
    if request.POST.get("confirm", "").strip() == word:
        return True
    text = _("Type “%(word)s” exactly; nothing has changed.") % {"word": word}
    messages.error(request, text)
    return False


def session_ended(request: HttpRequest, status: int) -> HttpResponse:
    """Tell a page's script, in the page's own words, that it has to log in again or load anew.

    A redirect would lose the words: the script would follow it unseen.
    """
    context = {"page": back(request, request.path)}
    response = render(request, "partials/session_ended.html", context, status=status)
    response["X-Fragment"] = "session"
    return response


def _to_login(request: HttpRequest) -> HttpResponse:
    page = request.get_full_path()
    if request.method == "POST":
        page = back(request, request.path)
        _keep(request, page)
    if request.headers.get("X-Fragment"):
        return session_ended(request, HTTPStatus.UNAUTHORIZED)
    is_polled = bool(request.headers.get("HX-Request"))
    if request.method == "POST":
        messages.warning(
            request,
            _("Your session had ended. Log in and send the form again; what you typed is kept."),
        )
    elif is_polled:
        page = back(request, request.path)
        messages.warning(request, _("Your session had ended. Log in to go on."))
    response = redirect_to_login(page, resolve_url("accounts:login"))
    return HttpResponseClientRedirect(response.url) if is_polled else response


def _keep(request: HttpRequest, page: str) -> None:
    fields = {
        name: value
        for name, value in request.POST.items()
        if isinstance(value, str) and not any(word in name for word in NEVER_KEPT)
    }
    if sum(map(len, fields.values())) <= KEPT_LIMIT:
        request.session[KEPT] = {"path": page, "fields": fields}
