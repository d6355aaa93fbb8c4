"""Reads the rows of track `tts`: what was measured of each clip that a system spoke."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

    from grading.scoring.formats.row_fields import RowFields
    from grading.scoring.tracks.pillars_reading import Scale

EXAMPLE = '{"utt_id": "…", "failed": false, "repeated": false, "transcript": "…", "mos": [4, 5, 4]}'
REFERENCE_EXAMPLE = '{"utt_id": "…", "language": "yue", "text": "…"}'
MARK_DECIMALS = 2
SIMILARITY_DECIMALS = 6
MOST_RATINGS = 1_000
MEASURES = ("repeated", "transcript", "mos", "comos", "similarity")


class SpeechRow(NamedTuple):
    """What was measured of one clip; None is what was not.

    `failed`: nothing came that could be measured. `repeated`: the system said something again.
    `transcript` is what the named recognizer heard. `mos` and `comos` are people's ratings.
    """

    failed: bool
    repeated: bool | None
    transcript: str | None
    mos: tuple[Fraction, ...]
    comos: tuple[Fraction, ...]
    similarity: Fraction | None


class SpeechReference(NamedTuple):
    """The text that is to be spoken."""

    text: str


def take_row(
    fields: RowFields, *, longest: int, scales: Mapping[str, Scale | None]
) -> SpeechRow | None:
    """Take a row of a submission; None after reporting what is wrong with it.

    A measure without a scale is not taken: nobody knows what its numbers are worth.
    """
    failed = fields.take_flag("failed") if fields.require("failed") else None
    if failed is None and not fields.is_faulty:
        fields.fault("INVALID_FIELD_TYPE", "failed", wanted="boolean", found="null")
    given = [name for name in MEASURES if fields.has(name)]
    if failed and given:
        fields.fault("FAILED_CLIP_MEASURED", given[0])
    row = SpeechRow(
        failed=bool(failed),
        repeated=fields.take_flag("repeated"),
        transcript=fields.take_text("transcript", longest=longest),
        mos=_ratings(fields, "mos", scales),
        comos=_ratings(fields, "comos", scales),
        similarity=_similarity(fields, scales),
    )
    return None if fields.is_faulty else row


def _has_scale(fields: RowFields, name: str, scales: Mapping[str, Scale | None]) -> Scale | None:
    scale = scales[name]
    if scale is None and fields.has(name):
        fields.fault("SCALE_NOT_SET", name)
    return scale


def _ratings(
    fields: RowFields, name: str, scales: Mapping[str, Scale | None]
) -> tuple[Fraction, ...]:
    scale = _has_scale(fields, name, scales)
    if scale is None:
        return ()
    found = fields.take_numbers(
        name, scale.lowest, scale.highest, decimals=MARK_DECIMALS, most=MOST_RATINGS
    )
    return tuple(found or ())


def _similarity(fields: RowFields, scales: Mapping[str, Scale | None]) -> Fraction | None:
    scale = _has_scale(fields, "similarity", scales)
    if scale is None:
        return None
    return fields.take_number(
        "similarity", scale.lowest, scale.highest, decimals=SIMILARITY_DECIMALS
    )


def take_reference(
    fields: RowFields, *, longest: int, leaves_nothing: Callable[[str], bool]
) -> SpeechReference | None:
    """Take a row of the references; `leaves_nothing` tells of a text that normalization empties."""
    text = fields.take_text("text", longest=longest) if fields.require("text") else None
    if text is None and not fields.is_faulty:
        fields.fault("INVALID_FIELD_TYPE", "text", wanted="string", found="null")
    if text is not None and (not text.strip() or leaves_nothing(text)):
        fields.fault("TEXT_TO_SPEAK_EMPTY", "text")
    return None if fields.is_faulty or text is None else SpeechReference(text)
