"""The bytes of each upload of the demo, made from the demo challenge's own references."""

from __future__ import annotations

from collections.abc import Mapping

from grading.demo.draws import fraction
from grading.demo.entrants import Kind, Upload
from grading.demo.flaws import blemish_rows, break_rows
from grading.demo.systems import predict_rows, read_utterances, to_json_lines


def file_content(upload: Upload, references: Mapping[str, bytes]) -> bytes:
    """Return the file that `upload` sends: UTF-8 JSON Lines, the same bytes on every machine.

    `references` maps a phase to its reference file; raises KeyError for a phase without one.
    """
    utterances = read_utterances(references[upload.phase])
    rows = predict_rows(utterances, upload.profile)
    match upload.kind:
        case Kind.SYSTEM:
            return to_json_lines(rows)
        case Kind.SHUFFLED:
            return to_json_lines(sorted(rows, key=lambda row: fraction("row", row["utt_id"])))
        case Kind.REJECTED:
            return break_rows(rows)
        case Kind.WARNED:
            return blemish_rows(rows, _other_ids(upload.phase, references))


def _other_ids(phase: str, references: Mapping[str, bytes]) -> list[str]:
    return [
        utterance.utt_id
        for other, data in references.items()
        if other != phase
        for utterance in read_utterances(data)
    ]
