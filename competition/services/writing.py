"""Texts of several lines that people write: kept as typed, without what cannot be seen."""

from __future__ import annotations

import unicodedata

from django.utils.translation import gettext as _

from competition.services.errors import TextInvalid

LINE_ENDS = "\n\t"
SIGN = "\N{REPLACEMENT CHARACTER}"


def accepted_text(text: str, *, limit: int, field: str) -> str:
    """Return the text as it is kept; raises TextInvalid when empty, too long or with hidden characters."""
    kept = _trimmed(text)
    if not any(unicodedata.category(character)[0] in "LNPS" for character in kept):
        raise TextInvalid(_("Write at least a word."), field=field)
    if len(kept) > limit:
        raise TextInvalid(
            _("This is too long: at most %(limit)s characters.") % {"limit": limit}, field=field
        )
    hidden = next((character for character in kept if _is_hidden(character)), None)
    if hidden is not None:
        raise TextInvalid(
            _("The character %(found)s cannot be used: it is invisible or controls the text.")
            % {"found": f"U+{ord(hidden):04X}"},
            field=field,
        )
    return kept


def visible_text(text: str) -> str:
    """Return the text as it is kept, a sign in place of each character that cannot be seen.

    For what must not be refused over a character, as a comment that comes with an answer.

    >>> visible_text(" a\\r\\nb\\u202e ")
    'a\\nb�'
    """
    return "".join(SIGN if _is_hidden(character) else character for character in _trimmed(text))


def _trimmed(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _is_hidden(character: str) -> bool:
    if character in LINE_ENDS:
        return False
    return unicodedata.category(character) in {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
