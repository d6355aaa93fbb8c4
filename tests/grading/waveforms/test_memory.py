"""However large an archive is, its check and its clips take no more memory than a small one's."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.scoring.audio.waves import tone, wav

ROOT = Path(__file__).resolve().parents[3]
MOST_BYTES = 256 * 1024 * 1024
RUN = """
import json, resource, subprocess, sys
with subprocess.Popen(
    [sys.executable, "-m", "grading.sandbox"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
) as child:
    child.stdin.write(sys.stdin.buffer.read())
    child.stdin.flush()  # and left open: the child ends with its starter
    result = json.loads(child.stdout.read().splitlines()[-1])["result"]
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
clips = len(result.get("clips", ()))
print(json.dumps({"peak": peak, "clips": clips, "errors": result["report"]["errors"]}))
"""


@pytest.mark.slow
def test_an_archive_of_a_gibibyte_is_taken_apart_in_flat_memory(tmp_path: Path) -> None:
    samples, folder = tone(960_000), tmp_path / "clips"
    folder.mkdir()
    archive = tmp_path / "clips.zip"
    ids = [f"utt_{number:04d}" for number in range(560)]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as target:
        for number, utt_id in enumerate(ids):
            data = wav(number.to_bytes(2, "little") + samples[2:])
            target.writestr(f"{utt_id}.wav", data)
    assert archive.stat().st_size > 1 << 30
    job = {
        "do": "check",
        "track": "nvv-t2",
        "params": {},
        "ids": dict.fromkeys(ids, "en"),
        "limits": {},
        "filename": "clips.zip",
        "submission_path": str(archive),
        "submission_sha256": _sha256(archive),
        "clips_folder": str(folder),
        "memory_bytes": 1 << 31,
        "cpu_seconds": 600,
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=ROOT,
        input=json.dumps(job).encode() + b"\n",
        capture_output=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["errors"] == 0
    assert found["clips"] == len(list(folder.iterdir())) == 560
    assert found["peak"] < MOST_BYTES


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
