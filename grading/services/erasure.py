"""A person's account is erased: at once, whole, and only when nobody depends on it."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from accounts.services import erasure as of_account
from accounts.services.errors import AccountHeld, AddressDiffers, PasswordWrong
from competition.services import erasure as of_competitions
from grading.models import Notice, Rater, RaterInvitation
from grading.services.ratings import consents


def obstacles(*, actor: User) -> list[str]:
    """Return, as sentences, what has to be settled before the account can be erased."""
    return [*of_account.obstacles(actor), *of_competitions.obstacles(actor)]


def erase(*, actor: User, email: str, password: str, now: datetime) -> None:
    """Erase the person's account: it cannot be undone.

    Name, address, log-in, tokens, mails, and where acts came from are gone; places and roles end; a
    rater withdraws consent. Submissions, scores, the log, agreements to terms with the name that was
    typed, and questions stay, under the account's code. Refuses AddressDiffers, PasswordWrong,
    AccountHeld; then nothing has changed.
    """
    if email.strip().lower() != actor.email:
        raise AddressDiffers(_("This is not the address of your account."), field="email")
    if not actor.check_password(password):
        raise PasswordWrong(_("This is not your present password."), field="password")
    # Where this request comes from is nothing to keep about somebody who goes.
    with audit.origin(address="", user_agent=""), audit.audited():
        _withdraw(actor, now)
        locked = of_account.lock(actor)
        of_competitions.lock(locked)
        if found := obstacles(actor=locked):
            raise AccountHeld(" ".join(found))
        Notice.objects.filter(recipient=locked).delete()
        of_competitions.leave_all(actor=locked, now=now)
        of_account.forget(actor=locked, now=now)
        audit.record(
            kind="account.erased",
            actor=locked,
            target=f"person:{locked.code}",
            payload={},
            now=now,
        )


def _withdraw(actor: User, now: datetime) -> None:
    """End the person's part in ratings; what they rated is kept or not as they consented."""
    for rater in Rater.objects.filter(user=actor).order_by("pk"):
        consents.withdraw(actor=actor, rater=rater, now=now)
    if actor.is_verified:  # else somebody could take back what was mailed to another
        RaterInvitation.objects.filter(email=actor.email).delete()
