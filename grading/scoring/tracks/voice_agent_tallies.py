"""What an item of `voice-agent` leaves behind: its score in each arm, in whole parts of a point."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from grading.scoring.tracks.pillars_tables import ItemTallies, maybe

if TYPE_CHECKING:
    from grading.scoring.formats.arm_scores import ArmScore

SCHEMA = "voice-agent-tallies/1"
UNIT = 10**9
"""Scores are kept in parts of 10⁻⁹, half to even: means of three marks have endless decimals."""


class ItemTally(NamedTuple):
    """The tallies of one item; an arm that is None is one in which the system failed."""

    utt_id: str
    language: str
    subtask: str
    text: int | None
    audio: int | None

    def as_json(self) -> dict[str, Any]:
        """Return the row as the server shows it to organizers; scores as decimals or null."""
        return {**self._asdict(), "text": _decimal(self.text), "audio": _decimal(self.audio)}


def _decimal(score: int | None) -> float | None:
    return None if score is None else score / UNIT


def tally_item(utt_id: str, language: str, subtask: str, rows: Iterable[ArmScore]) -> ItemTally:
    """Return the tally of one item; rows that name another subtask do not count."""
    scores: dict[str, int | None] = {}
    for row in rows:
        if row.subtask == subtask and row.score is not None:
            scores[row.arm] = round(Fraction(row.score) * UNIT)
    return ItemTally(utt_id, language, subtask, scores.get("text"), scores.get("audio"))


class AgentTallies(ItemTallies[ItemTally]):
    """The tallies of one evaluation, sorted by id."""

    __slots__ = ()
    schema = SCHEMA
    row = ItemTally

    @staticmethod
    def read(utt_id: str, language: str, subtask: str, text: object, audio: object) -> ItemTally:
        """Return an item of stored values. Raises ValueError for what cannot be."""
        return ItemTally(utt_id, language, subtask, maybe(text), maybe(audio))
