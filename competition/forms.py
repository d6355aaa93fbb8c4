"""Entering a competition and looking after the entry."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import Team, User
from competition.entries import could_join, led_teams
from competition.models import Entrant


class TermsForm(forms.Form):
    """The terms, accepted with a typed name."""

    typed_name = forms.CharField(
        label=_("Your name, typed as a signature"),
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
        help_text=_(
            "The name you sign papers with, in any script: at most 120 characters, none of them "
            "invisible. It is kept with this version of the terms."
        ),
    )
    accept = forms.BooleanField(
        label=_("I have read the rules and the terms and accept them."),
        error_messages={"required": _("Without accepting the terms nobody can take part.")},
    )


class RegistrationForm(TermsForm):
    """Which team enters, and its captain's acceptance of the terms."""

    field_order = ["team", "typed_name", "accept"]

    team = forms.ModelChoiceField(label=_("Team"), queryset=Team.objects.none(), empty_label=None)

    def __init__(self, *args: Any, person: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["team"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = led_teams(person)
            field.to_field_name = "code"


class PersonField(forms.ModelChoiceField):  # type: ignore[type-arg]  # no generic at run time
    """A choice of people, by name."""

    def label_from_instance(self, user: User) -> str:
        """Return how a person is called in the list."""
        return user.name


class MemberForm(forms.Form):
    """Who of the team takes part as well."""

    person = PersonField(
        label=_("Member of the team"), queryset=User.objects.none(), empty_label=None
    )

    def __init__(self, *args: Any, entrant: Entrant, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["person"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = could_join(entrant)
            field.to_field_name = "code"


class WithdrawForm(forms.Form):
    """Leaving the competition for good: the competition's name must be typed."""

    confirm = forms.CharField(
        label=_("Confirmation"), widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    def __init__(self, *args: Any, word: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.word = word
        self.fields["confirm"].label = _("Type “%(word)s” to confirm") % {"word": word}
        self.fields["confirm"].widget.attrs["data-confirm"] = word

    def clean_confirm(self) -> str:
        """Return the word when it is the right one."""
        typed = str(self.cleaned_data["confirm"]).strip()
        if typed != self.word:
            raise forms.ValidationError(
                _("Type “%(word)s” exactly; nothing has changed."), params={"word": self.word}
            )
        return typed
