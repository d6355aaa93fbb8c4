"""The stand-in's mark of an answer in words: how many pairs of letters it shares with what is wanted.

It is no judge, and labelled so wherever its marks are shown: it reads nothing, and no order moves it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_SCALE = re.compile(r"a number from (-?[0-9.]+) to (-?[0-9.]+);")
_STEP = 0.5
_OFF_SCALE = 2

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Item:
    """What is asked about: the item's parts, and the bounds of the mark."""

    asked: str
    wanted: str
    answer: str
    lowest: float
    highest: float


def read_item(instructions: str, text: str) -> Item:
    """Return the item of a question; its scale is in the instructions. Raises ValueError, KeyError."""
    scale = _SCALE.search(instructions)
    if scale is None:
        raise ValueError("the instructions name no scale")
    item = json.loads(text)
    asked, wanted, said = (str(item[name]) for name in ("asked", "wanted", "answer"))
    return Item(asked, wanted, said, float(scale[1]), float(scale[2]))


def mark_of(item: Item, drawn: int | None = None, jitters: Sequence[float] = ()) -> float:
    """Return the mark, in half marks within the scale; `drawn` chooses how it is moved.

    >>> mark_of(Item("?", "three", "three", 1, 5)), mark_of(Item("?", "three", "", 1, 5))
    (5.0, 1.0)
    """
    alike = _likeness(item.answer, item.wanted or item.asked)
    steps = round(alike * (item.highest - item.lowest) / _STEP)
    moved = jitters[drawn % len(jitters)] if drawn is not None and jitters else 0.0
    return min(item.highest, max(item.lowest, item.lowest + steps * _STEP + moved))


def answer(item: Item, mark: float) -> Json:
    """Return the object that the prompt asks for."""
    target = item.wanted or item.asked
    shared = round(100 * _likeness(item.answer, target))
    return {"reason": f"{shared} % of the pairs of letters are shared.", "mark": mark}


def spoilt(item: Item, said: Json) -> Json:
    """Return an answer with a mark that is off the scale."""
    return {**said, "mark": item.highest + _OFF_SCALE}


def _likeness(one: str, other: str) -> float:
    """Return the share of pairs of letters that two texts have in common, 0 to 1 (Dice)."""
    first, second = _pairs(one), _pairs(other)
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0


def _pairs(text: str) -> Counter[str]:
    letters = "".join(text.split()).casefold()
    return Counter(letters[at : at + 2] for at in range(max(len(letters) - 1, 1)) if letters)
