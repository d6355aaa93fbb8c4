"""What people change about their own account."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit, mails
from accounts.services.errors import PasswordWrong
from accounts.services.names import accepted_name
from accounts.services.passwords import check_password_rules, replace_password
from accounts.services.registration import NAME_LIMIT


def change_profile(*, actor: User, name: str, language: str, now: datetime) -> User:
    """Change the name and the language of the person's account. Refuses NameInvalid."""
    with audit.audited():
        actor.name = accepted_name(name, limit=NAME_LIMIT)
        actor.language = mails.known_language(language)
        actor.save(update_fields=["name", "language"])
        _tell("account.changed", actor, now)
    return actor


def change_password(*, actor: User, current: str, password: str, now: datetime) -> User:
    """Set a new password; other sessions end. Refuses PasswordWrong, PasswordInvalid."""
    if not actor.check_password(current):
        raise PasswordWrong(_("This is not your present password."), field="current")
    check_password_rules(password, actor)
    with audit.audited():
        replace_password(actor, password)
        _tell("password.changed", actor, now)
        mails.send(
            to=actor.email,
            language=actor.language,
            template="accounts/mail/changed",
            context={"person": actor},
        )
    return actor


def _tell(kind: str, actor: User, now: datetime) -> None:
    audit.record(kind=kind, actor=actor, target=f"person:{actor.code}", payload={}, now=now)
