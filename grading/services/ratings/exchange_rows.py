"""The rows of a file of ratings, read: every fault is told with its line, and nothing is guessed."""

from __future__ import annotations

import csv
import io
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from grading.enums import StimulusKind, TaskKind
from grading.models import RatingProtocol, Stimulus
from grading.scoring.rating.answers import read_marks
from grading.scoring.rating.forms import FIRST, OTHER, SYSTEM, form_of
from grading.services.ratings import errors, marks

ABOUT = ("rater", "simulated", "session", "language", "kind", "utt_id", "system")
WHEN = ("opened_at", "answered_at", "took_ms", "plays", "late", "uuid")
OF_SYSTEMS = frozenset({TaskKind.SCORED.value, TaskKind.REPEAT.value, TaskKind.NULL.value})
"""Kinds of tasks whose recording is a system's."""
SIZE_LIMIT = 64 << 20
ROWS_LIMIT = 500_000
FAULTS_SHOWN = 200
NAME_LIMIT = 32
FORMULAS = tuple("=+-@\t\r\n＝＋－＠")
MOST_MS = 2**31 - 1


def columns_of(form: str) -> tuple[str, ...]:
    """Return the columns of a file of ratings, in their order; marks are those of the form."""
    return (*ABOUT, *form_of(form).columns, *WHEN)


