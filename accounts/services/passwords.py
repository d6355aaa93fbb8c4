"""New passwords: the rules they must meet, and what else changes with them."""

from __future__ import annotations

from axes.utils import reset as forget_failures
from django.contrib.auth import password_validation
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services.audit import keyed_hash
from accounts.services.errors import PasswordInvalid

LONGEST = 512


def check_password_rules(password: str, user: User) -> None:
    """Raise PasswordInvalid, with every reason, when the rules do not allow the password."""
    if len(password) > LONGEST:
        raise PasswordInvalid(
            _("This is too long: at most %(limit)s characters.") % {"limit": LONGEST},
            field="password",
        )
    try:
        password_validation.validate_password(password, user)
    except ValidationError as error:
        raise PasswordInvalid(" ".join(error.messages), field="password") from error


def replace_password(user: User, password: str) -> None:
    """Store a new password; every other session ends, and failed log-ins are forgotten."""
    user.set_password(password)
    user.save(update_fields=["password", "email_verified_at"])
    forget_log_ins(user)


def forget_log_ins(user: User) -> None:
    """Forget how often somebody tried to log in as this person."""
    forget_failures(username=keyed_hash(user.email))
