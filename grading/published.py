"""A board as the bytes of data.json, made once per snapshot and process."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from competition.models import Phase
from competition.models.querysets import Viewer
from competition.timeline import is_closed
from grading import laid_ready, queries
from grading.kept import Kept
from grading.models import Board

ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Published:
    """The object as JSON, and a quoted tag that changes with any byte of it."""

    body: bytes
    etag: str


_KEPT: Kept[Published] = Kept(8)


def board_json(phase: Phase, user: Viewer, now: datetime) -> Published:
    """Return the board as the person sees it: organizers the current one, others the published one."""
    if not queries.organizes(user, phase):
        return published(phase, now)
    version = current_version(phase, now)
    if version is None:
        return _encoded(queries.board_object(phase, user, now))
    return _KEPT.get(version, lambda: _encoded(queries.board_object(phase, user, now)))


def current_version(phase: Phase, now: datetime) -> Hashable:
    """Return what tells the board that organizers see from any other, None before the first one.

    Its rows change with the snapshot alone; what stands around them follows the phase and the acts.
    """
    made = Board.objects.filter(phase=phase).values_list("built", "built_at").first()
    if made is None or made[1] is None:
        return None
    act = phase.board_changes.order_by("-pk").values_list("pk", flat=True).first()
    rules = (phase.selection, phase.band_rule, phase.feedback)
    return phase.code, made, act, is_closed(phase, now), phase.opens_at, phase.closes_at, rules


def published(phase: Phase, now: datetime) -> Published:
    """Return the public board; one query while it is the one that was asked for last.

    Whether the reader may see the board at all is competition.queries.may_see_board.
    """
    for _attempt in range(ATTEMPTS):
        built, built_at = (
            Board.objects.filter(phase=phase).values_list("built", "built_at").first()
        ) or (0, None)
        if built_at is None:
            break
        try:
            return _snapshot(phase.code, built, built_at)
        except Board.DoesNotExist:
            continue  # rebuilt between the two reads: the newer one is there
    return _encoded(queries.board_object(phase, None, now))


def _snapshot(phase_code: str, built: int, built_at: datetime) -> Published:
    """Return a snapshot; number and time of its making are what tells it from others."""

    def make() -> Published:
        body = laid_ready.data_of(phase_code, (built, built_at))
        if body is not None:
            return _tagged(body)
        boards = Board.objects.filter(phase__code=phase_code, built=built, built_at=built_at)
        return _encoded(boards.values_list("data", flat=True).get())

    return _KEPT.get((phase_code, built, built_at), make)


def _encoded(data: dict[str, Any]) -> Published:
    return _tagged(laid_ready.encode(data))


def _tagged(body: bytes) -> Published:
    return Published(body, f'"{hashlib.sha256(body).hexdigest()}"')
