"""Ratings as rows of a file: what leaves the server comes back with the same digits.

A row is one current answer. Raters and systems go by pseudonym; comments stay here.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max, Q
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.services.authority import require_organizer, require_reason
from grading.enums import ExclusionKind, RaterState, SessionState, TaskKind, TaskState
from grading.models import (
    PlanSlot,
    Rater,
    Rating,
    RatingProtocol,
    RatingSession,
    RatingTask,
)
from grading.models.rating import new_key
from grading.models.rating_work import LEASED
from grading.scoring.rating.forms import COLUMN_OF, form_of
from grading.services.ratings import conflicts, holding, places, results
from grading.services.ratings.exchange_rows import Fault, Reader, Row, read, unusable

BATCH = 5000


@dataclass(frozen=True, slots=True)
class Imported:
    """How many rows were new, and how many were here already, digit for digit."""

    added: int
    known: int


def records(protocol: RatingProtocol) -> list[dict[str, Any]]:
    """Return the current answers, without what is left out, as records of the form's `columns_of`, by rater."""
    pseudonyms = dict(protocol.systems.values_list("submission_id", "pseudonym"))
    rows = results.inspected(protocol).rows
    gone = {row.values["task"] for row in rows if row.is_excluded}
    # A repeat goes with what it repeats: elsewhere nobody would know what it is compared with.
    found = [row for row in rows if not gone & {row.values["task"], row.values["task__repeat_of"]}]
    more = {
        key: (opened, plays)
        for key, opened, plays in Rating.objects.filter(task__rater__protocol=protocol)
        .order_by("revision")
        .values_list("task__code", "task__opened_at", "plays")
    }
    made = [_record(row, pseudonyms, *more[row.key]) for row in found]
    return sorted(made, key=lambda row: (row["rater"], row["opened_at"], row["uuid"]))


def take(
    *, actor: User | None, protocol: RatingProtocol, text: str, reason: str, now: datetime
) -> Imported:
    """Add the ratings of a file to an open protocol: all of its rows, or none with every fault told.

    A row that is here already, digit for digit, changes nothing. Raters that are not known are
    added without a person behind them; one who is known rates nothing that they have a conflict of
    interest with. Refuses NotOrganizer, ReasonMissing, ProtocolNotOpen,
    ImportInvalid.
    """
    require_organizer(actor, places.competition_of(protocol))
    told = require_reason(reason)
    reader = Reader(protocol, now)
    rows = [
        row
        for line, given in read(text, protocol.form)
        if (row := reader.row(line, given)) is not None
    ]
    if reader.faults:
        raise unusable(reader.faults)
    with audit.audited():
        locked = places.lock_protocol(protocol)
        places.require_open(locked)
        writer = _Writer(locked, now)
        found = writer.write(rows)
        places.record(
            locked,
            "rating.imported",
            actor,
            now,
            added=found.added,
            known=found.known,
            file=audit.digest(text),
            reason_sha256=audit.digest(told),
        )
        places.note_change(locked, now)
    return found


