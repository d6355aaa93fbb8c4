"""Chinese numerals as digits: one rule for every numeral, whatever stands around it.

First each digit character becomes its digit (三 → 3). Then a scale (十 百 千 萬 億) behind a digit
appends as many digits as it has zeros, filled from what follows: 3百 → 3 + "00", 3百零5 → 3 + "05",
3百5 → 3 + "50". Blanks inside a numeral mean nothing. A scale that no digit precedes stays as it
is, but for 十 and the spoken 千五, 百二, 萬二; so 百貨, 千萬 and 萬一 keep theirs.
"""

from __future__ import annotations

import re
from functools import lru_cache

from grading.scoring.normalizers.characters import CURRENCY

_DIGIT_CHARACTERS = (
    "零〇",
    "一〡弌",
    "二兩两両〢弍",
    "三〣弎",
    "四〤",
    "五〥",
    "六〦",
    "七〧",
    "八〨",
    "九〩",
)
_DIGITS = {c: str(value) for value, group in enumerate(_DIGIT_CHARACTERS) for c in group}
# Characters of accounts: ordinary words as well (參加, 大陸), so they count in pairs alone.
_FORMAL_DIGITS = dict(zip("壹貳贰貮參叁参叄肆伍陸陆柒捌玖", "122233334566789", strict=False))
_FORMAL_SCALES = {"拾": "十", "佰": "百", "仟": "千"}
_SMALL = {"十": 1, "百": 2, "千": 3}
_LARGE = {"萬": 4, "万": 4, "億": 8, "亿": 8}
_SCALES = _SMALL | _LARGE
_TENS = {"廿": "2", "卄": "2", "卅": "3", "卌": "4"}
_NONZERO = "123456789"

SCALE = "".join(_SCALES)
NUMERAL = "0-9" + SCALE + "".join(_TENS)

_DIGIT = re.compile(f"[{''.join(_DIGITS)}]")
_TO_PLAIN = str.maketrans(_FORMAL_DIGITS | _FORMAL_SCALES)
_ANY = re.compile(f"[{NUMERAL}{''.join(_DIGITS)}拾佰仟]")
# A pair begins: a digit with its own scale, or with a large one where it has no other use or such
# a pair follows (so 大陸萬 stays).
_FORMAL = re.compile(
    "(?:[{0}] ?[拾佰仟]|[壹貳贰貮叁叄柒捌玖] ?[萬万億亿]"
    "|[{0}] ?[萬万億亿](?=(?: ?[零〇0])*+ ?[{0}] ?[拾佰仟]))(?: ?[零〇0萬万億亿])*+"
    "(?: ?[{0}] ?[拾佰仟萬万億亿](?: ?[零〇0萬万億亿])*+)*+(?: ?[{0}](?! ?[拾佰仟]))?".format(
        "".join(_FORMAL_DIGITS)
    )
)
_BESIDE = NUMERAL + "".join(_DIGITS)
_ZEROS = re.compile(f"(?<=[{_BESIDE}])[○◯]++|[○◯]++(?=[{_BESIDE}])")
_has_formal = re.compile("[拾佰仟壹貳贰貮叁叄柒捌玖]").search
_has_point = re.compile("[.點点]").search
_LETTERS = SCALE + "".join(_TENS)
_has_scale = re.compile(f"[{_LETTERS}]").search
# Patterns begin with what they look for, and look behind it afterwards: so the engine leaps to it.
_RUN = re.compile(f"[{NUMERAL}](?: ?[{NUMERAL}])*+")
_BEGUN = f"([{NUMERAL}](?<![{NUMERAL}]{{2}})(?<![{NUMERAL}] [{NUMERAL}])(?: ?[{NUMERAL}])*+)"
_DECIMAL = re.compile(
    f"{_BEGUN} ?[.點点] ?([0-9](?: ?[0-9])*+) ?([十百千]?) ?([萬万億亿])(?! ?[{NUMERAL}])"
)
# Before a small scale a written decimal alone: 三點十分 is a time.
_SMALL_DECIMAL = re.compile(f"{_BEGUN} ?[.] ?([0-9](?: ?[0-9])*+) ?([百千])()(?! ?[{NUMERAL}])")
_PERCENT = re.compile(
    f"百(?<![{NUMERAL}]百)(?<![{NUMERAL}] 百) ?分 ?之 ?"
    f"(?=((?:(?:hk|us|nt)? ?[{CURRENCY}] ?)*+[{NUMERAL}]))"
)


def read_digits(text: str) -> str:
    """Return the text with digit characters as digits, and points and 百分之 read and gone.

    >>> read_digits("二零二四 年3.5萬 個伍拾叁 大陸")
    '2024 年35000 個5十3 大陸'
    """
    if _ANY.search(text):
        if _has_formal(text):
            text = _FORMAL.sub(lambda found: found[0].translate(_TO_PLAIN), text)
        text = _DIGIT.sub(lambda found: _DIGITS[found[0]], text)
        if "分" in text:
            text = _PERCENT.sub(lambda found: "1" if found[1] == "百" else "", text)
        if _has_point(text):
            text = _SMALL_DECIMAL.sub(_shift, _DECIMAL.sub(_shift, text))
    return text.replace(".", "")


def read_circles(text: str) -> str:
    """Return the text with circles beside a numeral as the zeros they stand for.

    >>> read_circles("二○二四 ○")
    '二〇二四 ○'
    """
    if "○" not in text and "◯" not in text:
        return text
    return _ZEROS.sub(lambda found: "〇" * len(found[0]), text)


