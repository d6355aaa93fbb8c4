"""Names of the languages that utterances are in, from the Unicode Consortium's tables (CLDR, by Babel)."""

from __future__ import annotations

from functools import lru_cache

from babel import Locale, UnknownLocaleError
from django.utils.translation import get_language, pgettext

FALLBACK = "en"


def language_named(code: str) -> str:
    """Return the name of a language in the reader's own; the code itself where it has no name."""
    names = {
        "en": pgettext("a spoken language", "English"),
        "zh": pgettext("a spoken language", "Mandarin"),
    }
    return names.get(code) or _known(code, get_language() or FALLBACK) or code


@lru_cache(maxsize=1024)
def _known(code: str, reader: str) -> str:
    """Return the name that the tables have, empty without one."""
    locale = Locale.parse(reader, sep="-")
    named = locale.languages.get(code)
    if named is None:
        try:
            named = Locale.parse(code, sep="-").get_display_name(locale)
        except (UnknownLocaleError, ValueError):
            named = None
    return named or ""
