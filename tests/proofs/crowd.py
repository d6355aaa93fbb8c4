"""A challenge with many teams and submissions, made in bulk; commands as in tests.security.probe."""

from __future__ import annotations

import hashlib
import sys
import time
from datetime import datetime, timedelta
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts.models import Team, User  # noqa: E402
from accounts.names import fold  # noqa: E402
from competition.enums import Role  # noqa: E402
from competition.models import (  # noqa: E402
    Competition,
    Entrant,
    EntrantMember,
    Phase,
    RoleGrant,
    Terms,
    TermsAcceptance,
)
from grading.enums import EvaluationState, SubmissionState  # noqa: E402
from grading.models import Board, Evaluation, EvaluationTallies, Submission  # noqa: E402
from grading.services import boards, intake, recipes, standings  # noqa: E402
from grading.services.keeping.databases import gather_statistics  # noqa: E402
from tests.factories.grading import EN, ZH, Arena, jsonl, make_arena, tallies  # noqa: E402
from tests.security import probe  # noqa: E402

UPLOADING = 20
"""How many teams upload in mixed traffic."""


def prepare(utterances: str) -> dict[str, Any]:
    """Make a challenge whose phase has that many rows in all, half of each language."""
    call_command("migrate", verbosity=0)
    now = timezone.now()
    arena = make_arena(
        utterances=int(utterances) // 2, now=now, quota_per_day=100_000, quota_total=1_000_000
    )
    base = f"/competitions/{arena.competition.slug}/tracks/understanding"
    return {
        "slug": arena.competition.slug,
        "pages": f"{base}/final",
        "api": f"/api/v1{base}/phases",
        "token": probe.token_of(arena.captain),
        "session": session_of(arena.captain),
        "organizer": session_of(_organizer(arena, now)),
        "file": jsonl(arena.flawed(1)).decode(),
    }


def _organizer(arena: Arena, now: datetime) -> User:
    user = User.objects.create(
        email="organizer@example.org", name="Organizer", email_verified_at=now, created_at=now
    )
    RoleGrant.objects.create(
        competition=arena.competition, user=user, role=Role.ORGANIZER, granted_at=now
    )
    return user


def session_of(user: User) -> str:
    """Return the cookie of a session of the person."""
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


