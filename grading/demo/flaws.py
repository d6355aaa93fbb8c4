"""Two files that show what a report looks like: one that is rejected, one with warnings."""

from __future__ import annotations

import json
from collections.abc import Sequence

# One in so many rows of the rejected file carries a fault.
_BAD_TAGS = (
    "[throat clear]", "[laughs]", "[inhale]", "[sob]", "[clears throat]", "[giggle]",
    "[snoring]", "[humming]", "[lip smack]", "[sniffle]", "[belch]", "[groan]",
)  # fmt: skip
_MALFORMED = ("[sigh", "gasp]", "[[cough]]")


def break_rows(rows: Sequence[dict[str, str]]) -> bytes:
    """Return a file with exactly 40 problems made from good rows (at least 60 of them).

    24 unknown labels, 6 unmatched or nested brackets, 3 empty tags, 4 ids that stand twice, 2
    texts that are no text, and utterances that are missing (one problem).
    """
    broken = [dict(row) for row in rows]
    for index in range(24):
        broken[index]["text_with_nvvs"] += f" {_BAD_TAGS[index % len(_BAD_TAGS)]}"
    for index in range(24, 30):
        broken[index]["text_with_nvvs"] += f" {_MALFORMED[index % len(_MALFORMED)]}"
    for index in range(30, 33):
        broken[index]["text_with_nvvs"] += " []"
    lines: list[dict[str, object]] = [dict(row) for row in broken[:-9]]
    lines[33]["text_with_nvvs"] = None
    lines[34]["text_with_nvvs"] = ["[laugh]", "that was it"]
    lines.extend(dict(row) for row in broken[36:40])
    return _lines(lines)


def blemish_rows(rows: Sequence[dict[str, str]], other_phase: Sequence[str]) -> bytes:
    """Return an acceptable file with warnings made from good rows (at least 8 of them).

    Look-alikes of tags in three texts, one blank text, rows of another phase, and one id that
    differs from a known one only by case.
    """
    marked = [dict(row) for row in rows]
    for index, look_alike in ((1, "【laugh】"), (4, "(clears throat)"), (6, "<sigh>")):
        marked[index]["text_with_nvvs"] += f" {look_alike}"
    marked[7]["text_with_nvvs"] = " "
    first = marked[0]
    marked.append({**first, "utt_id": first["utt_id"].upper()})
    marked.extend({"utt_id": utt_id, "text_with_nvvs": ""} for utt_id in other_phase)
    return _lines(marked)


def _lines(rows: Sequence[object]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
