"""From letters and characters to phones: no pronunciation, but syllables, tones and pauses.

English goes by its letters; a Mandarin character has a syllable and a tone that follow from its
number, so that the same character always sounds the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grading.demo.draws import fraction
from grading.demo.synthesis import Phone, silence

_VOWELS: Mapping[str, tuple[int, int, int]] = {
    "a": (730, 1150, 2440),
    "e": (530, 1840, 2480),
    "i": (300, 2250, 2950),
    "o": (520, 880, 2410),
    "u": (330, 900, 2240),
    "y": (300, 1950, 2500),
    "ü": (290, 1800, 2200),
    "ə": (500, 1450, 2500),
}
_STOPS: Mapping[str, int] = {
    "p": 800,
    "b": 700,
    "t": 3600,
    "d": 3000,
    "k": 1900,
    "g": 1700,
    "q": 1900,
}
_FRICATIVES: Mapping[str, int] = {
    "s": 5200, "z": 4800, "f": 3000, "v": 2600, "c": 4200, "h": 1300, "x": 3800, "j": 3400,
}  # fmt: skip
_VOICED = frozenset("bdgvzj")
_SONORANTS: Mapping[str, tuple[int, int, int]] = {
    "m": (250, 1000, 2200),
    "n": (260, 1500, 2450),
    "l": (350, 1150, 2750),
    "r": (420, 1250, 1700),
    "w": (320, 700, 2200),
}
_INITIALS = (
    "b",
    "p",
    "m",
    "f",
    "d",
    "t",
    "n",
    "l",
    "g",
    "k",
    "h",
    "j",
    "q",
    "x",
    "z",
    "c",
    "s",
    "r",
    "",
)
_FINALS = (
    "a",
    "o",
    "e",
    "i",
    "u",
    "ü",
    "ai",
    "ei",
    "ao",
    "ou",
    "an",
    "en",
    "in",
    "un",
    "ia",
    "uo",
    "ie",
)
# Pitch at the beginning, middle and end of the four tones, in percent of the speaker's own.
_TONES = ((118, 118, 117), (92, 100, 122), (96, 80, 98), (126, 106, 80))
_SYLLABLE = re.compile(r"[^aeiouy]*[aeiouy]+(?:[^aeiouy]+$)?|[^aeiouy]+")
_PAUSES: Mapping[str, int] = {",": 34, "，": 34, "、": 26, ";": 40, "；": 40, ":": 34, "：": 34,
                              "…": 50, ".": 60, "。": 60, "!": 60, "！": 60, "?": 60, "？": 60}  # fmt: skip
_QUESTION, _STRESS, _DECLINE = 26, 13, 22
_MOST_SYLLABLES = 6


@dataclass(frozen=True, slots=True)
class Manner:
    """How somebody speaks: pitch movement in percent of a lively speaker's, length of sounds in percent."""

    movement: int = 100
    pace: int = 100


LIVELY = Manner()


def phones_of(slots: Sequence[str], language: str, manner: Manner) -> list[Phone]:
    """Return the phones of words (en) or characters (zh); none where nothing is to be spoken."""
    spoken = list(_syllables(slots, language))
    count = max(sum(1 for item in spoken if not isinstance(item, int)), 1)
    asks = any(sign in slot for slot in slots[-2:] for sign in "?？")
    phones: list[Phone] = []
    done = 0
    for item in spoken:
        if isinstance(item, int):
            phones.append(silence(item))
            continue
        place = _DECLINE // 2 - _DECLINE * done // count
        done += 1
        if asks and done == count:
            place += _QUESTION
        phones += [_placed(phone, place, manner) for phone in item]
    return phones


def _placed(phone: Phone, place: int, manner: Manner) -> Phone:
    first, last = (100 + (pitch - 100 + place) * manner.movement // 100 for pitch in phone.pitch)
    return replace(phone, pitch=(first, last), frames=max(phone.frames * manner.pace // 100, 2))


def _syllables(slots: Sequence[str], language: str) -> Iterator[list[Phone] | int]:
    for index, slot in enumerate(slots):
        if language == "zh":
            yield from _character(slot)
        else:
            yield from _word(slot.lower(), stressed=index % 2 == 0)
        pauses = [_PAUSES[sign] for sign in slot if sign in _PAUSES]
        if pauses:
            yield max(pauses)


def _word(word: str, *, stressed: bool) -> Iterator[list[Phone]]:
    letters = "".join(sign for sign in word if sign.isalpha())
    for number, syllable in enumerate(_SYLLABLE.findall(letters)[:_MOST_SYLLABLES]):
        lift = 100 + (_STRESS if stressed and number == 0 else 0)
        yield _sounds(syllable, lift, lift, length=27 if number == 0 else 22)
    for digit in (sign for sign in word if sign.isdigit()):
        yield _sounds("td"[int(digit) % 2] + "aeiou"[int(digit) % 5], 100, 100, length=27)


def _character(sign: str) -> Iterator[list[Phone]]:
    if not sign.isalnum():
        return
    number = ord(sign)
    initial = _INITIALS[int(fraction("initial", number) * len(_INITIALS))]
    final = _FINALS[int(fraction("final", number) * len(_FINALS))]
    first, middle, last = _TONES[int(fraction("tone", number) * len(_TONES))]
    yield [
        *_sounds(initial + final, first, middle, length=22),
        *_vowel(final[-1] if final[-1] in _VOWELS else "ə", middle, last, length=14),
    ]


def _sounds(letters: str, first: int, last: int, *, length: int) -> list[Phone]:
    vowels = [letter for letter in letters if letter in _VOWELS]
    phones: list[Phone] = []
    for before, letter in zip((None, *letters), letters, strict=False):
        if letter in _VOWELS:
            phones += _vowel(letter, first, last, length=length // len(vowels))
        elif before is None or before in _VOWELS or letter in _SONORANTS:
            phones += _consonant(letter, first)
    return phones


def _vowel(letter: str, first: int, last: int, *, length: int) -> list[Phone]:
    return [Phone(max(length, 6), _VOWELS[letter], voice=220, noise=6, pitch=(first, last))]


def _consonant(letter: str, pitch: int) -> list[Phone]:
    voice = 70 if letter in _VOICED else 0
    level = (pitch, pitch)
    if letter in _STOPS:
        burst = Phone(3, noise=150, voice=voice // 2, color=_STOPS[letter], pitch=level)
        return [Phone(7, voice=voice // 3, pitch=level), burst]
    if letter in _FRICATIVES:
        return [Phone(10, noise=90, voice=voice, color=_FRICATIVES[letter], pitch=level)]
    formants = _SONORANTS.get(letter, _VOWELS["ə"])
    return [Phone(10, formants, voice=130, pitch=level)]
