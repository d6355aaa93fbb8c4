"""Text of others, made safe to show and to store: on a page, in a terminal, in a database."""

from __future__ import annotations

import re

from grading.scoring.text.normalize import character_set

SHOWN_CHARACTERS = 80

# Everything without a shape of its own, and marks piled up past the second.
_UNSAFE = re.compile(
    f"[{character_set('C')}\\ud800-\\udfff]|(?! )[{character_set('Z')}]"
    f"|(?<=[{character_set('M')}]{{2}})[{character_set('M')}]"
)


def show(text: str, longest: int = SHOWN_CHARACTERS) -> str:
    """Return the text with controls, odd blanks, bidi marks and lone surrogates as `\\u202e`.

    At most `longest` characters of the text are shown, then `…`; the result is valid UTF-8 and
    holds no NUL. Plain blanks stay.

    >>> show("caf\\u0000é \\u202e\\ud800")
    'caf\\\\u0000é \\\\u202e\\\\ud800'
    """
    cut = text if len(text) <= longest else text[: longest - 1]
    if cut is text and text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(_escape, cut) + ("" if cut is text else "…")


def _escape(match: re.Match[str]) -> str:
    code = f"{ord(match[0]):04x}"
    return f"\\u{code}" if len(code) == len("ffff") else f"\\U{code:0>8}"
