"""Numbered snapshots of a final board: computed without a lock, added in one transaction, never changed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from grading.enums import FinalList
from grading.models import (
    FinalBoard,
    FinalRanking,
    FinalSelection,
    FinalStanding,
    Recipe,
    Submission,
)
from grading.scoring.rating.final import FinalLine
from grading.services.final import comparing, inputs
from grading.services.final.inputs import Inputs

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that a rebuild adds, and the number of the state it was computed from."""

    number: int
    recipe: Recipe
    seed: int
    digest: str
    inputs_digest: str
    told: Json
    lines: tuple[FinalLine, ...]
    submissions: dict[str, Submission]


def rebuild(*, board_id: int, now: datetime) -> FinalBoard:
    """Bring a final board up to date; return it. Does nothing when it is; twice adds nothing.

    What arrives meanwhile is rung for by whoever brings it, or by the sweep.
    """
    board = FinalBoard.objects.select_related("phase__final_selection").get(pk=board_id)
    if board.built < board.wanted or board.built_at is None:
        write(board_id=board_id, snapshot=take(board), now=now)
        board.refresh_from_db()
    return board


def take(board: FinalBoard) -> Snapshot:
    """Compute the snapshot of the state that the board's number names, or of a newer one."""
    selection = FinalSelection.objects.select_related("phase").get(phase=board.phase_id)
    return _snapshot(board.wanted, inputs.collect(selection))


def write(*, board_id: int, snapshot: Snapshot, now: datetime) -> FinalRanking | None:
    """Add a snapshot unless a newer one stands or nothing has changed; return what was added."""
    with transaction.atomic():
        board = FinalBoard.objects.select_for_update().get(pk=board_id)
        if board.built_at is not None and board.built >= snapshot.number:
            return None
        FinalBoard.objects.filter(pk=board_id).update(built=snapshot.number, built_at=now)
        last = newest(board)
        if last is not None and _is_the_same(last, snapshot):
            return None
        return _add(board, snapshot, last, now)


def newest(board: FinalBoard, *, until: int | None = None) -> FinalRanking | None:
    """Return the newest snapshot, or the newest up to a number; None before the first."""
    found = FinalRanking.objects.filter(board=board)
    if until is not None:
        found = found.filter(number__lte=until)
    return found.order_by("-number").first()


def has_score(ranking: FinalRanking) -> bool:
    """Return whether any system that people rated has a final score."""
    return FinalStanding.objects.filter(
        ranking=ranking, listing=FinalList.RATED, view="", score__isnull=False
    ).exists()


def behind(board: FinalBoard) -> bool:
    """Return whether marks have come or gone that the newest snapshot does not hold."""
    return (
        board.built_at is None
        or FinalBoard.objects.filter(pk=board.pk, wanted__gt=F("built")).exists()
    )


def _snapshot(number: int, found: Inputs) -> Snapshot:
    lines = tuple(found.compute())
    return Snapshot(
        number=number,
        recipe=found.recipe,
        seed=found.rules.seed,
        digest=inputs.result_digest(lines, found.rules),
        inputs_digest=found.digest,
        told=found.told,
        lines=lines,
        submissions=dict(found.submissions),
    )


def _is_the_same(last: FinalRanking, snapshot: Snapshot) -> bool:
    return (last.digest, last.inputs_digest) == (snapshot.digest, snapshot.inputs_digest)


def _add(
    board: FinalBoard, snapshot: Snapshot, last: FinalRanking | None, now: datetime
) -> FinalRanking:
    ranking = FinalRanking.objects.create(
        board=board,
        number=snapshot.number,
        made_at=now,
        recipe=snapshot.recipe,
        seed=str(snapshot.seed),
        digest=snapshot.digest,
        inputs_digest=snapshot.inputs_digest,
        inputs=snapshot.told,
        changes=_changes(snapshot, last),
    )
    FinalStanding.objects.bulk_create(
        [_standing(ranking, line, snapshot.submissions) for line in snapshot.lines], batch_size=500
    )
    return ranking


def _changes(snapshot: Snapshot, last: FinalRanking | None) -> Json:
    if last is None:
        return {}
    rows = FinalStanding.objects.filter(ranking=last, view="")
    before = {
        one.submission.code: comparing.Placed(one.listing, one.place, one.score)
        for one in rows.select_related("submission")
    }
    after = {
        one.name: comparing.Placed(one.listing, one.place, one.score)
        for one in snapshot.lines
        if not one.view
    }
    return {
        **comparing.arrived(last.inputs, snapshot.told),
        "moved": comparing.moved(before, after),
    }


def _standing(
    ranking: FinalRanking, line: FinalLine, submissions: dict[str, Submission]
) -> FinalStanding:
    first, last = line.range or (None, None)
    return FinalStanding(
        ranking=ranking,
        listing=line.listing,
        view=line.view,
        position=line.position,
        submission=submissions[line.name],
        place=line.place,
        band=line.band,
        range_first=first,
        range_last=last,
        score=line.score,
        low=line.interval.low,
        high=line.interval.high,
        interval_reason=line.interval.reason,
        judge=line.judge,
        people=line.people,
        withheld_reason=line.withheld_reason,
        ratings_least=line.ratings_least,
        is_provisional=line.is_provisional,
        numbers={"shares": dict(line.shares), "difference": dict(line.difference)},
    )
