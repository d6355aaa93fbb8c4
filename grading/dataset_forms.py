"""The form that moves clips of a dataset to another pool; what the rules refuse comes from services."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from competition.enums import Pool
from competition.models import DatasetClip
from competition.services.authority import REASON_LIMIT


class MoveForm(forms.Form):
    """Chosen clips, the pool they go to, why, and that leaving the held-out pool is for good."""

    clips = forms.MultipleChoiceField(
        label=_("Clips"), error_messages={"required": _("Tick the clips to move.")}
    )
    pool = forms.ChoiceField(label=_("Goes to the pool"), choices=Pool.choices)
    reason = forms.CharField(
        label=_("Reason"), max_length=REASON_LIMIT, help_text=_("It is kept with the move.")
    )
    confirm = forms.BooleanField(
        label=_("Held-out clips among them are held out no more, and never again. I want this."),
        required=False,
    )

    def __init__(self, *args: Any, clips: Sequence[DatasetClip], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.of_page = {clip.utt_id: clip for clip in clips}
        field = self.fields["clips"]
        if isinstance(field, forms.MultipleChoiceField):
            field.choices = [(utt_id, utt_id) for utt_id in self.of_page]

    @property
    def chosen(self) -> list[DatasetClip]:
        """The ticked clips; only for a valid form."""
        return [self.of_page[utt_id] for utt_id in self.cleaned_data["clips"]]

    @property
    def moving(self) -> list[forms.BoundField]:
        """The fields beside the ticks, which stand in the table."""
        return [self[name] for name in ("pool", "reason", "confirm")]

    @property
    def ticked(self) -> frozenset[str]:
        """The ids that were ticked, so that the page keeps them."""
        return frozenset(self["clips"].value() or ())

    def clean(self) -> dict[str, Any]:
        """Return what was given; held-out clips leave their pool only where that was ticked."""
        given = super().clean() or {}
        leaving = [
            utt_id
            for utt_id in given.get("clips", ())
            if self.of_page[utt_id].audio.pool == Pool.HELD_OUT
        ]
        if leaving and given.get("pool") != Pool.HELD_OUT and not given.get("confirm"):
            self.add_error("confirm", _("Some of these clips are held out. Tick this to go on."))
        return given
