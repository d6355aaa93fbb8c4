"""Makes of clips what raters hear, and keeps it. The work may come twice, stop half-way, or be lost."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.services.authority import require_organizer
from grading import storage
from grading.enums import StimulusKind
from grading.models import RatingProtocol, Stimulus
from grading.services import child, doorbell, waveforms
from grading.services.child import Bounds, ChildFailed, StorageDown
from grading.services.ratings import errors, places
from grading.storage.spooling import Spooled, temporary

AT_ONCE = 16
"""Clips that one child prepares: starting it costs more than a clip does."""
CLAIM = timedelta(minutes=3)
LONGEST = timedelta(minutes=5)
"""How long one task goes on before it rings for the rest: others wait on the queue too."""
BOUNDS = Bounds(wall_seconds=120, cpu_seconds=110, memory_bytes=1 << 30)
FAILED_SHOWN = 50
LOST = "CLIP_LOST"
FAILED = "PREPARATION_FAILED"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Progress:
    """How many sounds of a protocol there are, are ready, and cannot be prepared."""

    total: int
    prepared: int
    failed: int

    @property
    def is_complete(self) -> bool:
        """Whether every sound is ready."""
        return self.prepared == self.total


@dataclass(frozen=True, slots=True)
class Failed:
    """A sound that could not be prepared: of which item and system it is, and the code of why."""

    name: str
    language: str
    system: str
    code: str


def want(*, protocol: RatingProtocol, now: datetime, again: bool = False) -> None:
    """Ring for a protocol's sounds; with `again` also for those that failed before."""
    if again:
        Stimulus.objects.filter(protocol=protocol).exclude(prepare_error="").update(
            prepare_error="", rung_at=None
        )
    if waiting(now).filter(protocol=protocol).exists():
        doorbell.ring(doorbell.PREPARE, protocol.pk)


def try_again(*, actor: User | None, protocol: RatingProtocol, now: datetime) -> int:
    """Ring anew for the sounds that could not be prepared; return how many.

    Refuses NotOrganizer, NothingFailed.
    """
    require_organizer(actor, places.competition_of(protocol))
    with audit.audited():
        locked = places.lock_protocol(protocol)
        failed = progress(protocol=locked).failed
        if not failed:
            raise errors.NothingFailed(_("No recording has failed: there is nothing to try again."))
        want(protocol=locked, now=now, again=True)
        places.record(locked, "rating.sounds_tried_again", actor, now, sounds=failed)
    return failed


def progress(*, protocol: RatingProtocol) -> Progress:
    """Return how far the preparation of a protocol's sounds is."""
    found = Stimulus.objects.filter(protocol=protocol).aggregate(
        total=Count("pk"),
        prepared=Count("pk", filter=Q(prepared_at__isnull=False)),
        failed=Count("pk", filter=~Q(prepare_error="")),
    )
    return Progress(**found)


def failed(*, protocol: RatingProtocol) -> list[Failed]:
    """Return the sounds that could not be prepared, at most 50, by name."""
    rows = Stimulus.objects.filter(protocol=protocol).exclude(prepare_error="")
    return [
        Failed(one.name, one.language, _whose(one), one.prepare_error)
        for one in rows.select_related("system")[:FAILED_SHOWN]
    ]


def _whose(stimulus: Stimulus) -> str:
    """Return the pseudonym of a sound's system, or that it is what systems are compared with."""
    if stimulus.system is not None:
        return stimulus.system.pseudonym
    return stimulus.get_kind_display() if stimulus.kind == StimulusKind.COMPARED else ""


def settle(*, now: datetime, at_once: int = 10) -> int:
    """Ring again for protocols whose sounds nobody prepares; return how many."""
    behind = waiting(now).values_list("protocol_id", flat=True).distinct().order_by("protocol_id")
    protocols = list(behind[:at_once])
    for protocol_id in protocols:
        doorbell.ring(doorbell.PREPARE, protocol_id)
    return len(protocols)


