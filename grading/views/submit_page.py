"""What the submit page knows: what blocks the button, the quota, what is accepted."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.refusals import Refusal
from competition.enums import EntrantState, Senders
from competition.models import Entrant, Phase, Track
from competition.queries import entrant_of
from competition.rules import is_organizer
from grading.identity import PART_BYTES, SINGLE_BYTES
from grading.models import FileSet, UploadSession
from grading.scoring import registry
from grading.scoring.audio.limits import AudioLimits
from grading.scoring.types import Limits
from grading.sentences import phrase
from grading.services import checking, errors, intake, quota
from grading.services.quota import Ledger
from grading.shown import filesize
from grading.views.advice import Advice, advice_for, not_signed_in
from grading.views.titles import OfPhase

FORM_BYTES = 64 * 1024
"""What the other fields of the form may add to a request."""


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
    limits: Limits | AudioLimits
    may_check: bool
    open_phases: list[Phase]
    sent_for: list[Entrant] = field(default_factory=list)
    """The entrants that the reader sends for, an organizer where organizers alone send."""
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
    def sample(self) -> str:
        """The first line of a file, with an id of this phase."""
        first = self.phase.references.utterances.order_by("utt_id").first()
        ids = [first.utt_id if first else "utt_0001"]
        return registry.get(self.track.kind).sample(ids, self.params)

    @property
    def sending(self) -> list[str]:
        """What the track says of its files, a sentence each."""
        return [phrase(text) for text in registry.get(self.track.kind).sending(self.params)]

    @property
    def params(self) -> Any:
        """The settings of the track."""
        return registry.get(self.track.kind).params(self.track.params)

    @property
    def takes_no_files(self) -> bool:
        """Whether rows are made of other boards' rows, so that nothing is sent here."""
        return registry.get(self.track.kind).is_composed

    @property
    def sends_sounds(self) -> bool:
        """Whether an archive of clips is sent, not a file of texts."""
        return registry.get(self.track.kind).sends_sounds

    @property
    def sends_texts(self) -> bool:
        """Whether a row is an utterance with its text."""
        return registry.get(self.track.kind).sends_texts

    @property
    def labels(self) -> list[str]:
        """The labels that a tag may hold."""
        return sorted(getattr(self.params, "labels", ()))

    @property
    def has_tags(self) -> bool:
        """Whether texts hold tags."""
        return bool(self.labels)

    @property
    def bounds(self) -> dict[str, str]:
        """The shortest and the longest clip, in seconds."""
        bounds = self.params.bounds
        return {"shortest": f"{float(bounds.shortest):g}", "longest": f"{float(bounds.longest):g}"}

    @property
    def sample_ids(self) -> list[str]:
        """Ids of this phase, one a language, for the example."""
        utterances = self.phase.references.utterances
        languages = registry.get(self.track.kind).languages
        firsts = (utterances.filter(language=one).order_by("utt_id").first() for one in languages)
        return [first.utt_id for first in firsts if first]

    @property
    def check_limit(self) -> int:
        """The largest file in bytes that can be checked here: it comes in one request."""
        limit: int = settings.UPLOAD_LIMIT_BYTES
        return min(self.limit, limit - FORM_BYTES)

    @property
    def too_large_to_check(self) -> str:
        """What is said instead of checking a larger file."""
        text = _(
            "Files over %(size)s are not checked here. Check it on your own machine: how is told beside the form."
        )
        return text % {"size": filesize(self.check_limit)}

    @property
    def checks_all_sizes(self) -> bool:
        """Whether everything that may be sent can be checked here first."""
        return self.check_limit >= self.limit

    @property
    def is_in_parts(self) -> bool:
        """Whether a file may be too large for a browser without scripts."""
        return bool(self.limit > settings.UPLOAD_LIMIT_BYTES)

    @property
    def manifest_url(self) -> str:
        """Where the ids of the phase are."""
        return reverse("api-v1:phase-manifest", args=self.names)

    @property
    def open_sets(self) -> list[FileSet]:
        """The team's sets of files that are not complete."""
        return list(quota.open_sets(self.entrant, self.phase)) if self.entrant else []


def submit_page(user: User | None, phase: Phase, path: str, now: datetime) -> SubmitPage:
    """Return the page for a reader: with what blocks their upload, where something does."""
    entrant = entrant_of(user, phase.track.competition)
    account = quota.ledger(entrant=entrant, phase=phase, now=now) if entrant else None
    sent_for = _sent_for(user, phase)
    if user is None:
        blocked: Advice | None = not_signed_in(phase, path)
    else:
        blocked = _blocked(user, phase, sent_for, account, now)
    return SubmitPage(
        phase=phase,
        entrant=entrant,
        blocked=blocked,
        quota=account,
        limits=intake.limits_of(phase),
        may_check=_may_check(user, phase, now),
        open_phases=_open_phases(phase.track, now),
        sent_for=sent_for,
    )


def _sent_for(user: User | None, phase: Phase) -> list[Entrant]:
    """Return the accepted entrants by name to an organizer where organizers alone send."""
    competition = phase.track.competition
    if phase.senders != Senders.ORGANIZERS or not is_organizer(user, competition):
        return []
    accepted = competition.entrants.filter(state=EntrantState.ACCEPTED)
    return list(accepted.select_related("team").order_by("team__name", "pk"))


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


def _blocked(
    user: User,
    phase: Phase,
    sent_for: list[Entrant],
    account: Ledger | None,
    now: datetime,
) -> Advice | None:
    code = sent_for[0].code if sent_for else ""
    try:
        intake.admit(actor=user, phase=phase, now=now, entrant=code)
    except Refusal as refusal:
        return advice_for(refusal, phase)
    if sent_for:
        return None
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
