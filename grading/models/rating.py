"""What people rate: a protocol for a final selection, its systems, texts and sounds."""

from __future__ import annotations

import secrets

from django.conf import settings as site
from django.db import models
from django.db.models import Q

from accounts.codes import new_code
from grading.enums import ProtocolState, RatingForm, SelectionReason, StimulusKind
from grading.models.final import FinalSelection, FinalSystem
from grading.models.querysets import RatingProtocolQuerySet
from grading.models.submission import Submission
from grading.models.waveform import Waveform
from grading.scoring.rating.forms import Form, form_of

CONTROLS = [StimulusKind.PRACTICE, StimulusKind.TRAP, StimulusKind.KNOWN]
"""Items of the organizers' own, with marks to expect."""


def new_key() -> str:
    """Return 128 random bits in hex: a name that says nothing of what it names."""
    return secrets.token_hex(16)


class RatingProtocol(models.Model):
    """How the systems of a selection are rated by people. `settings` may change while it is a draft.

    At opening they are frozen: `RatingOpening` keeps them with their hash. `seed` decides texts,
    plans and the order of everything. A selection has one protocol of each form; `compared_with` is
    the system that a form of comparisons sets against every other.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    selection = models.ForeignKey(FinalSelection, on_delete=models.PROTECT, related_name="ratings")
    form = models.CharField(max_length=8, choices=RatingForm.choices, default=RatingForm.NVV)
    compared_with = models.ForeignKey(
        FinalSystem, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    state = models.CharField(
        max_length=8, choices=ProtocolState.choices, default=ProtocolState.DRAFT
    )
    settings = models.JSONField(default=dict)
    seed = models.CharField(max_length=32, default=new_key)
    created_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = RatingProtocolQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=ProtocolState.values), name="grading_protocol_state"
            ),
            models.CheckConstraint(
                condition=Q(form__in=RatingForm.values), name="grading_protocol_form"
            ),
            models.UniqueConstraint(fields=["selection", "form"], name="grading_protocol_once"),
            models.CheckConstraint(
                condition=Q(form=RatingForm.COMOS, compared_with__isnull=False)
                | (~Q(form=RatingForm.COMOS) & Q(compared_with__isnull=True)),
                name="grading_protocol_compared",
            ),
            models.CheckConstraint(
                condition=Q(state=ProtocolState.DRAFT, opened_at__isnull=True)
                | (~Q(state=ProtocolState.DRAFT) & Q(opened_at__isnull=False)),
                name="grading_protocol_opened",
            ),
            models.CheckConstraint(
                condition=Q(state=ProtocolState.CLOSED, closed_at__isnull=False)
                | (~Q(state=ProtocolState.CLOSED) & Q(closed_at__isnull=True)),
                name="grading_protocol_closed",
            ),
            models.CheckConstraint(condition=~Q(seed=""), name="grading_protocol_seed"),
        ]

    def __str__(self) -> str:
        return f"{self.state} rating of {self.selection}"

    @property
    def declared(self) -> Form:
        """What the form asks, of how many sounds, and what follows from it."""
        return form_of(self.form)

    @property
    def rated_utterances(self) -> dict[str, list[str]]:
        """The texts that count, by language: ids in order; one that was dropped is not among them."""
        found: dict[str, list[str]] = {}
        rows = self.texts.filter(dropped_at__isnull=True).order_by("language", "utt_id")
        for language, utt_id in rows.values_list("language", "utt_id"):
            found.setdefault(language, []).append(utt_id)
        return found


class RatingOpening(models.Model):
    """What held when a protocol opened: settings and their hash, and the hash of what is rated.

    `plan_sha256` is of the systems, texts, sounds and slots; `settings_sha256` is on every score
    made from these ratings. Never changed.
    """

    protocol = models.OneToOneField(
        RatingProtocol, on_delete=models.PROTECT, related_name="opening"
    )
    settings = models.JSONField()
    settings_sha256 = models.CharField(max_length=64)
    plan_sha256 = models.CharField(max_length=64)
    seed = models.CharField(max_length=32)
    actor = models.ForeignKey(
        site.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    opened_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(settings_sha256="") & ~Q(plan_sha256=""),
                name="grading_opening_hashes",
            ),
        ]

    def __str__(self) -> str:
        return f"opening of {self.protocol}"


class RatedSystem(models.Model):
    """A system as raters' work is counted by: `pseudonym` is what lists and exports call it."""

    protocol = models.ForeignKey(RatingProtocol, on_delete=models.CASCADE, related_name="systems")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=16, choices=SelectionReason.choices)
    pseudonym = models.CharField(max_length=8)

    class Meta:
        ordering = ["protocol_id", "pseudonym"]
        constraints = [
            models.UniqueConstraint(
                fields=["protocol", "submission"], name="grading_rated_system_once"
            ),
            models.UniqueConstraint(
                fields=["protocol", "pseudonym"], name="grading_rated_system_name"
            ),
            models.CheckConstraint(condition=~Q(pseudonym=""), name="grading_rated_system_named"),
        ]

    def __str__(self) -> str:
        return f"{self.pseudonym} of {self.protocol}"


