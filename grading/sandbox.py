"""The process that reads participants' files: `python -m grading.sandbox`, started afresh each time.

It reads one job (a line of JSON) from standard input and writes lines of JSON to standard output:
progress, then a result or the name of what went wrong. No Django here, no secrets. No texts in
what it says but those that a judge is to be given: an exception is told by its type alone. When its
starter dies, standard input ends and so does this process.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grading.scoring.tracks.base import Checked, References, Track

MEMORY_EXIT = 75
ABANDONED_EXIT = 74
MEMORY = "MEMORY"
STORAGE = "STORAGE"
ABSENT = "ABSENT"
OUTDATED = "OUTDATED"
UNMARKED = "UNMARKED"
NO_ROOM = "NO_ROOM"
FULL = (errno.ENOSPC, errno.EDQUOT)
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


def check(job: Json, progress: Callable[..., None]) -> Json:
    """Check one file against a manifest; return its report, and the clips that were taken out.

    Clips are taken out into the folder that the job names, once the file is accepted.
    """
    from grading.scoring import registry  # noqa: PLC0415  after the limits are set

    track = registry.get(job["track"])
    params = track.params(job["params"])
    folder = job.get("clips_folder")
    tell = progress if folder is None else _in_percent(progress)
    checked = _looked_at(track, params, job, tell)
    found: Json = {"report": _report(checked)}
    if folder is not None and checked.report.accepted:
        found["clips"] = _clips(track, checked, job, Path(folder), progress)
    return found


def screen(job: Json, progress: Callable[[int, int], None]) -> Json:
    """Measure clips that were taken out; return a screen for each path, in order."""
    from grading import screening  # noqa: PLC0415  after the limits are set

    return {"screens": screening.screen_files(job["paths"], progress)}


def evaluate(job: Json, progress: Callable[[int, int], None]) -> Json:
    """Score one file, or the marks that it was given; return the score, the tallies, and a sample for
    the second opinion."""
    from grading.scoring import evaluate as scoring  # noqa: PLC0415
    from grading.scoring import registry  # noqa: PLC0415
    from grading.scoring.tracks.base import MARKS_MISSING  # noqa: PLC0415

    track = registry.get(job["track"])
    if track.version != job["version"]:
        raise Refused(ABSENT)
    params = track.params(job["params"])
    references = _references(track, params, job)
    given = _given(track, params, job, references)
    found = scoring.evaluate(
        track=track,
        params=params,
        references=references,
        given=given,
        phase_code=job["phase_code"],
        progress=progress,
    )
    if found.withheld_reason == MARKS_MISSING:
        raise Refused(UNMARKED)
    if found.recipe_digest != job["recipe_digest"]:
        raise Refused(OUTDATED)
    tallies = found.tallies.to_bytes()
    return {
        "score": found.as_json(),
        "tallies": tallies.hex(),
        "tallies_sha256": hashlib.sha256(tallies).hexdigest(),
        "sample": _sample(track, params, references, given, found.recipe_digest),
    }


def _given(track: Track, params: Any, job: Json, references: References) -> Mapping[str, Any]:
    """Return what is scored: the job's marks, or the predictions in the file that was sent, or both."""
    from grading.scoring.tracks.base import Sent  # noqa: PLC0415  after the limits are set

    marks: Mapping[str, Any] = job.get("marks", {})
    is_marked = track.is_marked(params)
    if is_marked and not track.needs_sent:
        return marks
    predictions = _predictions(track, params, job, references)
    if not is_marked:
        return predictions
    if not marks.keys() >= set(references.ids):
        raise Refused(UNMARKED)
    return {utt_id: Sent(row, marks.get(utt_id)) for utt_id, row in predictions.items()}


def questions(job: Json, _progress: Callable[[int, int], None]) -> Json:
    """Return what a judge of words is asked of each item of an accepted file, by its id."""
    from grading.scoring import registry  # noqa: PLC0415  after the limits are set

    track = registry.get(job["track"])
    if track.version != job["version"]:
        raise Refused(ABSENT)
    params = track.params(job["params"])
    references = _references(track, params, job)
    predictions = _predictions(track, params, job, references)
    return {"questions": dict(track.questions(references, predictions, params))}


def _references(track: Track, params: Any, job: Json) -> References:
    data = _read(job["references_path"], job["references_sha256"])
    return track.references(data, params)


def _predictions(track: Track, params: Any, job: Json, references: References) -> Mapping[str, Any]:
    """Return what an accepted file holds; refuse one that is not accepted."""
    checked = _check(track, params, job, {**job["ids"], **references.language_of}, None)
    if not checked.report.accepted:
        raise Refused("NotAccepted")
    predictions: Mapping[str, Any] = checked.predictions
    return predictions


def prepare(job: Json, progress: Callable[[int, int], None]) -> Json:
    """Prepare clips for people's ears; return what was made of each."""
    from grading import preparation  # noqa: PLC0415  after the limits are set

    try:
        return preparation.prepare_files(job, progress)
    except OSError:
        raise Refused(STORAGE) from None


DOERS: Mapping[str, Callable[[Json, Callable[[int, int], None]], Json]] = {
    "check": check,
    "evaluate": evaluate,
    "prepare": prepare,
    "questions": questions,
    "screen": screen,
}


def _looked_at(
    track: Track, params: Any, job: Json, progress: Callable[[int, int], None] | None
) -> Checked:
    """Return the verdict: against the references where the track asks for them, else by the ids."""
    if not track.checks_against:
        return _check(track, params, job, job["ids"], progress)
    data = _read(job["references_path"], job["references_sha256"])
    checked: Checked = track.check_against(
        _submitted(job["submission_path"], job["submission_sha256"]),
        references=track.references(data, params),
        params=params,
        limits=track.limits(job["limits"]),
        progress=progress,
        filename=job["filename"],
    )
    return checked


def _check(
    track: Track,
    params: Any,
    job: Json,
    ids: Mapping[str, str | None],
    progress: Callable[[int, int], None] | None,
) -> Checked:
    checked: Checked = track.check(
        _submitted(job["submission_path"], job["submission_sha256"]),
        ids=ids,
        params=params,
        limits=track.limits(job["limits"]),
        progress=progress,
        filename=job["filename"],
    )
    return checked


def _clips(
    track: Track, checked: Any, job: Json, folder: Path, progress: Callable[..., None]
) -> list[Json]:
    """Write the clips of an accepted archive into a folder; return what each is."""
    from grading.scoring.formats.extraction import ArchiveChanged, extract_clips  # noqa: PLC0415

    try:
        found = extract_clips(
            Path(job["submission_path"]),
            checked,
            folder=folder,
            limits=track.limits(job["limits"]),
            progress=lambda done, total: progress(done, total, "clips"),
        )
    except OSError as error:
        raise Refused(NO_ROOM if error.errno in FULL else STORAGE) from None
    except ArchiveChanged:
        raise Refused(STORAGE) from None
    return [asdict(clip) for clip in found]


def _in_percent(progress: Callable[[int, int], None]) -> Callable[[int, int], None]:
    """Return what tells percent: bytes of a large archive are more than a row can hold."""

    def tell(done: int, total: int) -> None:
        progress(100 * done // max(1, total), 100)

    return tell


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
    track: Track, params: Any, references: Any, predictions: Mapping[str, Any], digest: str
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


def _teller(out: IO[bytes]) -> Callable[..., None]:
    def tell(done: int, total: int, step: str = "") -> None:
        _say(out, {"done": done, "total": total, **({"step": step} if step else {})})

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
