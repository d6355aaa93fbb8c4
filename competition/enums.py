from __future__ import annotations

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class CompetitionState(TextChoices):
    """Whether people see a competition."""

    DRAFT = "draft", _("draft")
    PUBLISHED = "published", _("published")
    ARCHIVED = "archived", _("archived")


class Role(TextChoices):
    """Roles per competition beside captain and member, which come from the entrant."""

    ORGANIZER = "organizer", _("organizer")
    AUDITOR = "auditor", _("auditor")
    RATER = "rater", _("rater")


class Feedback(TextChoices):
    """What an entrant sees of a score while the phase is open."""

    FULL = "full", _("full")
    ROUNDED = "rounded", _("rounded to two decimals, no counts")
    NONE = "none", _("nothing until the phase closes")


class BoardVisibility(TextChoices):
    """Who sees the board while the phase is open."""

    PUBLIC = "public", _("everyone")
    ENTRANTS = "entrants", _("entrants")
    ORGANIZERS = "organizers", _("organizers")


class BoardAct(TextChoices):
    """What organizers do to a board beside its scores; each is recorded with a reason."""

    FREEZE = "freeze", _("frozen")
    UNFREEZE = "unfreeze", _("unfrozen")
    PUBLISH = "publish", _("published")
    TAKE_DOWN = "take-down", _("taken down")


class Selection(TextChoices):
    """Which submission of an entrant counts."""

    MARKED_ELSE_BEST = "marked-else-best", _("the marked one, else the best")
    BEST = "best", _("the best")
    LAST = "last", _("the last scored")


class BandRule(TextChoices):
    """How statistically tied rows are grouped."""

    LEADER = "leader", _("overlap with the leader of the band")
    COMPONENTS = "components", _("connected components")


class EntrantState(TextChoices):
    """Where a team stands in a competition."""

    PENDING = "pending", _("waiting for acceptance")
    ACCEPTED = "accepted", _("accepted")
    REFUSED = "refused", _("refused")
    WITHDRAWN = "withdrawn", _("withdrawn")
    DISQUALIFIED = "disqualified", _("disqualified")


ENTRANT_TRANSITIONS: dict[EntrantState, frozenset[EntrantState]] = {
    EntrantState.PENDING: frozenset(
        {EntrantState.ACCEPTED, EntrantState.REFUSED, EntrantState.WITHDRAWN}
    ),
    EntrantState.ACCEPTED: frozenset({EntrantState.WITHDRAWN, EntrantState.DISQUALIFIED}),
    EntrantState.REFUSED: frozenset({EntrantState.ACCEPTED}),
    EntrantState.WITHDRAWN: frozenset({EntrantState.PENDING, EntrantState.ACCEPTED}),
    EntrantState.DISQUALIFIED: frozenset({EntrantState.ACCEPTED}),
}


class EntrantKind(TextChoices):
    """Whether an entrant takes a place on the board."""

    OFFICIAL = "official", _("official")
    UNOFFICIAL = "unofficial", _("unofficial")
    BASELINE = "baseline", _("baseline")


class MemberRole(TextChoices):
    """A person's role in an entrant."""

    CAPTAIN = "captain", _("captain")
    MEMBER = "member", _("member")


class Pool(TextChoices):
    """What audio may be used for. Held-out audio reaches no participant."""

    OPEN = "open", _("open")
    ROTATION = "rotation", _("rotation")
    HELD_OUT = "held-out", _("held out")


class IssueState(TextChoices):
    """Where one person's copy of a pack stands."""

    REQUESTED = "requested", _("requested")
    ACTIVE = "active", _("issued")
    REFUSED = "refused", _("refused")
    REVOKED = "revoked", _("revoked")
    EXPIRED = "expired", _("expired")


class DownloadEnd(TextChoices):
    """How an attempt to download ended."""

    OPEN = "open", _("under way")
    WHOLE = "whole", _("whole")
    BROKEN = "broken", _("broken off")
    DENIED = "denied", _("denied")


class LinkVerdict(TextChoices):
    """What an organizer made of hints that two accounts are one person's."""

    DISMISSED = "dismissed", _("dismissed")
    LINKED = "linked", _("linked")


class Strata(TextChoices):
    """What a draw keeps in proportion."""

    TIER = "tier", _("tier")
    LANGUAGE_TIER = "language,tier", _("language and tier")


class Senders(TextChoices):
    """Who sends files to a phase: the entrants theirs, or the organizers for each of them."""

    ENTRANTS = "entrants", _("the entrants")
    ORGANIZERS = "organizers", _("the organizers, for each entrant")


class ClipSource(TextChoices):
    """Where a phase's clips come from: all of its references, or those that a window draws."""

    LISTED = "listed", _("all that its references list")
    DRAWN = "drawn", _("those that a window draws")
