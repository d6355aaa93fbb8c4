"""The example competitions beside the demo challenge: loaded, entered and uploaded to by synthetic teams.

Their definitions, references and entries are in `examples/`; every step looks first and makes what
is missing. The worker checks and scores the files, like anybody's.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings

from accounts.models import Team, User
from accounts.services import teams
from competition.enums import EntrantKind, EntrantState
from competition.models import Competition, Entrant, Phase
from competition.queries import has_accepted_terms
from competition.services import entry
from grading.models import Submission
from grading.services import intake, loading
from grading.storage import store_stream

EXAMPLES = ("cantonese-pillars", "sea-leaderboard", "stt-board", "meeting-protocol")
FOLDER = settings.BASE_DIR / "examples"
FILE_BYTES = 1 << 24
NOTE = "Synthetic entry of an example; it measures nothing."

Say = Callable[[str], None]
Entry = Mapping[str, Any]


def prepare_examples(*, organizer: User | None, now: datetime, say: Say) -> list[Competition]:
    """Load the examples and hand in their entries; return the competitions.

    Raises the refusals of the services it calls: none is expected on a fresh installation.
    """
    found = []
    for slug in EXAMPLES:
        competition = load_example(slug, now)
        sent = sum(_enter(one, competition, organizer, now) for one in entries_of(slug))
        say(f"example {slug}: {sent} files handed in" if sent else f"example {slug} is there")
        found.append(competition)
    return found


def load_example(slug: str, now: datetime) -> Competition:
    """Load an example's definition with its references."""
    folder = FOLDER / slug
    text = (folder / "competition.yaml").read_text(encoding="utf-8")
    plan = loading.plan(definition_text=text, base_dir=folder, now=now)
    return loading.apply(actor=None, plan=plan, now=now)


def entries_of(slug: str) -> list[Entry]:
    """Return an example's synthetic teams: name, kind, system, and a file for each track."""
    found: list[Entry] = json.loads((FOLDER / slug / "entries.json").read_text(encoding="utf-8"))
    return found


def _enter(one: Entry, competition: Competition, organizer: User | None, now: datetime) -> int:
    captain = _captain(one["team"], now)
    entrant = _entrant(one, captain, competition, organizer, now)
    phases = Phase.objects.filter(track__competition=competition).select_related(
        "track__competition", "references"
    )
    by_name = {(phase.track.slug, phase.slug): phase for phase in phases}
    wanted = [(by_name[file["track"], file["phase"]], file["file"]) for file in one["files"]]
    missing = [
        (phase, FOLDER / competition.slug / name)
        for phase, name in wanted
        if not Submission.objects.filter(entrant=entrant, phase=phase).exists()
    ]
    for phase, path in missing:
        intake.receive(
            actor=captain,
            phase=phase,
            system=one["system"],
            note=NOTE,
            filename=path.name,
            stored=store_stream([path.read_bytes()], limit=FILE_BYTES),
            created_at=now,
            now=now,
        )
    return len(missing)


def _captain(team: str, now: datetime) -> User:
    """Return the account that acts for a team; nobody knows its password."""
    name = team.removeprefix("Team ").lower().replace(" ", "-")
    email = f"{name}.captain@examples.example"
    found = User.objects.filter(email=email).first()
    if found is not None:
        return found
    return User.objects.create_user(
        email, secrets.token_urlsafe(24), name=f"Captain of {team}", email_verified_at=now
    )


def _entrant(
    one: Entry, captain: User, competition: Competition, organizer: User | None, now: datetime
) -> Entrant:
    team = Team.objects.filter(name=one["team"]).first()
    if team is None:
        team = teams.create_team(actor=captain, name=one["team"], affiliation="demo", now=now)
    if not has_accepted_terms(captain, competition):
        entry.accept_terms(actor=captain, competition=competition, typed_name=captain.name, now=now)
    row = Entrant.objects.filter(competition=competition, team=team).first()
    if row is None:
        row = entry.register(actor=captain, competition=competition, team=team, now=now)
    if organizer is not None and row.kind != one["kind"] != EntrantKind.OFFICIAL:
        row = entry.set_kind(
            actor=organizer, entrant=row, kind=one["kind"], reason="As the example says", now=now
        )
    if organizer is not None and row.state == EntrantState.PENDING:
        row = entry.decide_entrant(actor=organizer, entrant=row, accept=True, now=now)
    return row
