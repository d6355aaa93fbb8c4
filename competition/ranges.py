"""What a request for a part of a file is answered, by RFC 9110, sections 13.1.5 and 14; pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus

UNIT = "bytes"
MOST_DIGITS = 18
"""Positions with more digits are beyond the end of any file, whatever they are."""

_SPECIFIER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(.*)", re.DOTALL)
_RANGE = re.compile(r"([0-9]*)-([0-9]*)")
_STRONG = re.compile(r'"[\x21\x23-\x7e\x80-\xff]*"')


@dataclass(frozen=True, slots=True)
class Slice:
    """The answer's status, and of its body the first byte and the length, in a file of `size` bytes.

    With 416 nothing of the file is sent and the length is 0.
    """

    status: HTTPStatus
    first: int
    length: int
    size: int

    @property
    def content_range(self) -> str | None:
        """The value of Content-Range, None where the answer has none."""
        if self.status == HTTPStatus.PARTIAL_CONTENT:
            return f"{UNIT} {self.first}-{self.first + self.length - 1}/{self.size}"
        if self.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return f"{UNIT} */{self.size}"
        return None


def decide(
    *, method: str, size: int, etag: str, asked: str | None, only_if: str | None = None
) -> Slice:
    """Return what is sent of a file of `size` bytes under the strong entity tag `etag`, quotes included.

    `asked` is the Range header and `only_if` the If-Range header, None where there is none. What
    is malformed, in another unit, or not asked with GET is answered as if nothing was asked.
    Several ranges in one request get the whole file, which the RFC allows, unless none of them
    lies in it.

    >>> decide(method="GET", size=10, etag='"a"', asked="bytes=-3").content_range
    'bytes 7-9/10'
    >>> decide(method="GET", size=10, etag='"a"', asked="bytes=10-").content_range
    'bytes */10'
    """
    whole = Slice(HTTPStatus.OK, 0, size, size)
    if method != "GET" or asked is None:
        return whole
    if only_if is not None and not (_STRONG.fullmatch(only_if) and only_if == etag):
        return whole
    wanted = parse(asked, size)
    if wanted is None or (len(wanted) > 1 and any(wanted)):
        return whole
    if not any(wanted):
        return Slice(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, 0, 0, size)
    found = wanted[0]
    return Slice(HTTPStatus.PARTIAL_CONTENT, found.start, len(found), size)


def parse(asked: str, size: int) -> list[range] | None:
    """Return the byte positions of each range that is asked for; None for a header without sense.

    An empty range lies outside of the file.

    >>> parse("bytes=2-4, -1, 9-", 8)
    [range(2, 5), range(7, 8), range(8, 8)]
    >>> [parse(text, 8) for text in ("items=0-1", "bytes=5-2", "bytes=", "bytes=0-0;q=1")]
    [None, None, None, None]
    """
    found = _SPECIFIER.fullmatch(asked.strip(" \t"))
    if found is None or found[1].lower() != UNIT:
        return None
    specs = [one for part in found[2].split(",") if (one := part.strip(" \t"))]
    ranges = [_positions(one, size) for one in specs]
    known = [one for one in ranges if one is not None]
    return known if known and len(known) == len(ranges) else None


def _positions(spec: str, size: int) -> range | None:
    match = _RANGE.fullmatch(spec)
    if match is None or spec == "-":
        return None
    if not match[1]:
        return range(max(0, size - _number(match[2])), size)
    first = _number(match[1])
    last = _number(match[2]) if match[2] else size
    if match[2] and _is_less(match[2], match[1]):
        return None
    return range(min(first, size), min(last + 1, size))


def _number(digits: str) -> int:
    """Return the value, or one beyond any file: reading thousands of digits is refused by Python."""
    significant = digits.lstrip("0")
    return int(significant or 0) if len(significant) <= MOST_DIGITS else 10**MOST_DIGITS


def _is_less(digits: str, others: str) -> bool:
    """Compare two decimal numbers of any length."""
    a, b = digits.lstrip("0"), others.lstrip("0")
    return (len(a), a) < (len(b), b)
