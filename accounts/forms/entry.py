"""Getting in: log-in, sign-up, a forgotten password."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


def email_field(help_text: StrOrPromise = "") -> forms.EmailField:
    """Return a field for an e-mail address that browsers fill in."""
    widget = forms.EmailInput(attrs={"autocomplete": "username", "spellcheck": "false"})
    return forms.EmailField(
        label=_("E-mail address"), max_length=254, widget=widget, help_text=help_text
    )


def password_field(
    label: StrOrPromise, *, is_new: bool, help_text: StrOrPromise = ""
) -> forms.CharField:
    """Return a field for a password; a new one is never filled in by the browser."""
    attrs = {"autocomplete": "new-password" if is_new else "current-password"}
    widget = forms.PasswordInput(attrs=attrs)
    return forms.CharField(
        label=label, strip=False, max_length=512, widget=widget, help_text=help_text
    )


PASSWORD_HINT = _("At least 10 characters; not only digits, not a common password.")


class LogInForm(AuthenticationForm):
    """E-mail address and password."""

    username = email_field()
    password = password_field(_("Password"), is_new=False)

    error_messages = {
        "invalid_login": _(
            "This e-mail address and password do not fit together. "
            "Check both, or set a new password."
        ),
        "inactive": _("This account is closed."),
    }

    def clean_username(self) -> str:
        """Return the address in the form it is stored in, so that failures count for one account."""
        return str(self.cleaned_data["username"]).strip().lower()


class NewPasswordForm(forms.Form):
    """A new password; the service refuses it in the words of the rule it breaks."""

    password = password_field(_("New password"), is_new=True, help_text=PASSWORD_HINT)


class SignUpForm(NewPasswordForm):
    """What an account needs."""

    field_order = ["name", "email", "password"]

    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
        help_text=_("Your own name; organizers and your team see it."),
    )
    email = email_field(_("A link to confirm it is sent there."))
    password = password_field(_("Password"), is_new=True, help_text=PASSWORD_HINT)

    @property
    def language(self) -> str:
        """The language the page is read in becomes the account's."""
        return get_language() or "en"


class ResetRequestForm(forms.Form):
    """The address whose password is forgotten."""

    email = email_field()
