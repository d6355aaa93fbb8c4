"""Cuts a file into its rows: JSON Lines, the elements of a JSON list, the pairs of a JSON map.

Cutting looks at brackets and strings alone, so that one broken row does not hide the next ones.
Lines end at LF, CRLF or a lone CR, never at U+2028 and the like.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from grading.scoring.formats.strict_json import string_end, value_end

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    _EndOf = Callable[[bytes, int], tuple[int, str, int]]

BOM = b"\xef\xbb\xbf"
_LINE = re.compile(rb"[^\r\n]++")
_BLANKS = re.compile(rb"[ \t\r\n]*+")
_SCALAR = re.compile(rb"[^,\]}\s\"\[{]++")
_STRICT_STRING = rb'"[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+"'
_FLAT_OBJECT = re.compile(
    rb'\{[^{}"\[\]]*+(?:' + _STRICT_STRING + rb'[^{}"\[\]]*+)*+\}'
)  # most rows are one, and one match is faster than a walk over their tokens
_STRING_ON_A_LINE = re.compile(_STRICT_STRING)
_ROW_KEYS = frozenset({b'"utt_id"', b'"text_with_nvvs"'})


class Reading(StrEnum):
    """How a file was read."""

    LINES = "jsonl"
    LIST = "list"
    MAP = "map"
    OBJECT = "object"


class Piece(NamedTuple):
    """One row's bytes, where it starts (line from 1, byte offset from 0), or why there is none.

    `broken` is a reason of INVALID_JSON; `raw` is then what could not be cut, and may be empty.
    """

    line: int
    offset: int
    raw: bytes
    broken: str = ""


class Places:
    """Turns byte offsets into lines and columns; asked in rising order it is linear overall."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._rewind()

    def _rewind(self) -> None:
        self._offset, self._line, self._line_start = 0, 1, 0
        self._counted, self._characters = 0, 0

    def line(self, offset: int) -> int:
        """Return the line, counted from 1, in which this byte stands."""
        if offset < self._offset:
            self._rewind()
        data, span = self._data, (self._offset, offset)
        ends = data.count(b"\n", *span) + data.count(b"\r", *span)
        if ends:
            self._line += ends - data.count(b"\r\n", *span)
            self._line_start = max(data.rfind(b"\n", *span), data.rfind(b"\r", *span)) + 1
        self._offset = offset
        return self._line

    def column(self, offset: int) -> int:
        """Return the column, in characters counted from 1; a byte order mark is none."""
        self.line(offset)
        if not self._line_start <= self._counted <= offset:
            self._counted, self._characters = self._line_start, 0
        passed = self._data[self._counted : offset].removeprefix(BOM)
        self._characters += len(passed.decode("utf-8", "replace"))
        self._counted = offset
        return self._characters + 1


def choose_reading(data: bytes) -> Reading:
    """Tell by content how a file is to be read; `data` starts after a byte order mark.

    A list or an object that is complete on the first line while more lines follow is the first
    of JSON Lines.
    """
    start = _skip_blanks(data, 0)
    opener = data[start : start + 1]
    if opener not in {b"[", b"{"}:
        return Reading.LINES
    line = _LINE.match(data, start)
    line_end = line.end() if line else len(data)
    single = not data[line_end:].strip()
    if opener == b"[":
        first_line = data[start:line_end].rstrip()
        one_of_lines = not single and value_end(first_line, 0) == len(first_line)
        return Reading.LINES if one_of_lines else Reading.LIST
    return _object_reading(data, start, line_end, single=single)


def _object_reading(data: bytes, start: int, line_end: int, *, single: bool) -> Reading:
    end = value_end(data if single else data[:line_end], start)
    complete_line = end is not None and end <= line_end
    if complete_line:
        alone = single and not data[end:].strip()
        return _row_or_map(data[start:end]) if alone else Reading.LINES
    second = _skip_blanks(data, line_end)
    if single or data[second : second + 1] == b"{":
        return Reading.LINES
    end = value_end(data, start)
    return _row_or_map(data[start : end or len(data)])


def _row_or_map(raw: bytes) -> Reading:
    if not any(key in raw for key in _ROW_KEYS):
        return Reading.MAP
    keys = (piece.raw[: string_end(piece.raw, 0)] for piece in cut_map(raw, 0))
    return Reading.OBJECT if any(key in _ROW_KEYS for key in keys) else Reading.MAP