class _Writer:
    """Writes rows that were read, under the protocol's lock."""

    def __init__(self, protocol: RatingProtocol, now: datetime) -> None:
        self._protocol = protocol
        self._now = now
        self._raters = {row.pseudonym: row for row in protocol.raters.select_related("user")}
        self._conflicts: dict[int, set[int]] = {}
        self._out: dict[int, bool] = {}
        self._plans: dict[int, list[int]] = {}
        self._sessions: dict[tuple[int, str], RatingSession] = {}
        self._faults: list[Fault] = []

    def write(self, rows: Iterable[Row]) -> Imported:
        """Add the rows, scored ones before those that repeat them. Refuses ImportInvalid."""
        listed = sorted(
            rows, key=lambda row: (row.kind == TaskKind.REPEAT, row.answered_at, row.line)
        )
        self._check_raters(listed)
        known = self._known(listed)
        fresh = [row for row in listed if row.uuid not in known]
        for row in fresh:
            self._add(row)
        if self._faults:
            raise unusable(self._faults)
        return Imported(len(fresh), len(known))

    def _known(self, rows: list[Row]) -> set[uuid.UUID]:
        """Return the UUIDs that are here with the same marks; another answer under one is a fault."""
        stored = {
            rating.uuid: rating
            for start in range(0, len(rows), BATCH)
            for rating in Rating.objects.filter(
                uuid__in=[row.uuid for row in rows[start : start + BATCH]]
            ).select_related("task", "rater")
        }
        for row in rows:
            old = stored.get(row.uuid)
            if old is not None and not _is_same(row, old, self._protocol):
                self._fault(row, "UUID_REUSED", _("The UUID belongs to another answer here."))
        return set(stored)

    def _check_raters(self, rows: Iterable[Row]) -> None:
        """Note a fault for rows that make a person of a simulated rater, or the other way round."""
        simulated = {name: rater.is_simulated for name, rater in self._raters.items()}
        for row in rows:
            if simulated.setdefault(row.rater, row.is_simulated) != row.is_simulated:
                message = _("This rater is simulated elsewhere, or is a person there.")
                self._fault(row, "SIMULATED_DIFFERS", message)

    def _fault(self, row: Row, code: str, message: str) -> None:
        self._faults.append(Fault(row.line, code, message))

    def _add(self, row: Row) -> None:
        rater = self._rater(row)
        if row.stimulus.system_id in self._conflicts_of(rater):
            message = _("This rater has a conflict of interest with this system.")
            self._fault(row, "CONFLICT_OF_INTEREST", message)
            return
        session = self._session(rater, row)
        repeated = None
        text_id = row.stimulus.rated_text_id if row.kind == TaskKind.SCORED else None
        if row.kind == TaskKind.SCORED and rater.tasks.filter(rated_text=text_id).exists():
            self._fault(row, "TEXT_TWICE", _("This rater has rated this text already."))
            return
        if row.kind == TaskKind.REPEAT:
            repeated = rater.tasks.filter(stimulus=row.stimulus, kind=TaskKind.SCORED).first()
            if repeated is None:
                self._fault(row, "REPEAT_UNKNOWN", _("What this repeats is not there."))
                return
        slot = None
        if row.kind == TaskKind.SCORED and not self._is_out(rater):
            slot = self._slot(row)
        task = RatingTask.objects.create(
            session=session,
            rater=rater,
            position=session.position,
            kind=row.kind,
            stimulus=row.stimulus,
            rated_text_id=text_id,
            slot=slot,
            repeat_of=repeated,
            state=TaskState.ANSWERED,
            created_at=row.opened_at,
            delivered_at=row.opened_at,
            opened_at=row.opened_at,
            ended_at=self._now,  # when it was here: what is left out later is replaced by it
            system_first=row.system_first,
            second_delivered_at=None if row.system_first is None else row.opened_at,
        )
        if text_id is not None:
            self._leave_text(rater, text_id)
        session.position += 1
        session.save(update_fields=["position"])
        Rating.objects.create(
            uuid=row.uuid,
            task=task,
            rater=rater,
            form=self._protocol.form,
            system_first=row.system_first,
            took_ms=row.took_ms,
            plays=row.plays,
            is_late=row.is_late,
            created_at=row.answered_at,
            **{COLUMN_OF[letter]: mark for letter, mark in row.marks.items()},
        )

    def _leave_text(self, rater: Rater, text_id: int) -> None:
        if rater.pk not in self._plans:
            self._plans[rater.pk] = holding.plans_of(rater)
        holding.leave(self._plans[rater.pk], Q(rated_text=text_id))

    def _is_out(self, rater: Rater) -> bool:
        """Return whether all answers of a rater are left out: none of them fills a slot."""
        if rater.pk not in self._out:
            standing = rater.exclusions.filter(kind=ExclusionKind.RATER, lifted_at__isnull=True)
            self._out[rater.pk] = standing.exists()
        return self._out[rater.pk]

    def _conflicts_of(self, rater: Rater) -> set[int]:
        """Return the systems that a rater must not rate; of one without a person nothing is known."""
        if rater.pk not in self._conflicts:
            self._conflicts[rater.pk] = conflicts.systems_of(rater)
        return self._conflicts[rater.pk]

    def _rater(self, row: Row) -> Rater:
        known = self._raters.get(row.rater)
        if known is None:
            known = Rater.objects.create(
                protocol=self._protocol,
                pseudonym=row.rater,
                state=RaterState.ACTIVE,
                languages=[row.language],
                joined_at=row.opened_at,
                seen_at=row.answered_at,
                is_simulated=row.is_simulated,
            )
            self._raters[row.rater] = known
        return known

    def _session(self, rater: Rater, row: Row) -> RatingSession:
        """Return the sitting of a row; what came of it in an earlier file stays one with it."""
        key = (rater.pk, row.session)
        if key not in self._sessions:
            known = rater.sessions.filter(code=row.session, is_imported=True).first()
            self._sessions[key] = known or self._new_session(rater, row)
        return self._sessions[key]

    def _new_session(self, rater: Rater, row: Row) -> RatingSession:
        number = (rater.sessions.aggregate(last=Max("number"))["last"] or 0) + 1
        taken = RatingSession.objects.filter(code=row.session[:16]).exists()
        named = {} if taken or len(row.session) > 16 else {"code": row.session}  # noqa: PLR2004
        return RatingSession.objects.create(
            rater=rater,
            language=row.language,
            number=number,
            state=SessionState.FINISHED,
            started_at=row.opened_at,
            rating_since=row.opened_at,
            ended_at=row.answered_at,
            check_seed=new_key(),
            is_imported=True,
            **named,
        )

    def _slot(self, row: Row) -> PlanSlot | None:
        """Return a free slot of the stimulus that this answer fills, if one is left."""
        free = Q(lease_until__isnull=True) | Q(lease_until__lte=self._now)
        slot: PlanSlot | None = (
            PlanSlot.objects.select_for_update(skip_locked=True, of=("self",), no_key=True)
            .filter(free, stimulus=row.stimulus, done_at__isnull=True)
            .order_by("-open_to_all", "-row__number", "pk")
            .first()
        )
        if slot is None:
            return None
        RatingTask.objects.filter(slot=slot, state__in=LEASED).update(
            state=TaskState.RELEASED, lease_until=None, ended_at=self._now
        )
        PlanSlot.objects.filter(pk=slot.pk).update(done_at=row.answered_at, lease_until=None)
        return slot


