"""Which pool audio is in, and its recorded moves. Leaving the held-out pool is for good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import Pool
from competition.models import Audio, Competition, PoolMove
from competition.services import vault
from competition.services.authority import require_organizer, require_reason
from competition.services.errors import PoolMoveRefused
from competition.services.vault import Area


def area_of(pool: Pool) -> Area:
    """Return where the audio of a pool lies."""
    return Area.HELD_OUT if pool == Pool.HELD_OUT else Area.SERVED


def move(
    *,
    actor: User | None,
    competition: Competition,
    audio: Sequence[Audio],
    new: Pool,
    reason: str,
    now: datetime,
) -> int:
    """Move audio of the competition to another pool; return how many were not there already.

    All of it or nothing. Refuses NotOrganizer, ReasonMissing, and PoolMoveRefused for audio of
    others, and for what was issued, drawn, asked for by a phase or held out before. Raises OSError.
    """
    require_organizer(actor, competition)
    text = require_reason(reason)
    _require_own(competition, audio)
    moving = [one for one in audio if one.pool != new]
    keys = {one.pk: _brought(one, new) for one in moving}
    moves = [
        PoolMove(audio=one, old=one.pool, new=new, reason=text, actor=actor, at=now)
        for one in moving
    ]
    with audit.audited():
        for move_row in moves:
            _apply(move_row, keys)
        if moves:
            _record(actor, competition, moves, now)
    for left in moving:
        if area_of(Pool(left.pool)) != area_of(new):
            vault.remove(left.storage_key)
    return len(moving)


def _brought(audio: Audio, new: Pool) -> str:
    """Return the key in the pool's area, the bytes copied there where they lie in the other one."""
    area = area_of(new)
    if area == area_of(Pool(audio.pool)):
        return str(audio.storage_key)
    return vault.copy(audio.storage_key, area).key


def _require_own(competition: Competition, audio: Sequence[Audio]) -> None:
    keys = {one.pk for one in audio}
    own = Audio.objects.filter(pk__in=keys, clips__version__dataset__competition=competition)
    if own.distinct().count() != len(keys):
        raise PoolMoveRefused(_("Some of this audio is in no dataset of this competition."))


def _apply(move: PoolMove, keys: Mapping[int, str]) -> None:
    locked = Audio.objects.select_for_update().get(pk=move.audio_id)
    if locked.pool != move.old:
        raise PoolMoveRefused(_("The audio was moved by somebody else just now."))
    move.save()
    try:
        with transaction.atomic():
            Audio.objects.filter(pk=locked.pk).update(pool=move.new, storage_key=keys[locked.pk])
    except IntegrityError as error:
        raise PoolMoveRefused(
            _("Audio that was issued, drawn, asked for or held out before cannot be held out.")
        ) from error


def _record(
    actor: User | None, competition: Competition, moves: Sequence[PoolMove], now: datetime
) -> None:
    audit.record(
        scope=competition.audit_scope,
        kind="pool.moved",
        actor=actor,
        target=f"pool:{moves[0].new}",
        payload={
            "audio": sorted(one.audio.sha256 for one in moves),
            "old": sorted({str(one.old) for one in moves}),
            "new": str(moves[0].new),
        },
        now=now,
    )