def cut(data: bytes, start: int, reading: Reading) -> Iterator[Piece]:
    """Yield the pieces of a file from `start` on; the pieces of a map are `"key": value`."""
    if reading is Reading.LINES:
        return cut_lines(data, start)
    if reading is Reading.LIST:
        return cut_list(data, start)
    if reading is Reading.MAP:
        return cut_map(data, start)
    return cut_object(data, start)


def cut_lines(data: bytes, start: int) -> Iterator[Piece]:
    """Yield every line that holds more than blanks; a byte order mark stays in its line."""
    number, before = 1, 0
    for match in _LINE.finditer(data, start):
        begin = match.start()
        if begin - before == 1 and begin > start:
            number += 1
        else:
            span = (before, begin)
            number += data.count(b"\n", *span) + data.count(b"\r", *span)
            number -= data.count(b"\r\n", *span)
        before = match.end()
        raw = match[0]
        if not raw.isspace():
            yield Piece(number, begin, raw)


def cut_object(data: bytes, start: int) -> Iterator[Piece]:
    """Yield the one row of a file that holds one object, over several lines or not."""
    begin = _skip_blanks(data, start)
    yield Piece(Places(data).line(begin), begin, data[begin:].rstrip())


def cut_list(data: bytes, start: int) -> Iterator[Piece]:
    """Yield the elements of a JSON list; a broken piece says where and why the list is broken."""
    return _cut_members(data, start, b"]", _element_end)


def cut_map(data: bytes, start: int) -> Iterator[Piece]:
    """Yield the `"key": value` pairs of a JSON object, broken pieces as in `cut_list`."""
    return _cut_members(data, start, b"}", _pair_end)


def _cut_members(data: bytes, start: int, closer: bytes, end_of: _EndOf) -> Iterator[Piece]:
    places = Places(data)
    at = _skip_blanks(data, _skip_blanks(data, start) + 1)
    if data[at : at + 1] == closer:
        yield from _after_end(data, at + 1, places)
        return
    while True:
        end, reason, where = end_of(data, at)
        if reason:
            yield Piece(places.line(where), where, data[where:], reason)
            return
        yield Piece(places.line(at), at, data[at:end])
        opener, mark = data[at : at + 1], _skip_blanks(data, end)
        sign = data[mark : mark + 1]
        if sign == closer:
            yield from _after_end(data, mark + 1, places)
            return
        at = mark if sign != b"," else _skip_blanks(data, mark + 1)
        if sign == b"," and data[at : at + 1] != closer:
            continue
        # Where only a comma is missing the next row starts here like the last one did.
        resumes = sign == opener and sign in {b"{", b'"'}
        rest = b"" if resumes or sign == b"," else data[mark:]
        reason = "trailing" if sign == b"," else "comma" if sign else "unclosed"
        yield Piece(places.line(mark), mark, rest, reason)
        if not resumes:
            return


def _skip_blanks(data: bytes, at: int) -> int:
    match = _BLANKS.match(data, at)
    return match.end() if match else at


def _element_end(data: bytes, at: int) -> tuple[int, str, int]:
    """Return the offset after the value at `at`, or the reason why there is none and where."""
    first = data[at : at + 1]
    if first == b"{" and (flat := _FLAT_OBJECT.match(data, at)):
        return flat.end(), "", at
    if first in {b"{", b"["}:
        end = value_end(data, at)
        return (at, "unclosed", at) if end is None else (end, "", at)
    if first == b'"':
        text = _STRING_ON_A_LINE.match(data, at)
        return (text.end(), "", at) if text else (at, "unterminated", at)
    scalar = _SCALAR.match(data, at)
    if scalar:
        return scalar.end(), "", at
    return at, "value" if first else "unclosed", at


def _pair_end(data: bytes, at: int) -> tuple[int, str, int]:
    """Return the offset after the pair at `at`, or the reason why there is none and where."""
    key = _STRING_ON_A_LINE.match(data, at)
    if key is None:
        reasons = {b"": "unclosed", b'"': "unterminated", b"'": "quotes"}
        return at, reasons.get(data[at : at + 1], "key"), at
    colon = _skip_blanks(data, key.end())
    if data[colon : colon + 1] != b":":
        return at, "colon", colon
    return _element_end(data, _skip_blanks(data, colon + 1))


def _after_end(data: bytes, at: int, places: Places) -> Iterator[Piece]:
    rest = _skip_blanks(data, at)
    if rest < len(data):
        yield Piece(places.line(rest), rest, b"", "extra")
