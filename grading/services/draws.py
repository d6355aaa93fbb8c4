"""Windows of draws: committed to, drawn from, revealed; what each entrant has seen of the pool.

The list follows from the pool's public rows and the key alone (`grading.scoring.draws`), so anybody
can make it again once the seed is out.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from accounts.services.names import accepted_line
from competition.enums import ClipSource, Pool, Strata
from competition.models import (
    Competition,
    DatasetClip,
    DatasetVersion,
    Draw,
    DrawnClip,
    DrawWindow,
    Entrant,
    Exposure,
    Phase,
    PhaseDraw,
    PoolClip,
)
from competition.packing.manifest import canonical, sha256
from competition.services.authority import require_organizer
from competition.services.errors import WindowRefused
from grading.scoring import draws
from grading.scoring.draws import DrawRefused
from grading.services import drawn_phases

BATCH = 2000
SEED_BYTES = 32
PUBLIC_LIMIT = 200
DUE_AT_ONCE = 20

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a window is to be: how many clips, its times, its strata, and the public value's name.

    `gives_clips` says that the phase takes its clips from the window's own draw; a phase whose
    definition says so takes them in any case.
    """

    n: int
    opens_at: datetime
    closes_at: datetime
    strata: Strata = Strata.TIER
    public_name: str = ""
    phase: Phase | None = None
    gives_clips: bool = False


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """A draw made again: whether list and counts are the same, byte for byte, and the list found."""

    agrees: bool
    utt_ids: tuple[str, ...]
    sha256: str


def commit(*, actor: User | None, version: DatasetVersion, plan: Plan, now: datetime) -> DrawWindow:
    """Make a window over the version's rotation pool with a fresh secret seed, whose hash is public.

    Refuses NotOrganizer, and WindowRefused for times that are past or turned round, for more clips
    than the pool has, for a phase of another competition, and for one that cannot take its clips.
    """
    competition = version.dataset.competition
    require_organizer(actor, competition)
    name = accepted_line(plan.public_name, limit=PUBLIC_LIMIT, field="public_name")
    for fault in time_faults(plan.opens_at, plan.closes_at, now):
        raise fault
    if plan.phase is not None and plan.phase.track.competition_id != competition.pk:
        raise WindowRefused(_("The phase belongs to another competition."), field="phase")
    seed = secrets.token_hex(SEED_BYTES)
    with audit.audited():
        Competition.objects.select_for_update().get(pk=competition.pk)
        pool = rotation_pool(version)
        shares = _shares(plan.n, pool, plan.strata)
        if plan.phase is not None:
            drawn_phases.promise(
                phase=plan.phase, clips=pool, shares=shares, asked=plan.gives_clips, now=now
            )
        window = _window(competition, version, plan, pool)
        window.seed, window.commitment = seed, draws.commitment(seed)
        window.public_name, window.made_by, window.made_at = name, actor, now
        window.save()
        _add_pool(window, pool)
        _record(actor, window, "window.committed", now, **public_terms(window))
    return window


def time_faults(
    opens_at: datetime | None, closes_at: datetime | None, now: datetime
) -> list[WindowRefused]:
    """Return what the rules refuse about a window's times, each on its field; None is not looked at."""
    found = []
    if opens_at is not None and opens_at < now:
        found.append(WindowRefused(_("A window opens after it is committed to."), field="opens_at"))
    if opens_at is not None and closes_at is not None and closes_at <= opens_at:
        found.append(WindowRefused(_("A window closes after it opens."), field="closes_at"))
    return found


def size_fault(version: DatasetVersion, n: int) -> WindowRefused | None:
    """Return what the rules refuse about how many clips are drawn of a version, None for nothing."""
    size = version.clips.filter(audio__pool=Pool.ROTATION).count()
    return None if 1 <= n <= size else _too_many(n, size)


def set_public_value(
    *, actor: User | None, window: DrawWindow, value: str, now: datetime
) -> DrawWindow:
    """Write down the public value that was named in advance; once, before the first draw.

    Refuses NotOrganizer, WindowRefused.
    """
    require_organizer(actor, window.competition)
    text = accepted_line(value, limit=PUBLIC_LIMIT, field="public_value")
    with audit.audited():
        locked = _locked(window)
        if not locked.public_name or not text:
            raise WindowRefused(_("No public value was named for this window."))
        if locked.public_value == text:
            return locked
        if locked.public_value or locked.draws.exists():
            raise WindowRefused(_("The public value stands and cannot be changed."))
        locked.public_value = text
        locked.save(update_fields=["public_value"])
        _record(actor, locked, "window.public_value", now, value=text)
    return locked


