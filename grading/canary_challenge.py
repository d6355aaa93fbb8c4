"""The tiny challenge that a server scores every few minutes to show that it can. Pure.

Its digits are known: a server that gives others is broken, however healthy it looks.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from grading.scoring import registry

KIND: Final = "nvv-t1"
PARAMS: Final[dict[str, Any]] = {
    "labels": ["cough", "laugh", "sigh"],
    "collars": {"en": 2, "zh": 5},
    "weights": {"f1": 0.7, "mntd": 0.2, "error": 0.1},
    "tie_breaks": ["f1", "mntd", "error"],
}
_ROWS: Final = (
    ("en_1", "en", "the kettle is on [sigh] at last", "the kettle is on [sigh] at last"),
    ("en_2", "en", "[laugh] that was the wrong door", "that was [laugh] the wrong door"),
    ("en_3", "en", "one moment [cough] please", "one moment please"),
    ("en_4", "en", "we counted seven boats", "we counted eleven boats"),
    ("zh_1", "zh", "水开了[sigh]终于", "水开了[sigh]终于"),
    ("zh_2", "zh", "[laugh]走错门了", "走错门了[laugh]"),
    ("zh_3", "zh", "请等一下[cough]谢谢", "请等一下谢谢"),
    ("zh_4", "zh", "我们数到七条船", "我们数到九条船"),
)

EXPECTED: Final[dict[str, float]] = {
    "score": 72.914285714286,
    "low": 31.121794871795,
    "high": 94.083333333644,
    "f1": 0.8,
    "mntd": 0.5666666666666667,
    "error_rate": 0.17523809523809525,
}
"""What the current version of the scorer gives; a test computes it anew."""


def phase_code() -> str:
    """Return the code of the canary's phase: one for each version of scorer, parameters and rows.

    The seed of the interval is made of it, so it is the same on every server.
    """
    said = json.dumps([KIND, registry.get(KIND).version, PARAMS, _ROWS])
    return f"canary-{hashlib.sha256(said.encode()).hexdigest()[:8]}"


def references() -> bytes:
    """Return the hidden references as JSON Lines."""
    return _lines(
        {"utt_id": utt_id, "language": language, "text_with_nvvs": text}
        for utt_id, language, text, _ in _ROWS
    )


def languages() -> dict[str, str]:
    """Return the language of each utterance."""
    return {utt_id: language for utt_id, language, _, _ in _ROWS}


def predictions(number: int) -> bytes:
    """Return the file of the canary with this number: other bytes for each, the same content."""
    spaces = [int(digit) for digit in f"{number % 10 ** len(_ROWS):0{len(_ROWS)}d}"]
    rows = (
        json.dumps({"utt_id": utt_id, "text_with_nvvs": text}, ensure_ascii=False) + " " * count
        for (utt_id, _, _, text), count in zip(_ROWS, spaces, strict=True)
    )
    return "".join(f"{row}\n" for row in rows).encode()


def _lines(rows: Any) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
