"""Tables as CSV that spreadsheets read as UTF-8 and run nothing of. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

BYTE_ORDER_MARK = "\ufeff"
FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")
"""Spreadsheets of East Asia take full-width signs for the others."""


def csv_text(records: Iterable[Mapping[str, Any]], names: Sequence[str]) -> str:
    """Return records as CSV; a text that a spreadsheet would run as a formula gets an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(names)
    for record in records:
        writer.writerow([neutral(record[name]) for name in names])
    return out.getvalue()


def neutral(value: Any) -> Any:
    """Return a cell that no spreadsheet runs; missing is empty, numbers stay numbers."""
    if value is None:
        return ""
    if isinstance(value, str) and value.lstrip(" \u3000").startswith(FORMULA_STARTS):
        return f"'{value}"
    return value


def csv_bytes(text: str) -> bytes:
    """Return CSV in UTF-8 with a byte order mark."""
    return (BYTE_ORDER_MARK + text).encode()
