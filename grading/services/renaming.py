"""What a submission is called: its system's name and its note. The content stays what was sent."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.rules import is_organizer
from competition.timeline import PhaseState, phase_state
from grading.models import Renaming, Submission
from grading.rules import is_member
from grading.services import boards, errors, intake


def admit(*, actor: User, submission: Submission, now: datetime) -> None:
    """Let members in while the phase is open, organizers always. Raises NotAMember, PhaseNotOpen."""
    phase, member = submission.phase, is_member(actor, submission)
    if member and phase_state(phase, now) == PhaseState.OPEN:
        return
    if is_organizer(actor, phase.track.competition):
        return
    if not member:
        raise errors.NotAMember(_("Only members of the team can change what it is called."))
    raise errors.PhaseNotOpen(
        _("The phase has closed: from now on only an organizer can change the name."),
        closed_at=phase.closes_at.isoformat(),
    )


def rename(
    *, actor: User, submission: Submission, system: str, note: str, now: datetime
) -> Submission:
    """Change the system's name and the note; the same ones again change nothing.

    Raises what `admit` raises, and TextInvalid. Old and new stand in a row that never changes; the
    log keeps that they were changed, and keyed hashes of the names.
    """
    names = {
        "system": intake.shown_text(system, field="system", length=intake.SYSTEM_LENGTH),
        "note": intake.shown_text(note, field="note", length=intake.NOTE_LENGTH),
    }
    if not names["system"]:
        raise errors.TextInvalid(_("Name the system."), field="system")
    with audit.audited():
        rows = Submission.objects.select_for_update(of=("self",))
        rows = rows.select_related("phase__track__competition", "entrant")
        locked: Submission = rows.get(pk=submission.pk)
        admit(actor=actor, submission=locked, now=now)
        if names != {"system": locked.system, "note": locked.note}:
            _write(actor, locked, names, now)
    return locked


def _write(actor: User, submission: Submission, names: dict[str, str], now: datetime) -> None:
    Renaming.objects.create(
        submission=submission,
        old_system=submission.system,
        new_system=names["system"],
        old_note=submission.note,
        new_note=names["note"],
        actor=actor,
        at=now,
    )
    old = submission.system
    submission.system, submission.note = names["system"], names["note"]
    submission.save(update_fields=["system", "note"])
    boards.want_rebuild(phase_id=submission.phase_id, now=now)
    audit.record(
        scope=submission.phase.track.competition.audit_scope,
        kind="submission.renamed",
        actor=actor,
        target=f"submission:{submission.code}",
        payload={"old": audit.keyed_hash(old), "new": audit.keyed_hash(submission.system)},
        now=now,
    )
