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
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    from grading.scoring.evaluate import Evaluated

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


def normalizers_hash() -> str:
    """Return a hash over what every normalizer makes of every code point that has a character.

    Letters and signs stand beside others as well: marks, a sigma, a numeral. The large blocks of
    Han and Hangul stand alone, where nothing depends on what is beside.
    """
    from grading.scoring import normalizers  # noqa: PLC0415 - child's
    from grading.scoring.text.normalize import major_class  # noqa: PLC0415

    blocks = ((0x3400, 0xA000), (0xAC00, 0xD800), (0x17000, 0x18D00), (0x20000, 0x110000))
    found = hashlib.sha256()
    every = [normalizers.get(name) for name in normalizers.names()]
    for first in range(0, 0x110000, CHUNK):
        points = [chr(p) for p in range(first, first + CHUNK) if p not in SURROGATES]
        known = [c for c in points if major_class(c) != "C"]
        text = "".join(points if known else points[:1])
        if not any(start <= first < end for start, end in blocks):
            text += "\n".join(f"a{c}\u0323\u0301'{c}\u03a33{c}\u767e" for c in known)
        for normalizer in every:
            found.update(normalizer.spaced(text).encode() + b"\0")
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
        given={row["utt_id"]: row["hypothesis"] for row in rows},
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


