"""The written answer to who may do what: `matrix.txt`, a line per endpoint, method and object."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.security.stage import PEOPLE

PATH = Path(__file__).with_name("matrix.txt")


@dataclass(frozen=True, slots=True)
class Row:
    """What each kind of person is answered: a status, and `*` or `+` where something is written."""

    method: str
    name: str
    variant: str
    cells: tuple[str, ...]

    @property
    def key(self) -> tuple[str, str, str]:
        """Method, endpoint and whose object."""
        return self.method, self.name, self.variant

    def __str__(self) -> str:
        cells = " ".join(f"{cell:>9}" for cell in self.cells)
        return f"{self.method:6} {self.name:36} {self.variant:6} {cells}"


def read_rows() -> list[Row]:
    """Return the lines of the table; raises ValueError for one that does not fit."""
    rows = []
    for line in PATH.read_text().splitlines():
        words = line.split()
        if not words or line.startswith("#"):
            continue
        method, name, variant, *cells = words
        if len(cells) != len(PEOPLE):
            raise ValueError(f"{PATH.name}: {len(PEOPLE)} cells are needed: {line}")
        rows.append(Row(method, name, variant, tuple(cells)))
    return rows


def heading() -> str:
    """Return the line over the table's columns."""
    return str(Row("method", "endpoint", "object", PEOPLE))
