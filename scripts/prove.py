"""Runs what takes long - the whole suite, the benchmarks, kills - and keeps the results.

With words, only the steps whose names hold one of them: `./run prove kills load`.
Writes docs/evidence/<date>-<commit>.md. DATABASE_URL and REDIS_URL decide what it runs on.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EVIDENCE = ROOT / "docs" / "evidence"
CLOSING_LINES = 40
STEPS = {
    "whole suite": ["-m", "pytest", "-n", "2", "--tier", "whole", "-q"],
    "track 1 against jiwer": ["-m", "benchmarks.track1", "--check"],
    "error rates against rapidfuzz": ["-m", "benchmarks.error_rates", "--check"],
    "normalizers: 10,000 utterances": ["-m", "benchmarks.normalizers", "--check"],
    "normalizers: 100,000 texts and every code point": ["-m", "tests.proofs.normalizers"],
    "track 2 against reading": ["-m", "benchmarks.track2", "--check", "--gib", "10"],
    "2 GiB over lines that break": ["-m", "tests.proofs.uploads"],
    "determinism": ["scripts/check_determinism.py"],
    "10,000 submissions scored again": [
        *("-m", "tests.proofs.rescoring", "--submissions", "10000", "--in-process"),
        *("--evidence", "docs/evidence"),
    ],
    "210 kills of three installations": [
        *("-m", "tests.proofs.kills", "--points", "70"),
        *("--evidence", "docs/evidence"),
    ],
    "workers on two hosts": ["-m", "tests.proofs.hosts", "--evidence", "docs/evidence"],
    "judge: 1,600 clips, three replicates, faults and kills": [
        *("-m", "tests.proofs.judging", "--evidence", "docs/evidence"),
    ],
    "raters: 40 at once for 10 minutes": [
        # of 17 minutes planned, eleven are rated: whoever takes over is done before the end
        *("-m", "tests.proofs.raters", "--minutes", "17", "--evidence", "docs/evidence"),
    ],
    "raters: 1,000 who click, 1,000 honest sessions": ["-m", "tests.proofs.panels"],
    "audit: a million events and downloads, sixteen writers": [
        *("-m", "tests.proofs.audit", "--evidence", "docs/evidence"),
    ],
    "packs: 20 GiB, ranges, fifty people": [
        *("-m", "tests.proofs.packs", "--evidence", "docs/evidence"),
    ],
    "load": ["-m", "benchmarks.load"],
    "the API's document at length": ["-m", "pytest", "-q", "tests/security/test_schema.py"],
}


def commit() -> str:
    """Return the short name of the commit, marked when the tree differs from it."""
    described = subprocess.run(
        ["git", "-c", "safe.directory=*", "describe", "--always", "--dirty"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return described.stdout.strip()


def run(name: str, arguments: list[str]) -> tuple[bool, str]:
    """Run one step, showing its output; return whether it held, and its part of the page."""
    began = time.monotonic()
    print(f"== {name}", flush=True)
    lines = []
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:  # fmt: skip
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    verdict = "held" if process.returncode == 0 else f"FAILED (exit code {process.returncode})"
    closing = "\n".join(lines[-CLOSING_LINES:])
    seconds = time.monotonic() - began
    return (
        process.returncode == 0,
        f"## {name}: {verdict}, {seconds:.0f} s\n\n```\n{closing}\n```\n",
    )


def is_wanted(name: str, words: list[str]) -> bool:
    """Return whether a step is asked for: no words ask for all."""
    return not words or any(word in name for word in words)


def main() -> int:
    """Return 1 when a step failed."""
    now, words = datetime.now(UTC), sys.argv[1:]
    chosen = {name: step for name, step in STEPS.items() if is_wanted(name, words)}
    if not chosen:
        print(f"No step is called so. There are: {', '.join(STEPS)}.")
        return 2
    os.environ.setdefault("PLAUDIT_SCHEMA_EXAMPLES", "200")
    results = [run(name, arguments) for name, arguments in chosen.items()]
    servers = [name for name in ("DATABASE_URL", "REDIS_URL") if os.environ.get(name)]
    head = (
        f"# {now:%Y-%m-%d}, commit {commit()}\n\n"
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores; "
        f"{' and '.join(servers) or 'SQLite and files'}.\n"
    )
    EVIDENCE.mkdir(parents=True, exist_ok=True)
    page = EVIDENCE / "-".join([f"{now:%Y-%m-%d}", commit(), *words, ".md"]).replace("-.md", ".md")
    page.write_text("\n".join([head, *(part for _, part in results)]), encoding="utf-8")
    print(f"\nwritten: {page.relative_to(ROOT)}")
    return 0 if all(held for held, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
