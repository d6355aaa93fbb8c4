"""“Check only”: the verdict on a file, without a row and without quota."""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.cache import cache
from django.utils.translation import gettext as _

from accounts.models import User
from competition.enums import EntrantState
from competition.models import Phase
from competition.queries import entrant_of
from competition.rules import is_organizer
from competition.services.drawn import require_clips
from grading.enums import FailureCode
from grading.scoring.types import CodeTotal, Problem, Report, Severity
from grading.services import child, errors, known, recipes
from grading.services.child import Bounds, ChildFailed, StorageDown
from grading.services.intake import require_files, require_sender

CHECKS = 20
CHECK_SECONDS = 600
AT_ONCE = 2
PATIENCE_SECONDS = 20
WALL_SECONDS = 60

CHECKING_STATES = (EntrantState.PENDING, EntrantState.ACCEPTED)

_places = threading.BoundedSemaphore(AT_ONCE)


def admit(*, actor: User, phase: Phase, now: datetime) -> None:
    """Refuse a person who may not check files of a phase that they see; asked before a byte is read.

    Teams that are accepted, or wait for it, may from the phase's opening on, also after its close;
    organizers always (decision 0161). Raises NotAMember, EntrantNotAccepted, PhaseNotOpen.
    """
    require_files(phase)
    require_sender(actor, phase)
    if is_organizer(actor, phase.track.competition):
        return
    entrant = entrant_of(actor, phase.track.competition)
    if entrant is None:
        raise errors.NotAMember(_("You are not a member of a team in this competition."))
    if entrant.state not in CHECKING_STATES:
        raise errors.EntrantNotAccepted(
            _("Your team cannot check files: it is %(state)s.")
            % {"state": entrant.get_state_display()},
            state=entrant.state,
        )
    require_clips(phase)
    if now < phase.opens_at:
        raise errors.PhaseNotOpen(
            _("This phase has not opened yet."), opens_at=phase.opens_at.isoformat()
        )


def check_only(*, actor: User, phase: Phase, path: Path, filename: str, now: datetime) -> Report:
    """Return the report that a submission of this file would get; nothing is stored.

    The caller has seen to it that the person may know of the phase. Raises what `admit` raises, and
    ChecksThrottled (20 in 10 minutes a person), ScorerBusy, ScorerFailed.
    """
    admit(actor=actor, phase=phase, now=now)
    throttle(actor, now)
    with _place():
        result = _run(phase, path, filename)
    return report_from_json(result["report"])


def _run(phase: Phase, path: Path, filename: str) -> Any:
    """Return what the child finds. Raises ScorerFailed."""
    bounds = Bounds.from_settings()
    bounds = Bounds(WALL_SECONDS, bounds.cpu_seconds, bounds.memory_bytes)
    try:
        return child.run(_job(phase, path, filename), bounds=bounds)
    except (ChildFailed, StorageDown) as failure:
        code = failure.code if isinstance(failure, ChildFailed) else FailureCode.STORAGE_ERROR
        raise errors.ScorerFailed(
            _("The file could not be checked within the limits. Nothing was stored."),
            reason=code.value,
        ) from None


def _job(phase: Phase, path: Path, filename: str) -> dict[str, Any]:
    return {
        "do": "check",
        "track": phase.track.kind,
        "params": dict(recipes.params_of(phase)),
        "ids": dict(phase.references.utterances.values_list("utt_id", "language")),
        "submission_path": str(path),
        "submission_sha256": _sha256(path),
        "filename": filename,
        "limits": phase.limits,
        **known.check_job(phase.track.kind, phase.references),
    }


def throttle(actor: User, now: datetime) -> None:
    """Count one check of the person; raises ChecksThrottled beyond 20 in a window of 10 minutes."""
    window, elapsed = divmod(int(now.timestamp()), CHECK_SECONDS)
    key = f"grading.checks.{actor.pk}.{window}"
    cache.add(key, 0, timeout=CHECK_SECONDS)
    try:
        count = cache.incr(key)
    except ValueError:  # it was dropped between the two calls
        cache.set(key, 1, timeout=CHECK_SECONDS)
        count = 1
    if count > CHECKS:
        left = CHECK_SECONDS - elapsed
        text = _("All %(limit)s checks of these 10 minutes are used. Try again in %(minutes)s min.")
        raise errors.ChecksThrottled(
            text % {"limit": CHECKS, "minutes": math.ceil(left / 60)},
            limit=CHECKS,
            retry_after=left,
        )


def report_from_json(data: dict[str, object]) -> Report:
    """Return the report that a child sent."""
    problems = data["problems"]
    if not isinstance(problems, list):
        raise TypeError("a report has a list of problems")
    return Report(
        problems=tuple(
            Problem(**{**problem, "severity": Severity(problem["severity"])})
            for problem in problems
        ),
        total=int(str(data["total"])),
        errors=int(str(data["errors"])),
        rows=int(str(data["rows"])),
        reading=str(data["reading"]),
        counts=totals_from_json(data["counts"]),
    )


def totals_from_json(found: object) -> tuple[CodeTotal, ...]:
    """Return the totals by code that a child sent, or that were stored."""
    if not isinstance(found, list):
        raise TypeError("totals are a list")
    return tuple(
        CodeTotal(one["code"], Severity(one["severity"]), int(one["count"])) for one in found
    )


@contextmanager
def _place() -> Iterator[None]:
    """Hold one of the few places: checks run on the web server's own machine."""
    if not _places.acquire(timeout=PATIENCE_SECONDS):
        raise errors.ScorerBusy(
            _("Many files are being checked. Please try again in a minute."), retry_after=30
        )
    try:
        yield
    finally:
        _places.release()


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
