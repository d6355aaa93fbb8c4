"""Everything a snapshot of the final board is computed from, and the hash that it is known by."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from competition.enums import EntrantKind, EntrantState
from competition.models import Entrant
from grading.enums import EvaluationState, SelectionReason
from grading.models import Evaluation, FinalSelection, FinalSystem, Recipe, Submission
from grading.scoring import ranking, registry
from grading.scoring.rating.final import FINAL, FinalLine, Rules, System, final_board
from grading.scoring.rating.panel import Rating
from grading.scoring.recipe import canonical_json
from grading.scoring.recipe import seed as seed_of
from grading.scoring.tracks.base import Interval
from grading.scoring.tracks.nvv_t2_marks import Marks
from grading.services import recipes, selection
from grading.services.final import errors, people
from grading.services.final.people import People

UNRANKED = {SelectionReason.REFERENCE, SelectionReason.ANCHOR}

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Inputs:
    """Systems with the judge's marks, people's ratings, and the rules; submissions by code."""

    recipe: Recipe
    systems: tuple[System, ...]
    submissions: Mapping[str, Submission]
    people: People
    rules: Rules
    told: Json
    digest: str

    def compute(self) -> list[FinalLine]:
        """Return the rows of the final board; a few seconds for a dozen systems."""
        return final_board(self.systems, self.people.ratings, self.rules)


@dataclass(frozen=True, slots=True)
class _Judged:
    """A submission with its judge's evaluation, None where it has none, and why it was selected."""

    submission: Submission
    evaluation: Evaluation | None
    reason: str = ""


def collect(chosen: FinalSelection) -> Inputs:
    """Read what the final board of a selection is made of as it is stored now.

    Raises NothingRanked in a phase without a recipe.
    """
    recipe = recipes.live_recipe(chosen.phase)
    if recipe is None:
        raise errors.NothingRanked("the phase has no recipe")
    judged = [*_selected(chosen, recipe), *_others(chosen, recipe)]
    systems = tuple(_system(one, recipe) for one in judged)
    found = people.of_selection(chosen)
    rules = Rules(
        params=recipe.read_params,
        plan=found.plan,
        seed=seed_of(recipe.digest, f"{chosen.phase.code}:final"),
        bands=cast("ranking.Rule", chosen.phase.band_rule),
        replicates=found.draws,
    )
    return Inputs(
        recipe=recipe,
        systems=systems,
        submissions={one.submission.code: one.submission for one in judged},
        people=found,
        rules=rules,
        told=_told(judged, found, recipe),
        digest=_digest(systems, found, rules, recipe),
    )


def _selected(chosen: FinalSelection, recipe: Recipe) -> list[_Judged]:
    rows = list(
        FinalSystem.objects.filter(selection=chosen)
        .select_related("submission__entrant")
        .order_by("position")
    )
    evaluations = {
        one.submission_id: one
        for one in Evaluation.objects.filter(
            submission__in=[row.submission_id for row in rows],
            recipe=recipe,
            state=EvaluationState.SCORED,
        ).select_related("tallies")
    }
    return [_Judged(row.submission, evaluations.get(row.submission_id), row.reason) for row in rows]


def _others(chosen: FinalSelection, recipe: Recipe) -> list[_Judged]:
    """Return what counts of every entrant without a selected system: the judge alone heard it."""
    rated = set(chosen.systems.values_list("submission__entrant_id", flat=True))
    counted = selection.counted(chosen.phase, recipe=recipe)
    keys = [one.pk for entrant, one in counted.items() if entrant.pk not in rated]
    evaluations = Evaluation.objects.filter(pk__in=keys).select_related(
        "submission__entrant", "tallies"
    )
    return [
        _Judged(one.submission, one)
        for one in sorted(evaluations, key=lambda one: one.submission.code)
        if one.submission.entrant.state in _LISTED
    ]


_LISTED = {EntrantState.ACCEPTED, EntrantState.DISQUALIFIED, EntrantState.WITHDRAWN}


