"""What raters consent to: versions of a text, who gave consent, and its withdrawal."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime

from django.db.models import Max
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.enums import Role
from competition.models import RoleGrant
from competition.services import roles
from competition.services.authority import require_organizer
from grading.enums import ExclusionKind, ProtocolState, RaterState
from grading.models import (
    BrokenReport,
    ConsentText,
    Rater,
    RaterConsent,
    RaterInvitation,
    RatingExclusion,
    RatingNote,
    RatingProtocol,
    RatingTask,
)
from grading.services.ratings import errors, holding, places

TEXT_LIMIT = 20_000
FALLBACK = ("en",)


def publish(
    *,
    actor: User | None,
    protocol: RatingProtocol,
    texts: Mapping[str, str],
    keeps_ratings: bool,
    now: datetime,
) -> list[ConsentText]:
    """Add a version of the text in every language given; who consented to an older one is asked again.

    `keeps_ratings` is what the text says of a withdrawal. Refuses NotOrganizer, ProtocolNotOpen
    (closed), SettingsInvalid.
    """
    competition = places.competition_of(protocol)
    require_organizer(actor, competition)
    told = {language: text.strip() for language, text in texts.items() if text.strip()}
    if "en" not in told or any(len(text) > TEXT_LIMIT for text in told.values()):
        raise errors.SettingsInvalid(
            _("The consent text is needed in English at least, and may have %(limit)s characters.")
            % {"limit": TEXT_LIMIT},
            field="en",
        )
    with audit.audited():
        locked = places.lock_protocol(protocol)
        if locked.state == ProtocolState.CLOSED:
            raise places.not_open()
        newest = locked.consent_texts.aggregate(newest=Max("version"))["newest"] or 0
        made = ConsentText.objects.bulk_create(
            ConsentText(
                protocol=locked,
                version=newest + 1,
                language=language,
                text=text,
                sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
                keeps_ratings=keeps_ratings,
                created_at=now,
            )
            for language, text in sorted(told.items())
        )
        places.record(
            locked,
            "rating.consent_published",
            actor,
            now,
            version=newest + 1,
            keeps_ratings=keeps_ratings,
            texts={row.language: row.sha256 for row in made},
        )
    return made


def consent_text(*, protocol: RatingProtocol, language: str) -> ConsentText:
    """Return the newest version in a language, or in the nearest that it has. Refuses ConsentTextMissing."""
    rows = list(protocol.consent_texts.order_by("-version", "language"))
    newest = {row.language.lower(): row for row in rows if row.version == rows[0].version}
    wanted = language.lower().replace("_", "-")
    for name in (wanted, *_nearest(wanted), *FALLBACK):
        if name in newest:
            return newest[name]
    raise errors.ConsentTextMissing(_("There is no consent text yet. Please come back later."))


def _nearest(language: str) -> list[str]:
    """Return languages that a reader of `language` reads as well, the nearest first."""
    base = language.split("-", maxsplit=1)[0]
    others = ["zh-hans", "zh-hant", "zh"] if base == "zh" else []
    return [name for name in (base, *others) if name != language]


def has_consented(rater: Rater) -> bool:
    """Return whether the rater has consented to the newest version."""
    newest = rater.protocol.consent_texts.aggregate(newest=Max("version"))["newest"]
    if newest is None:
        return False
    return rater.consents.filter(text__version=newest).exists()


def give_consent(*, actor: User, rater: Rater, text: ConsentText, now: datetime) -> RaterConsent:
    """Note that the rater consents to this text; twice changes nothing.

    Refuses RaterUnknown, RaterEnded, ConsentOutdated.
    """
    with audit.audited():
        locked = places.lock_rater(rater.pk, actor)
        newest = locked.protocol.consent_texts.aggregate(newest=Max("version"))["newest"]
        if text.protocol_id != locked.protocol_id or text.version != newest:
            raise errors.ConsentOutdated(
                _("There is a newer version of this text. Please read it and decide again.")
            )
        given, is_new = RaterConsent.objects.get_or_create(
            rater=locked, text=text, defaults={"given_at": now}
        )
        Rater.objects.filter(pk=locked.pk, state=RaterState.JOINED).update(state=RaterState.ACTIVE)
        if is_new:
            places.record(locked.protocol, "rater.consented", actor, now, version=text.version)
    rater.refresh_from_db()
    return given


def withdraw(*, actor: User, rater: Rater, now: datetime) -> Rater:
    """Take consent back: nothing leads to the person any more, and what the text says is done.

    Their ratings stay under the pseudonym, or count no more, as the version says that they agreed
    to last (the stricter one where none was given). Who was left out may do so too, and stays left
    out. Refuses RaterUnknown, RaterEnded.
    """
    with audit.audited():
        locked = places.lock_rater(rater.pk, actor, even_excluded=True)
        user = locked.user
        last = locked.consents.select_related("text").order_by("-text__version", "-pk").first()
        keeps = last is not None and last.text.keeps_ratings
        holding.release_all(locked, now)
        forget(locked)
        if not keeps:
            _leave_out(locked, now)
        Rater.objects.filter(pk=locked.pk).update(
            user=None, state=RaterState.WITHDRAWN, languages=[], ended_at=now
        )
        if user is not None:
            _take_role(locked.protocol, user, now)
        # The rater's code or pseudonym would lead from the person in the log to the ratings.
        places.record(locked.protocol, "rater.withdrew", actor, now, keeps_ratings=keeps)
        places.note_change(locked.protocol, now)
    rater.refresh_from_db()
    return rater


def forget(rater: Rater) -> None:
    """Remove what the person wrote and said of themselves; part of a transaction."""
    RatingNote.objects.filter(rating__rater=rater).delete()
    RatingTask.objects.filter(rater=rater).update(draft=None, draft_at=None)
    BrokenReport.objects.filter(rater=rater).update(note="")
    rater.conflicts.all().delete()
    if rater.user is not None:
        RaterInvitation.objects.filter(protocol=rater.protocol, email=rater.user.email).delete()


def _leave_out(rater: Rater, now: datetime) -> None:
    if rater.exclusions.filter(kind=ExclusionKind.RATER, lifted_at__isnull=True).exists():
        return
    holding.reopen(rater.protocol, rater.tasks.all())
    RatingExclusion.objects.create(
        protocol=rater.protocol,
        kind=ExclusionKind.RATER,
        rater=rater,
        reason="CONSENT_WITHDRAWN",
        excluded_at=now,
    )


def _take_role(protocol: RatingProtocol, user: User, now: datetime) -> None:
    competition = places.competition_of(protocol)
    elsewhere = Rater.objects.filter(
        user=user, protocol__selection__phase__track__competition=competition
    )
    if elsewhere.exists():
        return
    for grant in RoleGrant.objects.filter(
        competition=competition, user=user, role=Role.RATER, revoked_at__isnull=True
    ):
        roles.revoke(actor=None, grant=grant, now=now)
