"""What of each table belongs to one competition, and what never leaves an installation.

A new model must be named in PARTS or in LEFT_OUT; a test compares.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db.models import Model, QuerySet

from competition.models import Competition
from grading.enums import UploadState

PEOPLE = "accounts.user"
PERSON_COLUMNS = ("id", "code")
"""Of a person only the pseudonym goes along: no name, address, password or language."""


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of a table whose `path` leads to the competition.

    `without` names rows that stay behind, `blank` columns whose text does. Rows that competitions
    may share are the same where the `shared` columns are.
    """

    label: str
    path: str
    without: dict[str, Any] = field(default_factory=dict)
    blank: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()

    @property
    def model(self) -> type[Model]:
        """The table's model."""
        return apps.get_model(self.label)

    def rows(self, competition: Competition) -> QuerySet[Any]:
        """Return the competition's rows."""
        found = self.model._default_manager.filter(**{self.path: competition.pk})
        # By key, because a path through many rows would name a row more than once.
        return self.model._default_manager.filter(
            pk__in=found.exclude(**self.without).values("pk")
            if self.without
            else found.values("pk")
        )


_PHASE = "phase__track__competition"
_SUBMISSION = "submission__phase__track__competition"
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
    Part("competition.question", "competition"),
    Part("grading.recipe", "phases__phase__track__competition", shared=("digest",)),
    Part("grading.phaserecipe", _PHASE),
    Part("grading.submission", _PHASE),
    Part("grading.renaming", _SUBMISSION),
    Part("grading.validationproblem", _SUBMISSION),
    Part("grading.quotaentry", _SUBMISSION),
    Part("grading.uploadsession", _PHASE, without=_OPEN),
    Part("grading.uploadpart", f"session__{_PHASE}", without={"session__state": UploadState.OPEN}),
    Part("grading.evaluation", _SUBMISSION),
    Part("grading.evaluationtallies", f"evaluation__{_SUBMISSION}"),
    Part("grading.rescoring", _PHASE),
    Part("grading.rescorecheck", f"evaluation__{_SUBMISSION}"),
    Part("grading.board", _PHASE),
    Part("grading.standing", f"board__{_PHASE}"),
)
"""In an order in which each row comes after those that it names. The log and people come apart."""

LEFT_OUT = {
    "accounts.user": "apart: pseudonyms only",
    "accounts.auditchain": "apart: the competition's own chain",
    "accounts.auditevent": "apart: the competition's own chain",
    "accounts.auditprivate": "addresses and user agents",
    "accounts.apitoken": "secrets of people",
    "accounts.teaminvitation": "addresses and secrets",
    "accounts.loginfailure": "of the site",
    "grading.idempotencykey": "answers to requests of one day",
    "grading.workerheartbeat": "of the installation",
    "grading.notice": "mails to people",
    "grading.receiptkey": "apart: public halves, in the form in which they are published",
}
