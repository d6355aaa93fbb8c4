"""What the stored ratings come to: which of them count, and the marks that scores are made from.

Everything is computed from the rows; the same rows give the same digits. What quality control found
when the protocol closed is kept and used from then on; before that it is computed on what is there.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from grading.enums import TaskKind
from grading.models import QualityReport, Rating, RatingProtocol
from grading.scoring.rating import panel, quality
from grading.scoring.rating.forms import COLUMN_OF, FIRST, MARKS, OTHER, SYSTEM, form_of, turned
from grading.scoring.rating.quality import Answer, Day, Quality
from grading.scoring.rating.settings import ProtocolSettings, settings_sha256
from grading.scoring.tracks.nvv_t2_marks import Marks
from grading.services.ratings import errors, exclusions, places

EXCLUDED = "EXCLUDED"
TEXT_DROPPED = "TEXT_DROPPED"
MILLISECONDS = 1000 / 16_000
FIELDS = (
    "task__code",
    "task__kind",
    "task__session__code",
    "task__rater__pseudonym",
    "task__stimulus__key",
    "task__stimulus__name",
    "task__stimulus__language",
    "task__stimulus__expected",
    "task__stimulus__frames",
    "task__stimulus__compared_with__frames",
    "task__stimulus__system__submission",
    "task__stimulus__system__submission__code",
    "task__rated_text__dropped_at",
    "task__repeat_of",
    "task",
    *(mark.column for mark in MARKS),
    "system_first",
    "took_ms",
    "is_late",
    "created_at",
    "uuid",
    "revision",
    "task__rater__is_simulated",
)


@dataclass(frozen=True, slots=True)
class Row:
    """One current answer, with what quality control may know and what only results may."""

    values: Mapping[str, Any]
    form: str
    is_excluded: bool

    @property
    def marks(self) -> dict[str, int]:
        """The marks of the form by letter; a comparison counts for the system."""
        return {letter: self.values[COLUMN_OF[letter]] for letter in form_of(self.form).letters}

    @property
    def shown(self) -> dict[str, int]:
        """The marks as they were pressed: a comparison as it was heard."""
        first = self.values["system_first"]
        if first is None:
            return self.marks
        return {letter: turned(mark, system_first=first) for letter, mark in self.marks.items()}

    @property
    def told(self) -> dict[str, int | str]:
        """The marks as a file tells them: of a comparison with what was heard first."""
        first = self.values["system_first"]
        order = {} if first is None else {FIRST: SYSTEM if first else OTHER}
        return {**self.marks, **order}

    @property
    def sound_ms(self) -> int:
        """How long listening takes, in milliseconds: of two sounds both."""
        frames = (
            self.values["task__stimulus__frames"],
            self.values["task__stimulus__compared_with__frames"],
        )
        return round(sum(count or 0 for count in frames) * MILLISECONDS)

    @property
    def is_scored(self) -> bool:
        """Whether it may enter a mean: a scored stimulus of a text that still counts."""
        return (
            self.values["task__kind"] == TaskKind.SCORED
            and self.values["task__rated_text__dropped_at"] is None
            and not self.is_excluded
        )

    def is_void(self, found: Quality) -> bool:
        """Return whether quality control voids its sitting or its rater."""
        rater, session = self.values["task__rater__pseudonym"], self.values["task__session__code"]
        return session in found.sessions or rater in found.raters

    @property
    def is_simulated(self) -> bool:
        """Whether no person gave the marks."""
        return bool(self.values["task__rater__is_simulated"])

    @property
    def key(self) -> str:
        """The code of the task."""
        return str(self.values["task__code"])


@dataclass(frozen=True, slots=True)
class Inspected:
    """The current answers of a protocol, and what quality control says of them."""

    rows: tuple[Row, ...]
    found: Quality
    left_out: Quality
    """Of sittings and raters that are left out whole: what would be said if they counted again."""
    days: tuple[Day, ...]
    digest: str

    def as_json(self) -> dict[str, Any]:
        """Return the report that is kept when a protocol closes."""
        return {
            "sessions": {key: list(why) for key, why in sorted(self.found.sessions.items())},
            "raters": {key: list(why) for key, why in sorted(self.found.raters.items())},
            "left_out": {
                "sessions": {k: list(why) for k, why in sorted(self.left_out.sessions.items())},
                "raters": {k: list(why) for k, why in sorted(self.left_out.raters.items())},
            },
            "days": [[day.day, day.answers, day.valid] for day in self.days],
            "kept": len(self.found.kept),
            "dropped": dict(sorted(Counter(self.found.dropped.values()).items())),
        }

    def counted(self, *, screened: bool) -> list[Row]:
        """Return the rows that enter means; screened ones without what quality control voids."""
        return [
            row
            for row in self.rows
            if row.is_scored and (not screened or row.key in self.found.kept)
        ]


def inspected(protocol: RatingProtocol) -> Inspected:
    """Return the current answers with quality control: as kept at closing, or of what is there now."""
    settings = places.settings_of(protocol)
    rows = tuple(_rows(protocol))
    answers = _answers([row for row in rows if not row.is_excluded])
    report = QualityReport.objects.filter(protocol=protocol).first()
    found = quality.inspect(answers, settings) if report is None else _as_kept(answers, report)
    left_out = _of_left_out(rows, answers, settings)
    days = tuple(quality.by_day(answers, found))
    return Inspected(rows, found, left_out, days, _digest(rows))


def alarms(protocol: RatingProtocol) -> list[Day]:
    """Return the days on which too few of the answers are valid, as things are now."""
    settings = places.settings_of(protocol)
    return [day for day in inspected(protocol).days if day.is_alarming(settings)]


def ratings(*, protocol: RatingProtocol, screened: bool = True) -> list[panel.Rating]:
    """Return the marks that count, raw: of scored stimuli, each by its newest revision, in order.

    Systems are named by their submission's code. Refuses FormWithoutMarks.
    """
    _require_marks(protocol)
    return panel_of(inspected(protocol).counted(screened=screened))


def human_marks(
    *, protocol: RatingProtocol, screened: bool = True
) -> dict[int, dict[str, dict[str, list[Marks]]]]:
    """Return the marks that count by submission id, language and utterance, raters in order.

    Refuses FormWithoutMarks.
    """
    _require_marks(protocol)
    found: dict[int, dict[str, dict[str, list[Marks]]]] = {}
    for row in inspected(protocol).counted(screened=screened):
        submission = row.values["task__stimulus__system__submission"]
        language = row.values["task__stimulus__language"]
        texts = found.setdefault(submission, {}).setdefault(language, {})
        texts.setdefault(row.values["task__stimulus__name"], []).append(_marks(row))
    return found


def digest(*, protocol: RatingProtocol, screened: bool = True) -> str:
    """Return the hash of the marks that count, and of the numbers that the protocol is frozen by."""
    counted = inspected(protocol).counted(screened=screened)
    told = [[*_order(row.values)[:4], row.marks] for row in counted]
    return _sha256({"settings": settings_digest(protocol), "ratings": told})


def settings_digest(protocol: RatingProtocol) -> str:
    """Return the hash of the protocol's numbers, which is on every score made from its ratings."""
    return settings_sha256(places.settings_of(protocol), protocol.form)


