"""Numbers as Tamil words, counted in lakhs and crores.

The words are those of written Tamil: tens stand apart from their units (இருபத்து ஒன்று).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from grading.scoring.normalizers import chinese_numbers

_UNITS = [
    "பூஜ்ஜியம்",
    "ஒன்று",
    "இரண்டு",
    "மூன்று",
    "நான்கு",
    "ஐந்து",
    "ஆறு",
    "ஏழு",
    "எட்டு",
    "ஒன்பது",
    "பத்து",
    "பதினொன்று",
    "பன்னிரண்டு",
    "பதிமூன்று",
    "பதினான்கு",
    "பதினைந்து",
    "பதினாறு",
    "பதினேழு",
    "பதினெட்டு",
    "பத்தொன்பது",
]
_TENS = ["இருபது", "முப்பது", "நாற்பது", "ஐம்பது", "அறுபது", "எழுபது", "எண்பது", "தொண்ணூறு"]
_HUNDREDS = [
    "நூறு",
    "இருநூறு",
    "முந்நூறு",
    "நானூறு",
    "ஐநூறு",
    "அறுநூறு",
    "எழுநூறு",
    "எண்ணூறு",
    "தொள்ளாயிரம்",
]
_THOUSAND, _LAKH, _CRORE, _ONE, _POINT = "ஆயிரம்", "லட்சம்", "கோடி", "ஒரு", "புள்ளி"
_FIVE_THOUSAND = "ஐயாயிரம்"
_VOWEL_U, _LONG_A = "\u0bc1", "\u0bbe"
# Endings before a smaller number.
_OBLIQUE = (("பது", "பத்து"), ("நூறு", "நூற்று"), ("ணூறு", "ணூற்று"), ("னூறு", "னூற்று"), ("ம்", "த்து"))

_TEN, _HUNDRED = 10, 100
_LONGEST = 15  # digits of a number that is read as one; a longer one is read digit by digit
_SHORT = 32  # characters of a numeral that is worth remembering

_DIGITS = str.maketrans("௦௧௨௩௪௫௬௭௮௯", "0123456789")
_has_tamil_digit = re.compile("[௦-௯]").search
_OLD_SCALES = str.maketrans("௰௱௲", "十百千")
_OLD = re.compile("[0-9௰௱௲][0-9௰௱௲]*+")
_OLD_UNIT = re.compile("(?<=[百千])([1-9])(?![0-9十百千])")
_has_old = re.compile("[௰௱௲]").search
_has_digit = re.compile("[0-9]").search
_NUMBER = re.compile(r"(?<![0-9.])[0-9]++\.[0-9]++(?!\.[0-9])|[0-9]++")


def western_digits(text: str) -> str:
    """Return the text with Tamil digits as those of ASCII.

    >>> western_digits("௧௦ 5")
    '10 5'
    """
    return text.translate(_DIGITS) if _has_tamil_digit(text) else text


def spell_numbers(text: str) -> str:
    """Return the text with every number of ASCII digits or ௰௱௲ in words, blanks around them.

    >>> spell_numbers("௲ 1000")
    ' ஆயிரம்   ஆயிரம் '
    """
    if _has_old(text):
        text = _OLD.sub(lambda found: _read_old(found[0]), text)
    return _NUMBER.sub(_spell_found, text) if _has_digit(text) else text


def _read_old(run: str) -> str:
    """Return traditional numerals, which name their scales, in digits: ௨௱௫ is 205."""
    if run.isdecimal():
        return run
    run = run.translate(_OLD_SCALES)
    run = _OLD_UNIT.sub(r"0\1", "1" + run if not run[0].isdecimal() else run)
    return chinese_numbers.fold(run)


def _spell_found(found: re.Match[str]) -> str:
    numeral = found[0]
    return _spell_known(numeral) if len(numeral) <= _SHORT else _spell_numeral(numeral)


def _spell_numeral(numeral: str) -> str:
    whole, point, part = numeral.partition(".")
    return f" {spell(whole)} {_POINT} {_spell_digits(part)} " if point else f" {spell(whole)} "


_spell_known = lru_cache(maxsize=4096)(_spell_numeral)


def _spell_digits(digits: str) -> str:
    return " ".join(_UNITS[int(digit)] for digit in digits)


def spell(digits: str) -> str:
    """Return a number in words; one with zeros before it, or over 15 digits, digit by digit.

    >>> spell("1999")
    'ஆயிரத்து தொள்ளாயிரத்து தொண்ணூற்று ஒன்பது'
    >>> spell("007")
    'பூஜ்ஜியம் பூஜ்ஜியம் ஏழு'
    """
    if len(digits) > _LONGEST or (digits[0] == "0" and len(digits) > 1):
        return _spell_digits(digits)
    return _cardinal(int(digits))


def _cardinal(number: int) -> str:
    crores, rest = divmod(number, 100 * 100 * 1000)
    if not crores:
        return _below_crore(rest)
    counted = f"{_ONE if crores == 1 else _cardinal(crores)} {_CRORE}"
    return f"{counted}யே {_below_crore(rest)}" if rest else counted


def _below_crore(number: int) -> str:
    lakhs, rest = divmod(number, 100 * 1000)
    if not lakhs:
        return _below_lakh(rest)
    return _joined(f"{_ONE if lakhs == 1 else _below_hundred(lakhs)} {_LAKH}", rest)


def _below_lakh(number: int) -> str:
    thousands, rest = divmod(number, 1000)
    if not thousands:
        return _below_thousand(number)
    return _joined(_thousands(thousands), rest)


def _joined(words: str, rest: int) -> str:
    return f"{_oblique(words)} {_below_lakh(rest)}" if rest else words


@cache
def _thousands(count: int) -> str:
    """Return 1 to 99 thousand: the count's last vowel gives way to that of the thousand."""
    if count == 1:
        return _THOUSAND
    if count == len("ஐந்து"):
        return _FIVE_THOUSAND
    return _below_hundred(count).removesuffix(_VOWEL_U) + _LONG_A + _THOUSAND[1:]


@cache
def _below_thousand(number: int) -> str:
    hundreds, rest = divmod(number, _HUNDRED)
    if not hundreds:
        return _below_hundred(number)
    words = _HUNDREDS[hundreds - 1]
    return f"{_oblique(words)} {_below_hundred(rest)}" if rest else words


@cache
def _below_hundred(number: int) -> str:
    if number < len(_UNITS):
        return _UNITS[number]
    tens, unit = divmod(number, _TEN)
    words = _TENS[tens - 2]
    return f"{_oblique(words)} {_UNITS[unit]}" if unit else words


def _oblique(words: str) -> str:
    """Return the form that stands before a smaller number."""
    for ending, other in _OBLIQUE:
        if words.endswith(ending):
            return words.removesuffix(ending) + other
    return words
