"""How each of the 16 vocalizations sounds, as phones of the synthesizer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grading.demo.synthesis import FULL, Phone, silence

_AH = (800, 1200, 2500)
_EH = (600, 1750, 2480)
_OH = (500, 850, 2400)
_OO = (320, 800, 2250)
_NASAL = (250, 1100, 2200)
_TINY = 4  # frames: pieces of 20 ms out of which a swell, a tremor or a decay is made


def _swell(frames: int, loudest: int, color: int, *, peak: int = 50) -> list[Phone]:
    """Return noise that rises to its loudest at `peak` percent of its length and falls again."""
    pieces = max(frames // _TINY, 2)
    top = max(pieces * peak // 100, 1)
    levels = [
        loudest * (piece + 1) // (top + 1) if piece < top
        else loudest * (pieces - piece) // max(pieces - top, 1)
        for piece in range(pieces)
    ]  # fmt: skip
    return [Phone(_TINY, noise=level, color=color) for level in levels]


def _burst(frames: int, loudest: int, color: int) -> list[Phone]:
    """Return noise that begins at once and dies away."""
    return _swell(frames, loudest, color, peak=0)


def _breath() -> list[Phone]:
    return _swell(80, 150, 1300)


def _sniff() -> list[Phone]:
    return [*_swell(28, 190, 3200, peak=75), silence(10), *_swell(32, 220, 3400, peak=75)]


def _laugh() -> list[Phone]:
    phones: list[Phone] = []
    for turn, loudness in enumerate((256, 246, 226, 206, 176)):
        top = 200 - 9 * turn
        phones += [
            Phone(9, _AH, noise=loudness // 3, color=1500, pitch=(top, top)),
            Phone(18, _AH, voice=loudness, noise=20, color=1500, pitch=(top, top - 18)),
        ]
    return phones


def _cry() -> list[Phone]:
    phones: list[Phone] = []
    for turn in range(3):
        phones += [Phone(8, noise=110, color=2000)]
        for wobble in range(10):
            top = 205 - 8 * turn - 2 * wobble + (9 if wobble % 2 else 0)
            phones.append(Phone(_TINY, _EH, 190 - 40 * (wobble % 2), 15, 2500, (top, top)))
        phones.append(silence(6))
    return phones


def _cough() -> list[Phone]:
    one = [
        Phone(3, _AH, voice=90, noise=FULL, color=900, pitch=(75, 70)),
        *_burst(30, FULL, 1100),
    ]
    return [*one, silence(12), *one]


def _throat_clearing() -> list[Phone]:
    rough = [
        Phone(_TINY, _EH, voice=200 if piece % 2 else 80, noise=130, color=800, pitch=(48, 44))
        for piece in range(13)
    ]
    return [*rough, silence(10), *rough[:9], *_burst(12, 120, 900)]


def _sneeze() -> list[Phone]:
    taking_breath = [*_swell(36, 150, 1800, peak=80), silence(14)]
    return [*taking_breath, *_burst(16, FULL, 1500), *_burst(44, FULL, 4200)]


def _sigh() -> list[Phone]:
    voice = [Phone(40, _OH, voice=60, noise=120, color=1000, pitch=(95, 70))]
    return [*_swell(24, 120, 1100, peak=90), *voice, *_swell(60, 120, 900, peak=0)]


def _gasp() -> list[Phone]:
    return [*_swell(52, 240, 1900, peak=90), silence(8)]


def _snore() -> list[Phone]:
    flutter = [
        Phone(3, _OH, voice=60 if piece % 2 else 0, noise=210 if piece % 2 else 50, color=450, pitch=(30, 30))
        for piece in range(44)
    ]  # fmt: skip
    return [*flutter, *_swell(20, 60, 700, peak=20)]


def _yawn() -> list[Phone]:
    opening = [Phone(40, _OH, voice=110, noise=70, color=900, pitch=(120, 165))]
    closing = [Phone(60, _AH, voice=140, noise=60, color=900, pitch=(165, 80))]
    return [*_swell(56, 130, 1000, peak=80), *opening, *closing, *_swell(24, 70, 800, peak=0)]


def _hum() -> list[Phone]:
    return [
        Phone(60, _NASAL, voice=230, pitch=(112, 118)),
        Phone(50, _NASAL, 200, pitch=(118, 100)),
    ]


def _moan() -> list[Phone]:
    return [Phone(50, _OO, voice=200, pitch=(125, 140)), Phone(80, _OO, 170, pitch=(140, 72))]


def _hiss() -> list[Phone]:
    return [
        *_swell(16, 200, 5600, peak=90),
        Phone(80, noise=210, color=5600),
        *_burst(16, 190, 5600),
    ]


def _lipsmack() -> list[Phone]:
    click = [Phone(2, noise=FULL, color=2300), *_burst(6, 200, 2600)]
    return [silence(8), *click, silence(18), *click, silence(8)]


def _burp() -> list[Phone]:
    rough = [
        Phone(_TINY, _OH, voice=256 if piece % 3 else 170, noise=60, color=500, pitch=(36, 33))
        for piece in range(18)
    ]
    return [*rough, *_burst(8, 80, 600)]


SOUNDS: Mapping[str, Callable[[], list[Phone]]] = {
    "breath": _breath,
    "sniff": _sniff,
    "laugh": _laugh,
    "cry": _cry,
    "cough": _cough,
    "throat clearing": _throat_clearing,
    "sneeze": _sneeze,
    "sigh": _sigh,
    "gasp": _gasp,
    "snore": _snore,
    "yawn": _yawn,
    "hum": _hum,
    "moan": _moan,
    "hiss": _hiss,
    "lipsmack": _lipsmack,
    "burp": _burp,
}


def sound(label: str) -> list[Phone]:
    """Return the phones of a vocalization. Raises KeyError for a label that is none of the 16."""
    return SOUNDS[label]()
