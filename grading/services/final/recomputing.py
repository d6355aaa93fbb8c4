"""A snapshot computed again from stored marks and ratings: are all digits the same?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.models import Phase
from competition.services.authority import require_organizer
from grading.enums import FinalCheckOutcome
from grading.models import FinalBoard, FinalCheck, FinalRanking, FinalStanding
from grading.services import doorbell
from grading.services.final import errors, rankings
from grading.services.final.rankings import Snapshot


@dataclass(frozen=True, slots=True)
class Compared:
    """How a second computation compares: its digest, and the rows (view, system) that differ."""

    outcome: FinalCheckOutcome
    found: str
    differences: tuple[str, ...]


def request(*, actor: User | None, phase: Phase, now: datetime) -> FinalCheck:
    """Have the newest snapshot computed again. Refuses NotOrganizer, NothingRanked, CheckUnderWay."""
    require_organizer(actor, phase.track.competition)
    ranking = _newest(phase)
    try:
        with audit.audited():
            check = FinalCheck.objects.create(
                ranking=ranking, requested_by=actor, requested_at=now, rung_at=now
            )
            doorbell.ring(doorbell.FINAL_CHECK, check.pk)
    except IntegrityError as error:
        raise errors.CheckUnderWay(_("This snapshot is being computed again already.")) from error
    return check


def run(*, check_id: int, now: datetime) -> FinalCheck | None:
    """Compute again and keep how it compares; None where it is done already. Twice gives the same."""
    check = FinalCheck.objects.select_related(
        "ranking__board__phase__track__competition", "requested_by"
    ).get(pk=check_id)
    if check.outcome:
        return None
    compared = compare(check.ranking)
    with audit.audited():
        open_one = FinalCheck.objects.filter(pk=check_id, outcome="")
        done = open_one.update(
            outcome=compared.outcome,
            found=compared.found,
            differences=list(compared.differences),
            finished_at=now,
        )
        if done:
            _record(check, compared, now)
    check.refresh_from_db()
    return check


def compare(ranking: FinalRanking) -> Compared:
    """Compute a snapshot again from what is stored now, and compare every digit."""
    found = rankings.take(ranking.board)
    if found.inputs_digest != ranking.inputs_digest:
        return Compared(FinalCheckOutcome.OUTDATED, found.digest, ())
    differences = _differences(ranking, found)
    is_same = found.digest == ranking.digest and not differences
    outcome = FinalCheckOutcome.SAME if is_same else FinalCheckOutcome.DIFFERS
    return Compared(outcome, found.digest, differences)


def _newest(phase: Phase) -> FinalRanking:
    board = FinalBoard.objects.filter(phase=phase).first()
    ranking = None if board is None else rankings.newest(board)
    if ranking is None:
        raise errors.NothingRanked(_("There is no snapshot yet."))
    return ranking


def _differences(ranking: FinalRanking, found: Snapshot) -> tuple[str, ...]:
    """Return the rows that are not the same to the last digit, as `view/system`."""
    stored = {
        (row.view, row.submission.code): _digits(row)
        for row in FinalStanding.objects.filter(ranking=ranking).select_related("submission")
    }
    again = {
        (line.view, line.name): (
            line.listing,
            line.place,
            line.band,
            line.score,
            line.interval.low,
            line.interval.high,
            line.judge,
            line.people,
        )
        for line in found.lines
    }
    differ = {key for key in stored.keys() | again.keys() if stored.get(key) != again.get(key)}
    return tuple(sorted(f"{view or 'final'}/{name}" for view, name in differ))


def _digits(row: FinalStanding) -> tuple[object, ...]:
    return (
        row.listing,
        row.place,
        row.band,
        row.score,
        row.low,
        row.high,
        row.judge,
        row.people,
    )


def _record(check: FinalCheck, compared: Compared, now: datetime) -> None:
    phase = check.ranking.board.phase
    audit.record(
        scope=phase.track.competition.audit_scope,
        kind="final.recomputed",
        actor=check.requested_by,
        target=f"phase:{phase.code}",
        payload={
            "number": check.ranking.number,
            "digest": check.ranking.digest,
            "found": compared.found,
            "outcome": compared.outcome.value,
        },
        now=now,
    )