def hand_in(count: str) -> dict[str, Any]:
    """Hand in that many different files of the phase's size, as uploads do."""
    phase = Phase.objects.select_related("track__competition").get(slug="final")
    arena = _arena(phase)
    now = timezone.now()
    begun = Submission.objects.count()
    for number in range(begun, begun + int(count)):
        words = arena.flawed(len(arena.rows) // 8, word=f"wrong{number}")
        intake.receive(
            actor=arena.captain,
            phase=phase,
            system=f"system {number}",
            note="",
            filename="run.jsonl",
            stored=arena.store(words),
            created_at=now,
            now=now,
        )
    return {"waiting": Submission.objects.filter(state="received").count()}


def own() -> dict[str, Any]:
    """Return the code of a scored submission of the captain's, and tokens of teams that upload."""
    found = Submission.objects.filter(entrant=Entrant.objects.order_by("pk")[0], state="accepted")
    places = EntrantMember.objects.order_by("entrant_id").select_related("user")[:UPLOADING]
    return {
        "code": found.order_by("-pk")[0].code,
        "tokens": [probe.token_of(place.user) for place in places],
    }


def progress() -> dict[str, Any]:
    """Return how many submissions are scored, and how many are not at their end."""
    states = list(Evaluation.objects.values_list("state", flat=True))
    received = Submission.objects.filter(state=SubmissionState.RECEIVED).count()
    return {
        "scored": states.count("scored"),
        "failed": states.count("failed"),
        "open": received + states.count("queued") + states.count("running"),
    }


def crowd(entrants: str, submissions: str) -> dict[str, Any]:
    """Add scored submissions of that many teams in all, then bring the board up to date."""
    phase = Phase.objects.select_related("track__competition").get(slug="final")
    teams = _teams(phase.track.competition, int(entrants))
    each = int(submissions) // int(entrants)
    began = time.perf_counter()
    _scores(phase, teams, each)
    gather_statistics()
    boards.want_rebuild(phase_id=phase.pk, now=timezone.now())
    filled = time.perf_counter()
    standings.rebuild(board_id=Board.objects.get(phase=phase).pk, now=timezone.now())
    return {
        "fill_seconds": filled - began,
        "rebuild_seconds": time.perf_counter() - filled,
        "submissions": Submission.objects.count(),
    }


def rush(teams: str, uploads: str, quota: str, seconds: str) -> dict[str, Any]:
    """Make a phase that closes in so many seconds, and files and tokens for its last second."""
    final = Phase.objects.select_related("track__competition").get(slug="final")
    arena, now = _arena(final), timezone.now()
    entrants = _teams(final.track.competition, int(teams) + 1)[1 : int(teams) + 1]
    people = dict(EntrantMember.objects.values_list("entrant_id", "user_id"))
    users = User.objects.in_bulk(people.values())
    tokens = [probe.token_of(users[people[entrant.pk]]) for entrant in entrants]
    files = [
        jsonl(arena.flawed(2, word=f"rush{number}")).decode() for number in range(int(uploads))
    ]
    closes_at = timezone.now() + timedelta(seconds=int(seconds))
    phase = Phase.objects.create(
        track=final.track,
        slug="rush",
        references=final.references,
        opens_at=now - timedelta(days=1),
        closes_at=closes_at,
        quota_per_day=int(quota),
        quota_total=None,
    )
    recipes.ensure_live(phase=phase, now=now)
    return {"closes_at": closes_at.timestamp(), "tokens": tokens, "files": files}


def rushed() -> list[dict[str, Any]]:
    """Return what was kept of the rush."""
    kept = Submission.objects.filter(phase__slug="rush").prefetch_related("evaluations")
    return [
        {
            "code": one.code,
            "entrant": one.entrant_id,
            "created_at": one.created_at.timestamp(),
            "scored": [run.state for run in one.evaluations.all()] == [EvaluationState.SCORED],
        }
        for one in kept
    ]


def look(path: str, times: str) -> dict[str, Any]:
    """Return server time in milliseconds and the number of queries of a page, asked again and again."""
    client, spent, counted = Client(SERVER_NAME="127.0.0.1"), [], []
    for _ in range(int(times)):
        with CaptureQueriesContext(connection) as queries:
            began = time.perf_counter()
            response = client.get(path)
            spent.append(1000 * (time.perf_counter() - began))
        counted.append(len(queries))
        assert response.status_code == 200, response.status_code
    return {"milliseconds": spent, "queries": counted, "bytes": len(response.content)}


def _arena(phase: Phase) -> Arena:
    known = phase.references.utterances.values_list("utt_id", "language")
    texts = {"en": EN, "zh": ZH}
    rows = {i: (spoken, texts[spoken][int(i[3:]) % len(EN)]) for i, spoken in known}
    competition = phase.track.competition
    entrant = competition.entrants.order_by("pk").first()
    captain = entrant.members.order_by("pk").first().user
    return Arena(competition, phase.track, phase, entrant, captain, rows)


def _teams(competition: Competition, count: int) -> list[Entrant]:
    """Return the competition's entrants, made up to that many."""
    now = timezone.now() - timedelta(days=9)
    have = competition.entrants.count()
    numbers = range(have, count)
    people = User.objects.bulk_create(
        User(
            email=f"crowd{n}@example.org",
            name=f"Person {n}",
            email_verified_at=now,
            created_at=now,
        )
        for n in numbers
    )
    names = [f"Team Crowd {number:05d}" for number in numbers]
    teams = Team.objects.bulk_create(
        Team(name=name, name_key=fold(name), created_at=now) for name in names
    )
    entrants = Entrant.objects.bulk_create(
        Entrant(
            competition=competition,
            team=team,
            state="accepted",
            registered_at=now,
            decided_at=now,
        )
        for team in teams
    )
    terms = Terms.objects.get(competition=competition)
    TermsAcceptance.objects.bulk_create(
        TermsAcceptance(terms=terms, user=user, typed_name=user.name, accepted_at=now)
        for user in people
    )
    EntrantMember.objects.bulk_create(
        EntrantMember(entrant=entrant, competition=competition, user=user, joined_at=now)
        for entrant, user in zip(entrants, people, strict=True)
    )
    return list(competition.entrants.order_by("pk"))


def _scores(phase: Phase, entrants: list[Entrant], each: int) -> None:
    recipe = recipes.live_recipe(phase)
    now = timezone.now()
    uploaders = dict(EntrantMember.objects.values_list("entrant_id", "user_id"))
    for entrant in entrants:
        have = Submission.objects.filter(entrant=entrant).count()
        made = Submission.objects.bulk_create(
            Submission(
                entrant=entrant,
                phase=phase,
                uploader_id=uploaders[entrant.pk],
                number=number + 1,
                system=f"system {number}",
                filename="run.jsonl",
                size=100,
                content_id=f"{entrant.pk:032x}{number:032x}",
                storage_key=f"uploads/{entrant.pk}/{number}",
                created_at=now,
                received_at=now,
                validated_at=now,
                state=SubmissionState.ACCEPTED,
            )
            for number in range(have, each)
        )
        scored = Evaluation.objects.bulk_create(_evaluation(one, recipe, now) for one in made)
        EvaluationTallies.objects.bulk_create(_tallies(one) for one in scored)


def _tallies(evaluation: Evaluation) -> EvaluationTallies:
    data = tallies(hits=evaluation.pk % 4).to_bytes()
    digest = hashlib.sha256(data).hexdigest()
    return EvaluationTallies(evaluation=evaluation, data=data, sha256=digest)


def _evaluation(submission: Submission, recipe: Any, now: Any) -> Evaluation:
    spread = (submission.entrant_id * 7919 + submission.number * 31) % 6000
    score = 20 + spread / 100
    parts = {"f1": score / 100, "mntd": 0.5, "error_rate": 0.4}
    part = {
        "score": score,
        "interval": [score - 1.5, score + 1.5],
        "interval_reason": "",
        "utterances": 1000,
        "tp": 300,
        **parts,
    }
    return Evaluation(
        submission=submission,
        recipe=recipe,
        state=EvaluationState.SCORED,
        queued_at=now,
        started_at=now,
        finished_at=now,
        attempt=1,
        score=score,
        low=score - 1.5,
        high=score + 1.5,
        seed="1",
        components=parts,
        languages={"en": part, "zh": part},
    )


COMMANDS = {
    "prepare": prepare,
    "hand_in": hand_in,
    "own": own,
    "progress": progress,
    "crowd": crowd,
    "rush": rush,
    "rushed": rushed,
    "look": look,
}

if __name__ == "__main__":
    probe.serve(COMMANDS, sys.stdin, sys.stdout)
