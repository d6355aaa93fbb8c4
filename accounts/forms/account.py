"""A person's own account: name, language, password, tokens."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from accounts.enums import NoticeKind, TokenScope
from accounts.forms.entry import PASSWORD_HINT, NewPasswordForm, password_field


class ProfileForm(forms.Form):
    """How a person is called and in which language we write to them."""

    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    language = forms.ChoiceField(
        label=_("Language"),
        choices=settings.LANGUAGES,
        help_text=_("Of the pages and of the mails we send you."),
    )


class NoticesForm(forms.Form):
    """Which mails a person wants."""

    wanted = forms.MultipleChoiceField(
        label=_("Write to me when"),
        choices=NoticeKind.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Mails about your account itself, like a new password, always come."),
    )


class PasswordChangeForm(NewPasswordForm):
    """The old password and a new one."""

    field_order = ["current", "password"]

    current = password_field(_("Current password"), is_new=False)
    password = password_field(_("New password"), is_new=True, help_text=PASSWORD_HINT)


class EraseForm(forms.Form):
    """What a person types so that nobody erases an account by a slip, or at an open computer."""

    email = forms.CharField(
        label=_("Your e-mail address, to confirm"),
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "email"}),
    )
    password = password_field(_("Password"), is_new=False)


class TokenForm(forms.Form):
    """What a new API token is called, may do, and until when."""

    LIFETIMES = [
        ("30", _("30 days")),
        ("90", _("90 days")),
        ("365", _("one year")),
        ("0", _("no end")),
    ]

    name = forms.CharField(
        label=_("Name of the token"),
        max_length=80,
        help_text=_("Where you will use it, for example “training server”."),
    )
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=[
            (TokenScope.READ, _("read what I may see")),
            (TokenScope.SUBMIT, _("submit for my teams")),
            (TokenScope.ORGANIZE, _("act as organizer")),
        ],
        initial=[TokenScope.READ, TokenScope.SUBMIT],
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.ChoiceField(label=_("Valid for"), choices=LIFETIMES, initial="90")