class RatedText(models.Model):
    """One text of the rated set, the same for every system; a dropped one counts for none."""

    protocol = models.ForeignKey(RatingProtocol, on_delete=models.CASCADE, related_name="texts")
    language = models.CharField(max_length=16)
    utt_id = models.CharField(max_length=200)
    text = models.TextField()
    dropped_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["protocol_id", "language", "utt_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["protocol", "language", "utt_id"], name="grading_rated_text_once"
            ),
            models.CheckConstraint(
                condition=~Q(utt_id="") & ~Q(text=""), name="grading_rated_text_whole"
            ),
        ]

    def __str__(self) -> str:
        return f"text {self.utt_id} of {self.protocol}"


class Stimulus(models.Model):
    """A sound with its text: a system's clip, or a trap, a known answer, a practice item.

    In a form of comparisons `compared_with` is the other sound of the pair, a stimulus of its own
    that is given to nobody by itself.

    `expected` are the marks by letter that a control item asks for; `explanation` maps
    language -> why, for practice. `key` names it without naming a system. What `prepare` makes of
    `waveform` is all there or not at all. While `held_at` is set it is given to nobody: two raters
    reported its audio broken.
    """

    protocol = models.ForeignKey(RatingProtocol, on_delete=models.CASCADE, related_name="stimuli")
    kind = models.CharField(max_length=8, choices=StimulusKind.choices)
    language = models.CharField(max_length=16)
    name = models.CharField(max_length=200)
    """The utterance's id, or what organizers call a control item."""
    text = models.TextField()
    system = models.ForeignKey(
        RatedSystem, on_delete=models.CASCADE, null=True, blank=True, related_name="stimuli"
    )
    rated_text = models.ForeignKey(
        RatedText, on_delete=models.CASCADE, null=True, blank=True, related_name="stimuli"
    )
    compared_with = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="pairs"
    )
    expected = models.JSONField(null=True, blank=True)
    explanation = models.JSONField(default=dict)
    waveform = models.ForeignKey(Waveform, on_delete=models.PROTECT, related_name="stimuli")
    key = models.CharField(max_length=64, unique=True, default=new_key)
    held_at = models.DateTimeField(null=True, blank=True)

    storage_key = models.CharField(max_length=200, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    size = models.PositiveBigIntegerField(null=True, blank=True)
    frames = models.PositiveIntegerField(null=True, blank=True)
    """Samples at 16,000 a second of the prepared sound, its padding among them."""
    gain_cdb = models.IntegerField(null=True, blank=True)
    loudness = models.JSONField(null=True, blank=True)
    peaks = models.JSONField(null=True, blank=True)
    prepared_at = models.DateTimeField(null=True, blank=True)
    rung_at = models.DateTimeField(null=True, blank=True)
    prepare_error = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["protocol_id", "kind", "language", "name", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=StimulusKind.values), name="grading_stimulus_kind"
            ),
            models.CheckConstraint(
                condition=Q(
                    kind=StimulusKind.SCORED,
                    system__isnull=False,
                    rated_text__isnull=False,
                    expected__isnull=True,
                )
                | Q(kind=StimulusKind.COMPARED, system__isnull=True, expected__isnull=True)
                | Q(
                    kind__in=CONTROLS,
                    system__isnull=True,
                    rated_text__isnull=True,
                    expected__isnull=False,
                ),
                name="grading_stimulus_fields",
            ),
            models.CheckConstraint(
                condition=~Q(kind=StimulusKind.COMPARED) | Q(compared_with__isnull=True),
                name="grading_stimulus_pair",
            ),
            models.UniqueConstraint(
                fields=["rated_text"],
                condition=Q(kind=StimulusKind.COMPARED),
                name="grading_stimulus_compared",
            ),
            models.UniqueConstraint(
                fields=["system", "rated_text"],
                condition=Q(kind=StimulusKind.SCORED),
                name="grading_stimulus_once",
            ),
            models.UniqueConstraint(
                fields=["protocol", "kind", "language", "name"],
                condition=Q(kind__in=CONTROLS),
                name="grading_stimulus_control",
            ),
            models.CheckConstraint(
                condition=Q(
                    prepared_at__isnull=True,
                    storage_key="",
                    sha256="",
                    size__isnull=True,
                    frames__isnull=True,
                    gain_cdb__isnull=True,
                )
                | (
                    Q(
                        prepared_at__isnull=False,
                        size__isnull=False,
                        size__gte=1,
                        frames__isnull=False,
                        frames__gte=1,
                        gain_cdb__isnull=False,
                        prepare_error="",
                    )
                    & ~Q(storage_key="")
                    & ~Q(sha256="")
                ),
                name="grading_stimulus_prepared",
            ),
            models.CheckConstraint(
                condition=~Q(text="") & ~Q(name=""), name="grading_stimulus_whole"
            ),
        ]
        indexes = [
            models.Index(fields=["protocol", "prepared_at"], name="grading_stimulus_sweep"),
        ]

    def __str__(self) -> str:
        return f"stimulus {self.pk}"

    def sounds(
        self, *, system_first: bool | None = None, is_twice: bool = False
    ) -> tuple[Stimulus, ...]:
        """Return what is heard, in order: itself, or with what it is compared with.

        Of a pair the other one comes first unless `system_first`; `is_twice` makes a pair of it alone.
        """
        if is_twice:
            return (self, self)
        if self.compared_with is None:
            return (self,)
        return (self, self.compared_with) if system_first else (self.compared_with, self)

    @property
    def seconds(self) -> float | None:
        """How long the prepared sound lasts; None before it is prepared."""
        return None if self.frames is None else self.frames / 16_000
