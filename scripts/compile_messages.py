"""Compiles locale/*/LC_MESSAGES/*.po to .mo with Babel where the .po file is newer; no gettext tools."""

from __future__ import annotations

import sys
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LOCALE = Path(__file__).resolve().parent.parent / "locale"


def compile_file(source: Path) -> None:
    """Write the .mo file beside a .po file, whole or not at all; fuzzy entries are left out."""
    with source.open("rb") as handle:
        catalog = read_po(handle, locale=source.parts[-3])
    draft = source.with_suffix(".mo.draft")
    with draft.open("wb") as handle:
        write_mo(handle, catalog)
    draft.replace(source.with_suffix(".mo"))


def is_stale(source: Path) -> bool:
    """Return whether the .mo file is missing or older than the .po file."""
    target = source.with_suffix(".mo")
    return not target.exists() or target.stat().st_mtime < source.stat().st_mtime


def main() -> int:
    """Compile what is stale."""
    for source in sorted(LOCALE.glob("*/LC_MESSAGES/*.po")):
        if is_stale(source):
            compile_file(source)
    return 0


if __name__ == "__main__":
    sys.exit(main())
