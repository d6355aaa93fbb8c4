"""Files that the command line is given beside the submission: labels, manifest, rows."""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING, Any, Protocol

from grading.scoring import registry
from grading.scoring.draws import PoolClip
from grading.scoring.formats.pieces import BOM, choose_reading, cut
from grading.scoring.formats.strict_json import Fault, StrictDecoder
from grading.scoring.messages import TEMPLATES, fill
from grading.scoring.text.shown import show
from grading.scoring.types import Limits, ParamsInvalid, ScoringError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from grading.scoring.tracks.base import References, Track

_LIMITS = Limits()
_NUMBERS = ("score", "low", "high")
LARGEST_FILE = 2**30


class InputError(ScoringError):
    """A file given beside the submission cannot be used; the text says which and why."""


class _Track(Protocol):
    """What a track of any sort has."""

    @property
    def languages(self) -> tuple[str, ...]: ...
    def params(self, raw: Mapping[str, Any]) -> Any: ...


class RowsRefused(ScoringError):
    """Rows cannot be ranked: they are not JSON, or not rows."""


def track_of_files(name: str) -> Track:
    """Return the track; raises InputError for one to which no files are sent."""
    track = registry.get(name)
    if track.is_composed:
        raise InputError(
            f"{name} is made of other boards: check or score the files of each of them"
        )
    return track


