"""What of each table belongs to one competition, and what never leaves an installation.

A new model must be named in PARTS or in LEFT_OUT; a test compares.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db.models import Model, Q, QuerySet

from competition.models import Competition
from grading.enums import UploadState

PEOPLE = "accounts.user"
PERSON_COLUMNS = ("id", "code")
"""Of a person only the pseudonym goes along: no name, address, password or language."""


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of a table whose `path` leads to the competition.

    `also` is another such path. `without` names rows that stay behind, `blank` columns whose text
    does, `emptied` columns that become NULL. Rows that competitions may share are the same where the
    `shared` columns are.
    """

    label: str
    path: str
    without: dict[str, Any] = field(default_factory=dict)
    blank: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    also: str = ""

    @property
    def model(self) -> type[Model]:
        """The table's model."""
        return apps.get_model(self.label)

    def rows(self, competition: Competition) -> QuerySet[Any]:
        """Return the competition's rows."""
        wanted = Q(**{self.path: competition.pk})
        if self.also:
            wanted |= Q(**{self.also: competition.pk})
        found = self.model._default_manager.filter(wanted)
        # By key, because a path through many rows would name a row more than once.
        return self.model._default_manager.filter(
            pk__in=found.exclude(**self.without).values("pk")
            if self.without
            else found.values("pk")
        )


_PHASE = "phase__track__competition"
_SUBMISSION = "submission__phase__track__competition"
_VERSION = "version__dataset__competition"
_PROTOCOL = f"protocol__selection__{_PHASE}"
_RATER = f"rater__{_PROTOCOL}"
_OPEN = {"state": UploadState.OPEN}

