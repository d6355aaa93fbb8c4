"""The languages of a competition as parameters of a track: codes, sorted, no two alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grading.scoring.tracks.nvv_t2_judge_reader import Fields

DEFAULT_LANGUAGES = ("en",)
MOST_LANGUAGES = 64
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,4})?")
_LONGEST = 8


def read_languages(fields: Fields, given: object, default: tuple[str, ...]) -> tuple[str, ...]:
    """Return language codes of at most 8 characters, sorted; `default` where none are given."""
    if given is None:
        return default
    known = given if isinstance(given, list | tuple) else []
    if not 1 <= len(known) <= MOST_LANGUAGES or not all(map(_is_language, known)):
        fields.fault("languages", f"must be a list of 1 to {MOST_LANGUAGES} codes such as en")
        return default
    if len(set(known)) < len(known):
        fields.fault("languages", "holds a language twice")
    return tuple(sorted(set(known)))


def _is_language(code: object) -> bool:
    is_short = isinstance(code, str) and len(code) <= _LONGEST
    return is_short and bool(_LANGUAGE.fullmatch(str(code)))
