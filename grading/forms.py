"""Forms of submissions and of the organizer's console; what the rules refuse comes from services."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.utils.translation import gettext_lazy as _

from competition.enums import EntrantKind
from competition.models import Entrant
from competition.timeline import MomentFault, parse_moment
from grading.receipts import MOST_BYTES

SYSTEM_CHARACTERS = 80
NOTE_CHARACTERS = 500
REASON_CHARACTERS = 300


def new_key() -> str:
    """Return a fresh key that makes a repeated click the same request."""
    return uuid4().hex


class RenamingForm(forms.Form):
    """What a submission is called."""

    system = forms.CharField(
        label=_("System name"),
        max_length=SYSTEM_CHARACTERS,
        help_text=_("Shown on the board beside your team's name."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    note = forms.CharField(
        label=_("Note"),
        max_length=NOTE_CHARACTERS,
        required=False,
        help_text=_("For your team and the organizers only."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class SubmissionForm(RenamingForm):
    """An upload: the file, the system that made it, a note. `end` stands last, so a cut body lacks it."""

    idempotency_key = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    entrant = forms.CharField(label=_("Entrant"), max_length=16, required=False)
    file = forms.FileField(
        label=_("File"),
        error_messages={"required": _("Choose a file first.")},
        allow_empty_file=True,
    )


class CheckForm(SubmissionForm):
    """The same form for "Check only": the system's name is not needed yet."""

    system = forms.CharField(max_length=SYSTEM_CHARACTERS, required=False)


class NamedForm(forms.Form):
    """A file that comes in parts, before its bytes: also the SHA-256 of each part, with commas between."""

    system = forms.CharField(max_length=SYSTEM_CHARACTERS)
    note = forms.CharField(max_length=NOTE_CHARACTERS, required=False)
    filename = forms.CharField(max_length=4 * NOTE_CHARACTERS, required=False)
    size = forms.IntegerField(min_value=1, max_value=2**40)
    parts = forms.CharField()


class DecisionForm(forms.Form):
    """Accept or refuse an entrant; a refusal says why."""

    decision = forms.ChoiceField(choices=[("accept", _("Accept")), ("refuse", _("Refuse"))])
    reason = forms.CharField(label=_("Reason"), max_length=REASON_CHARACTERS, required=False)


class KindForm(forms.Form):
    """Make an entrant official, unofficial or a baseline, with the reason."""

    kind = forms.ChoiceField(label=_("Status"), choices=EntrantKind.choices)
    reason = forms.CharField(label=_("Reason"), max_length=REASON_CHARACTERS)


class DisqualifyForm(forms.Form):
    """Disqualify an entrant: the reason, and the team's name typed to confirm."""

    reason = forms.CharField(label=_("Reason, shown to the team"), max_length=REASON_CHARACTERS)
    confirm = forms.CharField(label=_("Type the team's name to confirm"), max_length=200)

    def __init__(self, *args: Any, entrant: Entrant, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.entrant = entrant

    def clean_confirm(self) -> str:
        """Return the typed name; anything but the team's name is refused."""
        typed: str = self.cleaned_data["confirm"].strip()
        if typed != self.entrant.team.name:
            raise forms.ValidationError(_("This is not the team's name. Nothing was changed."))
        return typed


class DeadlineForm(forms.Form):
    """Move one date of a phase, with the reason that everybody sees; `moment` is it in UTC."""

    field = forms.ChoiceField(
        label=_("Which date"),
        choices=[
            ("closes_at", _("closes")),
            ("opens_at", _("opens")),
            ("frozen_from", _("board frozen from")),
        ],
    )
    new = forms.CharField(
        label=_("New date"),
        max_length=40,
        required=False,
        help_text=_(
            "Like 2026-12-01 23:59 AoE, or with UTC or +08:00; a phase closes after that minute. "
            "Empty: the board is never frozen."
        ),
    )
    reason = forms.CharField(label=_("Reason, shown to everybody"), max_length=REASON_CHARACTERS)

    def clean(self) -> dict[str, Any]:
        """Return the fields with the moment that `new` names."""
        fields: dict[str, Any] = super().clean() or {}
        text, closing = fields.get("new", "").strip(), fields.get("field") == "closes_at"
        try:
            fields["moment"] = parse_moment(text, closing=closing) if text else None
        except MomentFault:
            self.add_error("new", _("Write it like 2026-12-01 23:59 AoE."))
        return fields


class ReceiptForm(forms.Form):
    """A receipt to verify: pasted, or as a file; `content` is what was given, in bytes."""

    text = forms.CharField(
        label=_("Receipt"),
        max_length=MOST_BYTES,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "class": "mono"}),
        help_text=_("Paste the whole text of the file."),
    )
    file = forms.FileField(label=_("Or the file itself"), required=False, allow_empty_file=True)

    def clean(self) -> dict[str, Any]:
        """Return the fields with `content`; the file goes before the text."""
        fields: dict[str, Any] = super().clean() or {}
        file, text = fields.get("file"), fields.get("text", "")
        if file is not None and file.size > MOST_BYTES:
            self.add_error("file", _("This is too large to be a receipt."))
        elif file is not None:
            fields["content"] = file.read()
        elif text.strip():
            fields["content"] = text.encode()
        elif not self.errors:
            self.add_error("text", _("Paste a receipt, or choose its file."))
        return fields
