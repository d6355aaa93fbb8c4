"""Makes locale/zh_Hant from locale/zh_Hans with OpenCC and the words of locale/zh_Hant/words.tsv.

OpenCC turns characters and common phrases into those of Taiwan; words.tsv says, in its order, what it
does not know or gets wrong: what it wrote, a tab, what should stand there; a line that begins with =
is about a text that is that and nothing else. `--check` changes nothing and ends with 1 when the file
is not what it would write.
"""

from __future__ import annotations

import sys
from pathlib import Path

from babel.messages import Catalog
from opencc import OpenCC

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.update_messages import (  # noqa: E402 - the repository is no package
    SIMPLIFIED,
    TRADITIONAL,
    loaded,
    rendered,
    texts_of,
)

WORDS = ROOT / "locale" / "zh_Hant" / "words.tsv"


def words() -> list[tuple[str, str]]:
    """Return what to replace by what, in order; lines that begin with # are remarks."""
    lines = WORDS.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [(written, wanted) for written, wanted in pairs]


def of_taiwan(text: str, replacements: list[tuple[str, str]]) -> str:
    """Return the text with every replacement made, in their order.

    >>> of_taiwan("代碼", [("=代碼", "代號"), ("碼", "号")])
    '代號'
    """
    for written, wanted in replacements:
        if written.startswith("="):
            text = wanted if text == written[1:] else text
        else:
            text = text.replace(written, wanted)
    return text


def traditional() -> Catalog:
    """Return the catalog of traditional Chinese that belongs to the simplified one."""
    converter, replacements = OpenCC("s2twp"), words()
    catalog = Catalog(locale="zh_Hant", charset="utf-8")
    for message in loaded(SIMPLIFIED):
        if not message.id:
            continue
        text = of_taiwan(converter.convert(texts_of(message)[0]), replacements)
        string = text if isinstance(message.id, str) else (text,)
        catalog.add(message.id, string, context=message.context, flags=message.flags)
    return catalog


def main() -> int:
    """Write the file, or compare it with what it would be."""
    made = rendered(traditional(), "zh_Hant")
    if "--check" in sys.argv:
        if TRADITIONAL.exists() and TRADITIONAL.read_bytes() == made:
            return 0
        print("locale/zh_Hant is not what zh_Hans says. Run scripts/make_traditional.py.")
        return 1
    TRADITIONAL.parent.mkdir(parents=True, exist_ok=True)
    TRADITIONAL.write_bytes(made)
    print(f"{TRADITIONAL.relative_to(ROOT)} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
