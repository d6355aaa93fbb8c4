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
