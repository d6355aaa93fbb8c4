"""Forms of the console's rating pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from grading.enums import BrokenOutcome, RatingForm
from grading.models import FinalSelection, FinalSystem
from grading.scoring.rating.settings import DEFAULTS, ProtocolSettings, numbers_of

REASON_LENGTH = 300
ADDRESSES = 200
TABLE_BYTES = 64 << 20
ARCHIVE_BYTES = 64 << 20


NUMBERS = {
    "texts": _("Texts in each language"),
    "wanted": _("Valid ratings wanted of each recording"),
    "least": _("Valid ratings needed to publish"),
    "raters": _("Raters promised in each language"),
    "scored": _("Scored recordings in a sitting"),
    "traps": _("Attention traps in a sitting"),
    "known": _("Known answers in a sitting"),
    "repeats": _("Repeats in a sitting"),
    "practice": _("Practice items"),
    "practice_days": _("Days after which practice is due again"),
    "trials": _("Trials of the headphones check"),
    "trials_right": _("Trials that must be right"),
    "trial_rounds": _("Rounds of the headphones check"),
    "sessions_a_day": _("Sittings within 24 hours"),
    "break_minutes": _("Minutes after which a break is offered"),
    "lease_seconds": _("Seconds for which a recording is held for a rater"),
    "hold_hours": _("Hours after which a plan that nobody works on is free"),
    "heard_percent": _("Percent of the sound before an answer counts"),
    "revisable": _("Answers that can be revised"),
    "revise_seconds": _("Seconds in which they can be revised"),
    "reports": _("Reports of broken audio that hold a recording back"),
    "traps_passed": _("Traps that must be passed in a full sitting"),
    "known_right": _("Known answers that must be right in a full sitting"),
    "known_marks": _("Marks of five that make a known answer right"),
    "flat_scales": _("Scales without variance that void a sitting"),
    "flat_hundredths": _("Variance, in hundredths, under which a scale is flat"),
    "slack_ms": _("Milliseconds beyond the sound that an item takes, at the median"),
    "void_sessions": _("Void sittings that void a rater"),
    "repeat_percent": _("Percent of a rater’s repeats within one mark"),
    "correlation_hundredths": _("Correlation with the others, in hundredths"),
    "correlation_stimuli": _("Recordings from which a correlation counts"),
    "alarm_percent": _("Percent of a day’s answers that must be valid"),
    "draws": _("Draws of the bootstrap"),
    "null_every": _("Pairs, one of which is the same clip twice (0: none)"),
}
"""What the console calls each number of a protocol."""


class NumbersForm(forms.Form):
    """The numbers of a protocol's form, each with its bounds; what they mean stands beside them."""

    def __init__(self, *args: Any, asked: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = numbers_of(asked)
        for item in fields(ProtocolSettings):
            if item.name not in names:
                continue
            self.fields[item.name] = forms.IntegerField(
                label=NUMBERS[item.name],
                min_value=item.metadata["low"],
                max_value=item.metadata["high"],
                initial=getattr(DEFAULTS, item.name),
            )


class DraftForm(forms.Form):
    """What raters are asked; in a form of comparisons, which system all others are compared with."""

    form = forms.ChoiceField(label=_("Form"))
    compared_with = forms.ChoiceField(
        label=_("Compared with"),
        required=False,
        help_text=_(
            "For the comparison with another system alone: a baseline, say, or a human reference."
            " It is heard beside every other system and is not rated itself."
        ),
    )

    def __init__(self, *args: Any, selection: FinalSelection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        used = set(selection.ratings.values_list("form", flat=True))
        systems = selection.systems.select_related("submission__entrant__team")
        left = [(value, name) for value, name in RatingForm.choices if value not in used]
        named: Any = self.fields
        named["form"].choices = left
        named["compared_with"].choices = [
            ("", _("none")),
            *((str(one.position), _named(one)) for one in systems),
        ]


def _named(one: FinalSystem) -> str:
    submission = one.submission
    name = f"{submission.entrant.team.name} · {submission.system}".rstrip(" ·")
    return f"{name} ({one.get_reason_display()})"


class ReasonForm(forms.Form):
    """A reason that is kept with the act."""

    reason = forms.CharField(label=_("Reason"), max_length=REASON_LENGTH)


class ConsentForm(forms.Form):
    """A new version of the consent text in the site's languages."""

    en = forms.CharField(label=_("Text in English"), widget=forms.Textarea, max_length=20_000)
    zh_hans = forms.CharField(
        label=_("Text in Simplified Chinese"),
        widget=forms.Textarea,
        max_length=20_000,
        required=False,
    )
    zh_hant = forms.CharField(
        label=_("Text in Traditional Chinese"),
        widget=forms.Textarea,
        max_length=20_000,
        required=False,
    )
    keeps_ratings = forms.TypedChoiceField(
        label=_("After a withdrawal"),
        choices=[
            ("yes", _("ratings stay, under a pseudonym that leads to nobody")),
            ("no", _("ratings count no more")),
        ],
        coerce=lambda value: value == "yes",
        widget=forms.RadioSelect,
        help_text=_("It must be what the text says."),
    )

    @property
    def texts(self) -> dict[str, str]:
        """The texts by language, without empty ones."""
        names = {"en": "en", "zh_hans": "zh-hans", "zh_hant": "zh-hant"}
        return {
            code: self.cleaned_data[name] for name, code in names.items() if self.cleaned_data[name]
        }


class InviteForm(forms.Form):
    """Addresses of people who are invited to rate, a line each."""

    addresses = forms.CharField(
        label=_("E-mail addresses"),
        widget=forms.Textarea,
        max_length=ADDRESSES * 256,
        help_text=_("One a line, at most 200. An earlier invitation to the same address ends."),
    )

    def clean_addresses(self) -> list[str]:
        """Return the addresses, each once."""
        lines = [line.strip() for line in self.cleaned_data["addresses"].splitlines()]
        found = list(dict.fromkeys(line for line in lines if line))
        if len(found) > ADDRESSES:
            raise forms.ValidationError(_("These are more than 200 addresses."))
        return found


class ControlsForm(forms.Form):
    """A zip of traps, known answers and practice items."""

    archive = forms.FileField(
        label=_("Zip of items"),
        help_text=_(
            "items.jsonl with a line an item: kind (trap, known, practice), language, name, text, "
            "file, marks, explanation; and the recordings (16 kHz, mono, 16 bit)."
        ),
    )

    def clean_archive(self) -> bytes:
        """Return the bytes of the file."""
        file = self.cleaned_data["archive"]
        if file.size > ARCHIVE_BYTES:
            raise forms.ValidationError(_("The file is larger than 64 MiB."))
        return bytes(file.read())


class ImportForm(ReasonForm):
    """A CSV of ratings as the export gives it."""

    table = forms.FileField(
        label=_("CSV of ratings"), help_text=_("The columns of the export, in its order.")
    )
    field_order = ("table", "reason")
    faults: Sequence[Mapping[str, object]] = ()
    """Rows that could not be taken, once that is known."""

    def clean_table(self) -> str:
        """Return the file's text."""
        file = self.cleaned_data["table"]
        if file.size > TABLE_BYTES:
            raise forms.ValidationError(_("The file is larger than 64 MiB."))
        try:
            return str(file.read().decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise forms.ValidationError(_("The file is not UTF-8 text.")) from None


class ExcludeForm(ReasonForm):
    """What is left out of the results: a rater, a sitting or one answer."""

    what = forms.ChoiceField(
        label=_("What"),
        choices=[
            ("rater", _("a rater, by pseudonym")),
            ("session", _("a sitting, by code")),
            ("rating", _("one rating, by the code of its task")),
        ],
    )
    code = forms.CharField(label=_("Pseudonym or code"), max_length=32)
    field_order = ("what", "code", "reason")


class BrokenForm(ReasonForm):
    """What becomes of a recording that raters reported broken."""

    outcome = forms.ChoiceField(
        label=_("Decision"), choices=BrokenOutcome.choices, widget=forms.RadioSelect
    )
    field_order = ("outcome", "reason")


class ConfirmForm(forms.Form):
    """An act that cannot be taken back: the word is typed."""

    confirm = forms.CharField(label=_("Confirm"), max_length=40)

    def __init__(self, *args: Any, word: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._word = word
        self.fields["confirm"].help_text = _("Type %(word)s.") % {"word": word}

    def clean_confirm(self) -> str:
        """Return the word; anything else is an error."""
        typed = str(self.cleaned_data["confirm"]).strip()
        if typed != self._word:
            raise forms.ValidationError(_("Type %(word)s.") % {"word": self._word})
        return typed