def kept_and_dropped(found: Inspected) -> dict[str, int]:
    """Return how many scored votes count (`kept`) and how many do not, by reason."""
    counts = Counter({"kept": 0})
    for row in found.rows:
        if row.values["task__kind"] != TaskKind.SCORED:
            continue
        if row.is_excluded:
            counts[EXCLUDED] += 1
        elif row.values["task__rated_text__dropped_at"] is not None:
            counts[TEXT_DROPPED] += 1
        else:
            counts[found.found.dropped.get(row.key, "kept")] += 1
    return dict(counts)


def _rows(protocol: RatingProtocol) -> Iterable[Row]:
    """Yield the newest revision of every task's answer, by rater, system, text and task."""
    excluded = set(exclusions.excluded_tasks(protocol).values_list("pk", flat=True))
    newest: dict[int, dict[str, Any]] = {}
    for values in _stored(protocol):
        newest[values["task"]] = values
    for values in sorted(newest.values(), key=_order):
        yield Row(values, protocol.form, values["task"] in excluded)


def _stored(protocol: RatingProtocol) -> QuerySet[Rating, dict[str, Any]]:
    rows: QuerySet[Rating] = Rating.objects.filter(task__rater__protocol=protocol)
    found: QuerySet[Rating, dict[str, Any]] = rows.order_by("task", "revision").values(*FIELDS)
    return found


