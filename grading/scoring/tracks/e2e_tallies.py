"""What a turn or a dialogue of `e2e` leaves behind: nanoseconds, flags, sums of marks."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from grading.scoring.formats.turn_rows import DIALOGUE, TURN, DialogueRow, TurnRow
from grading.scoring.metrics.turns import Interruption, answer, has_yielded, reply_start
from grading.scoring.tracks.pillars_tables import ItemTallies, count, maybe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grading.scoring.formats.turn_rows import BargeIn, Reply, TurnReference
    from grading.scoring.tracks.e2e_params import TalkParams

SCHEMA = "e2e-tallies/1"
HUNDREDTHS = 100
OVERLAP, PREMATURE, LATE_SOUND = 1, 2, 4
NOT_BARGED, NOT_TESTED, TESTED, UNKNOWN = "", "not-tested", "tested", "unknown"
BARGES = (NOT_BARGED, NOT_TESTED, TESTED, UNKNOWN)


class TalkTally(NamedTuple):
    """The tallies of one item.

    Of a turn: `measured` 0 where its row is none of a turn, `scored` whether its latency counts,
    `latency_ns` (None: unanswered), `flags` of what was odd, and of a barge-in its state and, where
    it was tested, how long the reply went on (`yield_ns`) and whether that was soon enough. Of a
    dialogue: marks added up in hundredths, and how many there are.
    """

    utt_id: str
    language: str
    kind: str
    scenario: str
    measured: int
    scored: int
    latency_ns: int | None
    flags: int
    barge: str
    yield_ns: int | None
    yielded: int
    marks: int
    ratings: int

    def as_json(self) -> dict[str, Any]:
        """Return the row as the server shows it to organizers."""
        return self._asdict()

    @property
    def mean_mark(self) -> Fraction:
        """The mean of a dialogue's ratings; there is at least one."""
        return Fraction(self.marks, self.ratings * HUNDREDTHS)


def tally_item(
    utt_id: str,
    language: str,
    reference: TurnReference,
    row: TurnRow | DialogueRow,
    params: TalkParams,
) -> TalkTally:
    """Return the tallies of one item; a row of the other kind leaves it unmeasured."""
    empty = TalkTally(
        utt_id,
        language,
        reference.kind,
        reference.scenario,
        0,
        0,
        None,
        0,
        NOT_BARGED,
        None,
        0,
        0,
        0,
    )
    if reference.kind == DIALOGUE:
        ratings = row.ratings if isinstance(row, DialogueRow) else ()
        marks = int(sum(ratings, Fraction(0)) * HUNDREDTHS)
        return empty._replace(measured=1, marks=marks, ratings=len(ratings))
    empty = empty._replace(scored=int(reference.is_scored))
    if not isinstance(row, TurnRow):
        return empty._replace(barge=UNKNOWN if reference.is_barged else NOT_BARGED)
    latency, flags = _answered(row.replies, params)
    turn = empty._replace(measured=1, latency_ns=latency, flags=flags)
    return _with_barge_in(turn, row.barge_in, params) if reference.is_barged else turn


def _answered(replies: Iterable[Reply], params: TalkParams) -> tuple[int | None, int]:
    """Return the latency in ns, None for unanswered, and what was odd (rules A10 to A12)."""
    within = params.ns("sound")
    begun = {
        start: reply
        for reply in sorted(replies, key=_first_time, reverse=True)
        if (start := reply_start(reply.announced, reply.sound, within=within)) is not None
    }
    found = answer(0, begun, tolerance=params.ns("early"))
    flags = OVERLAP * found.is_overlap + PREMATURE * found.is_premature
    if found.latency is None or found.latency > params.ns("timeout"):
        return None, flags
    counted = min((s for s in begun if s >= -params.ns("early")), default=0)
    return found.latency, flags + LATE_SOUND * _is_late(begun[counted], within)


def _first_time(reply: Reply) -> int:
    return min(time for time in (reply.announced, reply.sound) if time is not None)


def _is_late(reply: Reply, within: int) -> bool:
    """Return whether what can be heard came more than 500 ms after it was announced."""
    if reply.announced is None or reply.audible is None:
        return False
    return reply.audible - reply.announced > within


def _with_barge_in(turn: TalkTally, barge_in: BargeIn | None, params: TalkParams) -> TalkTally:
    """Return the tallies with what became of a barge-in (rule A15)."""
    if barge_in is None:
        return turn._replace(barge=UNKNOWN)
    stopped = _stopped(barge_in)
    if stopped is None:
        return turn._replace(barge=NOT_TESTED)
    yielded = has_yielded(Interruption(barge_in.began, stopped), within=params.ns("yield"))
    if yielded is None:
        return turn._replace(barge=NOT_TESTED)
    return turn._replace(barge=TESTED, yield_ns=stopped - barge_in.began, yielded=int(yielded))


def _stopped(barge_in: BargeIn) -> int | None:
    """Return when a reply stopped: as announced if no sound follows, else at its last sound; never
    announced, when all of it was heard. None where there was no reply."""
    last = barge_in.last_sound
    if barge_in.announced is None:
        return barge_in.played_until
    return barge_in.announced if last is None or last <= barge_in.announced else last


class TalkTallies(ItemTallies[TalkTally]):
    """The tallies of one evaluation, sorted by id."""

    __slots__ = ()
    schema = SCHEMA
    row = TalkTally

    @staticmethod
    def read(*values: Any) -> TalkTally:
        """Return an item of stored values. Raises ValueError for what cannot be."""
        tally = TalkTally(*values)
        for name in ("measured", "scored", "flags", "yielded", "ratings"):
            count(getattr(tally, name))
        for name in ("latency_ns", "yield_ns", "marks"):
            maybe(getattr(tally, name))
        if tally.barge not in BARGES or tally.kind not in {TURN, DIALOGUE}:
            raise ValueError("no tallies of a turn")
        return tally

    def turns(self, language: str) -> tuple[TalkTally, ...]:
        """Return the turns of one language, sorted by id."""
        return self._of(language, TURN)

    def scored(self, language: str) -> tuple[TalkTally, ...]:
        """Return the turns of one language whose latency counts, sorted by id."""
        return tuple(turn for turn in self.turns(language) if turn.scored)

    def dialogues(self, language: str) -> tuple[TalkTally, ...]:
        """Return the dialogues of one language, sorted by id."""
        return self._of(language, DIALOGUE)

    def _of(self, language: str, kind: str) -> tuple[TalkTally, ...]:
        return tuple(item for item in self.of_language(language) if item.kind == kind)