def golden_marks() -> dict[str, object]:
    """Return score, intervals, tallies and a paired difference of made-up marks of a judge."""
    from grading.scoring import registry  # noqa: PLC0415
    from grading.scoring.evaluate import evaluate  # noqa: PLC0415

    track = registry.get("nvv-t2")
    params = track.params({})
    data = (ROOT / "examples/nvv-demo/references/generation.jsonl").read_bytes()
    references = track.references(data, params)
    systems = [
        {
            utt_id: [
                [1 + (number * 7 + repeat * 3 + n * n + shift) % 5 for n in range(5)]
                for repeat in range(4)
            ]
            for number, utt_id in enumerate(references.ids)
        }
        for shift in (0, 2)
    ]
    found = [
        evaluate(
            track=track, params=params, references=references, given=marks, phase_code="golden"
        )
        for marks in systems
    ]
    (difference,) = track.paired(found[0].tallies, [found[1].tallies], params, seed=found[0].seed)
    bounds = (difference.low, difference.high, difference.p_value)
    return {
        "score": (found[0].score or 0.0).hex(),
        "interval": [bound.hex() for bound in found[0].interval or ()],
        "difference": [(bound or 0.0).hex() for bound in bounds],
        "tallies_sha256": hashlib.sha256(found[0].tallies.to_bytes()).hexdigest(),
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


def golden_error_rates() -> dict[str, object]:
    """Return rates, intervals, tallies and differences of made-up systems on the same clips.

    The differences of many systems come from products of whole numbers, which the linear algebra
    library adds in an order of its own: the digits must not show it.
    """
    from grading.scoring.metrics.error_rates import Column, Unit  # noqa: PLC0415
    from grading.scoring.tracks.asr_tallies import ErrorTallies, Part  # noqa: PLC0415
    from grading.scoring.tracks.asr_wer import TRACK  # noqa: PLC0415

    rules = {
        "en": {"unit": "wer", "normalizer": "a5s-1"},
        "zh": {"unit": "cer", "normalizer": "fleurs-zh-1"},
    }
    params = TRACK.params({"languages": rules})

    def part(language: str, unit: Unit, system: int) -> Part:
        lengths = [3 + (number * 37) % 41 for number in range(211)]
        edits = [(number * 13 + system * 7) % (length + 2) for number, length in enumerate(lengths)]
        ids = [f"{language}{number:03d}" for number in range(211)]
        return Part(language, "", ids, {unit: Column(edits, lengths, lengths)})

    systems = [
        ErrorTallies((part("en", Unit.WER, number), part("zh", Unit.CER, number * number)))
        for number in range(9)
    ]
    interval = TRACK.interval(systems[0], params, seed=20_261_130)["final"]
    found = TRACK.paired(systems[0], systems[1:], params, seed=20_261_130)
    bounds = [bound or 0.0 for one in found for bound in (one.low, one.high, one.p_value)]
    return {
        "score": (TRACK.compose(systems[0], params).score or 0.0).hex(),
        "interval": [(bound or 0.0).hex() for bound in (interval.low, interval.high)],
        "differences": [bound.hex() for bound in bounds],
        "tallies_sha256": hashlib.sha256(systems[0].to_bytes()).hexdigest(),
    }


def _golden_case(name: str, case: str) -> tuple[Evaluated, NDArray[float64], dict[str, object]]:
    """Evaluate a golden case of a track; return it, its replicates and what is compared of both."""
    from grading.scoring import registry  # noqa: PLC0415
    from grading.scoring.evaluate import evaluate  # noqa: PLC0415

    text = (ROOT / f"tests/golden/tracks/{name}/{case}.json").read_text(encoding="utf-8")
    whole, track = json.loads(text), registry.get(name)
    params = track.params(whole["params"])
    wanted, sent = (
        "".join(json.dumps(row) + "\n" for row in whole[part]).encode()
        for part in ("references", "submission")
    )
    references = track.references(wanted, params)
    ids, limits = dict(references.language_of), track.limits({})
    given = track.check(sent, ids=ids, params=params, limits=limits).predictions
    one = evaluate(track=track, params=params, references=references, given=given, seed=30)
    drawn = track.replicates(one.tallies, params, seed=30)
    return (
        one,
        drawn,
        {
            "recipe_digest": one.recipe_digest,
            "score": (one.score or 0.0).hex(),
            "interval": [bound.hex() for bound in one.interval or ()],
            "tallies_sha256": hashlib.sha256(one.tallies.to_bytes()).hexdigest(),
            "replicates_sha256": hashlib.sha256(drawn.tobytes()).hexdigest(),
        },
    )


def golden_pillars() -> dict[str, object]:
    """Return tallies, intervals and replicates of the pillars' golden cases, and a composed interval."""
    from grading.scoring import registry  # noqa: PLC0415
    from grading.scoring.tracks import pillars_scores  # noqa: PLC0415
    from grading.scoring.tracks.composed import PillarScore  # noqa: PLC0415

    cases = {"llm": "judge-and-extraction", "tts": "all-parts", "e2e": "g2-g6-rated"}
    found: dict[str, object] = {}
    scores = {}
    for name, case in cases.items():
        one, drawn, found[name] = _golden_case(name, case)
        low, high = one.interval or (None, None)
        scores[name] = PillarScore(one.score, "", low, high, drawn)
    settings = registry.get("pillars").params({"baseline": ["llm"]})
    full = pillars_scores.full(scores, settings)
    bounds = (full.stored, full.low, full.high)
    return {**found, "full": [(bound or 0.0).hex() for bound in bounds]}


def golden_measurements() -> dict[str, object]:
    """Return tallies, intervals and replicates of golden cases of latency and voice agents."""
    cases = (
        ("latency", "endpoints-90-percent"),
        ("latency", "rtf-by-language"),
        ("voice-agent", "two-arms-two-languages"),
    )
    return {f"{name}/{case}": _golden_case(name, case)[2] for name, case in cases}


def measure() -> dict[str, object]:
    """Return what this interpreter finds."""
    return {
        "error_rates": golden_error_rates(),
        "evaluation": golden_evaluation(),
        "measurements": golden_measurements(),
        "marks": golden_marks(),
        "normalization": normalization_hash(),
        "normalizers": normalizers_hash(),
        "panel": golden_panel(),
        "pillars": golden_pillars(),
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
    pending: dict[str, Future[dict[str, object]]] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for version in VERSIONS:
            python = find_interpreter(version)
            if python is None:
                print(f"Python {version}: not found")
                failures += require_all
                continue
            python = with_packages(python, version)
            for settings in RUNS:
                pending[f"{version} {settings}"] = pool.submit(run_child, python, settings)
        for name, found in pending.items():
            same = found.result() == wanted
            failures += not same
            print(f"Python {name}: {'same' if same else 'DIFFERENT'}")
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
