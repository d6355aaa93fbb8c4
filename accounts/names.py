"""Names that people give to teams and themselves: what may stand in one, and when two look alike.

Pure. The table of look-alikes is ours: letters of the Cyrillic and Greek scripts, and a few others,
that most fonts draw like a Latin letter or a digit.
"""

from __future__ import annotations

import hashlib
import unicodedata
from typing import Final

KEY_LENGTH: Final = 200
MARKS_IN_A_ROW: Final = 4

BLANKS: Final = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u034f") | frozenset(
    chr(point)
    for first, last in ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
    for point in range(first, last + 1)
)
"""Characters of other classes than control and format that show as nothing."""

_PAIRS: Final = (
    # Cyrillic
    "аa вb еe ёe кk мm нh оo рp сc тt уy хx ѕs іi їi јj ԛq ԝw һh ԁd ьb бb зe гr пn ӏl ӀI"
    # Greek
    " αa βb εe ζz ηn ιi κk μm νv οo ρp τt υy χx γy σo ςc ωw"
    # Other letters and signs
    " ıi ɑa ɡg ʟl ⅼl ǀl ∣l օo սu հh ոn յj ցg զq"
)

_FOLDS: Final = {ord(pair[0]): pair[1].lower() for pair in _PAIRS.split()} | {
    ord(sign): letter for sign, letter in zip("01|i!", "ollll", strict=True)
}


class NameFault(ValueError):
    """A name that cannot be taken: `code` is EMPTY, TOO_LONG, FORBIDDEN or MARKS; `found` a code point."""

    def __init__(self, code: str, found: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.found = found


def clean_name(text: str, *, limit: int) -> str:
    """Return the name in NFC with single spaces; raises NameFault.

    Refused: control, format (bidi, zero-width), private and unassigned characters, lone surrogates,
    characters that show as nothing, long stacks of marks; also an empty name and one over `limit`.
    Line breaks and tabs count as spaces.
    """
    for character in text:
        if _is_forbidden(character):
            raise NameFault("FORBIDDEN", f"U+{ord(character):04X}")
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not any(unicodedata.category(character)[0] in "LNPS" for character in name):
        raise NameFault("EMPTY")
    if len(name) > limit:
        raise NameFault("TOO_LONG")
    if _has_stacked_marks(name):
        raise NameFault("MARKS")
    return name


def fold(name: str) -> str:
    """Return the key under which names that look alike collide; at most 200 characters.

    NFKC, case folded, look-alikes of Latin letters and digits mapped, spaces dropped,
    `rn` read as `m` and `vv` as `w`.
    """
    text = unicodedata.normalize("NFKC", name).casefold()
    text = unicodedata.normalize("NFKC", text).translate(_FOLDS)
    key = "".join(text.split()).replace("rn", "m").replace("vv", "w")
    if len(key) <= KEY_LENGTH:
        return key
    return key[:128] + "#" + hashlib.sha256(key.encode()).hexdigest()[:64]


def _is_forbidden(character: str) -> bool:
    if character in "\t\n\r":
        return False
    category = unicodedata.category(character)
    return category in {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"} or character in BLANKS


def _has_stacked_marks(name: str) -> bool:
    run = 0
    for character in name:
        run = run + 1 if unicodedata.category(character) in {"Mn", "Me"} else 0
        if run > MARKS_IN_A_ROW:
            return True
    return False