PARTS = (
    Part("accounts.team", "entrants__competition", shared=("code",)),
    Part(
        "accounts.teammembership",
        "team__entrants__competition",
        shared=("team_id", "user_id", "joined_at"),
    ),
    Part("competition.competition", "pk"),
    Part("competition.terms", "competition"),
    Part("competition.termsacceptance", "terms__competition", blank=("typed_name",)),
    Part("competition.rolegrant", "competition"),
    Part("competition.announcement", "competition"),
    Part("competition.track", "competition"),
    Part("competition.referenceversion", "track__competition"),
    Part("competition.referenceutterance", "references__track__competition"),
    Part("competition.phase", "track__competition"),
    Part("competition.deadlinechange", _PHASE),
    Part("competition.boardchange", _PHASE),
    Part("competition.entrant", "competition"),
    Part("competition.entrantmember", "competition"),
    Part("competition.entrantchange", "entrant__competition"),
    Part("competition.linkjudgement", "competition"),
    Part("competition.entrantmerge", "competition"),
    Part("competition.question", "competition"),
    Part("competition.dataset", "competition"),
    Part("competition.datasetversion", "dataset__competition"),
    Part("competition.audio", f"clips__{_VERSION}", shared=("sha256",)),
    Part("competition.poolmove", f"audio__clips__{_VERSION}", shared=("audio_id", "at")),
    Part("competition.datasetclip", _VERSION),
    Part("competition.pack", "competition"),
    Part("competition.packfile", "pack__competition"),
    Part("competition.packissue", "competition", blank=("note",)),
    Part("competition.copyhash", "issue__competition"),
    Part("competition.download", "issue__competition"),
    Part("competition.drawwindow", "competition"),
    Part("competition.poolclip", "window__competition"),
    Part("competition.draw", "window__competition"),
    Part("competition.drawnclip", "draw__window__competition"),
    Part("competition.exposure", "draw__window__competition"),
    Part("competition.phasedraw", _PHASE),
    Part("competition.packaddressee", "pack__competition"),
    Part("grading.recipe", "phases__phase__track__competition", shared=("digest",)),
    Part("grading.phaserecipe", _PHASE),
    Part("grading.submission", _PHASE),
    Part("grading.renaming", _SUBMISSION),
    Part("grading.validationproblem", _SUBMISSION),
    Part("grading.quotaentry", _SUBMISSION),
    Part("grading.uploadsession", _PHASE, without=_OPEN),
    Part("grading.uploadpart", f"session__{_PHASE}", without={"session__state": UploadState.OPEN}),
    Part("grading.fileset", _PHASE, without=_OPEN),
    Part(
        "grading.waveform",
        f"clips__{_SUBMISSION}",
        shared=("sha256",),
        also=f"stimuli__{_PROTOCOL}",
    ),
    Part("grading.clip", _SUBMISSION),
    Part("grading.evaluation", _SUBMISSION),
    Part("grading.evaluationtallies", f"evaluation__{_SUBMISSION}"),
    Part("grading.judgerun", f"evaluation__{_SUBMISSION}"),
    Part(
        "grading.judgeanswer",
        f"ratings__run__evaluation__{_SUBMISSION}",
        shared=("cache_key",),
    ),
    Part("grading.judgerating", f"run__evaluation__{_SUBMISSION}"),
    Part("grading.rescoring", _PHASE),
    Part("grading.rescorecheck", f"evaluation__{_SUBMISSION}"),
    Part("grading.board", _PHASE),
    Part("grading.standing", f"board__{_PHASE}"),
    Part("grading.finalselection", _PHASE),
    Part("grading.finalsystem", f"selection__{_PHASE}"),
    Part("grading.finalboard", _PHASE),
    Part("grading.finalranking", f"board__{_PHASE}"),
    Part("grading.finalstanding", f"ranking__board__{_PHASE}"),
    Part("grading.finalact", f"board__{_PHASE}"),
    Part("grading.finalcheck", f"ranking__board__{_PHASE}"),
    Part("grading.ratingprotocol", f"selection__{_PHASE}"),
    Part("grading.ratingopening", _PROTOCOL),
    Part("grading.ratedsystem", _PROTOCOL),
    Part("grading.ratedtext", _PROTOCOL),
    Part("grading.stimulus", _PROTOCOL),
    Part("grading.consenttext", _PROTOCOL),
    # Nothing leads from a rater's pseudonym to a person: see grading.declaredconflict as well.
    Part("grading.rater", _PROTOCOL, emptied=("user_id",)),
    Part("grading.raterconsent", _RATER),
    Part("grading.ratingsession", _RATER),
    Part("grading.planrow", _PROTOCOL),
    Part("grading.planslot", _PROTOCOL),
    Part("grading.ratingtask", _RATER, emptied=("draft", "draft_at")),
    Part("grading.rating", _RATER),
    Part("grading.ratingnote", f"rating__{_RATER}"),
    Part("grading.brokenreport", _RATER),
    Part("grading.ratingexclusion", _PROTOCOL),
    Part("grading.qualityreport", _PROTOCOL),
    Part("grading.heldoutset", "track__competition"),
    Part("grading.heldoutclip", "held_out__track__competition"),
    Part("grading.verification", _PHASE),
    Part("grading.verifiedentrant", f"verification__{_PHASE}"),
    Part("grading.verificationrun", f"named__verification__{_PHASE}"),
    Part("grading.verificationpublication", f"verification__{_PHASE}"),
    Part("grading.verificationoutcome", f"publication__verification__{_PHASE}"),
    Part("grading.filing", f"system__selection__{_PHASE}"),
    Part("grading.filingcheck", f"filing__system__selection__{_PHASE}"),
)
"""In an order in which each row comes after those that it names. The log and people come apart."""

LEFT_OUT = {
    "accounts.user": "apart: pseudonyms only",
    "accounts.auditchain": "apart: the competition's own chain",
    "accounts.auditevent": "apart: the competition's own chain",
    "accounts.auditcheckpoint": "signed for the chain as it stands on this installation",
    "accounts.auditprivate": "addresses and user agents",
    "accounts.apitoken": "secrets of people",
    "accounts.teaminvitation": "addresses and secrets",
    "accounts.loginfailure": "of the site",
    "grading.idempotencykey": "answers to requests of one day",
    "grading.workerheartbeat": "of the installation",
    "grading.sentfile": "became the archive of a submission, or nothing",
    "grading.notice": "mails to people",
    "grading.judgeattempt": "calls of the installation; what they came to stands on the run",
    "grading.judgegate": "of the installation",
    "grading.judgecanaryset": "of the installation: clips that judges are tried with",
    "grading.judgecanary": "of the installation: clips that judges are tried with",
    "grading.raterinvitation": "addresses and secrets",
    "grading.declaredconflict": "what raters said of themselves; who comes along rates no more",
    "grading.audiogrant": "links to sounds, for half an hour each",
    "grading.receiptkey": "apart: public halves, in the form in which they are published",
}
