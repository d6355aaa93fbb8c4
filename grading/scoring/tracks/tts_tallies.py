"""What a clip of `tts` leaves behind: sums of ratings, a similarity, edits, and whether it was stable."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from grading.scoring.metrics import error_rates
from grading.scoring.tracks.pillars_tables import ItemTallies, count, maybe

if TYPE_CHECKING:
    from grading.scoring.formats.speech_rows import SpeechRow
    from grading.scoring.tracks.tts_params import ListeningRule

SCHEMA = "tts-tallies/1"
HUNDREDTHS = 100
MILLIONTHS = 10**6


class ClipTally(NamedTuple):
    """The tallies of one clip; None is what was not measured.

    `repeated` is 0 or 1. `edits` and `length` count tokens of the text that was to be spoken, both
    None where nobody listens back. Ratings are added up in hundredths; `similarity` counts millionths.
    """

    utt_id: str
    language: str
    failed: int
    repeated: int | None
    edits: int | None
    length: int | None
    mos: int
    mos_ratings: int
    comos: int
    comos_ratings: int
    similarity: int | None

    def as_json(self) -> dict[str, Any]:
        """Return the row as the server shows it to organizers."""
        return self._asdict()

    def mean_mark(self, part: str) -> Fraction | None:
        """Return the mean of the clip's ratings, its similarity, or None without any."""
        if part == "similarity":
            return None if self.similarity is None else Fraction(self.similarity, MILLIONTHS)
        marks, ratings = (self.mos, self.mos_ratings)
        if part == "comos":
            marks, ratings = (self.comos, self.comos_ratings)
        return Fraction(marks, ratings * HUNDREDTHS) if ratings else None


def tally_clip(
    utt_id: str, language: str, text: str, row: SpeechRow, rule: ListeningRule | None
) -> ClipTally:
    """Return the tallies of one clip; one that failed was heard as nothing at all."""
    edits, length = _heard(text, "" if row.failed else row.transcript, rule)
    similarity = None if row.similarity is None else int(row.similarity * MILLIONTHS)
    return ClipTally(
        utt_id=utt_id,
        language=language,
        failed=int(row.failed),
        repeated=None if row.repeated is None else int(row.repeated),
        edits=edits,
        length=length,
        mos=int(sum(row.mos, Fraction(0)) * HUNDREDTHS),
        mos_ratings=len(row.mos),
        comos=int(sum(row.comos, Fraction(0)) * HUNDREDTHS),
        comos_ratings=len(row.comos),
        similarity=similarity,
    )


def _heard(
    text: str, transcript: str | None, rule: ListeningRule | None
) -> tuple[int | None, int | None]:
    if rule is None:
        return None, None
    wanted = error_rates.tokens(text, rule.unit, rule.of_text)
    if transcript is None:
        return None, len(wanted)
    found = error_rates.count(wanted, error_rates.tokens(transcript, rule.unit, rule.of_text))
    return found.edits, found.reference_length


class SpeechPillarTallies(ItemTallies[ClipTally]):
    """The tallies of one evaluation, sorted by id."""

    __slots__ = ()
    schema = SCHEMA
    row = ClipTally

    @staticmethod
    def read(*values: Any) -> ClipTally:
        """Return a clip of stored values. Raises ValueError for what cannot be."""
        clip = ClipTally(*values)
        for name in ("failed", "mos_ratings", "comos_ratings"):
            count(getattr(clip, name))
        for name in ("repeated", "edits", "length", "mos", "comos", "similarity"):
            maybe(getattr(clip, name))
        return clip