def _system(one: _Judged, recipe: Recipe) -> System:
    entrant = one.submission.entrant
    is_ranked = entrant.kind == EntrantKind.OFFICIAL and one.reason not in UNRANKED
    return System(
        name=one.submission.code,
        judge=_judge_marks(one.evaluation, recipe),
        is_rated=bool(one.reason),
        official=is_ranked,
        is_out=_is_out(entrant),
        intervals={} if one.evaluation is None else _intervals(one.evaluation),
    )


def _is_out(entrant: Entrant) -> bool:
    return entrant.state != EntrantState.ACCEPTED


def _judge_marks(evaluation: Evaluation | None, recipe: Recipe) -> dict[str, dict[str, Marks]]:
    """Return the judge's marks by language; nothing where one of them is missing."""
    if evaluation is None or evaluation.score is None:
        return {}
    stored = registry.get(recipe.scorer).tallies(bytes(evaluation.tallies.data))
    found: dict[str, dict[str, Marks]] = {}
    for clip in stored.clips:
        found.setdefault(clip.language, {})[clip.utt_id] = clip.marks
    return found


def _intervals(evaluation: Evaluation) -> dict[str, Interval]:
    found = {FINAL: Interval(evaluation.low, evaluation.high, evaluation.interval_reason)}
    for language, part in evaluation.languages.items():
        low, high = part.get("interval") or (None, None)
        found[language] = Interval(low, high, part.get("interval_reason", ""))
    return found


def _told(judged: Iterable[_Judged], found: People, recipe: Recipe) -> Json:
    """Return what had arrived, in counts: what two snapshots are compared by."""
    return {
        "recipe": recipe.digest,
        "protocol": found.protocol,
        "protocol_state": found.state,
        "settings_digest": found.settings_digest,
        "needed": found.plan.needed,
        "wanted": found.plan.wanted,
        "utterances": {name: len(ids) for name, ids in sorted(found.plan.rated.items())},
        "replicates": found.draws,
        "ratings": len(found.ratings),
        "raters": dict(sorted(Counter(one.rater for one in found.ratings).items())),
        "simulated": len(found.simulated & {one.rater for one in found.ratings}),
        "by_system": dict(sorted(Counter(one.system for one in found.ratings).items())),
        "systems": {
            one.submission.code: {
                "reason": one.reason,
                "kind": one.submission.entrant.kind,
                "state": one.submission.entrant.state,
                "judge": None if one.evaluation is None else one.evaluation.score,
            }
            for one in judged
        },
    }


def _digest(systems: Iterable[System], found: People, rules: Rules, recipe: Recipe) -> str:
    """Return the SHA-256 of every mark and rule, each on a line of canonical JSON."""
    hashed = hashlib.sha256()
    rule = {
        "recipe": recipe.digest,
        "plan": {name: list(ids) for name, ids in rules.plan.rated.items()},
        "needed": rules.plan.needed,
        "wanted": rules.plan.wanted,
        "seed": str(rules.seed),
        "bands": rules.bands,
        "replicates": rules.replicates,
        "settings": found.settings_digest,
    }
    hashed.update(canonical_json(rule) + b"\n")
    for system in systems:
        for line in _system_lines(system):
            hashed.update(canonical_json(line) + b"\n")
    for rating in sorted(found.ratings, key=lambda one: one[:4]):
        hashed.update(canonical_json(_rating_line(rating)) + b"\n")
    return hashed.hexdigest()


def _system_lines(system: System) -> Iterable[object]:
    flags = [system.name, system.is_rated, system.official, system.is_out]
    spans = {view: [one.low, one.high, one.reason] for view, one in system.intervals.items()}
    yield [*flags, spans]
    for language, marks in sorted(system.judge.items()):
        for utt_id, given in sorted(marks.items()):
            yield [language, utt_id, *map(str, given)]


def _rating_line(rating: Rating) -> list[str]:
    return [*rating[:4], *map(str, rating.marks)]


def result_digest(lines: Iterable[FinalLine], rules: Rules) -> str:
    """Return the SHA-256 of every digit of a snapshot, its seed among them."""
    told = {"seed": str(rules.seed), "rows": [one.as_json() for one in lines]}
    return hashlib.sha256(canonical_json(told)).hexdigest()
