"""The final standing is published: one recorded act, of exactly what was looked at."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.services.authority import require_organizer
from grading.enums import VerificationState
from grading.models import (
    Verification,
    VerificationOutcome,
    VerificationPublication,
    VerificationRun,
)
from grading.services import checkpoints
from grading.services.verification import comparing
from grading.services.verification.comparing import Line
from grading.services.verification.errors import StandingChanged, VerificationUnfinished

UNDER_WAY = (VerificationState.QUEUED, VerificationState.RUNNING)


def publish(
    *, actor: User | None, verification: Verification, seen: str, now: datetime
) -> VerificationPublication:
    """Publish the outcome for each verified entrant; again changes nothing and returns what there is.

    `seen` is the digest of the lines that were looked at. Everybody then reads scores of whole sets and
    verdicts: no clip, id or text. Refuses NotOrganizer, VerificationUnfinished while an output is
    missing or being scored, StandingChanged.
    """
    competition = verification.phase.track.competition
    require_organizer(actor, competition)
    with audit.audited():
        locked = _locked(verification)
        known = VerificationPublication.objects.filter(verification=locked).first()
        if known is not None:
            return known
        lines = comparing.compare(locked)
        _require_finished(locked, lines)
        if comparing.digest(lines) != seen:
            raise StandingChanged(
                _("Something has changed since you looked. Look at the comparison again.")
            )
        made = VerificationPublication.objects.create(
            verification=locked, sha256=seen, actor=actor, at=now
        )
        VerificationOutcome.objects.bulk_create(_outcome(made, one) for one in lines)
        audit.record(
            scope=competition.audit_scope,
            kind="verification.published",
            actor=actor,
            target=f"verification:{locked.code}",
            payload={
                "phase": locked.phase.code,
                "sha256": seen,
                "verdicts": {one.named.entrant.code: str(one.verdict) for one in lines},
            },
            now=now,
        )
    checkpoints.note_publication(scope=competition.audit_scope, now=now)
    return made


def missing(verification: Verification, lines: Sequence[Line]) -> list[str]:
    """Return the codes of entrants without a scored output, or with one that is being scored."""
    busy = set(
        VerificationRun.objects.filter(
            named__verification=verification, state__in=UNDER_WAY
        ).values_list("named_id", flat=True)
    )
    return [one.named.entrant.code for one in lines if one.run is None or one.named.pk in busy]


def _require_finished(verification: Verification, lines: Sequence[Line]) -> None:
    codes = missing(verification, lines)
    if codes or not lines:
        raise VerificationUnfinished(
            _("%(count)s entrants have no scored output yet, or one is being scored.")
            % {"count": len(codes)},
            entrants=codes,
        )


def _locked(verification: Verification) -> Verification:
    rows = Verification.objects.select_for_update(of=("self",)).select_related(
        "recipe", "phase__track__competition"
    )
    found: Verification = rows.get(pk=verification.pk)
    return found


def _outcome(made: VerificationPublication, line: Line) -> VerificationOutcome:
    return VerificationOutcome(
        publication=made,
        named=line.named,
        run=line.run,
        verdict=line.verdict,
        place=line.named.place,
        held_out_place=line.held_out_place,
        figures=line.figures,
    )