def _shift(found: re.Match[str]) -> str:
    """Return 3.5 and 3點5 before a scale as the number they are.

    Of more decimals than the scale has zeros some stay behind the point, which goes as elsewhere:
    3.14159萬 is 31415.9.
    """
    whole, part, small, large = found.groups()
    part = part.replace(" ", "")
    digits = _fold_run(whole).replace(" ", "")
    power = _LARGE.get(large, 0) + _SMALL.get(small, 0)
    if not digits.isdecimal():
        return found[0]
    whole = (digits + part[:power].ljust(power, "0")).lstrip("0") or "0"
    return whole + part[power:]


def fold(text: str) -> str:
    """Return a text of `read_digits` with every numeral in digits.

    >>> fold(read_digits("千祈 萬一 係兩百 零 五蚊 千五蚊 十二萬五蚊 百分之百"))
    '千祈 萬1 係205蚊 1500蚊 125000蚊 100'
    """
    if not _has_scale(text):
        return text
    return _RUN.sub(_fold_found, text)


def _fold_found(found: re.Match[str]) -> str:
    run = found[0]
    if not _has_scale(run):
        return run
    return _fold_known(run) if len(run) <= _SHORT else _fold_run(run)


def _fold_run(run: str) -> str:
    """Return one run of digits and scales, with blanks between digits that stay apart."""
    if run.isdecimal():
        return run
    if " " not in run:
        return "".join(piece for _, piece in _pieces(run))
    parted: list[bool] = []
    for place, character in enumerate(run):
        if character != " ":
            parted.append(place > 0 and run[place - 1] == " ")
    pieces = _pieces(run.replace(" ", ""))
    return "".join(
        " " + piece if start is not None and parted[start] else piece for start, piece in pieces
    )


_SHORT = 16  # characters of a run that is worth remembering
_fold_known = lru_cache(maxsize=4096)(_fold_run)


def _pieces(run: str) -> list[tuple[int | None, str]]:
    """Return what a run without blanks becomes: digits or a scale, and the place it begins at.

    The place is None for what a scale appends to the digits before it.
    """
    found: list[tuple[int | None, str]] = []
    place, counted, kept = 0, False, False
    while place < len(run):
        character = run[place]
        start: int | None = place
        power = _SCALES.get(character, 0)
        place += 1
        if character in _TENS or (character == "十" and not counted):
            digits, place = _fill(run, place, 1)
            piece = _TENS.get(character, "1") + digits
        elif not power:
            piece = character
        elif counted or (not kept and _is_spoken(run, place, power)):
            piece, place = _fill(run, place, power)
            start, piece = (None, piece) if counted else (start, "1" + piece)
        else:
            piece, kept = character, True
        counted = piece not in _SCALES
        found.append((start, piece))
    return found


def _is_spoken(run: str, place: int, power: int) -> bool:
    """Tell whether a scale without a digit before it counts one: 千五, 萬零五, 萬二, not 萬一."""
    small = power < _LARGE["萬"]
    zero = run[place : place + 1] == "0"
    first, second = run[place + zero : place + zero + 1], run[place + zero + 1 : place + zero + 2]
    if power > _LARGE["萬"]:
        return False
    if (first in _TENS and (small or zero)) or (zero and first == "十"):
        return True
    wanted = _NONZERO if small or zero else _NONZERO[1:]
    if not first or first not in wanted or second.isdecimal():
        return False
    return small if second in _LARGE else _SMALL.get(second, 0) < power


def _fill(run: str, place: int, power: int) -> tuple[str, int]:
    """Return the `power` digits that stand behind a scale, and where they end.

    Nothing that follows fits: zeros, and nothing is read.
    """
    start = place
    while start < place + power and run[start : start + 1] == "0":
        start += 1
    digits, end = _counted(run, start, min(power, _LARGE["萬"]))
    if power == _LARGE["億"]:
        return _fill_large(run, place, start, digits, end)
    return (digits.rjust(power, "0"), end) if digits else _units(run, place, power)


def _fill_large(run: str, place: int, start: int, digits: str, end: int) -> tuple[str, int]:
    """Return the eight digits behind 億: a count of 萬 and what follows it, or less than one 萬."""
    if not digits:
        end = start
        while end < start + 4 and run[end : end + 1].isdecimal():
            end += 1
        digits = run[start:end] if _LARGE.get(run[end : end + 1]) == _LARGE["萬"] else ""
    if not digits:
        return _units(run, place, _LARGE["億"])
    if _LARGE.get(run[end : end + 1]) != _LARGE["萬"]:
        return digits.rjust(8, "0"), end
    rest, after = _fill(run, end + 1, _LARGE["萬"])
    return digits.rjust(4, "0") + rest, after


def _counted(run: str, place: int, below: int) -> tuple[str, int]:
    """Return a digit with its scale, 十 or 廿, and what fills it; below ten to the `below`."""
    first = run[place : place + 1]
    if first and below > 1 and (first in _TENS or first == "十"):
        digits, end = _fill(run, place + 1, 1)
        return _TENS.get(first, "1") + digits, end
    power = _SMALL.get(run[place + 1 : place + 2], below)
    if not first or first not in _NONZERO or power >= below:
        return "", place
    digits, end = _fill(run, place + 2, power)
    return first + digits, end


def _units(run: str, place: int, power: int) -> tuple[str, int]:
    """Return digits without a scale of their own: 零五, as many as fit, or one that is spoken."""
    end = place
    while end <= place + power and run[end : end + 1].isdecimal():
        end += 1
    digits, after = run[place:end], run[end : end + 1]
    larger = _LARGE.get(after, 99)
    if not digits or after in _SMALL or len(digits) > power or larger <= power:
        return "0" * power, place
    if len(digits) > 1 or power == 1:
        return digits.rjust(power, "0"), end
    return (digits.ljust(power, "0"), end) if digits != "0" else ("0" * power, place)
