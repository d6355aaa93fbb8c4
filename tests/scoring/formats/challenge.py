"""The test challenge of tests/cases, and small makers of submissions to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.scoring.formats.predictions import read_predictions
from grading.scoring.messages import render
from grading.scoring.types import Limits

if TYPE_CHECKING:
    from grading.scoring.tracks.base import Checked

BOM = b"\xef\xbb\xbf"
CASES = Path(__file__).parents[2] / "cases"
REFERENCE = [
    json.loads(line)
    for line in (CASES / "ref/track1_reference.jsonl").read_text("utf-8").splitlines()
]
IDS: dict[str, str | None] = {row["utt_id"]: row["language"] for row in REFERENCE}
TEXTS: dict[str, str] = {row["utt_id"]: row["text_with_nvvs"] for row in REFERENCE}
LABELS = frozenset(json.loads((CASES / "ref/tags.json").read_text("utf-8")))
GOOD = "".join(
    json.dumps({"utt_id": i, "text_with_nvvs": t}, ensure_ascii=False) + "\n"
    for i, t in TEXTS.items()
).encode()


def check(source: Path | bytes, **options: Any) -> Checked:
    """Check a file against the test challenge."""
    settings: dict[str, Any] = {"ids": IDS, "labels": LABELS, "limits": Limits(), **options}
    return read_predictions(source, **settings)


def lines(*rows: object, end: str = "\n") -> bytes:
    """Return JSON Lines; a row that is bytes stands as it is."""
    encoded = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    return b"".join(row + end.encode() for row in encoded)


def good_rows(**changed: object) -> list[dict[str, object]]:
    """Return the four right rows; `utt_0002={...}` changes fields of one of them."""
    return [
        {"utt_id": i, "text_with_nvvs": t, **changed.get(i, {})}  # type: ignore[dict-item]
        for i, t in TEXTS.items()
    ]


def with_text(text: object) -> bytes:
    """Return a submission whose utt_0002 has this text."""
    return lines(*good_rows(utt_0002={"text_with_nvvs": text}))


ROWS = good_rows()
PRETTY_MAP = json.dumps(TEXTS, indent=2, ensure_ascii=False).encode()


def codes(checked: Checked) -> list[str]:
    """Return the codes of the listed problems, in order."""
    return [problem.code for problem in checked.report.problems]


def sentences(checked: Checked) -> str:
    """Return all sentences of a report."""
    return "\n".join(f"{p.code} {render(p)}" for p in checked.report.problems)
