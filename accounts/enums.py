from __future__ import annotations

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class TeamRole(TextChoices):
    """What a person is in a team."""

    CAPTAIN = "captain", _("captain")
    MEMBER = "member", _("member")


class TokenScope(TextChoices):
    """What an API token may be used for; a token carries one or more."""

    READ = "read", _("read")
    SUBMIT = "submit", _("submit")
    ORGANIZE = "organize", _("organize")


class NoticeKind(TextChoices):
    """What we write to people about beside their account; each kind can be switched off."""

    SCORED = "scored", _("a submission of my team is scored")
    REJECTED = "rejected", _("a submission of my team was rejected, or could not be processed")
    RESCORED = "rescored", _("scores were corrected")
    DEADLINE = "deadline", _("a date was moved")
    ANNOUNCEMENT = "announcement", _("the organizers announce something")
    ANSWER = "answer", _("my question is answered")
    ENTRANT = "entrant", _("the standing of my team, or my place in it, is changed")
    BOARD = "board", _("a board is frozen, published or taken down")
    SCORING = "scoring", _("scoring is paused or goes on")
    COPY = "copy", _("a copy of a pack is issued to me, refused, revoked or about to expire")
    QUESTION = "question", _("somebody asks a question in a competition that I organize")
