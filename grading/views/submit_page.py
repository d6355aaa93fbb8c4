"""What the submit page knows: what blocks the button, the quota, what is accepted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.refusals import Refusal
from competition.models import Entrant, Phase, Track
from competition.queries import entrant_of
from grading.identity import PART_BYTES, SINGLE_BYTES
from grading.models import UploadSession
from grading.scoring import registry
from grading.scoring.types import Limits
from grading.services import checking, errors, intake, quota
from grading.services.quota import Ledger
from grading.shown import filesize
from grading.views.advice import Advice, advice_for, not_signed_in
from grading.views.titles import OfPhase


@dataclass(frozen=True, slots=True)
class Choice:
    """A phase that takes uploads now, and whether the page is about it."""

    phase: Phase
    is_current: bool


@dataclass(slots=True)
class SubmitPage(OfPhase):
    """The submit page of one reader and one phase."""

    phase: Phase
    entrant: Entrant | None
    blocked: Advice | None
    quota: Ledger | None
    limits: Limits
    may_check: bool
    open_phases: list[Phase]
    kept_file: bool = False

    @property
    def choices(self) -> list[Choice]:
        """The track's open phases, where another than this one is open."""
        listed = [Choice(phase, phase == self.phase) for phase in self.open_phases]
        return listed if any(not choice.is_current for choice in listed) else []

    @property
    def team(self) -> str:
        """The reader's team, empty without one."""
        return self.entrant.team.name if self.entrant else ""

    @property
    def limit(self) -> int:
        """The largest accepted file in bytes."""
        return self.limits.file_bytes

    @property
    def too_large(self) -> str:
        """What is said about a larger file before it is sent."""
        size = filesize(self.limit)
        return _("This file is larger than %(size)s. Choose another one.") % {"size": size}

    @property
    def check_rule(self) -> str:
        """How often a file may be checked."""
        return _("At most %(limit)s checks in %(minutes)s minutes.") % {
            "limit": checking.CHECKS,
            "minutes": checking.CHECK_SECONDS // 60,
        }

    @property
    def has_slots(self) -> bool:
        """Whether it makes sense to say how many slots are left: not to who cannot submit at all."""
        return self.blocked is None or self.blocked.code == "QUOTA_EXCEEDED"

    @property
    def names(self) -> list[str]:
        """What the addresses of the phase are made of."""
        return [self.competition.slug, self.track.slug, self.phase.slug]

    @property
    def submit_url(self) -> str:
        """Where "Submit" goes, also from the answer to a check."""
        return reverse("grading:submission-create", args=self.names)

    @property
    def check_url(self) -> str:
        """Where "Check only" goes."""
        return reverse("grading:submission-check", args=self.names)

    @property
    def single_bytes(self) -> int:
        """Up to how many bytes a file is sent in one request."""
        return SINGLE_BYTES

    @property
    def part_bytes(self) -> int:
        """The size in bytes of a part of a larger file."""
        return PART_BYTES

    @property
    def uploads_url(self) -> str:
        """Where a script begins an upload in parts."""
        return reverse("grading:upload-create", args=self.names)

    @property
    def upload_url(self) -> str:
        """Where a script finds one; CODE stands for its code."""
        return reverse("grading:upload-detail", args=["CODE"])

    @property
    def open_uploads(self) -> list[UploadSession]:
        """The team's uploads in parts that are not complete."""
        return list(self.quota.uploads) if self.quota else []

    @property
    def utterance_count(self) -> int:
        """How many utterances the phase has, over all languages."""
        return sum(self.phase.references.counts.values())

    @property
    def sample_id(self) -> str:
        """An id that looks like this phase's, for the example."""
        first = self.phase.references.utterances.order_by("utt_id").first()
        return first.utt_id if first else "utt_0001"

    @property
    def labels(self) -> list[str]:
        """The labels that a tag may hold."""
        track = registry.get(self.track.kind)
        return sorted(track.params(self.track.params).labels)


def submit_page(user: User | None, phase: Phase, path: str, now: datetime) -> SubmitPage:
    """Return the page for a reader: with what blocks their upload, where something does."""
    entrant = entrant_of(user, phase.track.competition)
    account = quota.ledger(entrant=entrant, phase=phase, now=now) if entrant else None
    if user is None:
        blocked: Advice | None = not_signed_in(phase, path)
    else:
        blocked = _blocked(user, phase, account, now)
    return SubmitPage(
        phase=phase,
        entrant=entrant,
        blocked=blocked,
        quota=account,
        limits=intake.limits_of(phase),
        may_check=_may_check(user, phase, now),
        open_phases=_open_phases(phase.track, now),
    )


def _open_phases(track: Track, now: datetime) -> list[Phase]:
    return list(track.phases.filter(opens_at__lte=now, closes_at__gt=now))


def _may_check(user: User | None, phase: Phase, now: datetime) -> bool:
    """Return whether "Check only" is open to the reader: the API's rule."""
    if user is None:
        return False
    try:
        checking.admit(actor=user, phase=phase, now=now)
    except Refusal:
        return False
    return True


def _blocked(user: User, phase: Phase, account: Ledger | None, now: datetime) -> Advice | None:
    try:
        intake.admit(actor=user, phase=phase, now=now)
    except Refusal as refusal:
        return advice_for(refusal, phase)
    if account is not None and account.left == 0:
        return advice_for(_used_up(account), phase)
    return None


def _used_up(account: Ledger) -> errors.QuotaExceeded:
    if account.left_total == 0:
        text = _("All %(n)s submissions of this phase are used.") % {"n": account.total}
        return errors.QuotaExceeded(text)
    text = _("All %(n)s submissions of today are used. The next day begins at %(reset)s UTC.")
    reset = f"{account.resets_at:%Y-%m-%d %H:%M}"
    return errors.QuotaExceeded(text % {"n": account.per_day, "reset": reset})
