"""Traditional and simplified Chinese characters, told apart by two old character sets."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff〇]")
_SHOWN = 10


@lru_cache(maxsize=30_000)
def is_traditional_only(character: str) -> bool:
    """Tell whether a character can be written in Big5 and not in GB 2312.

    >>> [is_traditional_only(c) for c in "們们人"]
    [True, False, False]
    """
    return _fits(character, "big5") and not _fits(character, "gb2312")


def _fits(character: str, codec: str) -> bool:
    try:
        character.encode(codec)
    except UnicodeEncodeError:
        return False
    return True


def traditional_share(counts: Mapping[str, int]) -> tuple[float, str]:
    """Return the share (0 … 1) of traditional-only characters among the Han, and some of them.

    0 where there is no Han character.
    """
    han = {c: n for c, n in counts.items() if _HAN.match(c)}
    traditional = {c: n for c, n in han.items() if is_traditional_only(c)}
    if not traditional:
        return 0.0, ""
    shown = sorted(traditional, key=lambda c: (-traditional[c], c))[:_SHOWN]
    return sum(traditional.values()) / sum(han.values()), "".join(shown)
