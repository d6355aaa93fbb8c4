"""Accounts by e-mail: sign-up, confirmation of the address, a forgotten password.

Sign-up and reset answer alike whether or not the address is known: the difference is in the mail.
"""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.hashers import make_password
from django.db import IntegrityError
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit, links, mails
from accounts.services.errors import AlreadyVerified, TooSoon
from accounts.services.names import accepted_email, accepted_name
from accounts.services.passwords import check_password_rules, replace_password

NAME_LIMIT = 120


def sign_up(*, email: str, name: str, password: str, language: str, now: datetime) -> None:
    """Make an account and mail a link to confirm the address; a known address gets a mail that says so.

    Refuses EmailInvalid, NameInvalid, PasswordInvalid.
    """
    user = User(
        email=accepted_email(email),
        name=accepted_name(name, limit=NAME_LIMIT),
        language=mails.known_language(language),
        created_at=now,
    )
    check_password_rules(password, user)
    user.password = make_password(password)
    known = User.objects.filter(email=user.email).first()
    if known is None:
        known = _insert(user, now)
    if known is not None:
        _mail_once(known.email, known.language, "known", _reset_link(known, now))


def verify_email(*, token: str, now: datetime) -> User:
    """Confirm the address that the link was mailed to; doing it twice changes nothing.

    Refuses LinkInvalid.
    """
    user = links.read_token(links.VERIFY, token, now)
    if not user.is_verified:
        with audit.audited():
            user.email_verified_at = now
            user.save(update_fields=["email_verified_at"])
            _tell("account.verified", user, now)
    return user


def resend_verification(*, user: User, now: datetime) -> None:
    """Mail the link to confirm the address once more. Refuses AlreadyVerified, TooSoon."""
    if user.is_verified:
        raise AlreadyVerified(_("Your e-mail address is confirmed already."))
    if not _mail_once(user.email, user.language, "verify", _verify_link(user, now)):
        raise TooSoon(
            _("A link was sent less than a minute ago. Look into your mail, or try again soon."),
            retry_after=mails.PAUSE_SECONDS,
        )


def request_reset(*, email: str, now: datetime) -> None:
    """Mail a link to set a new password, or that there is no account. Refuses EmailInvalid."""
    address = accepted_email(email)
    user = User.objects.filter(email=address, is_active=True).first()
    if user is None:
        _mail_once(address, get_language() or "en", "unknown", {})
    else:
        _mail_once(address, user.language, "reset", _reset_link(user, now))


def reset_password(*, token: str, password: str, now: datetime) -> User:
    """Set a new password; the link works once, and opening it confirms the address.

    Refuses LinkInvalid, PasswordInvalid. Ends every session of the account.
    """
    user = links.read_token(links.RESET, token, now)
    check_password_rules(password, user)
    with audit.audited():
        user.email_verified_at = user.email_verified_at or now
        replace_password(user, password)
        _tell("password.reset", user, now)
    _mail(user.email, user.language, "changed", {"person": user})
    return user


def _insert(user: User, now: datetime) -> User | None:
    """Save the new account; returns the account that was there before, if one came first."""
    try:
        with audit.audited():
            user.save(force_insert=True)
            _tell("account.created", user, now)
    except IntegrityError:
        return User.objects.get(email=user.email)
    _mail_once(user.email, user.language, "verify", _verify_link(user, now))
    return None


def _tell(kind: str, user: User, now: datetime) -> None:
    audit.record(kind=kind, actor=user, target=f"person:{user.code}", payload={}, now=now)


def _verify_link(user: User, now: datetime) -> dict[str, object]:
    token = links.make_token(links.VERIFY, user, now)
    return {"person": user, "link": links.address("verify", token)}


def _reset_link(user: User, now: datetime) -> dict[str, object]:
    token = links.make_token(links.RESET, user, now)
    return {"person": user, "link": links.address("reset-password", token)}


def _mail_once(to: str, language: str, name: str, context: dict[str, object]) -> bool:
    if not mails.may_send(to=to, template=name):
        return False
    _mail(to, language, name, context)
    return True


def _mail(to: str, language: str, name: str, context: dict[str, object]) -> None:
    mails.send(to=to, language=language, template=f"accounts/mail/{name}", context=context)
