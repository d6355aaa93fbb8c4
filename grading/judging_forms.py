"""The form that lets a judge's run go on."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from competition.services.authority import REASON_LIMIT
from grading.scoring.tracks.nvv_t2_judge import MICRO

MS_A_MINUTE = 60_000
MOST = 10**9


class ResumeForm(forms.Form):
    """A reason, and new bounds where the old ones are used up."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=REASON_LIMIT,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=_("It stands in the log."),
    )
    most_calls = forms.IntegerField(
        label=_("At most this many calls"), required=False, min_value=1, max_value=MOST
    )
    most_audio_ms = forms.DecimalField(
        label=_("At most this many minutes of audio"),
        required=False,
        min_value=Decimal("0.1"),
        max_value=MOST,
        decimal_places=3,
    )
    most_cost_micro = forms.DecimalField(
        label=_("At most this cost"),
        required=False,
        min_value=Decimal("0.000001"),
        max_value=MOST,
        decimal_places=6,
    )

    def bounds(self) -> dict[str, int | None]:
        """Return the new bounds as they are stored; only for a valid form."""
        found: dict[str, Any] = self.cleaned_data
        audio, cost = found["most_audio_ms"], found["most_cost_micro"]
        return {
            "most_calls": found["most_calls"],
            "most_audio_ms": None if audio is None else int(audio * MS_A_MINUTE),
            "most_cost_micro": None if cost is None else int(cost * MICRO),
        }
