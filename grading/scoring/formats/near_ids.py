"""Ids that miss a known one by a little: what was probably meant, and what differs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grading.scoring.text.normalize import lower, nfkc

if TYPE_CHECKING:
    from collections.abc import Iterable

_ENDING = re.compile(r"\.(?:wav|mp3|flac|ogg|json|txt)\Z")


def near_misses(unknown: Iterable[str], known: Iterable[str]) -> list[dict[str, str]]:
    """Pair unknown ids with the known ones they were probably meant to be, and say what differs.

    >>> near_misses([" u1", "u2.wav", "u9"], ["u1", "u2"])
    [{'found': ' u1', 'meant': 'u1', 'differs': 'spaces'}, {'found': 'u2.wav', 'meant': 'u2', 'differs': 'ending'}]
    """
    folded = {_fold(utt_id): utt_id for utt_id in known}
    pairs = ((utt_id, folded.get(_fold(utt_id))) for utt_id in unknown)
    return [
        {"found": found, "meant": meant, "differs": _difference(found, meant)}
        for found, meant in pairs
        if meant is not None
    ]


def _fold(utt_id: str) -> str:
    return _ENDING.sub("", "".join(lower(nfkc(utt_id)).split()))


def _difference(found: str, meant: str) -> str:
    if found.lower() == meant.lower():
        return "case"
    if "".join(found.split()) == "".join(meant.split()):
        return "spaces"
    return "ending" if found.lower().startswith(meant.lower()) else "form"