def read_file(path: Path) -> bytes:
    """Return what is in a file beside the submission. Raises InputError for no end, and OSError."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        error.filename = error.filename or str(path)  # a failed read does not name its file
        raise
    if len(data) > LARGEST_FILE:
        raise InputError(f"{path}: is larger than {LARGEST_FILE} bytes")
    return data


def read_json(path: Path) -> object:
    """Return the value of a JSON file, read strictly. Raises InputError and OSError."""
    data = read_file(path).removeprefix(BOM)
    decoded = StrictDecoder(_LIMITS).decode(data)
    if decoded.faults:
        raise InputError(f"{path}: {json_fault(data, decoded.faults[0])}")
    return decoded.value


def _sentence(data: bytes, offset: int, code: str, params: Any) -> str:
    start = data.rfind(b"\n", 0, offset) + 1
    line = data.count(b"\n", 0, offset) + 1
    return f"line {line}: {_told(code, offset - start + 1, offset, params)}"


def _told(code: str, column: int, offset: int, params: Any) -> str:
    """Return what is wrong with a piece of JSON, a sentence and its code."""
    template = TEMPLATES.get(f"{code}.{params.get('reason')}") or TEMPLATES.get(code, code)
    return f"{fill(template, {'column': column, 'offset': offset, **params})} ({code})"


def json_fault(data: bytes, fault: Fault) -> str:
    """Return the line and what is wrong there, a sentence and its code."""
    return _sentence(data, fault.offset, fault.code, fault.params)


def read_params(track: _Track, settings: Path | None, labels: Path | None) -> Any:
    """Return the track's parameters: its own, then those of a JSON object, then a list of labels.

    `settings` is the `params` of a competition as its API and its data.json show them. Raises
    InputError and OSError.
    """
    raw: dict[str, Any] = {}
    if settings is not None:
        value = read_json(settings)
        if not isinstance(value, dict):
            raise InputError(f"{settings}: must be a JSON object of the track's settings")
        raw |= value
    if labels is not None:
        raw["labels"] = read_json(labels)
    try:
        return track.params(raw)
    except ParamsInvalid as error:
        of_labels = all(fault.path.startswith("labels") for fault in error.faults)
        file = labels if labels is not None and of_labels else settings or labels
        raise InputError(f"{file}: {error}") from error


def read_references(track: Track, path: Path, params: Any) -> References:
    """Return the references. Raises ReferencesInvalid with a report, and OSError."""
    return track.references(read_file(path), params)


def read_manifest(path: Path, track: _Track) -> dict[str, str | None]:
    """Return the utterance ids of a manifest, with their language where it names one.

    The manifest is a JSON list of ids, rows with `utt_id` (JSON Lines or a list), or the object
    with `utterances` that the server's API gives for a phase. Raises InputError and OSError.
    """
    data = read_file(path).removeprefix(BOM)
    ids: dict[str, str | None] = {}
    for place, value in _manifest_entries(path, data):
        utt_id, language = _entry(value, track)
        if not utt_id or utt_id in ids:
            what = f"{show(utt_id)} stands twice" if utt_id else "there is no utterance id"
            raise InputError(f"{path}: {place}: {what}")
        ids[utt_id] = language
    if not ids:
        raise InputError(f"{path}: the manifest has no utterance ids")
    return ids


def read_marks(path: Path) -> dict[str, list[list[object]]]:
    """Return utt_id -> marks of a JSON Lines file: rows with `utt_id` and `marks`, a list an answer.

    Whether they are marks is for the track to say. Raises InputError and OSError.
    """
    data = read_file(path).removeprefix(BOM)
    found: dict[str, list[list[object]]] = {}
    for place, value in _manifest_entries(path, data):
        row = value if isinstance(value, dict) else {}
        utt_id, marks = row.get("utt_id"), row.get("marks")
        if not isinstance(utt_id, str) or not utt_id.strip():
            raise InputError(f"{path}: {place}: there is no utterance id")
        if not isinstance(marks, list) or not all(isinstance(one, list) for one in marks):
            raise InputError(f"{path}: {place}: marks must be a list with a list for each answer")
        if utt_id.strip() in found:
            raise InputError(f"{path}: {place}: {show(utt_id)} stands twice")
        found[utt_id.strip()] = marks
    if not found:
        raise InputError(f"{path}: there are no marks")
    return found


def _manifest_entries(path: Path, data: bytes) -> Iterator[tuple[str, object]]:
    """Yield where each entry stands, and the entry."""
    whole = StrictDecoder(_LIMITS).decode(data).value if data.lstrip().startswith(b"{") else None
    if isinstance(whole, dict) and isinstance(whole.get("utterances"), list):
        for number, entry in enumerate(whole["utterances"], 1):
            yield f"utterance {number}", entry
        return
    yield from read_pieces(path, data)


def read_pieces(path: Path, data: bytes, *, exact: bool = False) -> Iterator[tuple[str, object]]:
    """Yield the line and the value of each row of a file. Raises InputError for one that is broken."""
    decoder = StrictDecoder(_LIMITS, exact=exact)
    for piece in cut(data, 0, choose_reading(data)):
        decoded = decoder.decode(piece.raw)
        if piece.broken or decoded.faults:
            broken = Fault("INVALID_JSON", 0, {"reason": piece.broken})
            fault = decoded.faults[0] if decoded.faults else broken
            told = _told(fault.code, fault.offset + 1, piece.offset + fault.offset, fault.params)
            raise InputError(f"{path}: line {piece.line}: {told}")
        yield f"line {piece.line}", decoded.value


def _entry(value: object, track: _Track) -> tuple[str, str | None]:
    if isinstance(value, str):
        return value.strip(), None
    if not isinstance(value, dict):
        return "", None
    utt_id, language = value.get("utt_id"), value.get("language")
    known = language if isinstance(language, str) and language in track.languages else None
    return (utt_id.strip() if isinstance(utt_id, str) else ""), known


def read_pool(path: Path, *, needs_language: bool) -> list[PoolClip]:
    """Return the clips of a pool's manifest: JSON rows with `utt_id`, `tier` and maybe `language`.

    Raises InputError for a row that is none, and OSError.
    """
    data = read_file(path).removeprefix(BOM)
    fields = ("utt_id", "tier", "language") if needs_language else ("utt_id", "tier")
    clips = []
    for place, value in _manifest_entries(path, data):
        row = value if isinstance(value, dict) else {}
        texts = [text for name in fields if isinstance(text := row.get(name), str) and text]
        if len(texts) < len(fields):
            raise InputError(f"{path}: {place}: must have {', '.join(fields)}, each a text")
        clips.append(PoolClip(*texts))
    if not clips:
        raise InputError(f"{path}: the manifest has no clips")
    return clips


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows to rank. Raises RowsRefused when they have not the right fields."""
    try:
        value = read_json(path)
    except InputError as error:
        raise RowsRefused(str(error)) from error
    if isinstance(value, dict):
        value = value.get("rows")
    if not isinstance(value, list):
        raise RowsRefused(f"{path}: must be a JSON list of rows with name, score, low, high")
    for number, row in enumerate(value, 1):
        fault = _row_fault(row)
        if fault:
            raise RowsRefused(f"{path}: row {number}: {fault}")
    return value


def _row_fault(row: object) -> str:
    if not isinstance(row, dict):
        return f"must be an object, not {json.dumps(row)[:40]}"
    if not isinstance(row.get("name"), str):
        return "name must be text"
    if "score" not in row:
        return "score is missing (null when it is withheld)"
    if not isinstance(row.get("ranked", True), bool):
        return "ranked must be true or false"
    return next(filter(None, (_field_fault(name, value) for name, value in row.items())), "")


def _field_fault(name: str, value: Any) -> str:
    if name in _NUMBERS and value is not None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"{name} must be a number or null"
        if abs(value) > sys.float_info.max:
            return f"{name} is infinite, or too large to rank by"
    return f"{show(name, 40)} has a number that is infinite" if _is_endless(value) else ""


def _is_endless(value: object) -> bool:
    """Tell whether an infinity is in a value: 1e999 is read as one, and JSON cannot print it."""
    if isinstance(value, dict | list):
        return any(map(_is_endless, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and not math.isfinite(value)