def draw(*, window: DrawWindow, run: int = 0, now: datetime) -> Draw:
    """Return the draw of the window (run 0) or of a run, made now where there is none yet.

    A phase that takes its clips from the window has them from the window's own draw on. Refuses
    WindowRefused before the window opens, while the public value is not known, once the seed is public,
    and for audio that was taken out of the pool meanwhile.
    """
    made = _draw_once(window, run, now)
    drawn_phases.take(draw=made, now=now)
    return made


def draw_due(*, now: datetime) -> int:
    """Make the draws that phases wait for; return how many. What cannot be made yet is left."""
    due = DrawWindow.objects.filter(
        ~Q(public_name__gt="", public_value=""),
        Q(revealed_at__isnull=True) | Exists(Draw.objects.filter(window=OuterRef("pk"), run=0)),
        phase__clips=ClipSource.DRAWN,
        phase__taken_draw__isnull=True,
        opens_at__lte=now,
    )
    made = 0
    for window in due.select_related("competition")[:DUE_AT_ONCE]:
        try:
            draw(window=window, now=now)
            made += 1
        except WindowRefused as refused:
            log.warning("draw.refused", extra={"window": window.code, "code": refused.code})
    return made


def _draw_once(window: DrawWindow, run: int, now: datetime) -> Draw:
    with audit.audited():
        locked = _locked(window)
        known = locked.draws.filter(run=run).first()
        if known is not None:
            return known
        if locked.revealed_at is not None:
            raise WindowRefused(_("The seed is public: everybody can tell what would be drawn."))
        if now < locked.opens_at:
            raise WindowRefused(_("The window has not opened yet."))
        if locked.public_name and not locked.public_value:
            raise WindowRefused(_("The public value of this window is not known yet."))
        rows = list(locked.pool.select_related("clip"))
        found = _drawn([row.clip for row in rows], locked, run)
        made = _keep(locked, run, found, {row.clip.utt_id: row.clip.pk for row in rows}, now)
        _record(None, locked, "draw.made", now, run=run, sha256=made.sha256, counts=made.counts)
    return made


def expose(*, draw: Draw, entrant: Entrant, now: datetime) -> Exposure:
    """Note that an entrant is given the clips of a draw; again changes nothing."""
    found, _is_new = Exposure.objects.get_or_create(
        draw=draw, entrant=entrant, defaults={"at": now}
    )
    return found


def expose_phase(*, phase: Phase, entrant: Entrant, now: datetime) -> None:
    """Note that an entrant has the clips of a phase, where they were drawn."""
    if phase.clips == ClipSource.DRAWN:
        for taken in PhaseDraw.objects.filter(phase=phase.pk).select_related("draw"):
            expose(draw=taken.draw, entrant=entrant, now=now)


def reveal(*, actor: User | None, window: DrawWindow, now: datetime) -> DrawWindow:
    """Publish the seed once the window has closed; again changes nothing.

    Refuses NotOrganizer, WindowRefused before the end.
    """
    require_organizer(actor, window.competition)
    with audit.audited():
        locked = _locked(window)
        if locked.revealed_at is not None:
            return locked
        if now < locked.closes_at:
            raise WindowRefused(_("The seed is published after the window has closed."))
        locked.revealed_at = now
        locked.save(update_fields=["revealed_at"])
        _record(actor, locked, "window.revealed", now, seed=locked.seed)
    return locked


def reconstruct(found: Draw) -> Reconstruction:
    """Make a stored draw again from pool, key and parameters, and compare it with what was stored."""
    window = found.window
    again = _drawn([row.clip for row in window.pool.select_related("clip")], window, found.run)
    stored = ids_of(found)
    digest = list_sha256(again.utt_ids)
    agrees = (
        stored == list(again.utt_ids)
        and found.counts == again.counts
        and found.sha256 == digest
        and window.pool_sha256 == pool_sha256([row.clip for row in window.pool.all()])
        and window.commitment == draws.commitment(window.seed)
    )
    return Reconstruction(agrees, again.utt_ids, digest)


def rotation_pool(version: DatasetVersion) -> list[DatasetClip]:
    """Return the clips of a version that may be drawn, by the code points of their ids."""
    rows = version.clips.filter(audio__pool=Pool.ROTATION)
    return sorted(rows, key=lambda clip: clip.utt_id)


