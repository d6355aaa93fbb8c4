"""Cost of checking waveforms, against reading or inflating the same bytes, in one run.

CPU seconds of this process (best of some turns), so ratios hold on a busy machine too:
  - 2,000 WAVs of 5 s in a stored zip, against reading the same WAVs as files  at most 4.5 x
  - the same in a deflated zip, against inflating it with the same library     at most 1.25 x
  - growth from 250 to 4,000 WAVs                                              exponent at most 1
  - peak memory of a process that checks --gib GiB of audio                    at most 256 MiB
Prints a table; --out FILE writes the same as JSON; --check ends with 1 when a bound is missed.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import platform
import resource
import subprocess
import sys
import tempfile
import time
import wave
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from grading.scoring import __version__
from grading.scoring.audio.limits import AudioLimits
from grading.scoring.tracks.nvv_t2 import TRACK

ROOT = Path(__file__).resolve().parent.parent
SEED = 20_250_102
SECONDS = 5
LONGEST = 60
RATE = 16_000
COUNT = 2_000
SIZES = (250, 1_000, 4_000)
DEFLATED = 400
LIMITS = {"stored": 4.5, "deflated": 1.25, "growth": 1.0, "memory_mib": 256.0}
GROWTH_TOLERANCE = 0.05


def make_clip(rng: np.random.Generator, seconds: int) -> bytes:
    """Return a WAV that packs about as speech does: noise under a slow envelope."""
    frames = RATE * seconds
    envelope = 3_000 * np.abs(np.sin(np.linspace(0, rng.uniform(3, 9), frames)))
    samples = np.clip(rng.standard_normal(frames) * envelope, -30_000, 30_000)
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setparams((1, 2, RATE, frames, "NONE", ""))
        file.writeframes(samples.astype("<i2").tobytes())
    return stream.getvalue()


def write_zip(path: Path, count: int, method: int, seconds: int = SECONDS) -> list[str]:
    """Write an archive of clips; return their ids."""
    rng = np.random.default_rng(SEED)
    clips = [make_clip(rng, seconds) for _ in range(16)]
    ids = [f"u{number:06d}" for number in range(count)]
    with zipfile.ZipFile(path, "w", method) as archive:
        for number, utt_id in enumerate(ids):
            archive.writestr(f"{utt_id}.wav", clips[number % len(clips)])
    return ids


def cost(work: Callable[[], object], turns: int = 5) -> float:
    """Return the CPU seconds of the quickest turn."""
    best = math.inf
    for _ in range(turns):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def check(path: Path, ids: list[str]) -> None:
    """Check an archive, which must be accepted whole."""
    checked = TRACK.check(path, ids=ids, params=TRACK.params({}), limits=AudioLimits())
    if not checked.report.accepted or len(checked.clips) != len(ids):
        raise SystemExit(f"{path.name} was not accepted: {checked.report.problems[:3]}")


def unpack(path: Path, folder: Path) -> list[str]:
    """Write the members of an archive as files; return their paths."""
    folder.mkdir()
    with zipfile.ZipFile(path) as archive:
        return [archive.extract(name, folder) for name in archive.namelist()]


def read(paths: list[str]) -> None:
    """Read every file whole."""
    for path in paths:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - the cheapest way there is
            file.read()


def inflate(path: Path) -> None:
    """Inflate every member of an archive, and do nothing with it."""
    with zipfile.ZipFile(path) as archive, path.open("rb") as file:
        for entry in archive.infolist():
            file.seek(entry.header_offset + 30 + len(entry.filename))
            zlib.decompress(file.read(entry.compress_size), -15)


def measure(folder: Path) -> dict[str, float]:
    """Return the ratios and the exponent."""
    path, found = folder / "stored.zip", {}
    ids = write_zip(path, COUNT, zipfile.ZIP_STORED)
    paths = unpack(path, folder / "files")
    found["read_seconds"] = cost(lambda: read(paths))
    found["check_seconds"] = cost(lambda: check(path, ids))
    found["stored"] = found["check_seconds"] / found["read_seconds"]
    ids = write_zip(path, DEFLATED, zipfile.ZIP_DEFLATED)
    found["inflate_seconds"] = cost(lambda: inflate(path), 3)
    found["deflated"] = cost(lambda: check(path, ids), 3) / found["inflate_seconds"]
    times = []
    for size in SIZES:
        ids = write_zip(path, size, zipfile.ZIP_STORED)
        times.append(cost(lambda ids=ids: check(path, ids), 3))
    slope = np.polyfit(np.log(SIZES), np.log(times), 1)[0]
    return {**found, "growth": float(slope)}


def measure_memory(folder: Path, gib: float) -> float:
    """Return the peak MiB of a process of its own that checks an archive of so much audio."""
    path = folder / "large.zip"
    count = math.ceil(gib * 2**30 / (LONGEST * RATE * 2))
    ids = write_zip(path, count, zipfile.ZIP_STORED, LONGEST)
    (folder / "ids.json").write_text(json.dumps(ids), encoding="utf-8")
    words = [sys.executable, "-m", "benchmarks.track2", "--only", path, folder / "ids.json"]
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def check_only(path: str, ids: str) -> None:
    """Check one archive and print the peak memory in MiB."""
    check(Path(path), json.loads(Path(ids).read_text(encoding="utf-8")))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> int:
    """Measure, print, compare with the bounds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--gib", type=float, default=1.0, help="audio for the memory's measure")
    parser.add_argument("--only", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        check_only(*arguments.only)
        return 0
    with tempfile.TemporaryDirectory() as name:
        found = measure(Path(name))
        found["memory_mib"] = measure_memory(Path(name), arguments.gib)
    found["memory_gib"] = arguments.gib
    return report(found, arguments)


def report(found: dict[str, float], arguments: argparse.Namespace) -> int:
    """Print the figures beside their bounds; return the exit code."""
    allowed = {**LIMITS, "growth": LIMITS["growth"] + GROWTH_TOLERANCE}
    for name, value in found.items():
        bound = f"  at most {LIMITS[name]}" if name in LIMITS else ""
        print(f"{name:<16} {value:10.3f}{bound}")
    whole: dict[str, Any] = {"scorer": __version__, "python": platform.python_version(), **found}
    if arguments.out:
        arguments.out.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")
    missed = [name for name, bound in allowed.items() if found[name] > bound]
    if missed:
        print("missed:", ", ".join(missed))
    return 1 if missed and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
