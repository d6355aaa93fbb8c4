"""English numbers in words, as digits: one rule for both sides, whatever stands around them.

Words that are no number pass unchanged. What comes out holds no number word that a second pass
would change: every one of them is folded wherever it stands, or nowhere.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice, takewhile
from typing import NamedTuple

_UNITS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_UNITS_TH = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"]
_TEENS_TH = [
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
]
_LARGE = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}

_TEN, _HUNDRED = 10, 100
_LONGEST = 15  # digits of a written number that still takes part in sums
_ENDLESS = 60  # digits of a number that nothing multiplies or continues any more
_SHORT = 64  # characters of a run that is worth remembering


class _Atom(NamedTuple):
    """A word below a hundred: its value, and whether it is an ordinal and so ends its number."""

    value: int
    ordinal: bool


def _atoms() -> dict[str, _Atom]:
    found = {"zero": _Atom(0, ordinal=False), "zeroth": _Atom(0, ordinal=True)}
    for words, ordinals, first, step in (
        (_UNITS, _UNITS_TH, 1, 1),
        (_TEENS, _TEENS_TH, 10, 1),
        (_TENS, [word[:-1] + "ieth" for word in _TENS], 20, 10),
    ):
        for place, (word, ordinal) in enumerate(zip(words, ordinals, strict=True)):
            found[word] = _Atom(first + step * place, ordinal=False)
            found[ordinal] = _Atom(first + step * place, ordinal=True)
    return found


_ATOMS = _atoms()
_DIGIT_WORDS = {word: str(value) for value, word in enumerate(["zero", *_UNITS])} | {"oh": "0"}
# Powers of ten: as a number's part, as its ordinal end, and in the plural, after a number only.
_SCALES = {"hundred": 2, **_LARGE}
_SCALES_TH = {f"{word}th": power for word, power in _SCALES.items()}
_PLURALS = {f"{word}s": power for word, power in _SCALES.items()}
# What counts a group of up to three digits.
_COUNTED = {f"{word}{end}": power for word, power in _LARGE.items() for end in ("", "s", "th")}
_TRIGGERS = frozenset(
    {*_ATOMS, *_SCALES, *_SCALES_TH, *_PLURALS, "point", "half"}  # the last two after digits
)
_BEGINS = frozenset({*_ATOMS, *_SCALES, *_SCALES_TH})
_CONTINUES = frozenset({*_SCALES, *_SCALES_TH, *_PLURALS, "point", "and"})
# Whatever else is said, but for written digits, parts two numbers.
_SPOKEN = frozenset({*_TRIGGERS, *_CONTINUES, *_COUNTED, *_DIGIT_WORDS, "a"})
_has_ordinal = re.compile("[0-9](?:st|nd|rd|th)(?![^ ])").search
_ORDINAL = re.compile("(?<![^ ])([0-9]++)(?:st|nd|rd|th)(?![^ ])")
_WRITTEN = re.compile(r"[0-9]++(?:\.[0-9]++)?+")


class _Part(NamedTuple):
    """A value that ends before place `end`; `ordinal` ends a number, `least` is what may follow."""

    value: int
    end: int
    ordinal: bool
    least: int  # what is added must be below: the last scale, 0 when nothing may be added


def digits_of(text: str) -> str:
    """Return words parted by single blanks with numbers in digits, digit ordinals bare, no points.

    >>> digits_of("20th u.s. 1.5 million . three point one four")
    '20 us 1500000 314'
    """
    if "." in text:
        text = " ".join(plain for word in text.split(" ") if (plain := _without_points(word)))
    if _has_ordinal(text):
        text = _ORDINAL.sub(r"\1", text)
    return " ".join(fold_numbers(text.split(" "))).replace(".", "")


def _without_points(word: str) -> str:
    return word if _WRITTEN.fullmatch(word) else word.replace(".", "")


def fold_numbers(words: list[str]) -> list[str]:
    """Return the words with every number in digits.

    >>> " ".join(fold_numbers("the twenty first of one hundred and five".split()))
    'the 21 of 105'
    """
    if _TRIGGERS.isdisjoint(words):
        return words
    folded: list[str] = []
    run: list[str] = []
    for word in [*words, ""]:
        if word in _SPOKEN or word[:1].isdecimal():
            run.append(word)
            continue
        if run:
            said = " ".join(run)
            folded += _fold_known(said) if len(said) <= _SHORT else _fold_run(run)
            run.clear()
        folded.append(word)
    return folded[:-1]


@lru_cache(maxsize=4096)
def _fold_known(run: str) -> tuple[str, ...]:
    return tuple(_fold_run(run.split(" ")))


def _fold_run(words: list[str]) -> list[str]:
    """Return a run of words that may belong to one number, with what does in digits."""
    folded: list[str] = []
    place = 0
    while place < len(words):
        word = words[place]
        digits, end = _number(words, place) if _begins(words, place) else ("", place)
        folded.append(digits or word)
        place = max(end, place + 1)
    return folded


def _begins(words: list[str], place: int) -> bool:
    """Tell whether a number may begin here that is not written as it should be already."""
    word = words[place]
    if word in _BEGINS:
        return True
    if word != "a" and not word[:1].isdecimal():
        return False
    return _word(words, place + 1) in _CONTINUES


def _word(words: list[str], place: int) -> str:
    return words[place] if place < len(words) else ""


def _number(words: list[str], place: int) -> tuple[str, int]:
    """Return the digits of the number that begins here and where it ends; "" where none does."""
    digits, end, ordinal = _begin(words, place)
    if not digits:
        return "", place
    whole, _, fraction = digits.partition(".")
    while len(whole) + len(fraction) < _ENDLESS:
        tail, after = _fraction(words, end)
        if tail:
            fraction, end, ordinal = fraction + tail, after, False
            continue
        word = _word(words, end)
        power = _PLURALS.get(word) or (0 if ordinal else _SCALES.get(word, 0))
        if not power or not (whole + fraction).strip("0"):
            break
        whole, fraction, end = whole + fraction[:power].ljust(power, "0"), fraction[power:], end + 1
        whole = whole.lstrip("0") or "0"
    return whole + fraction, end


def _begin(words: list[str], place: int) -> tuple[str, int, bool]:
    """Return a number before its fraction: digits, end, whether it is an ordinal."""
    paired, end = _pair(words, place)
    if paired:
        return paired, end, False
    part = _sum(words, place)
    if part:
        return str(part.value), part.end, part.ordinal
    word = words[place]
    return (word if _WRITTEN.fullmatch(word) else ""), place + 1, False


def _fraction(words: list[str], place: int) -> tuple[str, int]:
    """Return what stands behind a decimal point: after "point", or "and a half"."""
    if words[place : place + 3] == ["and", "a", "half"]:
        return "5", place + 3
    if _word(words, place) != "point":
        return "", place
    digits = list(takewhile(bool, map(_single, islice(words, place + 1, None))))
    if digits or place + 1 >= len(words):
        return "".join(digits), place + 1 + len(digits)
    found, end, _ = _begin(words, place + 1)
    return found.replace(".", ""), end


def _single(word: str) -> str:
    """Return the digit that a word names, "" when it names none."""
    if len(word) == 1 and word in "0123456789":
        return word
    return _DIGIT_WORDS.get(word, "")


def _pair(words: list[str], place: int) -> tuple[str, int]:
    """Return the reading of a year or a time: two numbers of two digits, as one of four."""
    first = _below_hundred(words, place)
    if first is None or first.ordinal or first.value < _TEN:
        return "", place
    word, unit = _word(words, first.end), _ATOMS.get(_word(words, first.end + 1))
    if word == "oh" and unit and 0 < unit.value < _TEN and not unit.ordinal:
        return f"{first.value}0{unit.value}", first.end + 2
    second = _below_hundred(words, first.end)
    if second is None or second.ordinal or second.value < _TEN or _scaled(words, second.end):
        return "", place
    return f"{first.value}{second.value}", second.end


def _scaled(words: list[str], place: int) -> bool:
    word = _word(words, place)
    return word in _SCALES or word in _SCALES_TH


def _below_hundred(words: list[str], place: int) -> _Part | None:
    atom = _ATOMS.get(_word(words, place))
    if atom is None:
        return None
    unit = _ATOMS.get(_word(words, place + 1))
    tens = atom.value >= 2 * _TEN and not atom.ordinal
    if tens and unit and 0 < unit.value < _TEN:
        return _Part(atom.value + unit.value, place + 2, unit.ordinal, 0)
    return _Part(atom.value, place + 1, atom.ordinal, 0)


def _sum(words: list[str], place: int) -> _Part | None:
    """Return terms of falling scales added up: two million three hundred thousand and five."""
    total = _term(words, place)
    if total is None:
        return None
    while not total.ordinal and total.least:
        skip = _word(words, total.end) == "and"
        term = _term(words, total.end + skip, counted=True)
        if term is None or not 0 < term.value < total.least:
            break
        total = _Part(total.value + term.value, term.end, term.ordinal, term.least)
    return total


def _term(words: list[str], place: int, *, counted: bool = False) -> _Part | None:
    """Return up to 999 (or hundreds of two digits), and the scales it counts.

    `counted` asks for a count before a scale: in the middle of a number "thousand" alone is none.
    """
    group = _group(words, place, counted=counted)
    if group is None or group.ordinal:
        return group
    value, end, least = group.value, group.end, group.least
    scale = 1
    for _ in range(2):
        word = _word(words, end)
        power = _COUNTED.get(word, 0)
        if not power or not value:
            break
        scale *= _TEN**power
        end += 1
        if word in _SCALES_TH:
            return _Part(value * scale, end, ordinal=True, least=0)
    if scale > 1:
        return _Part(value * scale, end, ordinal=False, least=scale)
    if _WRITTEN.fullmatch(words[place]) and end == place + 1:
        return None  # written digits alone stay as they are written
    return _Part(value, end, ordinal=False, least=least)


def _group(words: list[str], place: int, *, counted: bool) -> _Part | None:
    """Return what a scale counts: up to 99, with hundreds, or nothing where a scale begins."""
    word = _word(words, place)
    begun = _below_hundred(words, place) or _written(words, place)
    if begun is None and not counted:
        place += word == "a" and _word(words, place + 1) in _SCALES
        if _scaled(words, place):
            begun = _Part(1, place, ordinal=False, least=0)
    if begun is None or begun.ordinal or not begun.value:
        return begun
    word = _word(words, begun.end)
    if word == "hundredth":
        return _Part(begun.value * _HUNDRED, begun.end + 1, ordinal=True, least=0)
    return _hundreds(words, begun) if word == "hundred" else begun


def _hundreds(words: list[str], begun: _Part) -> _Part:
    """Return hundreds and what is added to them, unless that counts hundreds of its own."""
    value, end = begun.value * _HUNDRED, begun.end + 1
    rest = _below_hundred(words, end + (_word(words, end) == "and"))
    if rest and rest.value and _word(words, rest.end) not in {"hundred", "hundredth"}:
        return _Part(value + rest.value, rest.end, rest.ordinal, 0)
    return _Part(value, end, ordinal=False, least=0)


def _written(words: list[str], place: int) -> _Part | None:
    """Return digits that a scale follows: 20 thousand."""
    word = _word(words, place)
    if not word[:1].isdecimal() or len(word) > _LONGEST or not _scaled(words, place + 1):
        return None
    if not (word.isascii() and word.isdecimal()):
        return None
    return _Part(int(word), place + 1, ordinal=False, least=0)
