"""Files of objects that a command is given: rows, with exact numbers in them."""

from __future__ import annotations

import argparse
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING

from grading.scoring.cli.inputs import InputError, json_fault, read_file, read_pieces
from grading.scoring.formats.pieces import BOM
from grading.scoring.formats.rows import type_name
from grading.scoring.formats.strict_json import StrictDecoder
from grading.scoring.text.shown import show
from grading.scoring.types import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Row = dict[str, object]

LARGEST = 10**12
DECIMALS = 9
_LINE_END = re.compile(rb"[\r\n]")


def read_objects(path: Path, inside: str) -> Iterator[tuple[str, Row]]:
    """Yield where each object of a file stands, and the object.

    The file is JSON Lines, a JSON list, or one object: with a list under the name `inside` that
    holds them, or itself the only one. Raises InputError for what is no object, and OSError.
    """
    data = read_file(path).removeprefix(BOM)
    for place, value in _values(path, data, inside):
        if not isinstance(value, dict):
            raise InputError(f"{path}: {place}: must be an object, not a {type_name(value)}")
        yield place, value


def _values(path: Path, data: bytes, inside: str) -> Iterator[tuple[str, object]]:
    if data.lstrip().startswith(b"{"):
        whole = StrictDecoder(Limits(), exact=True).decode(data)
        is_whole = whole.readable or not _LINE_END.search(data.strip())
        if whole.faults and is_whole:
            raise InputError(f"{path}: {json_fault(data, whole.faults[0])}")
        if isinstance(whole.value, dict):
            yield from _entries(whole.value, inside)
            return
    yield from read_pieces(path, data, exact=True)


def _entries(whole: Row, inside: str) -> Iterator[tuple[str, object]]:
    listed = whole.get(inside)
    if isinstance(listed, list):
        yield from ((f"entry {number}", one) for number, one in enumerate(listed, 1))
    else:
        yield "line 1", whole


def text_of(row: Row, names: tuple[str, ...], where: str) -> str:
    """Return the first of these fields that the row has, a text. Raises InputError."""
    name = next((one for one in names if one in row), names[0])
    value = row.get(name)
    if not isinstance(value, str):
        raise InputError(f"{where}: must have {' or '.join(names)}, a text")
    return value


def number_of(row: Row, name: str, where: str) -> Fraction:
    """Return a field as the exact number that it is written as, 0 or more. Raises InputError.

    At most 10¹² with 9 decimals, so that no sum of many can be more than a number can show.
    """
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise InputError(f"{where}: must have {show(name)}, a number")
    number = _of_decimal(value) if isinstance(value, Decimal) else _bounded(Fraction(value))
    if number is None:
        raise InputError(
            f"{where}: {show(name)} must be from 0 to {LARGEST}, with at most {DECIMALS} decimals"
        )
    return number


def amount(text: str) -> Fraction:
    """Return a decimal of the command line, 0 or more, exactly; for argparse."""
    try:
        given = Decimal(text) if text.isascii() else None
    except InvalidOperation:
        given = None
    number = None if given is None else _of_decimal(given)
    if number is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number from 0 to {LARGEST} with at most {DECIMALS} decimals"
        )
    return number


def _of_decimal(given: Decimal) -> Fraction | None:
    """Look at the exponent first: 1e999999999 is short to write and long to compute."""
    if not given.is_finite():
        return None
    return _bounded(Fraction(given)) if abs(given.adjusted()) < 2 * DECIMALS or not given else None


def _bounded(number: Fraction) -> Fraction | None:
    fits = 0 <= number <= LARGEST and (number * 10**DECIMALS).denominator == 1
    return number if fits else None


def shown(number: Fraction) -> int | float:
    """Return an exact number for JSON: whole where it is whole."""
    return int(number) if number.denominator == 1 else float(number)
