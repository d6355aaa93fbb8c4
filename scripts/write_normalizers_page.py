"""Write docs/normalizers.md from the running normalizers; `--check` ends with 1 when it differs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grading.scoring import normalizers  # noqa: E402 - the path is set above
from grading.scoring.normalizers.simplified_table import SOURCE  # noqa: E402
from grading.scoring.text.shown import show  # noqa: E402

TARGET = ROOT / "docs/normalizers.md"
HEAD = f"""# Normalizers

Written by `scripts/write_normalizers_page.py`; the examples are what the code gives.

Reference and hypothesis go through the same normalizer. Each has a name and a version that stand in
the recipe of every score; a rule that changes is a new name. All of them take any text, give the same
on Python 3.11 to 3.13, and leave alone what they have made: normalizing twice changes nothing.

    python -m grading.scoring normalize --with yue-1 [--json] < lines

gives a line for each line (ended by a line feed; any other white space is a blank). With `--json`
each line is an object: `line` (from 1), `name`, `version`, `text`, and `spaced`, which is the text
before white space goes, as words are told apart for the mixed error rate. A line that is not UTF-8 ends
the run with 1 and is named; the lines before it have been printed.

`nvv-1` is not among them: it cuts tags out and gives units of one language, not a text (see
[scoring](scoring.md)). Simplified forms: {SOURCE}.
"""


def make_page() -> str:
    """Return the page."""
    parts = [HEAD]
    for name in normalizers.names():
        parts += list(_lines(normalizers.get(name)))
    return "\n".join(parts)


def _lines(normalizer: normalizers.Normalizer) -> Iterator[str]:
    space = "without white space" if normalizer.removes_space else "words parted by single blanks"
    languages = ", ".join(normalizer.languages)
    yield f"## {normalizer.name}\n"
    yield f"Version {normalizer.version}, for {languages}; {space}.\n"
    yield from (f"- {rule}" for rule in normalizer.rules)
    for point in normalizer.points:
        yield f"\n**{point.question}** {point.decision}\n"
        yield "| text | becomes |\n| --- | --- |"
        yield from (f"| {_code(raw)} | {_code(text)} |" for raw, text in point.examples)
    yield ""


def _code(text: str) -> str:
    shown = show(text)
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def main() -> int:
    """Write the page, or compare it."""
    page = make_page()
    if "--check" in sys.argv[1:]:
        return int(TARGET.read_text(encoding="utf-8") != page)
    TARGET.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
