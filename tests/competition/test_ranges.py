"""Ranges of a file, by the words of RFC 9110."""

from __future__ import annotations

import doctest

import pytest

from competition import ranges
from competition.ranges import decide

ETAG = '"abc"'
SIZE = 10_000


def asked(header: str | None, *, size: int = SIZE, method: str = "GET", only_if: str | None = None):
    found = decide(method=method, size=size, etag=ETAG, asked=header, only_if=only_if)
    return int(found.status), found.first, found.length, found.content_range


WHOLE = (200, 0, SIZE, None)
NOTHING = (416, 0, 0, f"bytes */{SIZE}")


def part(first: int, last: int):
    return 206, first, last - first + 1, f"bytes {first}-{last}/{SIZE}"


# the examples of section 14.1.2, for a representation of 10,000 bytes, and the edges beside them
SATISFIABLE = {
    "bytes=0-499": (0, 499),
    "bytes=500-999": (500, 999),
    "bytes=-500": (9_500, 9_999),
    "bytes=9500-": (9_500, 9_999),
    "bytes=0-0": (0, 0),
    "bytes=9999-9999": (9_999, 9_999),
    "bytes=9999-": (9_999, 9_999),
    "bytes=-1": (9_999, 9_999),
    "bytes=0-": (0, 9_999),
    "bytes=0-99999999999999999999": (0, 9_999),
    "bytes=-99999999999999999999": (0, 9_999),
    "bytes=-10001": (0, 9_999),
    "BYTES=1-2": (1, 2),
    "bytes= 1-2 ": (1, 2),
    "bytes=,1-2,": (1, 2),
    "bytes=" + "0" * 6_000 + "1-" + "0" * 6_000 + "2": (1, 2),
    "bytes=3-" + "9" * 6_000: (3, 9_999),
}


@pytest.mark.parametrize("header", SATISFIABLE, ids=lambda text: text[:30])
def test_one_range_inside_of_the_file_is_sent(header):
    assert asked(header) == part(*SATISFIABLE[header])


@pytest.mark.parametrize(
    "header",
    [
        "bytes=10000-", "bytes=10000-10001", "bytes=999999999-", "bytes=-0", "bytes=-000",
        "bytes=999999999999999999999999-", "bytes=" + "9" * 6_000 + "-", "bytes=10000-,20000-",
    ],
    ids=lambda text: text[:30],
)  # fmt: skip
def test_a_range_beyond_the_end_is_not_satisfiable_and_the_size_is_told(header):
    assert asked(header) == NOTHING


@pytest.mark.parametrize(
    "header",
    [
        None, "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=abc-def", "bytes=5-2",
        "bytes=0-0;q=1", "bytes=--5", "bytes=1--2", "bytes=+1-2", "bytes=0x1-2", "bytes=1 -2",
        "bytes=1-2-3", "bytes=٠-٩", "bytes=1_0-20", "bytes 0-1", "items=0-1", "=0-1",
        "bytes=0-1,x", "bytes=0-1,bytes=2-3", "bytes=\x0b0-1", "bytes=0-1\n", "bytes = 0-1",
        "bytes=" + "9" * 6_000 + "-1",
    ],
    ids=lambda text: repr(text)[:30],
)  # fmt: skip
def test_what_is_malformed_or_of_another_unit_is_ignored(header):
    assert asked(header) == WHOLE


@pytest.mark.parametrize("header", ["bytes=0-0,-1", "bytes=0-9,5-14", "bytes=20000-,0-1"])
def test_several_ranges_get_the_whole_file(header):
    assert asked(header) == WHOLE


@pytest.mark.parametrize("method", ["HEAD", "POST", "get"])
def test_other_methods_than_get_know_no_ranges(method):
    assert asked("bytes=0-0", method=method) == WHOLE
    assert asked("bytes=10000-", method=method) == WHOLE


def test_if_range_holds_only_for_the_same_strong_tag():
    assert asked("bytes=0-0", only_if=ETAG) == part(0, 0)
    for other in (
        '"abd"',
        'W/"abc"',
        "abc",
        "",
        "*",
        '"abc", "x"',
        "Sat, 29 Oct 1994 19:43:31 GMT",
    ):
        assert asked("bytes=0-0", only_if=other) == WHOLE
        assert asked("bytes=10000-", only_if=other) == WHOLE


def test_an_empty_file_has_no_range():
    assert asked("bytes=0-", size=0) == (416, 0, 0, "bytes */0")
    assert asked("bytes=-5", size=0) == (416, 0, 0, "bytes */0")
    assert asked(None, size=0) == (200, 0, 0, None)


def test_thousands_of_ranges_cost_no_more_than_their_length():
    assert asked("bytes=" + ",".join(["0-"] * 8_000)) == WHOLE


def test_the_examples_of_the_module_hold():
    assert doctest.testmod(ranges).failed == 0
