"""A zip of control items: whatever it holds, memory is bounded and it is refused in words."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile

import pytest

from grading.services.ratings import controls
from grading.services.ratings.errors import ControlInvalid

LINE = {"kind": "trap", "language": "en", "name": "x", "text": "Listen.", "file": "a.wav",
        "marks": {"A": 1}, "explanation": {}}  # fmt: skip


def archive(files, packing=zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", packing) as target:
        for name, data in files.items():
            target.writestr(name, data)
    return made.getvalue()


def test_recordings_that_swell_are_refused_before_they_fill_the_memory():
    swelling = archive({f"{number}.wav": bytes(4 << 20) for number in range(60)})
    assert len(swelling) < 1 << 20
    tracemalloc.start()
    with pytest.raises(ControlInvalid):
        controls.read_archive(swelling)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 << 20


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_member_is_refused_however_it_is_packed(packing):
    whole = bytearray(archive({"a.wav": bytes(range(256)) * 40}, packing))
    start = whole.index(b"a.wav") + 5
    whole[start + 8 : start + 30] = b"\xff" * 22
    with pytest.raises(ControlInvalid):
        controls.read_archive(bytes(whole))


@pytest.mark.parametrize("bad", ["\0", "\ud800"])
@pytest.mark.parametrize("field", ["name", "text", "explanation"])
def test_what_no_database_keeps_is_refused_with_its_line(field, bad):
    value = {"en": bad} if field == "explanation" else f"x{bad}"
    lines = json.dumps(LINE | {field: value})
    with pytest.raises(ControlInvalid) as refused:
        controls.read_archive(archive({"items.jsonl": lines, "a.wav": b"x"}))
    assert refused.value.params["faults"][0].startswith("items.jsonl:1:")
    assert controls.read_archive(archive({"items.jsonl": json.dumps(LINE), "a.wav": b"x"}))
