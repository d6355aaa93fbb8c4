"""Forms of the console's packs and draws; what the rules refuse comes from services."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from competition.enums import Pool, Strata
from competition.models import Competition, DatasetVersion, EntrantMember, Phase
from competition.timeline import MomentFault, parse_moment
from grading.services import draws

TEXT_LIMIT = 20_000


class VersionField(forms.ModelChoiceField):  # type: ignore[type-arg]  # generic in stubs alone
    """A choice of dataset versions, each with how many of its clips are in which pool."""

    def label_from_instance(self, obj: Any) -> str:
        """Return title, version and counts, "Rotation v1 (rotation 55)"."""
        counts = [
            f"{Pool(pool).label} {count}"
            for pool in (Pool.OPEN, Pool.ROTATION)
            if (count := getattr(obj, f"in_{pool}", 0))
        ]
        return f"{obj.dataset.title} v{obj.number} ({', '.join(counts)})"


def _usable(competition: Competition, *pools: Pool) -> QuerySet[DatasetVersion]:
    """Return the versions with clips in one of the pools, each with its counts."""
    counts = {
        f"in_{pool}": Count("clips", filter=Q(clips__audio__pool=pool))
        for pool in (Pool.OPEN, Pool.ROTATION)
    }
    rows = DatasetVersion.objects.filter(dataset__competition=competition).annotate(**counts)
    wanted = Q()
    for pool in pools:
        wanted |= Q(**{f"in_{pool}__gt": 0})
    return rows.filter(wanted).select_related("dataset")


class PackForm(forms.Form):
    """A pack: its name, the clips of a dataset, a text, and how copies are given away."""

    name = forms.CharField(
        label=_("Name"),
        max_length=64,
        help_text=_("a to z, 0 to 9 and hyphens; it stands in the file's name."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    version = VersionField(
        label=_("Dataset"),
        queryset=DatasetVersion.objects.none(),
        required=False,
        empty_label=_("none: texts alone"),
        help_text=_("Only clips of the pools ticked below go in; what is held out never does."),
    )
    pools = forms.MultipleChoiceField(
        label=_("Pools"),
        choices=[(Pool.OPEN.value, Pool.OPEN.label), (Pool.ROTATION.value, Pool.ROTATION.label)],
        initial=[Pool.OPEN.value],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    readme = forms.CharField(
        label=_("README.txt"),
        max_length=TEXT_LIMIT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    note = forms.CharField(label=_("Note for participants"), max_length=500, required=False)
    valid_days = forms.IntegerField(label=_("Days to download"), min_value=1, max_value=3660, initial=30)  # fmt: skip
    approve = forms.BooleanField(
        label=_("An organizer approves each request"), required=False, initial=True
    )

    def __init__(self, *args: Any, competition: Competition, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["version"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = _usable(competition, Pool.OPEN, Pool.ROTATION)


class IssueForm(forms.Form):
    """The person a copy is issued to without having asked: one of those who may be given it."""

    person = forms.ChoiceField(label=_("Person"))

    def __init__(self, *args: Any, people: Iterable[EntrantMember], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["person"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [
                ("", _("choose a person")),
                *((one.user.code, f"{one.user.name} ({one.entrant.team.name})") for one in people),
            ]


class WindowForm(forms.Form):
    """A window of draws: from which dataset, how many clips, in which strata, when."""

    version = VersionField(
        label=_("Dataset"),
        queryset=DatasetVersion.objects.none(),
        empty_label=None,
        help_text=_("Those with clips in the rotation pool; no others can be drawn."),
    )
    n = forms.IntegerField(label=_("Clips to draw"), min_value=1)
    strata = forms.ChoiceField(label=_("Strata"), choices=Strata.choices)
    phase = forms.ModelChoiceField(
        label=_("Phase, if it is one's"), queryset=Phase.objects.none(), required=False
    )
    gives_clips = forms.BooleanField(
        label=_("The phase takes the drawn clips as its own"),
        required=False,
        help_text=_("Only before it opens; it is scored on them alone."),
    )
    opens_at = forms.CharField(
        label=_("Opens"), help_text=_("for example 2026-12-01 00:00 AoE, or UTC")
    )
    closes_at = forms.CharField(
        label=_("Closes"),
        help_text=_("for example 2026-12-08 23:59 AoE; it lasts through that minute"),
    )
    public_name = forms.CharField(
        label=_("Public value"),
        max_length=200,
        required=False,
        help_text=_("A number that nobody knows today, named exactly; recommended for prizes."),
    )

    def __init__(self, *args: Any, competition: Competition, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        version, phase = self.fields["version"], self.fields["phase"]
        if isinstance(version, forms.ModelChoiceField):
            version.queryset = _usable(competition, Pool.ROTATION)
        if isinstance(phase, forms.ModelChoiceField):
            phase.queryset = Phase.objects.filter(track__competition=competition)

    def clean(self) -> dict[str, Any]:
        """Return what was given; every refusal that can be told now stands at its field."""
        given = super().clean() or {}
        faults = draws.time_faults(given.get("opens_at"), given.get("closes_at"), timezone.now())
        if given.get("version") is not None and given.get("n") is not None:
            fault = draws.size_fault(given["version"], given["n"])
            faults += [fault] if fault is not None else []
        for fault in faults:
            self.add_error(str(fault.params["field"]), fault.message)
        return given

    def clean_opens_at(self) -> Any:
        """Return the moment at which the window opens."""
        return self._moment("opens_at", closing=False)

    def clean_closes_at(self) -> Any:
        """Return the moment, exclusive, at which the window closes."""
        return self._moment("closes_at", closing=True)

    def _moment(self, name: str, *, closing: bool) -> Any:
        try:
            return parse_moment(self.cleaned_data[name], closing=closing)
        except MomentFault as fault:
            raise forms.ValidationError(str(fault)) from fault


class PublicValueForm(forms.Form):
    """The public value that was named in advance."""

    value = forms.CharField(label=_("Value"), max_length=200)