@dataclass(frozen=True, slots=True)
class Fault:
    """One row that cannot be taken: its line (1 is the header), a code and what is wrong."""

    line: int
    code: str
    message: str

    def as_json(self) -> dict[str, object]:
        """Return the fault by name."""
        return {"line": self.line, "code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True)
class Row:
    """One row that was read, with the stimulus that it is about."""

    line: int
    rater: str
    is_simulated: bool
    session: str
    language: str
    kind: TaskKind
    stimulus: Stimulus
    marks: Mapping[str, int]
    opened_at: datetime
    answered_at: datetime
    took_ms: int
    plays: int
    is_late: bool
    uuid: uuid.UUID
    system_first: bool | None


class Reader:
    """Reads rows of a protocol and keeps every fault."""

    def __init__(self, protocol: RatingProtocol, now: datetime) -> None:
        self.faults: list[Fault] = []
        self._form = protocol.form
        self._now = now
        rows = Stimulus.objects.filter(protocol=protocol).select_related("system")
        self._stimuli = {
            (
                row.kind,
                row.language,
                row.name,
                row.system.pseudonym if row.system is not None else "",
            ): row
            for row in rows
        }
        self._uuids: set[uuid.UUID] = set()

    def fault(self, line: int, code: str, message: str) -> None:
        self.faults.append(Fault(line, code, message))

    def row(self, line: int, given: Mapping[str, str]) -> Row | None:
        """Return the row, None where it has a fault."""
        before = len(self.faults)
        stimulus = self._stimulus(line, given)
        read = read_marks(self._form, given)
        for mark in read.faults:
            self.fault(line, mark.code, marks.sentence(mark))
        first = self._first(line, given) if form_of(self._form).is_pair else None
        times = self._times(line, given)
        took = self._whole(line, given, "took_ms", MOST_MS)
        plays = self._whole(line, given, "plays", MOST_MS)
        key = self._uuid(line, given.get("uuid", ""))
        for name in ("rater", "session"):
            if not 1 <= len(plain(given[name])) <= NAME_LIMIT:
                self.fault(
                    line, "NAME_INVALID", _("%(name)s is missing or too long.") % {"name": name}
                )
        for name in ("late", "simulated"):
            if given[name] not in {"0", "1"}:
                self.fault(
                    line, f"{name.upper()}_INVALID", _("%(name)s is 0 or 1.") % {"name": name}
                )
        if len(self.faults) > before or stimulus is None or times is None or key is None:
            return None
        return Row(
            line=line,
            rater=plain(given["rater"]),
            is_simulated=given["simulated"] == "1",
            session=plain(given["session"]),
            language=given["language"],
            kind=TaskKind(given["kind"]),
            stimulus=stimulus,
            marks=read.marks,
            opened_at=times[0],
            answered_at=times[1],
            took_ms=took,
            plays=plays,
            is_late=given["late"] == "1",
            uuid=key,
            system_first=first,
        )

    def _first(self, line: int, given: Mapping[str, str]) -> bool:
        """Return whether the system's recording was heard first; a null pair has no such order."""
        text = given[FIRST]
        if text not in {SYSTEM, OTHER} or (text == SYSTEM and given["kind"] == TaskKind.NULL):
            self.fault(
                line, "FIRST_INVALID", _("first is system or other, and other in a null pair.")
            )
        return text == SYSTEM

    def _stimulus(self, line: int, given: Mapping[str, str]) -> Stimulus | None:
        kind = given["kind"]
        is_pair = form_of(self._form).is_pair
        kinds = [one for one in TaskKind.values if is_pair or one != TaskKind.NULL]
        if kind not in kinds:
            text = _("The kind is one of: %(kinds)s.") % {"kinds": ", ".join(kinds)}
            self.fault(line, "KIND_UNKNOWN", text)
            return None
        sort = StimulusKind.SCORED.value if kind in OF_SYSTEMS else kind
        for name in (given["utt_id"], plain(given["utt_id"])):
            found = self._stimuli.get((sort, given["language"], name, given["system"]))
            if found is not None:
                return found
        self.fault(
            line,
            "STIMULUS_UNKNOWN",
            _("There is no recording of this language, utterance and system in the protocol."),
        )
        return None

    def _times(self, line: int, given: Mapping[str, str]) -> tuple[datetime, datetime] | None:
        found = [_moment(given["opened_at"]), _moment(given["answered_at"])]
        if found[0] is None or found[1] is None or not found[0] <= found[1] <= self._now:
            self.fault(
                line,
                "TIME_INVALID",
                _("The times are in ISO 8601 with a zone, in order, and not in the future."),
            )
            return None
        return found[0], found[1]

    def _whole(self, line: int, given: Mapping[str, str], name: str, most: int) -> int:
        text = given[name]
        if text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= most:  # noqa: PLR2004
            return int(text)
        self.fault(line, "NUMBER_INVALID", _("%(name)s is a whole number.") % {"name": name})
        return 0

    def _uuid(self, line: int, text: str) -> uuid.UUID | None:
        try:
            found = uuid.UUID(text)
        except ValueError:
            self.fault(line, "UUID_INVALID", _("This is not a UUID."))
            return None
        if found in self._uuids:
            self.fault(line, "UUID_TWICE", _("The UUID stands in the file twice."))
            return None
        self._uuids.add(found)
        return found


def read(text: str, form: str) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a form's file with their line numbers. Refuses ImportInvalid on its shape."""
    names = columns_of(form)
    if len(text) > SIZE_LIMIT or "\0" in text:
        raise unusable([Fault(1, "FILE_INVALID", _("The file is too large, or no text."))])
    reader = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), strict=True)
    try:
        header = next(reader, [])
        if header != list(names):
            wanted = ", ".join(names)
            raise unusable(
                [
                    Fault(
                        1, "HEADER_INVALID", _("The columns must be: %(names)s") % {"names": wanted}
                    )
                ]
            )
        rows: list[tuple[int, dict[str, str]]] = []
        for cells in reader:
            if len(cells) != len(names) or len(rows) >= ROWS_LIMIT:
                message = _("The row has %(count)s cells, or there are too many rows.")
                fault = Fault(reader.line_num, "ROW_INVALID", message % {"count": len(cells)})
                raise unusable([fault])
            rows.append((reader.line_num, dict(zip(names, cells, strict=True))))
    except csv.Error as error:
        raise unusable([Fault(reader.line_num, "ROW_INVALID", str(error))]) from None
    return rows


def plain(text: str) -> str:
    """Return a cell without the apostrophe that keeps spreadsheets from running it."""
    rest = text.removeprefix("'")
    return rest if rest.lstrip(" \u3000").startswith(FORMULAS) else text


def _moment(text: str) -> datetime | None:
    try:
        found = parse_datetime(text)
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None else None


def unusable(faults: list[Fault]) -> errors.ImportInvalid:
    """Return the refusal of a file that tells its first faults."""
    shown = faults[:FAULTS_SHOWN]
    return errors.ImportInvalid(
        _("Nothing was imported: %(count)s rows cannot be taken.") % {"count": len(faults)},
        faults=[fault.as_json() for fault in shown],
        total=len(faults),
    )