def _order(values: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        str(values["task__stimulus__system__submission__code"]),
        values["task__stimulus__language"],
        values["task__stimulus__name"],
        values["task__rater__pseudonym"],
        values["task__code"],
    )


def _answers(rows: Iterable[Row]) -> list[Answer]:
    """Return the rows as quality control sees them: without their system."""
    listed = list(rows)
    first = {row.values["task"]: tuple(row.marks.values()) for row in listed}
    made = []
    for row in listed:
        values, marks, form = row.values, row.marks, form_of(row.form)
        expected = values["task__stimulus__expected"] or {}
        repeated = first.get(values["task__repeat_of"])
        if values["task__kind"] == TaskKind.REPEAT and repeated is None:
            continue  # what it repeats is left out
        made.append(
            Answer(
                key=row.key,
                rater=values["task__rater__pseudonym"],
                session=values["task__session__code"],
                kind=values["task__kind"],
                stimulus=values["task__stimulus__key"],
                marks=tuple(marks.values()),
                took_ms=values["took_ms"],
                sound_ms=row.sound_ms,
                day=values["created_at"].date().isoformat(),
                expected=tuple(expected[name] for name in marks) if expected else (),
                first=repeated or (),
                shown=tuple(row.shown.values()),
                zero_is_absent=form.has_targets,
            )
        )
    return made


def _as_kept(answers: Iterable[Answer], report: QualityReport) -> Quality:
    """Return what was found at closing, for the answers that are there.

    Of what was left out then, and counts again, what was found of it by itself.
    """
    listed = list(answers)
    there = {
        "sessions": {answer.session for answer in listed},
        "raters": {answer.rater for answer in listed},
    }
    found = {}
    for name, keys in there.items():
        said = report.report.get("left_out", {}).get(name, {})
        again = {key: why for key, why in said.items() if key in keys}
        found[name] = {k: tuple(why) for k, why in {**again, **report.report[name]}.items()}
    return quality.applied(listed, found["sessions"], found["raters"])


def _of_left_out(
    rows: Iterable[Row], counting: Iterable[Answer], settings: ProtocolSettings
) -> Quality:
    """Return what is found of sittings and raters of whom nothing counts.

    Of a sitting that counts but for an answer, that answer alone would show no trap and prove nothing.
    """
    listed = list(counting)
    sessions, raters = {one.session for one in listed}, {one.rater for one in listed}
    alone = [
        one
        for one in _answers([row for row in rows if row.is_excluded])
        if one.session not in sessions
    ]
    found = quality.inspect(alone, settings)
    return replace(found, raters={k: why for k, why in found.raters.items() if k not in raters})


def _marks(row: Row) -> Marks:
    return Marks(**{name: Fraction(mark) for name, mark in row.marks.items()})


def _require_marks(protocol: RatingProtocol) -> None:
    """Raise FormWithoutMarks unless the form asks for all five marks: none is filled in."""
    if not protocol.declared.has_score:
        raise errors.FormWithoutMarks(_("This form does not ask for the five marks."))


def panel_of(rows: Iterable[Row]) -> list[panel.Rating]:
    """Return rows with five marks as a panel takes them, raw."""
    return [_rating(row, _marks(row)) for row in rows]


def opinions_of(rows: Iterable[Row]) -> list[panel.Rating]:
    """Return rows of a form of one scale as a panel takes them: that mark stands at all five places."""
    found = []
    for row in rows:
        (mark,) = row.marks.values()
        values = dict.fromkeys("APNQE", Fraction(mark))
        found.append(_rating(row, Marks(**values)))
    return found


def _rating(row: Row, marks: Marks) -> panel.Rating:
    return panel.Rating(
        system=row.values["task__stimulus__system__submission__code"],
        language=row.values["task__stimulus__language"],
        utt_id=row.values["task__stimulus__name"],
        rater=row.values["task__rater__pseudonym"],
        marks=marks,
    )


def _digest(rows: Iterable[Row]) -> str:
    """Return the hash of all current answers, the excluded ones too."""
    return _sha256(
        [
            [
                *_order(row.values),
                row.values["task__kind"],
                row.values["task__session__code"],
                row.told,
                row.values["took_ms"],
                row.values["is_late"],
                row.values["created_at"].isoformat(),
                str(row.values["uuid"]),
                row.is_excluded,
            ]
            for row in rows
        ]
    )


def _sha256(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
