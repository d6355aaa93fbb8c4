"""What an organizer may look at of a scored submission: each utterance, with its alignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.refusals import NotFound
from competition.rules import is_organizer
from competition.services import references
from competition.services.errors import NotOrganizer
from grading.alignments import Column, TagPlace, draw_columns, place_tags
from grading.models import Evaluation, EvaluationTallies
from grading.scoring import registry
from grading.scoring.text.nvv1 import Transcript, read_transcript
from grading.scoring.tracks.nvv_references import NvvReferences
from grading.services.intake import limits_of
from grading.storage import local_copy, storing


class NothingToInspect(NotFound):
    """There are no tallies, or no such utterance."""

    code = "NOTHING_TO_INSPECT"


@dataclass(frozen=True, slots=True)
class Inspected:
    """One utterance as organizers see it: both texts, the alignment, where each tag came to lie."""

    utt_id: str
    language: str
    reference: str
    system: str
    columns: Sequence[Column]
    tags: Sequence[TagPlace]
    collar: int


def utterance_rows(*, actor: User, evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the tallies of every utterance, sorted by id. Refuses NotOrganizer, NothingToInspect."""
    _require_organizer(actor, evaluation)
    stored = EvaluationTallies.objects.filter(evaluation=evaluation).first()
    if stored is None:
        raise NothingToInspect(_("This submission has no score to look into."))
    tallies = registry.get(evaluation.recipe.scorer).tallies(bytes(stored.data))
    rows: list[dict[str, Any]] = tallies.rows()
    return rows


def inspect_utterance(*, actor: User, evaluation: Evaluation, utt_id: str) -> Inspected:
    """Return one utterance with its alignment. Refuses NotOrganizer, NothingToInspect."""
    _require_organizer(actor, evaluation)
    recipe = evaluation.recipe
    track = registry.get(recipe.scorer)
    if track.needs_marks:
        raise NothingToInspect(_("Nothing is aligned where a score is made of marks."))
    params = track.params(recipe.params)
    known: Any = track.references(references.read_bytes(recipe.references), params)
    if not isinstance(known, NvvReferences):
        raise NothingToInspect(_("The transcripts of this track hold no tags to be aligned."))
    if utt_id not in known.language_of:
        raise NothingToInspect(_("There is no such utterance in this phase."))
    language = known.language_of[utt_id]
    reference: Transcript = known.transcript(utt_id)
    text = _prediction(evaluation, track, params, known, utt_id)
    system = read_transcript(text, language, params.label_set)
    collar = params.collars[language]
    return Inspected(
        utt_id=utt_id,
        language=language,
        reference=known.texts[utt_id],
        system=text,
        columns=draw_columns(reference, system),
        tags=place_tags(reference, system, collar),
        collar=collar,
    )


def _require_organizer(actor: User, evaluation: Evaluation) -> None:
    if not is_organizer(actor, evaluation.submission.phase.track.competition):
        raise NotOrganizer(_("Only an organizer of this competition can do this."))


def _prediction(evaluation: Evaluation, track: Any, params: Any, known: Any, utt_id: str) -> str:
    submission = evaluation.submission
    with storing(), local_copy(submission.storage_key) as path:
        checked = track.check(
            path,
            ids=dict(known.language_of),
            params=params,
            limits=limits_of(submission.phase),
            filename=submission.filename,
        )
    if utt_id not in checked.predictions:
        raise NothingToInspect(_("The submission has no text for this utterance."))
    text: str = checked.predictions[utt_id]
    return text
