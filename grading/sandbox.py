"""The process that reads participants' files: `python -m grading.sandbox`, started afresh each time.

It reads one job (a line of JSON) from standard input and writes lines of JSON to standard output:
progress, then a result or the name of what went wrong. No Django here, no secrets, no texts in
what it says: an exception is told by its type alone. When its starter dies, standard input ends
and so does this process.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grading.scoring.tracks.base import Checked, Track

MEMORY_EXIT = 75
ABANDONED_EXIT = 74
MEMORY = "MEMORY"
STORAGE = "STORAGE"
ABSENT = "ABSENT"
OUTDATED = "OUTDATED"
SAMPLE = 64
HELD_BYTES = 64 * 1024 * 1024
FIRST_SYMBOL = 0xF0000

Json = dict[str, Any]


class Refused(Exception):
    """The job cannot be done, for a reason that has a name."""


def main() -> int:
    """Do one job; return the exit status of the process."""
    out = _own_stdout()
    job: Json = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_leave_with_starter, daemon=True).start()
    _limit(job["memory_bytes"], job["cpu_seconds"])
    try:
        _say(out, {"result": DOERS[job["do"]](job, _teller(out))})
    except MemoryError:
        # Nothing that allocates may come here; the starter knows this exit status.
        os._exit(MEMORY_EXIT)
    except Refused as refusal:
        _say(out, {"error": str(refusal)})
    except Exception as error:  # whatever a hostile file sets off is told by its type alone
        _say(out, {"error": type(error).__name__})
    return 0


def check(job: Json, progress: Callable[[int, int], None]) -> Json:
    """Check one file against a manifest; return its report."""
    from grading.scoring import registry  # noqa: PLC0415  after the limits are set

    track = registry.get(job["track"])
    params = track.params(job["params"])
    checked = _check(track, params, job, job["ids"], progress)
    return {"report": _report(checked)}


def evaluate(job: Json, progress: Callable[[int, int], None]) -> Json:
    """Score one file; return the score, the tallies, and a sample for the second opinion."""
    from grading.scoring import evaluate as scoring  # noqa: PLC0415
    from grading.scoring import registry  # noqa: PLC0415

    track = registry.get(job["track"])
    if track.version != job["version"]:
        raise Refused(ABSENT)
    params = track.params(job["params"])
    data = _read(job["references_path"], job["references_sha256"])
    references = track.references(data, params)
    checked = _check(track, params, job, {**job["ids"], **references.language_of}, None)
    if not checked.report.accepted:
        raise Refused("NotAccepted")
    found = scoring.evaluate(
        track=track,
        params=params,
        references=references,
        predictions=checked.predictions,
        phase_code=job["phase_code"],
        progress=progress,
    )
    if found.recipe_digest != job["recipe_digest"]:
        raise Refused(OUTDATED)
    tallies = found.tallies.to_bytes()
    return {
        "score": found.as_json(),
        "tallies": tallies.hex(),
        "tallies_sha256": hashlib.sha256(tallies).hexdigest(),
        "sample": _sample(track, params, references, checked.predictions, found.recipe_digest),
    }


DOERS: Mapping[str, Callable[[Json, Callable[[int, int], None]], Json]] = {
    "check": check,
    "evaluate": evaluate,
}


def _check(
    track: Track,
    params: Any,
    job: Json,
    ids: Mapping[str, str | None],
    progress: Callable[[int, int], None] | None,
) -> Checked:
    from grading.scoring.types import Limits  # noqa: PLC0415

    return track.check(
        _submitted(job["submission_path"], job["submission_sha256"]),
        ids=ids,
        params=params,
        limits=Limits(**job["limits"]),
        progress=progress,
        filename=job["filename"],
    )


def _submitted(path: str, sha256: str) -> Path | bytes:
    """Return a file's bytes; of a large one its path, hashed without holding it in memory."""
    file = Path(path)
    try:
        if file.stat().st_size <= HELD_BYTES:
            return _read(path, sha256)
        with file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        raise Refused(STORAGE) from None
    if found != sha256:
        raise Refused(STORAGE)
    return file


def _read(path: str, sha256: str) -> bytes:
    """Return the bytes of a stored file; refuse what is gone or is not what was stored."""
    try:
        data = Path(path).read_bytes()
    except OSError:
        raise Refused(STORAGE) from None
    if hashlib.sha256(data).hexdigest() != sha256:
        raise Refused(STORAGE)
    return data


def _report(checked: Checked) -> Json:
    report = checked.report
    return {
        "total": report.total,
        "errors": report.errors,
        "rows": report.rows,
        "reading": report.reading,
        "counts": [
            {"code": one.code, "severity": str(one.severity), "count": one.count}
            for one in report.counts
        ],
        "problems": [
            {
                "code": problem.code,
                "severity": str(problem.severity),
                "line": problem.line,
                "member": problem.member,
                "utt_id": problem.utt_id,
                "params": dict(problem.params),
            }
            for problem in report.problems
        ],
    }


def _sample(
    track: Track, params: Any, references: Any, predictions: Mapping[str, str], digest: str
) -> list[Json]:
    """Return up to 64 utterances chosen by hash, their tokens as meaningless symbols."""

    def rank(utt_id: str) -> str:
        return hashlib.sha256(f"{digest}:{utt_id}".encode()).hexdigest()

    chosen = sorted(sorted(references.ids, key=rank)[:SAMPLE])
    return [
        _symbols(pair.reference_tokens, pair.hypothesis_tokens, pair.edits)
        for pair in track.edit_pairs(references, predictions, params, chosen)
    ]


def _symbols(reference: tuple[str, ...], hypothesis: tuple[str, ...], edits: int) -> Json:
    places: dict[str, str] = {}
    for token in (*reference, *hypothesis):
        places.setdefault(token, chr(FIRST_SYMBOL + len(places)))
    return {
        "reference": "".join(places[token] for token in reference),
        "hypothesis": "".join(places[token] for token in hypothesis),
        "edits": edits,
    }


def _own_stdout() -> IO[bytes]:
    """Keep standard output for our lines alone; whatever else prints goes to standard error."""
    ours = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return ours


def _say(out: IO[bytes], message: Json) -> None:
    data = memoryview(json.dumps(message, allow_nan=False).encode() + b"\n")
    while data:
        data = data[out.write(data) :]


def _teller(out: IO[bytes]) -> Callable[[int, int], None]:
    def tell(done: int, total: int) -> None:
        _say(out, {"done": done, "total": total})

    return tell


def _leave_with_starter() -> None:
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(ABANDONED_EXIT)


def _limit(memory_bytes: int, cpu_seconds: int) -> None:
    """Bound this process: processor time everywhere, address space where the system honors it."""
    import resource  # noqa: PLC0415  where there is none, the starter's own limits remain

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))


if __name__ == "__main__":
    sys.exit(main())