def waiting(now: datetime) -> QuerySet[Stimulus]:
    """Return the stimuli that wait and that nobody has claimed, or too long ago."""
    unclaimed = Q(rung_at__isnull=True) | Q(rung_at__lt=now - CLAIM)
    return Stimulus.objects.filter(unclaimed, prepared_at__isnull=True, prepare_error="")


def prepare(*, protocol_id: int, clock: Callable[[], datetime]) -> int:
    """Prepare what waits of a protocol; return how many sounds this call made ready.

    Where storage does not answer it ends, and the sweep rings again.
    """
    began, made = clock(), 0
    while clock() - began < LONGEST:
        batch = _claim(protocol_id, clock())
        if not batch:
            return made
        try:
            made += _prepare(batch, clock())
        except StorageDown:
            log.warning("stimuli.storage_down", extra={"protocol": protocol_id})
            return made
    doorbell.ring(doorbell.PREPARE, protocol_id)
    return made


def _claim(protocol_id: int, now: datetime) -> list[Stimulus]:
    rows = waiting(now).filter(protocol_id=protocol_id)
    ids = list(rows.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    mine = [pk for pk in ids if rows.filter(pk=pk).update(rung_at=now)]
    return list(Stimulus.objects.filter(pk__in=mine).select_related("waveform").order_by("pk"))


def _prepare(batch: list[Stimulus], now: datetime) -> int:
    """Prepare some clips in one child; where it fails, each by itself, so that one spoils no other."""
    try:
        return _in_child(batch, now)
    except ChildFailed as failure:
        log.warning("stimuli.child_failed", extra={"code": failure.code, "clips": len(batch)})
        if len(batch) > 1:
            return sum(_prepare([stimulus], now) for stimulus in batch)
        if failure.may_retry:
            raise StorageDown from failure
        _note(batch[0], FAILED)
        return 0


def _in_child(batch: list[Stimulus], now: datetime) -> int:
    with ExitStack() as stack:
        clips = [(one, clip) for one in batch if (clip := _clip(one, stack)) is not None]
        if not clips:
            return 0
        job = {"do": "prepare", "clips": [clip for _, clip in clips]}
        answer = child.run(job, bounds=BOUNDS)
        pairs = zip(clips, answer["prepared"], strict=True)
        return sum(_keep(one, Path(clip["out"]), made, now) for (one, clip), made in pairs)


def _clip(stimulus: Stimulus, stack: ExitStack) -> dict[str, str] | None:
    """Return what the child needs of one clip, its files at hand until the stack ends."""
    try:
        path = stack.enter_context(waveforms.local_path(stimulus.waveform))
        out = stack.enter_context(temporary())
    except storage.BytesMissing:
        _note(stimulus, LOST)
        return None
    except storage.StorageUnavailable as error:
        raise StorageDown from error
    return {"path": str(path), "sha256": stimulus.waveform.sha256, "out": str(out)}


def _keep(stimulus: Stimulus, out: Path, made: dict[str, Any], now: datetime) -> bool:
    """Store a prepared file and say so; False where it cannot be one, or somebody else was first."""
    if "error" in made:
        _note(stimulus, made["error"])
        return False
    # the name is drawn: neither the content nor the system leads to it
    spooled = Spooled(out, made["size"], made["sha256"], secrets.token_hex(32))
    try:
        with storage.storing():
            key = storage.store().publish(spooled)
    except storage.StorageUnavailable as error:
        raise StorageDown from error
    waits = Stimulus.objects.filter(pk=stimulus.pk, prepared_at__isnull=True)
    # what loses here is bytes that nothing names; the sweep removes them
    return bool(
        waits.update(
            storage_key=key,
            sha256=made["sha256"],
            size=made["size"],
            frames=made["frames"],
            gain_cdb=made["levels"]["gain"],
            loudness=made["levels"],
            peaks=made["outline"],
            prepared_at=now,
            prepare_error="",
        )
    )


def _note(stimulus: Stimulus, code: str) -> None:
    log.warning("stimulus.not_prepared", extra={"stimulus": stimulus.pk, "code": code})
    waits = Stimulus.objects.filter(pk=stimulus.pk, prepared_at__isnull=True)
    waits.update(prepare_error=code)
