"""Rows of a file, decoded strictly: what the readers of predictions and references share."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from grading.scoring.formats.pieces import BOM, Piece, Places, Reading, choose_reading, cut
from grading.scoring.formats.strict_json import (
    Fault,
    StrictDecoder,
    depth_exceeded_at,
    string_end,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from grading.scoring.report import Collector
    from grading.scoring.types import Limits, Progress

_TYPE_NAMES: Mapping[type, str] = {
    dict: "object",
    list: "list",
    str: "string",
    int: "number",
    float: "number",
    Decimal: "number",
    bool: "boolean",
    type(None): "null",
}
# Found without decoding, in rows that cannot be decoded; both kinds of quotes, since a row may be
# broken by having the wrong ones.
_ID = re.compile(
    rb"""["']utt_id["']\s*+:\s*+(?:"((?:[^"\\\r\n]|\\[^\r\n]){1,200})"|'([^'\\\r\n]{1,200})')"""
)
_MAP_ID = re.compile(rb'"((?:[^"\\\r\n]|\\[^\r\n]){1,200})"\s*+:')
_WIDE_MARKS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_LOOKS_WIDE = {
    "UTF-16": re.compile(rb"(?:[\t\n\r -~]\0){8}|(?:\0[\t\n\r -~]){8}"),
    "UTF-32": re.compile(rb"(?:[\t\n\r -~]\0{3}){4}|(?:\0{3}[\t\n\r -~]){4}"),
}
_REPORTS = 50  # calls of `progress` for one file
_SHOWN_KEYS = 5
_JUDGED_PAIRS = 1_000  # of an object, to tell what it is


class Row(NamedTuple):
    """One object of the file, and where it stands in it; `is_faulty` when it was complained of."""

    piece: Piece
    value: dict[str, object]
    is_faulty: bool = False


class RowReader:
    """Reads the rows of one file and reports whatever is wrong with their form.

    Iterating yields the rows that are objects; a pair of a map comes as a row with the two fields
    of a prediction. Afterwards `count` is the number of rows seen, `broken_ids` the ids of rows
    that could not be read, `unread` how many such rows have no id that could be told, and
    `complete` whether the whole file was looked at.
    """

    def __init__(
        self,
        data: bytes,
        *,
        limits: Limits,
        report: Collector,
        known: Container[str] | None,
        progress: Progress | None = None,
        text: str = "text_with_nvvs",
        example: str | None = None,
    ) -> None:
        """Prepare to read; `known` are the ids that a map may have, None where none is wanted.

        `text` names the field that a map's values are; `example` is how a row looks.
        """
        self._data = data
        self._known = known
        self._limits = limits
        self._report = report
        self._progress = progress
        self._text = text
        self._example = example
        self._decoder = StrictDecoder(limits)
        self._places = Places(data)
        self.reading: Reading | None = None
        self.count = 0
        self.complete = True
        self.broken_ids: set[str] = set()
        self.unread = 0
        self.last_id: str | None = None
        self._keys: set[str] = set()

    def __iter__(self) -> Iterator[Row]:
        if (found := _other_encoding(self._data)) is not None:
            self._report.error("INVALID_ENCODING", line=1, reason="other", found=found, offset=0)
            self.complete = False
            return
        start = 0
        if self._data.startswith(BOM):
            self._report.warning("BYTE_ORDER_MARK", line=1)
            start = len(BOM)
        self.reading = choose_reading(self._data[start:] if start else self._data)
        if self.reading is Reading.MAP and not self._is_map_of_texts(start):
            self.complete = False
            return
        yield from self._rows(cut(self._data, start, self.reading))

    def _is_map_of_texts(self, start: int) -> bool:
        """Tell a map of texts from another object, such as one around a list; report the latter."""
        pieces = list(islice(cut(self._data, start, Reading.MAP), _JUDGED_PAIRS))
        pairs = [_key_and_opener(piece.raw) for piece in pieces]
        known = self._known is not None and any(key in self._known for key, _ in pairs)
        texts = any(opener == '"' for _, opener in pairs)
        nested = any(opener in {"[", "{"} for _, opener in pairs)
        if self._known is not None and (not pairs or (texts and (known or not nested))):
            return True
        self._report_other_object(pieces, [key for key, _ in pairs if key], start)
        return False

    def _report_other_object(self, pieces: list[Piece], keys: list[str], start: int) -> None:
        """Report an object that is no map of texts, or that is no JSON from its first pair on."""
        line = self._places.line(start)
        if pieces and pieces[0].broken:
            self._report_cut(pieces[0])
            return
        limit = self._limits.depth
        if any(depth_exceeded_at(piece.raw, limit - 1) is not None for piece in pieces):
            self._report.error("JSON_TOO_DEEP", line=line, limit=limit)
        shown = keys[:_SHOWN_KEYS]
        self._report.error("WRONG_SHAPE", line=line, reason="object", keys=shown, row=self._example)

    def _rows(self, pieces: Iterator[Piece]) -> Iterator[Row]:
        size = len(self._data)
        due = step = size // _REPORTS + 1
        for piece in pieces:
            if self.count >= self._limits.rows:
                self._report.error("TOO_MANY_ROWS", line=piece.line, limit=self._limits.rows)
                self.complete = False
                return
            row = self._row(piece)
            if row is not None:
                yield row
            if self._progress is not None and piece.offset >= due:
                self._progress(piece.offset, size)
                due = piece.offset + step

    def _row(self, piece: Piece) -> Row | None:
        if piece.broken:
            self._report_cut(piece)
            return None
        raw = piece.raw
        if raw.startswith(BOM):
            raw = raw[len(BOM) :]
            if not raw.strip():
                return None
            # Files joined one after the other keep each one's mark.
            self._report.warning("BYTE_ORDER_MARK", line=piece.line)
        self.count += 1
        is_pair = self.reading is Reading.MAP
        decoded = self._decoder.decode(b"{" + raw + b"}" if is_pair else raw)
        if decoded.faults:
            shift = piece.offset + len(piece.raw) - len(raw) - is_pair
            utt_id = _id_of(decoded.value) if decoded.readable else None
            for fault in decoded.faults:
                self._report_fault(piece, fault, shift, utt_id)
            if not decoded.readable:
                self._salvage(piece.raw)
                return None
        if not isinstance(decoded.value, dict):
            found = type_name(decoded.value)
            self._report.error(
                "WRONG_SHAPE", line=piece.line, reason="row", found=found, row=self._example
            )
            self.unread += 1
            return None
        value = self._as_prediction(piece, decoded.value) if is_pair else decoded.value
        return Row(piece, value, bool(decoded.faults))

    def _as_prediction(self, piece: Piece, value: dict[str, object]) -> dict[str, object]:
        ((utt_id, text),) = value.items()
        if utt_id in self._keys:
            self._report.error("DUPLICATE_JSON_KEY", line=piece.line, utt_id=utt_id, key=utt_id)
        self._keys.add(utt_id)
        return {"utt_id": utt_id, self._text: text}

    def _report_cut(self, piece: Piece) -> None:
        """Report a place where the list or map itself is broken."""
        self.complete = self.complete and not piece.raw
        self._salvage(piece.raw)
        limit = self._limits.depth
        if depth_exceeded_at(piece.raw, limit) is not None:
            self._report.error("JSON_TOO_DEEP", line=piece.line, limit=limit)
        self._syntax_error(piece.offset, {"reason": piece.broken})

    def _report_fault(self, piece: Piece, fault: Fault, shift: int, utt_id: str | None) -> None:
        offset = max(shift + fault.offset, piece.offset)
        utt_id = utt_id or self._id_near(piece, offset)
        if fault.code == "INVALID_JSON":
            self._syntax_error(offset, fault.params, utt_id)
            return
        params = dict(fault.params)
        if fault.code == "INVALID_ENCODING":
            params["offset"] = offset
        self._report.error(fault.code, line=piece.line, utt_id=utt_id, **params)

    def _syntax_error(
        self, offset: int, params: Mapping[str, object], utt_id: str | None = None
    ) -> None:
        self._report.error(
            "INVALID_JSON",
            line=self._places.line(offset),
            column=self._places.column(offset),
            utt_id=utt_id,
            after=None if utt_id else self.last_id,
            **params,
        )

    def _id_near(self, piece: Piece, offset: int) -> str | None:
        """Return the id written last before this place in the row, else the first one after it."""
        pattern = _MAP_ID if self.reading is Reading.MAP else _ID
        found: re.Match[bytes] | None = None
        for match in pattern.finditer(piece.raw):
            if found is None or match.start() <= offset - piece.offset:
                found = match
        return _decoded_id(found) if found else None

    def _salvage(self, raw: bytes) -> None:
        """Remember the ids of rows that cannot be read: they are broken, not missing."""
        pattern = _MAP_ID if self.reading is Reading.MAP else _ID
        found = {_decoded_id(match) for match in pattern.finditer(raw)}
        self.unread += not found
        self.broken_ids |= found


def _other_encoding(data: bytes) -> str | None:
    marked = (name for mark, name in _WIDE_MARKS.items() if data.startswith(mark))
    looking = (name for name, pattern in _LOOKS_WIDE.items() if pattern.match(data))
    return next(chain(marked, looking), None)


def _key_and_opener(raw: bytes) -> tuple[str, str]:
    """Return a pair's key as written and the first character of its value; empty where broken."""
    end = string_end(raw, 0)
    value = raw[end:].lstrip(b" \t\r\n:")[:1]
    return raw[1 : max(end - 1, 1)].decode("utf-8", "replace").strip(), value.decode("latin-1")


def _decoded_id(match: re.Match[bytes]) -> str:
    written = next(part for part in match.groups() if part).decode("utf-8", "replace")
    try:
        return str(json.loads(f'"{written}"')).strip()
    except ValueError:
        return written.strip()


def _id_of(value: object) -> str | None:
    utt_id = value.get("utt_id") if isinstance(value, dict) else None
    return utt_id.strip() or None if isinstance(utt_id, str) else None


def type_name(value: object) -> str:
    """Return the JSON name of a decoded value's type: object, list, string, number, …"""
    return _TYPE_NAMES[type(value)]
