"""Forms of the final: choose systems, confirm by typing, file a paper, check one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from competition.models import Phase
from grading.enums import FilingVerdict
from grading.models.filing import LINK_LENGTH, NOTE_LENGTH, TEXT_LENGTH
from grading.scoring.rating.choosing import DEFAULT_LIMIT, DEFAULT_N
from grading.services.final import choosing
from grading.services.final.choosing import Wish
from grading.services.final.filings import FILE_BYTES

CONFIRM_DIGITS = 12


class WishForm(forms.Form):
    """How many systems, and what stands beside them outside the rank."""

    n = forms.IntegerField(
        label=_("First places"), min_value=1, max_value=choosing.MOST, initial=DEFAULT_N
    )
    limit = forms.IntegerField(
        label=_("At most"),
        min_value=1,
        max_value=choosing.MOST,
        initial=DEFAULT_LIMIT,
        help_text=_("With baselines and those whose interval overlaps that of the last one."),
    )
    reference = forms.ChoiceField(label=_("Human reference"), required=False)
    anchor = forms.ChoiceField(label=_("Low anchor"), required=False)

    def __init__(self, *args: Any, phase: Phase, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", _("none")), *_named(phase)]
        for name in ("reference", "anchor"):
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = choices

    @property
    def wish(self) -> Wish:
        """What was asked for; only for a valid form."""
        return Wish(**{name: self.cleaned_data[name] for name in Wish.__slots__})


class SelectForm(WishForm):
    """Record the selection that was looked at: the first digits of its hash typed."""

    digest = forms.CharField(max_length=64, widget=forms.HiddenInput)
    confirm = forms.CharField(
        max_length=64, widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
    )

    def __init__(self, *args: Any, phase: Phase, **kwargs: Any) -> None:
        super().__init__(*args, phase=phase, **kwargs)
        for name in Wish.__slots__:
            self.fields[name].widget = forms.HiddenInput()
        self.word = str(self["digest"].value() or "")[:CONFIRM_DIGITS]
        self.fields["confirm"].label = _("Type %(word)s to confirm") % {"word": self.word}

    def clean_confirm(self) -> str:
        """Return the typed word; anything else is refused."""
        typed: str = self.cleaned_data["confirm"].strip()
        if not self.word or typed != self.word:
            raise forms.ValidationError(_("This is not what was to be typed. Nothing was changed."))
        return typed


class PaperForm(forms.Form):
    """A paper: a text, a link, a file, or several of these."""

    text = forms.CharField(
        label=_("Text"),
        required=False,
        max_length=TEXT_LENGTH,
        widget=forms.Textarea(attrs={"rows": 8}),
    )
    link = forms.CharField(
        label=_("Link"),
        required=False,
        max_length=LINK_LENGTH,
        help_text=_("An address that begins with https://"),
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "off"}),
    )
    file = forms.FileField(label=_("File"), required=False, max_length=255)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        size = {"size": FILE_BYTES // (1024 * 1024)}
        self.fields["file"].help_text = _("At most %(size)s MiB.") % size


class CheckForm(forms.Form):
    """What an organizer found of a paper."""

    verdict = forms.ChoiceField(
        label=_("Verdict"), choices=FilingVerdict.choices, widget=forms.RadioSelect
    )
    note = forms.CharField(
        label=_("Note"),
        required=False,
        max_length=NOTE_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("The team reads it. A paper that is returned needs one."),
    )


def _named(phase: Phase) -> Iterable[tuple[str, str]]:
    for one in choosing.unranked(phase):
        yield one.code, f"{one.entrant.team.name} · {one.system} · {one.code}"
