"""Texts that somebody may type to run, to hide, or to be taken for somebody else."""

from __future__ import annotations

import csv
import io
import re

HOSTILE = {
    "script": "<svg/onload=alert(1)>",
    "attribute": "\" onmouseover=alert(1) x='",
    "closing": "</title></script><script>alert(1)</script>",
    "mathml": "<math><mtext></form><mglyph><style></math><img src onerror=alert(1)>",
    "link": "[x](javascript:alert(1)) <javascript:alert(1)>",
    "equals": "=cmd|' /C calc'!A0",
    "plus": "+1+1",
    "minus": "-1+1",
    "at": "@SUM(1+1)",
    "blank": " =1+1",
    "wide": "＝1+1",
    "tab": "\t=1+1",
    "return": "\r=1+1",
    "quote": 'Uni "A", Dept\n=1+1',
    "override": "\u202eAmaeT",
    "isolate": "Team\u2067A\u2069",
    "zero width": "Te\u200bam",
    "joiner": "Te\u2060am",
    "mark": "Team\ufeff",
    "tags": "Team\U000e0041",
    "nul": "Team\x00A",
    "escape": "Team\x1b[31mA",
    "crlf": "x\r\nBcc: all@example.org\r\n\r\nbody",
    "template": "{{ 7|add:7 }}{% debug %}%(name)s%s{0.__class__}",
    "path": "../admin/?next=//example.invalid#",
    "long": "a" * 100_000,
    "wide letters": "\U0001f469\u200d\U0001f4bb" * 30,
    "marks": "Z" + "\u0337" * 500,
    "number": "18446744073709551616",
    "infinity": "1e400",
    "not a number": "NaN",
}
"""By kind; each is sent in every free-text field."""

UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
"""What no page, file or mail may hold: control, bidi and zero-width characters."""

FORMULA = re.compile(r"^[ \t\r\n]*[=+\-@＝＋－＠\t\r]")
NUMBER = re.compile(r"^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$")


def formulas(text: str) -> list[str]:
    """Return the cells of a CSV file that a spreadsheet would run."""
    rows = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""))
    return [cell for row in rows for cell in row if FORMULA.match(cell) and not NUMBER.match(cell)]
