"""Reads the rows of track `e2e`: when a turn was answered, whether a reply yielded, how a dialogue was rated.

Times are whole nanoseconds on one monotonic clock, counted from the end of the utterance that the turn
answers; what came before it is negative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from grading.scoring.formats.item_rows import ReferenceItem
    from grading.scoring.formats.row_fields import RowFields
    from grading.scoring.report import Collector

EXAMPLE = '{"utt_id": "…", "replies": [{"announced_ns": 0, "sound_ns": 0}]}'
REFERENCE_EXAMPLE = (
    '{"utt_id": "…", "language": "yue", "kind": "turn", "latency": true, "barge_in": false}'
)
TURN, DIALOGUE = "turn", "dialogue"
KINDS = (TURN, DIALOGUE)
FARTHEST_NS = 3_600 * 10**9
MOST_REPLIES = 1_000
MOST_RATINGS = 1_000
RATING_DECIMALS = 2


class Reply(NamedTuple):
    """When a reply was announced, when its first sound came, and when the first that can be heard."""

    announced: int | None
    sound: int | None
    audible: int | None


class BargeIn(NamedTuple):
    """When the caller talked over the reply, and what is known of its end.

    `announced` is the message that it stopped, `last_sound` the arrival of its last sound, and
    `played_until` when a caller has heard all of it in real time.
    """

    began: int
    announced: int | None
    last_sound: int | None
    played_until: int | None


class TurnRow(NamedTuple):
    """A turn as it was measured; `barge_in` None where nobody talked over the reply."""

    replies: tuple[Reply, ...]
    barge_in: BargeIn | None


class DialogueRow(NamedTuple):
    """The ratings of a whole dialogue, a mark from each rater; empty while nobody has rated it."""

    ratings: tuple[Fraction, ...]


class TurnReference(NamedTuple):
    """What the scenario says of a turn: whether its latency counts, whether it is talked over."""

    kind: str
    scenario: str
    is_scored: bool
    is_barged: bool


def take_row(
    fields: RowFields,
    *,
    lowest: Fraction,
    highest: Fraction,
    kinds: Mapping[str, str] | None = None,
) -> TurnRow | DialogueRow | None:
    """Take a row of a submission, a turn or a dialogue; None after reporting what is wrong.

    `kinds` says what each id is, where the references are known.
    """
    kind = DIALOGUE if fields.given("naturalness") and not fields.given("replies") else TURN
    wanted = (kinds or {}).get(fields.utt_id or "", kind)
    if kind != wanted and (fields.given("naturalness") or fields.given("replies")):
        field = "naturalness" if kind == DIALOGUE else "replies"
        fields.fault("OTHER_KIND", field, found=kind, wanted=wanted)
        return None
    if kind == DIALOGUE:
        ratings = fields.take_numbers(
            "naturalness", lowest, highest, decimals=RATING_DECIMALS, most=MOST_RATINGS
        )
        return None if fields.is_faulty else DialogueRow(tuple(ratings or ()))
    if not fields.require("replies"):
        return None
    if not fields.has("replies"):
        fields.fault("INVALID_FIELD_TYPE", "replies", wanted="list", found="null")
        return None
    parts = fields.take_parts("replies", most=MOST_REPLIES)
    replies = [_reply(part) for part in parts]
    barge_in = fields.take_part("barge_in")
    barged = None if barge_in is None else _barge_in(barge_in)
    inside = [*parts, *([] if barge_in is None else [barge_in])]
    if fields.is_faulty or any(part.is_faulty for part in inside):
        return None
    return TurnRow(tuple(replies), barged)


def _time(fields: RowFields, name: str) -> int | None:
    return fields.take_whole(name, -FARTHEST_NS, FARTHEST_NS)


def _reply(fields: RowFields) -> Reply:
    announced, sound = _time(fields, "announced_ns"), _time(fields, "sound_ns")
    audible = _time(fields, "audible_ns")
    if announced is None and sound is None and not fields.is_faulty:
        fields.require("announced_ns")
        if not fields.is_faulty:
            fields.fault("INVALID_FIELD_TYPE", "announced_ns", wanted="number", found="null")
    return Reply(announced, sound, audible)


def _barge_in(fields: RowFields) -> BargeIn | None:
    fields.require("began_ns")
    began = _time(fields, "began_ns")
    if began is None and not fields.is_faulty:
        fields.fault("INVALID_FIELD_TYPE", "began_ns", wanted="number", found="null")
    last, until = _time(fields, "last_sound_ns"), _time(fields, "played_until_ns")
    if last is not None and until is None:
        fields.require("played_until_ns")
    stopped = _time(fields, "stop_announced_ns")
    return None if began is None else BargeIn(began, stopped, last, until)


def take_reference(fields: RowFields) -> TurnReference | None:
    """Take a row of the references; None after reporting what is wrong with it."""
    kind = fields.take_choice("kind", KINDS) or TURN
    scenario = fields.take_text("scenario", longest=200) or ""
    is_scored, is_barged = fields.take_flag("latency"), fields.take_flag("barge_in")
    if fields.is_faulty:
        return None
    is_turn = kind == TURN
    counts = is_turn and (not is_barged if is_scored is None else is_scored)
    return TurnReference(kind, scenario, counts, is_turn and bool(is_barged))


def check_together(items: Sequence[ReferenceItem], report: Collector) -> None:
    """Report a language without a turn whose latency counts, or without a dialogue to rate."""
    for language in sorted({item.language for item in items}):
        values = [item.value for item in items if item.language == language]
        if not any(value.is_scored for value in values):
            report.error("REFERENCE_WITHOUT_TURNS", language=language)
        if not any(value.kind == DIALOGUE for value in values):
            report.error("REFERENCE_WITHOUT_DIALOGUES", language=language)
