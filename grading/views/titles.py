"""Titles of a competition's own things in the reader's language."""

from __future__ import annotations

from typing import Any, Protocol

from django.utils.translation import get_language

from competition.texts import FALLBACK, Text, text_of


class Titled(Protocol):
    """Something with texts per language and a slug to fall back on."""

    texts: Any
    slug: Any


def title_of(thing: Titled) -> Text:
    """Return the title in the reader's language or the best substitute, else the slug."""
    language = get_language() or FALLBACK
    return text_of(thing, "title", language) or Text(str(thing.slug), FALLBACK)
