"""The page that a browser without scripts is shown where the guard refuses a body: nobody's data is on it."""

from __future__ import annotations

from collections.abc import MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation.trans_real import parse_accept_lang_header

from grading.shown import filesize

Scope = MutableMapping[str, Any]


def asks_for_page(scope: Scope) -> bool:
    """Return whether a browser asks for a page: not the API's caller, nor a page's script."""
    is_api = scope["path"].startswith("/api/")
    return not is_api and "text/html" in _header(scope, b"accept")


def page_of(scope: Scope, limit: int) -> bytes:
    """Return the page, in the reader's language, about a body over `limit` bytes."""
    page = "/" + scope["path"].lstrip("/")
    context = {
        "limit": filesize(limit),
        "is_upload": "/submit/" in page,
        "page": page.removesuffix("check/"),
    }
    with translation.override(_language(scope)):
        return render_to_string("too_large.html", context).encode()


def _language(scope: Scope) -> str:
    wanted = parse_accept_lang_header(_header(scope, b"accept-language"))
    for code in [_chosen(scope), *(language for language, _weight in wanted)]:
        try:
            return translation.get_supported_language_variant(code)
        except LookupError:
            continue
    return settings.LANGUAGE_CODE


def _chosen(scope: Scope) -> str:
    """Return the language that the browser keeps in a cookie; empty without one."""
    try:
        cookies = SimpleCookie(_header(scope, b"cookie"))
    except CookieError:
        return ""
    name = settings.LANGUAGE_COOKIE_NAME
    return cookies[name].value if name in cookies else ""


def _header(scope: Scope, wanted: bytes) -> str:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == wanted), "")
