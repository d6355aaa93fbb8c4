"""Held-out verification at each point: begun, published, and with inputs released to an entrant."""

from __future__ import annotations

from datetime import datetime, timedelta

from accounts.models import User
from competition.enums import Role
from grading.enums import VerificationState, VerificationWay
from grading.models import Verification, VerificationRun
from grading.services import recipes
from grading.services.verification import comparing, publishing
from tests.factories.competition import RoleGrantFactory
from tests.factories.datasets import PackFactory
from tests.factories.verification import Stage, make_stage

VERIFICATION_PAGES: list[tuple[str, str, list[str]]] = [
    ("grading:console-verifications", "verified competition", ["verifier", "watcher"]),
    ("grading:held-out-create", "verified competition", ["verifier"]),
    ("grading:verification-begin", "verified phase code", ["verifier"]),
    ("grading:verification", "verification", ["verifier", "watcher"]),
    ("grading:verification", "verification released", ["verifier"]),
    ("grading:verification", "verification published", ["verifier", "watcher"]),
    ("grading:verification-outcome", "verified place", ["anonymous", "verified captain"]),
    ("grading:own-verifications", "verified competition", ["verified captain"]),
]
VERIFICATION_ACTS = {
    "grading:verification-output",
    "grading:verification-release",
    "grading:verification-publish",
    "grading:own-verification-output",
}


def make_verification_world(
    now: datetime,
) -> tuple[dict[str, User | None], dict[str, dict[str, str]]]:
    """Return people and what addresses are made of, in a competition of their own."""
    stage = make_stage()
    competition = stage.arena.competition
    competition.texts = {"en": {"title": "Verified challenge"}}
    competition.save()
    published = stage.begin()
    seen = comparing.digest(stage.verified(published, (1, 6, 2)))
    publishing.publish(actor=None, verification=published, seen=seen, now=now)
    begun = stage.begin()
    _spoil(stage, begun, now)
    released = _released(stage, now)
    people: dict[str, User | None] = {
        "verifier": RoleGrantFactory(competition=competition).user,
        "watcher": RoleGrantFactory(competition=competition, role=Role.AUDITOR).user,
        "verified captain": stage.captains[0],
    }
    slug, track, phase = competition.slug, stage.arena.track.slug, stage.arena.phase
    return people, {
        "verified competition": {"slug": slug},
        "verified phase code": {"slug": slug, "code": phase.code},
        "verified place": {"slug": slug, "track": track, "phase": phase.slug},
        "verification": {"slug": slug, "code": begun.code},
        "verification released": {"slug": slug, "code": released.code},
        "verification published": {"slug": slug, "code": published.code},
    }


def _spoil(stage: Stage, begun: Verification, now: datetime) -> None:
    """Let one output be scored, one rejected and one wait."""
    stage.scored(begun, 0, 2)
    rejected = stage.send(begun, 1, stage.output(3))
    problem = {"code": "MISSING_SAMPLES", "severity": "error", "line": None, "member": None}
    problem |= {"utt_id": None, "params": {"count": 1, "of": 12, "ids": ["quokka_en_00"]}}
    VerificationRun.objects.filter(pk=rejected.pk).update(
        state=VerificationState.REJECTED, problems=[problem], problems_total=1, finished_at=now
    )
    stage.send(begun, 2, stage.output(1))


def _released(stage: Stage, now: datetime) -> Verification:
    """Return a verification whose inputs were released: rows alone, no pool is moved."""
    made: Verification = Verification.objects.create(
        phase=stage.arena.phase,
        held_out=stage.held_out,
        recipe=recipes.live_recipe(stage.arena.phase),
        digest="0" * 64,
        way=VerificationWay.RELEASED,
        opens_at=now - timedelta(hours=1),
        closes_at=now + timedelta(days=1),
        pack=PackFactory(competition=stage.arena.competition),
        released_at=now,
        begun_at=now,
    )
    source = stage.begin(entrants=(stage.entrants[0],)).entrants.get()
    named = made.entrants.create(
        entrant=source.entrant, evaluation=source.evaluation, place=source.place
    )
    run = VerificationRun.objects.create(
        named=named,
        uploader=stage.captains[0],
        filename="our-output.jsonl",
        size=10,
        content_id="1" * 64,
        storage_key="uploads/none",
        received_at=now,
    )
    stage.scored_by(named, run, 1)
    return made
