"""Forms of corrections: propose one, switch to it with a typed word, ask for a score again."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from grading.models import Evaluation
from grading.models.rescoring import REASON_LENGTH

DEFINITION_BYTES = 1024 * 1024


class ProposalForm(forms.Form):
    """New references, a new definition's parameters, or neither when the scorer is what is new."""

    references = forms.FileField(
        label=_("New references"),
        required=False,
        help_text=_(
            "JSON Lines as at the start. Utterances may be left out, none may be added. "
            "Empty: the references stay."
        ),
    )
    definition = forms.FileField(
        label=_("New definition"),
        required=False,
        help_text=_(
            "The competition's YAML file; only the parameters of this track are taken from it. "
            "Empty: the parameters stay."
        ),
    )
    reason = forms.CharField(
        label=_("What is corrected, and why"),
        max_length=REASON_LENGTH,
        help_text=_("Published with the board and mailed to every team once you switch."),
    )

    def clean_definition(self) -> str | None:
        """Return the definition's text, None without one."""
        file = self.cleaned_data.get("definition")
        if not file:
            return None
        if file.size > DEFINITION_BYTES:
            raise forms.ValidationError(_("The file is larger than a definition may be."))
        try:
            return str(file.read().decode())
        except UnicodeDecodeError:
            raise forms.ValidationError(_("The file is not UTF-8 text.")) from None


class SwitchForm(forms.Form):
    """Switch to the recipe that was looked at: its first digits typed, failures ticked by name."""

    digest = forms.CharField(max_length=64, widget=forms.HiddenInput)
    accepted = forms.MultipleChoiceField(
        label=_("Let these go without a score"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    confirm = forms.CharField(max_length=64)

    def __init__(self, *args: Any, word: str, failed: tuple[Evaluation, ...], **kw: Any) -> None:
        super().__init__(*args, **kw)
        self.word = word
        self.fields["confirm"].label = _("Type %(word)s to confirm") % {"word": word}
        choices = [
            (one.submission.code, f"{one.submission.entrant.team.name} · {one.submission.code}")
            for one in failed
        ]
        accepted = self.fields["accepted"]
        if isinstance(accepted, forms.MultipleChoiceField):
            accepted.choices = choices
        if not choices:
            del self.fields["accepted"]

    def clean_confirm(self) -> str:
        """Return the typed word; anything else is refused."""
        typed: str = self.cleaned_data["confirm"].strip()
        if typed != self.word:
            raise forms.ValidationError(_("This is not what was to be typed. Nothing was changed."))
        return typed


class CheckScoreForm(forms.Form):
    """Ask for a score to be computed again, with the reason that is kept."""

    reason = forms.CharField(label=_("Reason"), max_length=REASON_LENGTH)
