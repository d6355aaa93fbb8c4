"""JSON read strictly: what Python's reader lets through or dies of is a fault with a place.

Refused beside bad syntax: NaN and Infinity, a key twice in one object, nesting and numbers beyond
the limits, bytes that are not UTF-8, lone surrogates (also as escapes, in keys, anywhere).
Reasons are words of our own, the same on every Python version.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from grading.scoring.types import Limits

# A string is taken whole and never given back, so that every search below is linear; one that is
# never closed runs to the end.
STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_STRINGS = re.compile(STRING, re.DOTALL)
_TOKENS = re.compile(STRING + rb"|[\[{]++|[\]}]++", re.DOTALL)
_CONSTANT = re.compile(STRING + rb"|(-?Infinity|NaN)", re.DOTALL)
_NUMBER = re.compile(STRING + rb"|(?<![0-9.eE+-])-?([0-9][0-9.eE+-]*+)", re.DOTALL)
_ODD_ESCAPE = re.compile(rb"\\u(?:[dD][89a-fA-F]|0000)")
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_HIGH = range(0xD800, 0xDC00)
_LOW = range(0xDC00, 0xE000)

_REASONS = {
    "Expecting property name enclosed in double quotes": "key",
    "Expecting ':' delimiter": "colon",
    "Expecting ',' delimiter": "comma",
    "Expecting value": "value",
    "Extra data": "extra",
    "Unterminated string starting at": "unterminated",
    "Invalid control character at": "control",
    "Invalid \\escape": "escape",
    "Invalid \\uXXXX escape": "escape",
    "Illegal trailing comma before end of object": "trailing",
    "Illegal trailing comma before end of array": "trailing",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a piece of JSON: its code, where it starts in the bytes, what to say of it."""

    code: str
    offset: int
    params: Mapping[str, object] = field(default_factory=dict)


class Decoded(NamedTuple):
    """A value, and the faults found; `readable` is False when there is no value to look at."""

    value: object
    faults: tuple[Fault, ...] = ()
    readable: bool = True


class _ConstantError(ValueError):
    """Python's reader met NaN or an infinity."""


def _refuse_constant(name: str) -> object:
    raise _ConstantError(name)


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent that no decimal has
        return Decimal("Infinity")


class StrictDecoder:
    """Decodes pieces of one file; made once, since the hooks of the C reader are costly to make."""

    def __init__(self, limits: Limits, *, exact: bool = False) -> None:
        """Read numbers that are not whole as floats, or, if `exact`, as the decimals they are."""
        self._limits = limits
        self._repeated: list[str] = []
        decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_constant=_refuse_constant,
            parse_float=_decimal if exact else None,
        )
        self._decode, self._decode_start = decoder.decode, decoder.raw_decode

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) != len(pairs):
            times = Counter(key for key, _ in pairs)
            self._repeated += [key for key, count in times.items() if count > 1]
        return made

    def decode(self, raw: bytes) -> Decoded:
        """Return the value of one piece of JSON and every fault in it; never raises."""
        self._repeated.clear()
        if (fault := self._beyond_limits(raw)) is not None:
            return Decoded(None, (fault,), readable=False)
        try:
            value = self._whole(raw.decode())
        except (ValueError, RecursionError) as error:
            return Decoded(None, (self._fault_of(raw, error),), readable=False)
        if self._repeated or _ODD_ESCAPE.search(raw):
            return Decoded(value, tuple(self._later_faults(raw, value)))
        return Decoded(value)

    def _whole(self, text: str) -> object:
        """Decode a whole text; most rows have no blanks around them, which saves two searches."""
        if text[:1] == "{":
            value, end = self._decode_start(text)
            if end == len(text):
                return value
            self._repeated.clear()
        return self._decode(text)

    def _fault_of(self, raw: bytes, error: Exception) -> Fault:
        if isinstance(error, UnicodeDecodeError):
            return Fault("INVALID_ENCODING", error.start, {"reason": "utf8"})
        if isinstance(error, json.JSONDecodeError):
            return _syntax_fault(error)
        if isinstance(error, _ConstantError):
            return _constant_fault(raw, str(error))
        if isinstance(error, RecursionError):
            return Fault("JSON_TOO_DEEP", 0, {"limit": self._limits.depth})
        # Only the interpreter's own bound on the digits of an integer is left.
        return Fault("NUMBER_TOO_LARGE", 0, {"limit": self._limits.digits})

    def _beyond_limits(self, raw: bytes) -> Fault | None:
        limits = self._limits
        if raw.count(b"[") + raw.count(b"{") > limits.depth:
            offset = depth_exceeded_at(raw, limits.depth)
            if offset is not None:
                return Fault("JSON_TOO_DEEP", offset, {"limit": limits.depth})
        if len(raw) > limits.digits:
            return _long_number(raw, limits.digits)
        return None

    def _later_faults(self, raw: bytes, value: object) -> Iterator[Fault]:
        for key in self._repeated:
            yield Fault("DUPLICATE_JSON_KEY", 0, {"key": key})
        if any(_SURROGATE.search(text) for text in strings_of(value)):
            offset, found = _lone_surrogate(raw)
            yield Fault("INVALID_ENCODING", offset, {"reason": "surrogate", "found": found})


