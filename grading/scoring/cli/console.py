"""What the command line prints: JSON for machines, aligned text for people, progress on stderr."""

from __future__ import annotations

import json
import sys
import textwrap
from typing import TYPE_CHECKING, TextIO
from unicodedata import east_asian_width

from grading.scoring.text.shown import show
from grading.scoring.types import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SYNOPSIS = "Check, score and rank submissions exactly as the server does."

_BAR = 30
_WIDTH = 100
_COLORS = {
    Severity.ERROR: "31",
    Severity.WARNING: "33",
    Severity.NOTE: "36",
    "good": "32",
    "dim": "2",
    "strong": "1",
}


class Console:
    """Writes results to stdout and everything about the work to stderr."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._in_color = sys.stdout.isatty()
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")

    def color(self, text: str, name: str) -> str:
        """Return the text in a color when people look at it."""
        return f"\x1b[{_COLORS[name]}m{text}\x1b[0m" if self._in_color else text

    def line(self, text: str = "") -> None:
        """Print one line of the result."""
        print(text)

    def wrapped(self, text: str, indent: str) -> None:
        """Print a paragraph under its heading."""
        print(
            textwrap.fill(
                text,
                _WIDTH,
                initial_indent=indent,
                subsequent_indent=indent,
                break_on_hyphens=False,
                break_long_words=False,
            )
        )

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> None:
        """Print aligned columns: the first `left` to the left, numbers to the right."""
        lines = [list(heads), *(list(row) for row in rows)]
        widths = [max(_columns(line[i]) for line in lines) for i in range(len(heads))]
        for number, cells in enumerate(lines):
            blanks = [" " * (w - _columns(c)) for c, w in zip(cells, widths, strict=True)]
            aligned = [
                cell + blank if i < left else blank + cell
                for i, (cell, blank) in enumerate(zip(cells, blanks, strict=True))
            ]
            text = "  " + "  ".join(aligned).rstrip()
            print(self.color(text, "dim") if number == 0 else text)

    def result(self, value: object) -> None:
        """Print a result as JSON: valid UTF-8 and valid JSON whatever is in it."""
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
        # A lone surrogate becomes the escape that JSON has for it.
        data = text.encode("utf-8", "backslashreplace") + b"\n"
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def complain(self, text: str) -> None:
        """Print why nothing could be done."""
        print(show(text, 2_000), file=sys.stderr)

    def progress(self, task: str) -> ProgressBar | None:
        """Return a progress bar for one task, or None when nobody is looking."""
        return ProgressBar(sys.stderr, task) if sys.stderr.isatty() else None


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: wide characters take two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


class ProgressBar:
    """A bar that is drawn over itself, and wiped when the task is done."""

    def __init__(self, stream: TextIO, task: str) -> None:
        self._stream = stream
        self._task = task

    def __call__(self, done: int, total: int, /) -> None:
        """Draw the state of the work."""
        filled = _BAR * done // max(total, 1)
        bar = "█" * filled + "░" * (_BAR - filled)
        self._stream.write(f"\r{self._task} {bar} {100 * done // max(total, 1):3d} %")
        self._stream.flush()

    def close(self) -> None:
        """Wipe the bar."""
        self._stream.write("\r\x1b[K")
        self._stream.flush()