def ids_of(found: Draw) -> list[str]:
    """Return the drawn ids by code point, whatever order of texts the database has."""
    return sorted(found.clips.values_list("clip__utt_id", flat=True))


def pool_manifest(clips: Sequence[DatasetClip]) -> bytes:
    """Return the public rows of a pool as JSON Lines by id: what the `draw` command reads."""
    rows = sorted(clips, key=lambda clip: clip.utt_id)
    return b"".join(
        canonical({"utt_id": one.utt_id, "language": one.language, "tier": one.tier})
        for one in rows
    )


def pool_sha256(clips: Sequence[DatasetClip]) -> str:
    """Return the SHA-256 of a pool's manifest."""
    return sha256(pool_manifest(clips))


def list_sha256(utt_ids: Sequence[str]) -> str:
    """Return the SHA-256 of a drawn list: the ids, each with a line feed."""
    return sha256("".join(f"{utt_id}\n" for utt_id in utt_ids).encode())


def key_of(window: DrawWindow, run: int) -> str:
    """Return the key of a draw; secret until the window is revealed."""
    key = draws.window_key(window.seed, window.public_value)
    return draws.run_key(key, run) if run else key


def public_terms(window: DrawWindow) -> dict[str, object]:
    """Return what is public from the first moment: everything but the seed."""
    return {
        "commitment": window.commitment,
        "pool_sha256": window.pool_sha256,
        "pool_size": window.pool_size,
        "n": window.n,
        "strata": str(window.strata),
        "algorithm": f"{window.algorithm}/{window.algorithm_version}",
        "opens_at": window.opens_at.isoformat(),
        "closes_at": window.closes_at.isoformat(),
        "public_name": window.public_name,
    }


def _drawn(clips: Sequence[DatasetClip], window: DrawWindow, run: int) -> draws.Drawn:
    strata = tuple(window.strata.split(","))
    return draws.draw(_rows(clips), n=window.n, key=key_of(window, run), strata=strata)


def _rows(clips: Sequence[DatasetClip]) -> list[draws.PoolClip]:
    return [draws.PoolClip(one.utt_id, one.tier, one.language) for one in clips]


def _shares(n: int, pool: Sequence[DatasetClip], strata: Strata) -> draws.Drawn:
    """Return a draw of that size, whose counts no key changes; WindowRefused when there is none."""
    try:
        return draws.draw(_rows(pool), n=n, key="0", strata=tuple(strata.split(",")))
    except DrawRefused as error:
        raise _too_many(n, len(pool)) from error


def _too_many(n: int, size: int) -> WindowRefused:
    return WindowRefused(
        _("%(n)s clips cannot be drawn from a pool of %(size)s.") % {"n": n, "size": size},
        field="n",
    )


def _window(
    competition: Competition, version: DatasetVersion, plan: Plan, pool: Sequence[DatasetClip]
) -> DrawWindow:
    return DrawWindow(
        competition=competition,
        phase=plan.phase,
        version=version,
        algorithm=draws.ALGORITHM,
        algorithm_version=draws.VERSION,
        strata=plan.strata,
        n=plan.n,
        pool_sha256=pool_sha256(pool),
        pool_size=len(pool),
        opens_at=plan.opens_at,
        closes_at=plan.closes_at,
    )


def _add_pool(window: DrawWindow, pool: Sequence[DatasetClip]) -> None:
    PoolClip.objects.bulk_create(
        (PoolClip(window=window, clip=clip) for clip in pool), batch_size=BATCH
    )


def _keep(
    window: DrawWindow, run: int, found: draws.Drawn, keys: dict[str, int], now: datetime
) -> Draw:
    made = Draw.objects.create(
        window=window,
        run=run,
        counts=found.counts,
        sha256=list_sha256(found.utt_ids),
        drawn_at=now,
    )
    try:
        with transaction.atomic():
            DrawnClip.objects.bulk_create(
                DrawnClip(draw=made, clip_id=keys[utt_id]) for utt_id in found.utt_ids
            )
    except IntegrityError as error:
        raise WindowRefused(_("A clip of this pool is held out now.")) from error
    return made


def _locked(window: DrawWindow) -> DrawWindow:
    rows = DrawWindow.objects.select_for_update(of=("self",)).select_related("competition")
    return rows.get(pk=window.pk)


def _record(
    actor: User | None, window: DrawWindow, kind: str, now: datetime, **payload: object
) -> None:
    audit.record(
        scope=window.competition.audit_scope,
        kind=kind,
        actor=actor,
        target=f"window:{window.code}",
        payload=payload,
        now=now,
    )
