"""A final board as somebody may see it: the one object that pages, CSV, JSON and API go through."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from competition.enums import BoardAct, EntrantKind
from competition.models import EntrantChange, Phase
from competition.models.querysets import Viewer
from competition.queries import may_see_board
from competition.rules import is_organizer
from grading import papers
from grading.enums import FinalList, SelectionReason
from grading.models import (
    FinalBoard,
    FinalRanking,
    FinalSelection,
    FinalStanding,
    FinalSystem,
    Recipe,
)
from grading.presentation import Sight, sight_of
from grading.scoring import bootstrap, registry

FORMAT = "plaudit.final/1"
FINAL = "final"


Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """The snapshot of a final board that a reader sees, None before the first.

    `since` is the number of the oldest snapshot whose story they may read.
    """

    board: FinalBoard
    ranking: FinalRanking | None
    since: int
    is_organizer: bool


def seen_by(phase: Phase, user: Viewer, now: datetime) -> Seen | None:
    """Return what the reader sees of the phase's final board; None when it is not shown to them.

    Organizers see the newest snapshot. Others see it once it is published, where
    they may see the phase's board with every digit; while it is frozen, the one it was frozen at.
    """
    board = FinalBoard.objects.filter(phase=phase).first()
    if board is None:
        return None
    rankings = FinalRanking.objects.filter(board=board).order_by("-number")
    if is_organizer(user, phase.track.competition):
        return Seen(board, rankings.first(), 0, is_organizer=True)
    is_shown = board.published_at is not None and may_see_board(user, phase, now)
    if not is_shown or sight_of(phase, now=now, is_organizer=False) != Sight.EXACT:
        return None
    if board.held_number is not None:
        rankings = rankings.filter(number__lte=board.held_number)
    first = board.acts.filter(act=BoardAct.PUBLISH).order_by("at", "pk").first()
    return Seen(board, rankings.first(), first.number if first else 0, is_organizer=False)


def final_object(phase: Phase, seen: Seen) -> Json:
    """Return the final board as one JSON object: what it is, how it was made, and its rows."""
    selection = FinalSelection.objects.select_related("recipe").get(phase=phase)
    systems = list(
        selection.systems.select_related("submission__entrant__team").order_by("position")
    )
    ranking = seen.ranking
    recipe = Recipe.objects.get(pk=ranking.recipe_id if ranking else selection.recipe_id)
    track, competition = phase.track, phase.track.competition
    return {
        "format": FORMAT,
        "competition": competition.slug,
        "track": track.slug,
        "phase": phase.slug,
        "phase_code": phase.code,
        "is_published": seen.board.published_at is not None,
        "published_at": _moment(seen.board.published_at),
        "is_frozen": seen.board.held_number is not None,
        "band_rule": phase.band_rule,
        "recipe": {"digest": recipe.digest, "track": recipe.scorer, "version": recipe.version},
        "judge": _judge(recipe),
        **_made(ranking),
        "selection": _selection(selection, systems),
        "views": _views(ranking, recipe, systems),
        "acts": [
            {"act": one.act, "at": one.at.isoformat(), "number": one.number, "reason": one.reason}
            for one in seen.board.acts.all()
            if seen.is_organizer or one.number <= (ranking.number if ranking else 0)
        ],
        "history": _history(seen),
    }


def _judge(recipe: Recipe) -> Json:
    params = recipe.read_params
    judge = params.judge
    return {
        "weight": float(params.judge_weight),
        "label": "" if judge is None else judge.label,
        "is_stand_in": judge is not None and judge.is_stand_in,
        "is_recorded": judge is not None and judge.is_recorded,
    }


def _made(ranking: FinalRanking | None) -> Json:
    """Return how the snapshot was computed; of raters only how many there were."""
    if ranking is None:
        return {"number": None, "computed_at": None, "digest": None, "rating": None}
    told = ranking.inputs
    return {
        "number": ranking.number,
        "computed_at": ranking.made_at.isoformat(),
        "digest": ranking.digest,
        "inputs_digest": ranking.inputs_digest,
        "seed": int(ranking.seed),
        "interval": {"level": 0.95, "replicates": told.get("replicates", bootstrap.REPLICATES)},
        "rating": {
            "protocol": told["protocol"],
            "state": told["protocol_state"],
            "settings_digest": told["settings_digest"],
            "needed": told["needed"],
            "wanted": told["wanted"],
            "utterances": told["utterances"],
            "ratings": told["ratings"],
            "raters": len(told["raters"]),
            "simulated_raters": told.get("simulated", 0),
        },
    }


def _selection(selection: FinalSelection, systems: Sequence[FinalSystem]) -> Json:
    return {
        "code": selection.code,
        "recorded_at": selection.recorded_at.isoformat(),
        "n": selection.n,
        "limit": selection.limit,
        "board_number": selection.board_number,
        "recipe_digest": selection.recipe.digest,
        "systems": [
            {
                "submission": one.submission.code,
                "reason": one.reason,
                "place": one.place,
                "score": one.score,
                "interval": None if one.low is None else [one.low, one.high],
            }
            for one in systems
        ],
    }


def _views(
    ranking: FinalRanking | None, recipe: Recipe, systems: Sequence[FinalSystem]
) -> dict[str, Json]:
    names = ("", *registry.get(recipe.scorer).languages)
    views: dict[str, Json] = {
        name or FINAL: {one: [] for one in FinalList.values} for name in names
    }
    if ranking is None:
        return views
    chosen = {one.submission_id: one for one in systems}
    items = papers.items_of(systems)
    rows = ranking.standings.select_related("submission__entrant__team").order_by("position")
    standings = list(rows)
    reasons = _kind_reasons(standings)
    for row in standings:
        system = chosen.get(row.submission_id)
        filed = items.get(system.pk, []) if system else []
        views[row.view or FINAL][row.listing].append(
            {
                **_row(row),
                "reason": system.reason if system else "",
                "kind_reason": reasons.get(row.submission.entrant_id, ""),
                "verification": _verification(system, filed),
            }
        )
    return views


def _row(row: FinalStanding) -> Json:
    entrant = row.submission.entrant
    first, last = row.range_first, row.range_last
    return {
        "position": row.position,
        "place": row.place,
        "band": row.band,
        "range": None if first is None else [first, last],
        "entrant": {
            "code": entrant.code,
            "team": entrant.team.name,
            "affiliation": entrant.team.affiliation,
            "kind": entrant.kind,
            "state": entrant.state,
        },
        "submission": row.submission.code,
        "system": row.submission.system,
        "score": row.score,
        "interval": None if row.low is None else [row.low, row.high],
        "interval_reason": row.interval_reason,
        "judge": row.judge,
        "people": row.people,
        "withheld_reason": row.withheld_reason,
        "is_provisional": row.is_provisional,
        "ratings_least": row.ratings_least,
        "shares": row.numbers.get("shares", {}),
        "difference": row.numbers.get("difference", {}),
    }


def _verification(system: FinalSystem | None, items: Iterable[papers.Item]) -> Json | None:
    """Return the state of each paper; nothing is asked of a reference, an anchor, or the others."""
    asked = {SelectionReason.TOP, SelectionReason.OVERLAP, SelectionReason.BASELINE}
    if system is None or system.reason not in asked:
        return None
    return {item.kind.value: item.state for item in items}


def _kind_reasons(rows: Iterable[FinalStanding]) -> dict[int, str]:
    """Return why an entrant is unofficial, in the organizers' words, by the entrant's key."""
    keys = {
        row.submission.entrant_id
        for row in rows
        if row.submission.entrant.kind == EntrantKind.UNOFFICIAL
    }
    changes = EntrantChange.objects.filter(
        entrant__in=keys, field="kind", new=EntrantKind.UNOFFICIAL
    ).order_by("at", "pk")
    return {one.entrant_id: one.reason for one in changes}


def _history(seen: Seen) -> list[Json]:
    """Return the snapshots that the reader may know of, newest first, with what changed in each."""
    if seen.ranking is None:
        return []
    found = FinalRanking.objects.filter(
        board=seen.board, number__gte=seen.since, number__lte=seen.ranking.number
    ).order_by("-number")
    return [
        {
            "number": one.number,
            "computed_at": one.made_at.isoformat(),
            "digest": one.digest,
            "ratings": one.inputs["ratings"],
            "changes": {} if one.number == seen.since else dict(one.changes),
        }
        for one in found
    ]


def names_of(data: Mapping[str, Any]) -> dict[str, str]:
    """Return what systems are called on this board, by submission code: the team, and the system."""
    rows = [row for listing in data["views"][FINAL].values() for row in listing]
    return {row["submission"]: f"{row['entrant']['team']} · {row['system']}" for row in rows}


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
