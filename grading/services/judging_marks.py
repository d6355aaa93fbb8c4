"""The marks that a judge gave, for scoring; and why they are not all there yet."""

from __future__ import annotations

from collections import defaultdict

from grading.enums import JudgeRunState, JudgeStop
from grading.judges.asking import Asking, OfSounds, OfWords
from grading.models import Evaluation, JudgeRating, JudgeRun, Recipe
from grading.scoring.tracks.nvv_t2_judge import JudgeDefinition


def definition_of(evaluation: Evaluation) -> JudgeDefinition | None:
    """Return the judge that an evaluation's recipe defines, None where it defines none."""
    found = getattr(evaluation.recipe.read_params, "judge", None)
    return found if isinstance(found, JudgeDefinition) else None


def asking_of(recipe: Recipe, definition: JudgeDefinition) -> Asking:
    """Return how the judge of a recipe is asked, and what of its answers is a mark."""
    if definition.is_of_words:
        return OfWords(recipe.read_params.scale)
    return OfSounds(definition.prompt_language)


def marks_of(evaluation: Evaluation) -> dict[str, list[list[float]]]:
    """Return the marks of each item that has all of them: a list for each answer.

    Of a clip they are A, P, N, Q, E, of words the one mark.

    Answers come in the order of the definition's profiles, each with its replicates from the first
    to the last. Marks are as they were given, before any cap; where the judge's structured field
    says that the vocalization is absent, A and P are 0. An utterance that lacks one is not there.
    """
    definition = definition_of(evaluation)
    if definition is None:
        return {}
    wanted = [(profile.name, number) for profile, number in definition.keys]
    found: dict[str, dict[tuple[str, int], list[float]]] = defaultdict(dict)
    ratings = JudgeRating.objects.filter(run__evaluation=evaluation).select_related("answer")
    for rating in ratings.defer("answer__raw").order_by("utt_id"):
        found[rating.utt_id][rating.profile, rating.replicate] = rating.answer.marks
    return {
        utt_id: [marks[key] for key in wanted]
        for utt_id, marks in found.items()
        if all(key in marks for key in wanted)
    }


def why_waiting(evaluation: Evaluation) -> str:
    """Return the sentence that says why a judge's run stopped; empty when it goes on by itself."""
    run = JudgeRun.objects.filter(evaluation=evaluation).only("state", "stop_reason").first()
    if run is None or run.state != JudgeRunState.STOPPED:
        return ""
    return str(JudgeStop(run.stop_reason).label)
