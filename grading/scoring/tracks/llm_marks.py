"""A judge's marks of answers as they are given to the scorer: lists of one mark, a list a replicate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grading.scoring.formats.answers import MARK_DECIMALS
from grading.scoring.formats.row_fields import exact
from grading.scoring.tracks.nvv_t2_marks import MarksInvalid

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from grading.scoring.tracks.llm_params import LlmParams
    from grading.scoring.tracks.pillars_reading import Scale


def read_marks(
    utt_id: str, given: Sequence[Sequence[object]] | None, params: LlmParams
) -> tuple[Fraction, ...] | None:
    """Return the marks of an item, exact; None where there are none.

    Whether they are as many as are wanted is seen by the tally. Raises MarksInvalid for what is no
    mark of the scale, and where there is no scale.
    """
    if given is None:
        return None
    scale = params.scale
    if scale is None:
        raise MarksInvalid(f"{utt_id}: there is no scale")
    return tuple(_mark(utt_id, one, scale) for one in given)


def _mark(utt_id: str, given: Sequence[object], scale: Scale) -> Fraction:
    value = given[0] if len(given) == 1 else None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    mark = exact(value) if is_number and isinstance(value, int | float) else None
    if mark is None or not scale.lowest <= mark <= scale.highest:
        raise MarksInvalid(f"{utt_id}: a mark is one number of the scale")
    if (mark * 10**MARK_DECIMALS).denominator != 1:
        raise MarksInvalid(f"{utt_id}: a mark has at most {MARK_DECIMALS} decimals")
    return mark
