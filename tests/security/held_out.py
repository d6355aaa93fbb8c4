"""A held-out set and verifications for the stage of permissions: one of each way, and one of the draft."""

from __future__ import annotations

from datetime import timedelta

from competition.models import Entrant
from grading.enums import VerificationWay
from grading.models import Board, Evaluation, HeldOutSet, Verification, VerifiedEntrant
from grading.services import recipes
from grading.services.verification import beginning, sets
from grading.services.verification.beginning import Wish
from tests.factories.grading import NOW, Arena
from tests.factories.verification import hold_out, references_of


def verify(arena: Arena, entrants: list[Entrant]) -> Verification:
    """Begin a verification of entrants that stand on the board, the organizers bringing the output."""
    return beginning.begin(
        actor=None,
        phase=arena.phase,
        held_out=held_out_of(arena, "own"),
        wish=Wish(tuple(entrants)),
        now=NOW,
    )


def release_to(arena: Arena, entrants: list[Entrant]) -> dict[int, VerifiedEntrant]:
    """Return the named entrants of a verification whose inputs were released; rows alone, no pool is moved."""
    found = Verification.objects.create(
        phase=arena.phase,
        held_out=HeldOutSet.objects.get(track=arena.track),
        recipe=recipes.live_recipe(arena.phase),
        digest="0" * 64,
        way=VerificationWay.RELEASED,
        opens_at=NOW - timedelta(hours=1),
        closes_at=NOW + timedelta(days=1),
        pack=arena.competition.packs.get(),
        released_at=NOW,
        begun_at=NOW,
    )
    board = Board.objects.get(phase=arena.phase)
    evaluations = {
        row.entrant_id: row.evaluation_id for row in board.standings.filter(audience="current")
    }
    return {
        entrant.pk: VerifiedEntrant.objects.create(
            verification=found,
            entrant=entrant,
            evaluation=Evaluation.objects.get(pk=evaluations[entrant.pk]),
        )
        for entrant in entrants
    }


def verify_nobody(arena: Arena) -> Verification:
    """Return a verification of a phase on whose board nobody stands."""
    made: Verification = Verification.objects.create(
        phase=arena.phase,
        held_out=held_out_of(arena, "draft"),
        recipe=recipes.live_recipe(arena.phase),
        digest="0" * 64,
        way=VerificationWay.ORGANIZER,
        begun_at=NOW,
    )
    return made


def held_out_of(arena: Arena, name: str) -> HeldOutSet:
    """Return a set of four held-out clips of a competition."""
    known = arena.competition.datasets.get().versions.get()
    version, rows = hold_out(arena, 2, name=f"held{name}", version=known)
    return sets.make(
        actor=None,
        track=arena.track,
        version=version,
        title="Kept back",
        data=references_of(rows),
        now=NOW,
    )
