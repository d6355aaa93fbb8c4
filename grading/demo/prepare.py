"""What the demo needs before its server is up: accounts, the competition, roles, teams, entrants.

Every step looks first and makes what is missing, so that it may be stopped anywhere and run again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from accounts.models import Team, User
from accounts.services import invitations, teams
from competition.enums import EntrantKind, EntrantState, Role
from competition.models import Competition, RoleGrant
from competition.models import Entrant as EntrantRow
from competition.queries import has_accepted_terms
from competition.services import entry, roles
from grading.demo.canaries import write_canaries
from grading.demo.entrants import ENTRANTS, Entrant
from grading.demo.logins import Login, ensure_logins
from grading.demo.people import MEMBER, captain_of, everybody
from grading.services import judging_canaries, loading

SLUG = "nvv-demo"
FOLDER = settings.BASE_DIR / "examples" / SLUG
Say = Callable[[str], None]


def logins_path() -> Path:
    """Return where the demo keeps its log-ins."""
    return Path(settings.VAR_DIR) / "demo-logins.json"


def prepare(*, now: datetime, say: Say) -> Competition:
    """Make the accounts, load the competition, enter the teams; returns the competition.

    Raises the refusals of the services it calls: none is expected on a fresh installation.
    """
    people = _ensure_people(now)
    say(f"{len(people)} accounts")
    _ensure_canaries(now)
    competition = _ensure_competition(now)
    say(f"competition {competition.slug}")
    for role in (Role.ORGANIZER, Role.AUDITOR):
        _ensure_role(competition, people[f"{role}@example.org"], role, now)
    for entrant in ENTRANTS:
        _ensure_entrant(entrant, competition, people, now)
    say(f"{len(ENTRANTS)} entrants")
    return competition


def _ensure_people(now: datetime) -> dict[str, User]:
    logins, fresh = ensure_logins(logins_path(), everybody())
    return {
        email: _ensure_user(login, fresh=email in fresh, now=now) for email, login in logins.items()
    }


def _ensure_user(login: Login, *, fresh: bool, now: datetime) -> User:
    user = User.objects.filter(email=login.email).first()
    if user is None:
        administers = login.role == "administrator"
        return User.objects.create_user(
            login.email,
            login.password,
            name=login.name,
            email_verified_at=now,
            is_staff=administers,
            is_superuser=administers,
        )
    if fresh:
        user.set_password(login.password)
        user.save(update_fields=["password"])
    return user


def _ensure_canaries(now: datetime) -> None:
    """Give the judge its clips with known marks; they are kept in the database."""
    with TemporaryDirectory(prefix="canaries-") as folder:
        write_canaries(Path(folder))
        judging_canaries.load(folder=Path(folder), now=now)


def _ensure_competition(now: datetime) -> Competition:
    path = FOLDER / "competition.yaml"
    plan = loading.plan(definition_text=path.read_text(encoding="utf-8"), base_dir=FOLDER, now=now)
    return loading.apply(actor=None, plan=plan, now=now)


def _ensure_role(competition: Competition, user: User, role: Role, now: datetime) -> None:
    held = RoleGrant.objects.filter(
        competition=competition, user=user, role=role, revoked_at__isnull=True
    )
    if not held.exists():
        roles.grant(actor=None, competition=competition, user=user, role=role, now=now)


def _ensure_entrant(
    entrant: Entrant, competition: Competition, people: Mapping[str, User], now: datetime
) -> None:
    captain = people[captain_of(entrant).email]
    team = _ensure_team(entrant, captain, people, now)
    for person in team.members.all():
        if not has_accepted_terms(person, competition):
            entry.accept_terms(
                actor=person, competition=competition, typed_name=person.name, now=now
            )
    row = EntrantRow.objects.filter(competition=competition, team=team).first()
    if row is None:
        row = entry.register(actor=captain, competition=competition, team=team, now=now)
    _ensure_kind(row, entrant, people["organizer@example.org"], now)


def _ensure_team(
    entrant: Entrant, captain: User, people: Mapping[str, User], now: datetime
) -> Team:
    team = Team.objects.filter(name=entrant.team).first()
    if team is None:
        team = teams.create_team(actor=captain, name=entrant.team, affiliation="", now=now)
    member = people[MEMBER.email]
    if entrant.team == MEMBER.team and not team.members.filter(pk=member.pk).exists():
        _, secret = invitations.invite(actor=captain, team=team, email=member.email, now=now)
        invitations.accept_invitation(actor=member, secret=secret, now=now)
    return team


def _ensure_kind(row: EntrantRow, entrant: Entrant, organizer: User, now: datetime) -> None:
    if entrant.official:
        return
    kind = EntrantKind.BASELINE if entrant.baseline else EntrantKind.UNOFFICIAL
    if row.kind != kind:
        reason = "Entered by the organizers" if entrant.baseline else "No system description"
        entry.set_kind(actor=organizer, entrant=row, kind=kind, reason=reason, now=now)
    if row.state == EntrantState.PENDING:
        entry.decide_entrant(actor=organizer, entrant=row, accept=True, now=now)
