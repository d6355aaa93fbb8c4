"""What people change about their own account."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.utils.translation import gettext as _

from accounts.enums import NoticeKind
from accounts.models import User
from accounts.services import audit, links, mails
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


def choose_notices(*, actor: User, wanted: Collection[NoticeKind], now: datetime) -> User:
    """Keep which kinds of mail the person wants; the others are switched off."""
    return _mute(actor, {kind for kind in NoticeKind if kind not in wanted}, now)


def stop_notices(*, token: str, kind: NoticeKind, now: datetime) -> User:
    """Switch one kind of mail off for the person whose mail held the token. Refuses LinkInvalid."""
    user = links.read_token(links.NOTICES, token, now)
    return _mute(user, {*user.muted_notices, kind}, now)


def _mute(user: User, kinds: Collection[str], now: datetime) -> User:
    muted = sorted({str(kind) for kind in kinds} & set(NoticeKind.values))
    if muted != user.muted_notices:
        with audit.audited():
            user.muted_notices = muted
            user.save(update_fields=["muted_notices"])
            _tell("notices.chosen", user, now)
    return user


def _tell(kind: str, actor: User, now: datetime) -> None:
    audit.record(kind=kind, actor=actor, target=f"person:{actor.code}", payload={}, now=now)
