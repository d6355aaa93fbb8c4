"""Reads the values of a judge's definition and keeps every fault with its path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any
from urllib.parse import urlsplit

from grading.scoring.types import ParamFault

LONGEST_TEXT = 2_000
_DECIMALS = 6
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Fields:
    """One mapping of a definition; what is read from it is checked, what is not known is a fault."""

    def __init__(
        self, given: Any, names: Iterable[str], faults: list[ParamFault], path: str = ""
    ) -> None:
        self._faults = faults
        self._path = path
        self._given: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        known = tuple(names)
        if not isinstance(given, Mapping):
            self.fault("", f"must have keys among {', '.join(known)}")
        for name in sorted(str(name) for name in self._given if name not in known):
            self.fault(name, f"is not known; there are {', '.join(known)}")

    def fault(self, name: str, message: str) -> None:
        """Keep a fault of one value, or of the mapping itself."""
        path = f"{self._path}.{name}" if self._path and name else self._path or name
        self._faults.append(ParamFault(path or "judge", message))

    def has(self, name: str) -> bool:
        """Return whether a value is given."""
        return self._given.get(name) is not None

    def part(self, name: str, names: Iterable[str]) -> Fields:
        """Return the mapping of that name; an absent one is empty."""
        given = self._given[name] if self.has(name) else {}
        path = f"{self._path}.{name}" if self._path else name
        return Fields(given, names, self._faults, path)

    def parts(self, name: str, names: Sequence[str]) -> list[Fields]:
        """Return the mappings of a list."""
        given = self._given.get(name)
        if not _is_list(given):
            self.fault(name, "must be a list")
            return []
        path = f"{self._path}.{name}" if self._path else name
        return [
            Fields(item, names, self._faults, f"{path}[{index}]")
            for index, item in enumerate(given or ())
        ]

    def text(self, name: str, default: str | None = None, *, longest: int = LONGEST_TEXT) -> str:
        """Return a text of printable characters in one or more lines, not empty without a default."""
        value = self._given.get(name, default)
        if value is None:
            self.fault(name, "is missing")
            return ""
        is_text = isinstance(value, str) and len(value) <= longest
        if not is_text or (default is None and not value.strip()) or not _is_shown(value):
            self.fault(name, f"must be a text of at most {longest} characters")
            return ""
        return str(value)

    def name(self, name: str, default: str | None = None) -> str:
        """Return a short name of letters, digits, dots, dashes and underscores."""
        value = self.text(name, default, longest=40)
        if value and not _NAME.fullmatch(value):
            self.fault(name, "must be letters, digits, dots, dashes and underscores")
        return value

    def choice(self, name: str, choices: Sequence[str], default: str) -> str:
        """Return one of `choices`."""
        value = self._given.get(name, default)
        if value not in choices:
            self.fault(name, f"must be one of {', '.join(choices)}")
            return default
        return str(value)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return true or false."""
        value = self._given.get(name, default)
        if not isinstance(value, bool):
            self.fault(name, "must be true or false")
            return default
        return value

    def integer(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """Return a whole number from `low` to `high`."""
        value = self._given.get(name, default)
        if value is None:
            self.fault(name, "is missing")
        elif isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.fault(name, f"must be a whole number from {low} to {high}")
        else:
            return value
        return low

    def maybe_integer(self, name: str, low: int, high: int) -> int | None:
        """Return a whole number, or None where none is given."""
        return self.integer(name, low, high) if self.has(name) else None

    def number(self, name: str, low: int, high: int, default: str = "0") -> Fraction:
        """Return a number with at most six decimals, exactly as it is written."""
        value = self._given.get(name, default)
        found = _decimal(value)
        if found is None or not low <= found <= high or found != round(found, _DECIMALS):
            self.fault(name, f"must be a number from {low} to {high} with at most 6 decimals")
            return Fraction(low)
        return Fraction(found)

    def maybe_number(self, name: str, low: int, high: int) -> Fraction | None:
        """Return a number, or None where none is given."""
        return self.number(name, low, high) if self.has(name) else None

    def integers(self, name: str, default: Sequence[int], low: int, high: int) -> tuple[int, ...]:
        """Return a list of whole numbers, no two alike."""
        value = self._given.get(name, default)
        if not _is_list(value) or not all(_is_integer(item, low, high) for item in value):
            self.fault(name, f"must be a list of whole numbers from {low} to {high}")
            return tuple(default)
        if len(set(value)) != len(value):
            self.fault(name, "holds a number twice")
        return tuple(value)

    def day(self, name: str) -> str:
        """Return a day as YYYY-MM-DD. YAML reads one as a date, JSON as a text."""
        value = self._given.get(name)
        text = value.isoformat() if isinstance(value, date) else value
        try:
            return date.fromisoformat(str(text)).isoformat()
        except ValueError:
            self.fault(name, "must be a day, YYYY-MM-DD")
            return ""

    def sha256(self, name: str) -> str:
        """Return 64 hexadecimal digits, or an empty text where none are given."""
        value = self._given.get(name, "")
        if value and not (isinstance(value, str) and _SHA256.fullmatch(value)):
            self.fault(name, "must be 64 hexadecimal digits in small letters")
            return ""
        return str(value)

    def address(self, name: str) -> str:
        """Return an http or https address without user, query and fragment, and without a slash at its end."""
        value = self.text(name, longest=200)
        why = address_fault(value) if value else ""
        if why:
            self.fault(name, why)
        return value.rstrip("/")


def address_fault(address: str) -> str:
    """Return what is wrong with the address of an endpoint, empty when nothing is.

    >>> address_fault("https://key@judge.example/v1")
    'must not hold a user, a password, a query or a fragment'
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return "is no address"
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        return "must begin with http:// or https:// and a host"
    if parts.username or parts.password or parts.query or parts.fragment or "@" in parts.netloc:
        return "must not hold a user, a password, a query or a fragment"
    if not address.isascii() or any(char.isspace() for char in address):
        return "must hold ASCII characters alone and no blanks"
    return ""


def decimal_text(value: Fraction) -> str:
    """Return the shortest decimal text of a fraction that came from a decimal.

    >>> decimal_text(Fraction("0.50"))
    '0.5'
    """
    text = f"{Decimal(value.numerator) / Decimal(value.denominator):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _is_integer(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _is_shown(value: str) -> bool:
    return all(char.isprintable() or char == "\n" for char in value)


def _decimal(value: object) -> Decimal | None:
    """Return a finite decimal as it is written, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        number = Decimal(str(value))
    except (InvalidOperation, ValueError):  # ValueError: an integer of thousands of digits
        return None
    return number if number.is_finite() else None