def depth_exceeded_at(raw: bytes, limit: int) -> int | None:
    """Return where nesting first goes over the limit, or None; brackets in strings do not count."""
    depth = 0
    for match in _TOKENS.finditer(raw):
        first = raw[match.start()]
        length = match.end() - match.start()
        if first in b"[{":
            depth += length
            if depth > limit:
                return match.end() - 1 - (depth - limit - 1)
        elif first in b"]}":
            depth -= length
    return None


def value_end(data: bytes, start: int) -> int | None:
    """Return the offset after the array or object that starts here, or None if it never closes.

    Linear in the length of the value; the kinds of brackets are not compared.
    """
    depth = 0
    for match in _TOKENS.finditer(data, start):
        first = data[match.start()]
        length = match.end() - match.start()
        if first in b"[{":
            depth += length
        elif first in b"]}":
            if depth <= length:
                return match.start() + depth
            depth -= length
    return None


def string_end(data: bytes, start: int) -> int:
    """Return the offset after the string that starts here (the end, if it never closes)."""
    match = _STRINGS.match(data, start)
    return match.end() if match else start


def strings_of(value: object) -> Iterator[str]:
    """Yield every string of a decoded value, keys included."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += item.keys()
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item


def escape_offset(raw: bytes, code: int) -> int:
    """Return where a `\\uXXXX` escape of this code first stands in the bytes, else 0."""
    for match in _ESCAPE.finditer(raw):
        if match[1] is not None and int(match[1], 16) == code:
            return match.start()
    return 0


def _lone_surrogate(raw: bytes) -> tuple[int, str]:
    waiting: re.Match[bytes] | None = None
    for match in _ESCAPE.finditer(raw):
        code = int(match[1], 16) if match[1] is not None else 0
        follows = waiting is not None and waiting.end() == match.start()
        if code in _LOW and follows:
            waiting = None
        elif waiting is not None or code in _LOW:
            return _place(waiting or match)
        elif code in _HIGH:
            waiting = match
    return _place(waiting) if waiting is not None else (0, "")


def _place(match: re.Match[bytes]) -> tuple[int, str]:
    return match.start(), match[0].decode("ascii")


def _long_number(raw: bytes, limit: int) -> Fault | None:
    for match in _NUMBER.finditer(raw):
        run = match[1] or b""
        digits = len(run) - len(run.translate(None, b"0123456789")) if len(run) > limit else 0
        if digits > limit:
            return Fault("NUMBER_TOO_LARGE", match.start(), {"limit": limit, "digits": digits})
    return None


def _constant_fault(raw: bytes, name: str) -> Fault:
    places = (match.start() for match in _CONSTANT.finditer(raw) if match[1])
    return Fault("INVALID_JSON", next(places, 0), {"reason": "constant", "found": name})


def _syntax_fault(error: json.JSONDecodeError) -> Fault:
    """Name a syntax error in our words, at the same place whatever the Python version."""
    text, reason, at = error.doc, _REASONS.get(error.msg, "syntax"), error.pos
    before = text[:at].rstrip(" \t\r\n")
    if reason in {"key", "value"} and before.endswith(",") and text[at : at + 1] in {"}", "]"}:
        reason, at = "trailing", len(before) - 1
    if reason == "control" and text[at] == "\0":
        return Fault("INVALID_ENCODING", len(text[:at].encode()), {"reason": "nul"})
    if reason in {"key", "value"} and text[at : at + 1] == "'":
        reason = "quotes"
    return Fault("INVALID_JSON", len(text[:at].encode()), {"reason": reason})
