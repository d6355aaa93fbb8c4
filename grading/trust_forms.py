"""Forms of the console's acts on accounts and teams that belong together."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from competition.enums import LinkVerdict
from competition.models import Entrant
from competition.services.authority import REASON_LIMIT

REASON: Final[dict[str, Any]] = {
    "max_length": REASON_LIMIT,
    "widget": forms.TextInput(attrs={"autocomplete": "off"}),
}


class JudgementForm(forms.Form):
    """What an organizer makes of the hints about two accounts, and why."""

    verdict = forms.ChoiceField(
        label=_("Judgement"), choices=LinkVerdict.choices, widget=forms.RadioSelect
    )
    reason = forms.CharField(
        label=_("Reason"), help_text=_("Organizers and auditors read it."), **REASON
    )


class MergeForm(forms.Form):
    """A merge as it was seen: the reason, and the name of the team that goes, typed to confirm."""

    digest = forms.CharField(max_length=64, widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason"), help_text=_("The people of both teams read it."), **REASON
    )
    confirm = forms.CharField(
        label=_("Type the name of the team that goes"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, merged: Entrant, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._merged = merged

    def clean_confirm(self) -> str:
        """Return the typed name; anything but the team's name is refused."""
        typed: str = self.cleaned_data["confirm"].strip()
        if typed != self._merged.team.name:
            raise forms.ValidationError(_("This is not the team's name. Nothing was changed."))
        return typed
