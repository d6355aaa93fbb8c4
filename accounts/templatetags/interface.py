"""Small pieces that every page is made of: icons, badges, notices, the way back, pages of a list."""

from __future__ import annotations

from typing import Any

from django import template
from django.core.paginator import Page
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

register = template.Library()

ICONS = {
    "check": "M2.5 8.5l3.5 4 7.5-9",
    "cross": "M3 3l10 10M13 3L3 13",
    "warn": "M8 2l6.5 12h-13zM8 6.5v3.5M8 11.6v.9",
    "freeze": "M8 1v14M2 4.5l12 7M14 4.5l-12 7",
    "info": "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M8 7v4.5M8 4.2v.9",
    "download": "M8 2v9M4 7.5L8 11.5 12 7.5M3 14h10",
    "upload": "M8 11V2M4 5.5L8 1.5 12 5.5M3 14h10",
    "clock": "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M8 4.5v4l2.5 1.5",
    "arrow": "M2 8h11M8.5 3.5L13 8l-4.5 4.5",
    "copy": "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
    "person": "M8 7.5a3 3 0 1 0 0-6a3 3 0 1 0 0 6M2.5 14.5c.5-6.5 10.5-6.5 11 0",
    "mail": "M1.5 3.5h13v9h-13zM1.5 4l6.5 5 6.5-5",
    "lock": "M3.5 7.5h9v7h-9zM5.5 7v-2.5a2.5 2.5 0 0 1 5 0v2.5",
    "minus": "M3 8h10",
}
"""Icon name -> the path drawn in a box of 16 by 16."""

NOTICE_ICONS = {"": "info", "ok": "check", "warn": "warn", "bad": "cross"}
BADGE_ICONS = {"ok": "check", "warn": "warn", "bad": "cross"}


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return the drawing of an icon; it is decoration, a word stands beside it."""
    return format_html(
        '<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="{}"/></svg>', ICONS[name]
    )


@register.simple_tag
def badge(text: object, kind: str = "") -> SafeString:
    """Return a badge: a word, with an icon where the kind (`ok`, `warn`, `bad`) has one."""
    drawing = icon(BADGE_ICONS[kind]) if kind in BADGE_ICONS else ""
    return format_html('<span class="badge {}">{}{}</span>', kind, drawing, text)


@register.inclusion_tag("partials/notice.html")
def notice(text: object, kind: str = "", strong: object = "", live: bool = False) -> dict[str, Any]:
    """Show one sentence in a frame; `kind` is empty, `ok`, `warn` or `bad`."""
    return {
        "text": text,
        "kind": kind,
        "strong": strong,
        "live": live,
        "icon_name": NOTICE_ICONS[kind],
    }


@register.filter
def notice_kind(level_tag: str) -> str:
    """Return the notice's kind for the level of a Django message."""
    return {"success": "ok", "warning": "warn", "error": "bad"}.get(level_tag, "")


@register.simple_tag(takes_context=True)
def current(context: template.Context, *prefixes: str) -> SafeString:
    """Return `aria-current` when the page's path starts with one of the prefixes; `=/x/` is exact."""
    request: HttpRequest | None = context.get("request")
    path = request.path if request else ""
    found = any(
        path == prefix[1:] if prefix.startswith("=") else path.startswith(prefix)
        for prefix in prefixes
    )
    return SafeString(' aria-current="page"' if found else "")


@register.inclusion_tag("partials/pages.html", takes_context=True)
def pages(context: template.Context, page: Page[Any], name: str = "page") -> dict[str, Any]:
    """Show the way to the neighboring pages of a list; the other parameters of the query stay."""
    query = context["request"].GET.copy()
    for own in (name, "live"):  # "live" marks a refresh in place, not something a reader chose
        query.pop(own, None)
    rest = query.urlencode()
    return {"page": page, "prefix": f"?{rest}&{name}=" if rest else f"?{name}="}


@register.inclusion_tag("partials/empty.html")
def empty(what: object, then: object = "", url: str = "", action: object = "") -> dict[str, Any]:
    """Show that a list has no rows yet, and what to do next."""
    return {"what": what, "then": then, "url": url, "action": action}


@register.filter
def language_name(code: str) -> str:
    """Return a language's name as its own speakers write it."""
    names = {"en": "English", "zh-hans": "简体中文", "zh-hant": "繁體中文", "zh": "中文"}
    return names.get(code.lower(), code)


@register.filter
def percent(share: float | str) -> str:
    """Return a share of 0 to 1 as a percentage without needless zeros: `0.7` is `70 %`."""
    return _("%(number)s %%") % {"number": f"{100 * float(share):.4g}"}
