"""Teams: their name, their people."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.enums import TeamRole


class TeamForm(forms.Form):
    """What a team is called and where it comes from."""

    name = forms.CharField(
        label=_("Team name"), max_length=80, help_text=_("It is shown on public boards.")
    )
    affiliation = forms.CharField(
        label=_("Affiliation"),
        max_length=160,
        required=False,
        help_text=_("University, company or lab; shown beside the name."),
    )


class InvitationForm(forms.Form):
    """Whom to invite."""

    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
        help_text=_("The link in the mail works once and for a limited time."),
    )


class RoleForm(forms.Form):
    """A member's role in the team."""

    role = forms.ChoiceField(choices=TeamRole.choices)