def _record(
    row: results.Row, pseudonyms: Mapping[int, str], opened: datetime | None, plays: int
) -> dict[str, Any]:
    values = row.values
    return {
        "rater": values["task__rater__pseudonym"],
        "simulated": int(row.is_simulated),
        "session": values["task__session__code"],
        "language": values["task__stimulus__language"],
        "kind": values["task__kind"],
        "utt_id": values["task__stimulus__name"],
        "system": pseudonyms.get(values["task__stimulus__system__submission"], ""),
        **dict.fromkeys(form_of(row.form).columns),
        **row.told,
        "opened_at": (opened or values["created_at"]).isoformat(),
        "answered_at": values["created_at"].isoformat(),
        "took_ms": values["took_ms"],
        "plays": plays,
        "late": int(values["is_late"]),
        "uuid": str(values["uuid"]),
    }


def _is_same(row: Row, old: Rating, protocol: RatingProtocol) -> bool:
    marks_here = {letter: mark for letter, mark in old.marks.items() if mark is not None}
    here = (old.task.kind, old.task.stimulus_id, old.created_at, old.took_ms, old.plays)
    there = (row.kind, row.stimulus.pk, row.answered_at, row.took_ms, row.plays)
    return (
        marks_here == dict(row.marks)
        and here == there
        and old.is_late == row.is_late
        and old.system_first == row.system_first
        and old.rater.pseudonym == row.rater
        and old.rater.protocol_id == protocol.pk
    )
