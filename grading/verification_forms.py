"""Forms of held-out verification; what the rules refuse comes from services."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from competition.enums import EntrantKind, Pool
from competition.models import Competition, DatasetVersion, Phase, Track
from competition.services.authority import REASON_LIMIT
from competition.timeline import MomentFault, parse_moment
from grading.enums import VerificationWay
from grading.models import HeldOutSet, Standing, VerifiedEntrant
from grading.rules import scores_by_marks
from grading.services.verification import beginning
from grading.services.verification.beginning import Wish
from grading.services.verification.sets import TITLE_LIMIT

CONFIRM_DIGITS = 12


class SlugField(forms.ModelChoiceField):  # type: ignore[type-arg]  # generic in stubs alone
    """A choice of tracks or phases by their slugs."""

    def label_from_instance(self, obj: Any) -> str:
        """Return the slug."""
        return str(obj.slug)


class TeamField(forms.ModelChoiceField):  # type: ignore[type-arg]  # as above
    """A choice of verified entrants by the names of their teams."""

    def label_from_instance(self, obj: Any) -> str:
        """Return the team's name."""
        return str(obj.entrant.team.name)


class HeldOutForm(forms.Form):
    """References of clips that are held out."""

    track = SlugField(label=_("Track"), queryset=Track.objects.none(), empty_label=None)
    version = forms.ModelChoiceField(
        label=_("Dataset"), queryset=DatasetVersion.objects.none(), empty_label=None
    )
    title = forms.CharField(
        label=_("Name"),
        max_length=TITLE_LIMIT,
        required=False,
        help_text=_("Overseers read it; empty: the dataset's."),
    )
    file = forms.FileField(
        label=_("References"),
        help_text=_("The track's own form of references, one row for each clip. They stay hidden."),
    )
    confirm = forms.BooleanField(
        label=_(
            "I have looked at the file. The set is kept for good: nobody can change or remove it."
        )
    )

    def __init__(self, *args: Any, competition: Competition, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        track, version = self.fields["track"], self.fields["version"]
        if isinstance(track, forms.ModelChoiceField):
            of_it = Track.objects.filter(competition=competition)
            scored = [one.pk for one in of_it if not scores_by_marks(one)]
            track.queryset = of_it.filter(pk__in=scored)
        if isinstance(version, forms.ModelChoiceField):
            held = DatasetVersion.objects.filter(
                dataset__competition=competition, clips__audio__pool=Pool.HELD_OUT
            )
            version.queryset = held.distinct()


class BeginForm(forms.Form):
    """Which entrants are verified against which set, and how their output comes here."""

    held_out = forms.ModelChoiceField(
        label=_("Held-out set"), queryset=HeldOutSet.objects.none(), empty_label=None
    )
    entrants = forms.MultipleChoiceField(label=_("Entrants"), widget=forms.CheckboxSelectMultiple)
    rotation = SlugField(
        label=_("Phase that stands for the pool"),
        queryset=Phase.objects.none(),
        required=False,
        empty_label=_("the verified phase itself"),
        help_text=_("A phase of drawn clips; held-out scores are compared with its scores."),
    )
    way = forms.ChoiceField(
        label=_("How the output comes here"),
        choices=VerificationWay.choices,
        initial=VerificationWay.ORGANIZER,
        widget=forms.RadioSelect,
    )
    opens_at = forms.CharField(
        label=_("Window opens"),
        required=False,
        help_text=_("Only where inputs are released, for example 2026-12-01 00:00 AoE"),
    )
    closes_at = forms.CharField(
        label=_("Window closes"), required=False, help_text=_("for example 2026-12-03 23:59 AoE")
    )

    def __init__(self, *args: Any, phase: Phase, rows: Sequence[Standing], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rows = {row.entrant.code: row for row in rows}
        held_out, rotation = self.fields["held_out"], self.fields["rotation"]
        entrants = self.fields["entrants"]
        if isinstance(held_out, forms.ModelChoiceField):
            held_out.queryset = HeldOutSet.objects.filter(track=phase.track)
        if isinstance(rotation, forms.ModelChoiceField):
            found = [one.pk for one in beginning.rotations_of(phase) if one != phase]
            rotation.queryset = Phase.objects.filter(pk__in=found)
        if isinstance(entrants, forms.MultipleChoiceField):
            entrants.choices = [(code, _named(row)) for code, row in self.rows.items()]
            entrants.initial = [row.entrant.code for row in beginning.offered(rows)]

    def clean_opens_at(self) -> datetime | None:
        """Return when the window opens, None without one."""
        return self._moment("opens_at", closing=False)

    def clean_closes_at(self) -> datetime | None:
        """Return when the window closes, exclusive, None without one."""
        return self._moment("closes_at", closing=True)

    @property
    def wish(self) -> Wish:
        """What was asked for; only for a valid form."""
        given = self.cleaned_data
        return Wish(
            entrants=tuple(self.rows[code].entrant for code in given["entrants"]),
            rotation=given["rotation"],
            way=VerificationWay(given["way"]),
            opens_at=given["opens_at"],
            closes_at=given["closes_at"],
        )

    def _moment(self, name: str, *, closing: bool) -> datetime | None:
        text = self.cleaned_data[name].strip()
        if not text:
            return None
        try:
            found: datetime = parse_moment(text, closing=closing)
        except MomentFault as fault:
            raise forms.ValidationError(str(fault)) from fault
        return found


class OutputForm(forms.Form):
    """A system's output for the held-out clips."""

    file = forms.FileField(label=_("Output"), allow_empty_file=True)


class EntrantOutputForm(OutputForm):
    """The output of one of the verified entrants, brought by an organizer."""

    named = TeamField(label=_("Entrant"), queryset=VerifiedEntrant.objects.none(), empty_label=None)
    field_order = ("named", "file")

    def __init__(self, *args: Any, entrants: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        named = self.fields["named"]
        if isinstance(named, forms.ModelChoiceField):
            named.queryset = entrants
            named.to_field_name = "code"


class ReleaseForm(forms.Form):
    """Release the inputs for good, with the reason that is kept with the move."""

    reason = forms.CharField(label=_("Reason"), max_length=REASON_LIMIT)
    confirm = forms.BooleanField(
        label=_("These clips are held out no more, and never again. I want this.")
    )


class PublishForm(forms.Form):
    """Publish what was looked at: the first digits of its hash typed."""

    digest = forms.CharField(max_length=64, widget=forms.HiddenInput)
    confirm = forms.CharField(
        max_length=64, widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.word = str(self["digest"].value() or "")[:CONFIRM_DIGITS]
        self.fields["confirm"].label = _("Type %(word)s to confirm") % {"word": self.word}

    def clean_confirm(self) -> str:
        """Return the typed word; anything else is refused."""
        typed: str = self.cleaned_data["confirm"].strip()
        if not self.word or typed != self.word:
            raise forms.ValidationError(
                _("This is not what was to be typed. Nothing was published.")
            )
        return typed


def _named(row: Standing) -> str:
    if row.place is not None:
        return f"{row.place}. {row.entrant.team.name}"
    if row.entrant.kind != EntrantKind.OFFICIAL:
        return f"{row.entrant.team.name} ({row.entrant.get_kind_display()})"
    return str(row.entrant.team.name)
