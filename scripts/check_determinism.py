"""Compare golden intervals and the normalization of every code point across interpreters.

Runs under each of Python 3.11, 3.12 and 3.13 that is found (PATH, then pyenv), under two BLAS core
types and two hash seeds; an interpreter without numpy and rapidfuzz gets an environment of its own
under var/, with the locked versions. Ends with 1 when anything differs from tests/golden, or when
an interpreter is missing and --all is given.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import which

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests/golden/determinism.json"
VERSIONS = ("3.11", "3.12", "3.13")
PACKAGES = ("numpy", "rapidfuzz")
RUNS = (
    {"OPENBLAS_CORETYPE": "Haswell", "PYTHONHASHSEED": "0"},
    {"OPENBLAS_CORETYPE": "Prescott", "PYTHONHASHSEED": "1"},
)
CHUNK = 256
SURROGATES = range(0xD800, 0xE000)


def normalization_hash() -> str:
    """Return a hash over how every code point is normalized, alone and beside others.

    The neighbours bring out composition, reordering of marks and the final sigma; code points
    without a character (class C) stand alone.
    """
    from grading.scoring.text.normalize import major_class, nfkc_lower  # noqa: PLC0415 - child's
    from grading.scoring.text.nvv1 import english_units, mandarin_units  # noqa: PLC0415

    found = hashlib.sha256()
    for first in range(0, 0x110000, CHUNK):
        points = [chr(p) for p in range(first, first + CHUNK) if p not in SURROGATES]
        known = [c for c in points if major_class(c) != "C"]
        beside = "\n".join(f"a{c}\u0323\u0301'{c} \u0391\u03a3{c}\u0391{c}\u03a3" for c in known)
        text = "".join(points) + "\n" + beside
        for part in (nfkc_lower(text), *english_units(text), "|", *mandarin_units(text)):
            found.update(part.encode() + b"\0")
    return found.hexdigest()


def golden_evaluation() -> dict[str, object]:
    """Return score, intervals and tallies of the demo corpus, floats as hexadecimal text."""
    from grading.scoring import registry  # noqa: PLC0415
    from grading.scoring.evaluate import evaluate  # noqa: PLC0415
    from grading.scoring.tracks.nvv_references import NvvReferences  # noqa: PLC0415

    corpus = json.loads((ROOT / "tests/golden/nvv.json").read_text(encoding="utf-8"))
    rows = corpus["demo_corpus"]["rows"]
    track = registry.get("nvv-t1")
    params = track.params({})
    references = NvvReferences.from_rows(
        [(row["utt_id"], row["language"], row["reference"]) for row in rows], params.label_set
    )
    found = evaluate(
        track=track,
        params=params,
        references=references,
        predictions={row["utt_id"]: row["hypothesis"] for row in rows},
        phase_code="golden",
    )
    intervals = {"final": found.interval or ()}
    intervals |= {name: part["interval"] for name, part in found.languages.items()}
    return {
        "recipe_digest": found.recipe_digest,
        "seed": str(found.seed),
        "score": (found.score or 0.0).hex(),
        "intervals": {name: [bound.hex() for bound in pair] for name, pair in intervals.items()},
        "tallies_sha256": hashlib.sha256(found.tallies.to_bytes()).hexdigest(),
    }


def golden_panel() -> dict[str, object]:
    """Return the resampled scores of a small panel of raters, as a hash and as hexadecimal text."""
    from grading.scoring.rating import crossed, panel  # noqa: PLC0415
    from grading.scoring.tracks.nvv_t2 import TRACK  # noqa: PLC0415
    from grading.scoring.tracks.nvv_t2_marks import Marks  # noqa: PLC0415

    ratings = [
        panel.Rating(system, language, f"{language}{utterance}", f"r{rater}", marks)
        for place, system in enumerate(("a", "b"))
        for language in ("en", "zh")
        for utterance in range(12)
        for rater in (utterance % 7, (utterance + 1) % 7, (utterance + 3) % 7)
        for number in (utterance * 5 + rater * 3 + place,)
        for marks in (
            Marks.read({name: 1 + (number + n * n) % 5 for n, name in enumerate("APNQE")}),
        )
    ]
    read = panel.read_panel(ratings)
    found = crossed.resample(read, TRACK.params({}), seed=20_250_101, replicates=2_000)
    interval = crossed.interval(found["a"].final, found["a"].degenerate, read)
    joined = b"".join(found[name].final.tobytes() for name in sorted(found))
    return {
        "interval": [(interval.low or 0.0).hex(), (interval.high or 0.0).hex()],
        "replicates_sha256": hashlib.sha256(joined).hexdigest(),
    }


def measure() -> dict[str, object]:
    """Return what this interpreter finds."""
    return {
        "evaluation": golden_evaluation(),
        "normalization": normalization_hash(),
        "panel": golden_panel(),
    }


def find_interpreter(version: str) -> str | None:
    """Return a working interpreter of that version, or None."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [sys.executable, which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*"))]
    for candidate in candidates:
        if candidate is None:
            continue
        python = str(candidate / "bin/python") if isinstance(candidate, Path) else candidate
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        found = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
        if found.stdout.strip() == version:
            return python
    return None


def with_packages(python: str, version: str) -> str:
    """Return an interpreter that has numpy and rapidfuzz, making an environment where needed."""
    has = [python, "-c", f"import {', '.join(PACKAGES)}"]
    if subprocess.run(has, capture_output=True, check=False).returncode == 0:
        return python
    home = ROOT / "var/determinism" / version
    made = home / "bin/python"
    if not made.exists():
        subprocess.run([python, "-m", "venv", str(home)], check=True)
        install = [str(made), "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps"]
        locked = home / "requirements.txt"
        locked.write_text(locked_packages(), encoding="utf-8")
        subprocess.run([*install, "-r", str(locked)], check=True)
    return str(made)


def locked_packages() -> str:
    """Return the lock's entries of the two packages, hashes included."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    kept: list[str] = []
    inside = False
    for line in lines:
        if not line.startswith((" ", "#")):
            inside = line.partition("==")[0] in PACKAGES
        if inside and not line.lstrip().startswith("#"):
            kept.append(line)
    return "\n".join(kept) + "\n"


def run_child(python: str, settings: dict[str, str]) -> dict[str, object]:
    """Return what another interpreter finds under these settings."""
    environment = {**os.environ, **settings, "OPENBLAS_NUM_THREADS": "1"}
    command = [python, str(Path(__file__)), "--print"]
    out = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    found: dict[str, object] = json.loads(out.stdout)
    return found


def compare(wanted: dict[str, object], *, require_all: bool) -> int:
    """Compare every interpreter found with the golden values; return the exit code."""
    failures = 0
    for version in VERSIONS:
        python = find_interpreter(version)
        if python is None:
            print(f"Python {version}: not found")
            failures += require_all
            continue
        python = with_packages(python, version)
        for settings in RUNS:
            same = run_child(python, settings) == wanted
            failures += not same
            print(f"Python {version} {settings}: {'same' if same else 'DIFFERENT'}")
    return 1 if failures else 0


def main() -> int:
    """Print one measurement, or compare all interpreters with the golden values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--print", action="store_true", help="print what this interpreter finds")
    parser.add_argument("--all", action="store_true", help="a missing interpreter is a failure")
    options = parser.parse_args()
    if options.print:
        sys.path.insert(0, str(ROOT))
        print(json.dumps(measure(), indent=2, sort_keys=True))
        return 0
    return compare(json.loads(GOLDEN.read_text(encoding="utf-8")), require_all=options.all)


if __name__ == "__main__":
    sys.exit(main())
