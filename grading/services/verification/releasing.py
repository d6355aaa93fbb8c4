"""Inputs of held-out clips are released to named entrants: those clips are held out no more, for good."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import Pool
from competition.models import Audio, Pack, PackAddressee
from competition.services import packs, pools
from competition.services.authority import require_organizer, require_reason
from competition.services.packs import Content, Terms
from grading.enums import VerificationWay
from grading.models import Verification
from grading.services.verification.errors import VerificationRefused

VALID_DAYS = 30


def release(
    *, actor: User | None, verification: Verification, reason: str, now: datetime
) -> Verification:
    """Move the set's clips to the open pool for good and offer them as a pack to the named entrants alone.

    Stopped anywhere it is gone on with by the same call; once done, again changes nothing. Refuses
    NotOrganizer, ReasonMissing, VerificationRefused where the organizers run the systems, PoolMoveRefused,
    PackRefused. Raises OSError.
    """
    competition = verification.phase.track.competition
    require_organizer(actor, competition)
    text = require_reason(reason)
    if verification.way != VerificationWay.RELEASED:
        raise VerificationRefused(
            _("In this verification the organizers run the systems; nothing is released.")
        )
    if verification.released_at is not None:
        return verification
    pools.move(
        actor=actor,
        competition=competition,
        audio=_audio(verification),
        new=Pool.OPEN,
        reason=text,
        now=now,
    )
    pack = _pack(actor, verification, now)
    with audit.audited():
        locked: Verification = Verification.objects.select_for_update().get(pk=verification.pk)
        if locked.released_at is not None:
            return locked
        # Before the offer: without addressees everybody would see it.
        PackAddressee.objects.bulk_create(
            (
                PackAddressee(pack=pack, entrant_id=entrant)
                for entrant in locked.entrants.values_list("entrant", flat=True)
            ),
            ignore_conflicts=True,
        )
        packs.offer(actor=actor, pack=pack, now=now)
        locked.pack, locked.released_at = pack, now
        locked.save(update_fields=["pack", "released_at"])
        audit.record(
            scope=competition.audit_scope,
            kind="verification.released",
            actor=actor,
            target=f"verification:{locked.code}",
            payload={"pack": pack.sha256, "reason": audit.keyed_hash(text)},
            now=now,
        )
    return locked


def _audio(verification: Verification) -> list[Audio]:
    clips = verification.held_out.clips.values("clip__audio")
    return list(Audio.objects.filter(pk__in=clips).order_by("pk"))


def _pack(actor: User | None, verification: Verification, now: datetime) -> Pack:
    held_out = verification.held_out
    utt_ids = frozenset(held_out.clips.values_list("clip__utt_id", flat=True))
    return packs.make(
        actor=actor,
        competition=verification.phase.track.competition,
        name=f"verification-{verification.code}",
        content=Content(version=held_out.version, pools=(Pool.OPEN,), utt_ids=utt_ids),
        terms=Terms(approve=False, valid_days=VALID_DAYS, note=_("Released for verification.")),
        now=now,
    )
