"""Who rates: invitations, consent, raters, what they declared, and their sittings."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.codes import new_code
from competition.models import Entrant
from grading.enums import RaterState, SessionState
from grading.models.querysets import OfRaterQuerySet, RaterQuerySet
from grading.models.rating import RatingProtocol

PERSONAL_STATES = [RaterState.JOINED, RaterState.ACTIVE]
RUNNING_SESSIONS = [SessionState.CHECKS, SessionState.PRACTICE, SessionState.RATING]


class RaterInvitation(models.Model):
    """An invitation to rate, by e-mail; only the digest of its secret is stored."""

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    protocol = models.ForeignKey(
        RatingProtocol, on_delete=models.PROTECT, related_name="invitations"
    )
    email = models.EmailField(max_length=254)
    secret_digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=models.F("created_at")),
                name="grading_rater_invitation_window",
            ),
            models.UniqueConstraint(
                fields=["protocol", "email"],
                condition=Q(accepted_at__isnull=True, revoked_at__isnull=True),
                name="grading_rater_invitation_once",
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.code}"


class ConsentText(models.Model):
    """What raters consent to, one version in one language. Never edited.

    `keeps_ratings` is what it says of a withdrawal: whether ratings stay under a pseudonym.
    """

    protocol = models.ForeignKey(
        RatingProtocol, on_delete=models.PROTECT, related_name="consent_texts"
    )
    version = models.PositiveIntegerField()
    language = models.CharField(max_length=16)
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    keeps_ratings = models.BooleanField()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["protocol_id", "-version", "language"]
        constraints = [
            models.UniqueConstraint(
                fields=["protocol", "version", "language"], name="grading_consent_text_once"
            ),
            models.CheckConstraint(
                condition=Q(version__gte=1) & ~Q(text="") & ~Q(sha256=""),
                name="grading_consent_text_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"consent {self.version} ({self.language}) of {self.protocol}"


class Rater(models.Model):
    """A person who rates in one protocol. `pseudonym` is all that lists, exports and results know.

    `languages` are what they said they can judge. `user` is empty for ratings that were imported and
    for those who withdrew: then nothing leads to a person any more. `rests_since` is set while a
    break is due.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    protocol = models.ForeignKey(RatingProtocol, on_delete=models.PROTECT, related_name="raters")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="raters",
    )
    pseudonym = models.CharField(max_length=32)
    state = models.CharField(max_length=16, choices=RaterState.choices, default=RaterState.JOINED)
    languages = models.JSONField(default=list)
    is_simulated = models.BooleanField(default=False)
    joined_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    practiced_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = RaterQuerySet.as_manager()

    class Meta:
        ordering = ["protocol_id", "pseudonym"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=RaterState.values), name="grading_rater_state"
            ),
            models.UniqueConstraint(
                fields=["protocol", "user"],
                condition=Q(user__isnull=False),
                name="grading_rater_once",
            ),
            models.UniqueConstraint(
                fields=["protocol", "pseudonym"], name="grading_rater_pseudonym"
            ),
            models.CheckConstraint(condition=~Q(pseudonym=""), name="grading_rater_named"),
            models.CheckConstraint(
                condition=~Q(state=RaterState.WITHDRAWN) | Q(user__isnull=True),
                name="grading_rater_withdrawn",
            ),
            models.CheckConstraint(
                condition=Q(state__in=PERSONAL_STATES, ended_at__isnull=True)
                | (~Q(state__in=PERSONAL_STATES) & Q(ended_at__isnull=False)),
                name="grading_rater_ended",
            ),
        ]

    def __str__(self) -> str:
        return f"rater {self.pseudonym}"


class RaterConsent(models.Model):
    """A rater consented to one version of the text. Never edited; a withdrawal ends the rater."""

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="consents")
    text = models.ForeignKey(ConsentText, on_delete=models.PROTECT, related_name="+")
    given_at = models.DateTimeField()

    class Meta:
        ordering = ["rater_id", "-given_at"]
        constraints = [
            models.UniqueConstraint(fields=["rater", "text"], name="grading_consent_once"),
        ]

    def __str__(self) -> str:
        return f"consent of {self.rater}"


class DeclaredConflict(models.Model):
    """A rater said that they are close to an entrant; they are never given its clips."""

    rater = models.ForeignKey(Rater, on_delete=models.CASCADE, related_name="conflicts")
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="+")
    declared_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rater", "entrant"], name="grading_conflict_once"),
        ]

    def __str__(self) -> str:
        return f"{self.rater} and {self.entrant}"


class RatingSession(models.Model):
    """One sitting of a rater in one language: checks, practice where it is due, then the tasks.

    `layout` is the order of its kinds of tasks, fixed at the start; `position` the next of them.
    `check_seed` decides the trials of the headphones check, `check_results` holds how many were
    right in each round. `practiced` are the keys of the practice items done in this sitting.
    """

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="sessions")
    language = models.CharField(max_length=16)
    number = models.PositiveIntegerField()
    state = models.CharField(
        max_length=16, choices=SessionState.choices, default=SessionState.CHECKS
    )
    started_at = models.DateTimeField()
    rating_since = models.DateTimeField(null=True, blank=True)
    rested_at = models.DateTimeField(null=True, blank=True)
    """When the last break was taken or offered and declined."""
    ended_at = models.DateTimeField(null=True, blank=True)
    check_seed = models.CharField(max_length=32)
    check_results = models.JSONField(default=list)
    practiced = models.JSONField(default=list)
    layout = models.JSONField(default=list)
    position = models.PositiveIntegerField(default=0)
    is_imported = models.BooleanField(default=False)

    objects = OfRaterQuerySet.as_manager()

    class Meta:
        ordering = ["rater_id", "-number"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=SessionState.values), name="grading_session_state"
            ),
            models.UniqueConstraint(fields=["rater", "number"], name="grading_session_number"),
            models.UniqueConstraint(
                fields=["rater"],
                condition=Q(state__in=RUNNING_SESSIONS),
                name="grading_session_one_running",
            ),
            models.CheckConstraint(
                condition=Q(state__in=RUNNING_SESSIONS, ended_at__isnull=True)
                | (~Q(state__in=RUNNING_SESSIONS) & Q(ended_at__isnull=False)),
                name="grading_session_ended",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=[SessionState.RATING, SessionState.FINISHED])
                | Q(rating_since__isnull=False),
                name="grading_session_rating",
            ),
        ]

    def __str__(self) -> str:
        return f"session {self.number} of {self.rater}"
