"""A small world with somebody of every kind, for tests of who may see and do what.

Two competitions: an open one in which two teams compete, and a draft that others organize.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from accounts.enums import TeamRole, TokenScope
from accounts.models import ApiToken, Team, TeamInvitation, User
from accounts.services import invitations, tokens
from competition.enums import CompetitionState, EntrantState, Role
from competition.models import Entrant, Question, RoleGrant
from grading.identity import PART_BYTES
from grading.models import Board, Submission, UploadSession
from grading.services import boards, correspondence, receipt_keys, standings, upload_sessions
from tests.factories.accounts import MembershipFactory, TokenFactory, UserFactory
from tests.factories.grading import NOW, Arena, join, make_arena, scored, submit

PEOPLE = (
    "anonymous",
    "outsider",
    "member",
    "captain",
    "rival",
    "rater",
    "auditor",
    "organizer",
    "foreign",
    "admin",
)
"""`rival` is the captain of another team, `foreign` the organizer of another competition."""


@dataclass(slots=True)
class TeamSide:
    """One team with what belongs to it."""

    team: Team
    entrant: Entrant
    captain: User
    member: User
    scored: Submission
    waiting: Submission
    token: ApiToken
    invitation: TeamInvitation
    invitation_secret: str
    question: Question
    upload: UploadSession

    @property
    def objects(self) -> dict[str, str]:
        """Codes of the team's things, by what they are."""
        return {
            "team": self.team.code,
            "entrant": self.entrant.code,
            "captain": self.captain.code,
            "member": self.member.code,
            "scored": self.scored.code,
            "waiting": self.waiting.code,
            "api_token": self.token.code,
            "invitation": self.invitation.code,
            "invitation_secret": self.invitation_secret,
            "question": self.question.code,
            "upload": self.upload.code,
        }


@dataclass(slots=True)
class Stage:
    """The world: its people by kind, the two teams, the open competition and the draft."""

    arena: Arena
    draft: Arena
    people: dict[str, User | None]
    secrets: dict[str, str]
    own: TeamSide
    rival: TeamSide
    waiting_entrant: Entrant
    benched: User

    def places(self, arena: Arena) -> dict[str, str]:
        """Slugs and codes of a competition's parts."""
        return {
            "slug": arena.competition.slug,
            "track": arena.track.slug,
            "phase": arena.phase.slug,
            "phase_code": arena.phase.code,
        }


def make_stage() -> Stage:
    """Return the world at NOW: two teams on the board, one team waiting to be accepted."""
    arena = make_arena(
        utterances=4, now=NOW, quota_per_day=50, quota_total=100, limits={"file_bytes": 1 << 26}
    )
    draft = make_arena(now=NOW)
    draft.competition.state = CompetitionState.DRAFT
    draft.competition.save()
    rival_entrant, rival_captain = arena.enter("Team Rival")
    own = _side(arena, arena.entrant, arena.captain, 61.0)
    rival = _side(arena, rival_entrant, rival_captain, 58.0)
    waiting, _ = arena.enter("Team Waiting", state=EntrantState.PENDING)
    benched = UserFactory()
    MembershipFactory(team=own.team, user=benched)
    people: dict[str, User | None] = {
        "anonymous": None,
        "outsider": UserFactory(),
        "member": own.member,
        "captain": own.captain,
        "rival": rival_captain,
        "rater": _granted(arena, Role.RATER),
        "auditor": _granted(arena, Role.AUDITOR),
        "organizer": _granted(arena, Role.ORGANIZER),
        "foreign": _granted(draft, Role.ORGANIZER),
        "admin": UserFactory(is_superuser=True, is_staff=True),
    }
    secrets = {who: _secret(user) for who, user in people.items() if user is not None}
    receipt_keys.current(now=NOW)
    boards.want_rebuild(phase_id=arena.phase.pk, now=NOW)
    standings.rebuild(board_id=Board.objects.get(phase=arena.phase).pk, now=NOW)
    return Stage(arena, draft, people, secrets, own, rival, waiting, benched)


def _side(arena: Arena, entrant: Entrant, captain: User, score: float) -> TeamSide:
    member = UserFactory()
    entrant.members.filter(user=captain).update(role="captain")
    entrant.team.memberships.filter(user=captain).update(role=TeamRole.CAPTAIN)
    MembershipFactory(team=entrant.team, user=member)
    join(entrant, member)
    evaluation = scored(
        arena, entrant, captain, score, number=900, at=NOW - timedelta(hours=1), with_tallies=True
    )
    waiting = submit(arena, arena.flawed(int(score) % 5 + 1), actor=captain)
    invitation, secret = invitations.invite(
        actor=captain, team=entrant.team, email=f"guest-of-{entrant.code}@example.org", now=NOW
    )
    token = TokenFactory(user=captain, name="laptop")
    return TeamSide(
        entrant.team,
        entrant,
        captain,
        member,
        evaluation.submission,
        waiting,
        token,
        invitation,
        secret,
        correspondence.ask(
            actor=captain, competition=arena.competition, text="May we use audio?", now=NOW
        ),
        _upload(arena, captain),
    )


def _upload(arena: Arena, captain: User) -> UploadSession:
    named = upload_sessions.Named(
        filename="large.zip",
        system="large",
        note="",
        size=3 * PART_BYTES + 2**21,
        part_hashes=[f"{captain.pk:064x}", "1" * 64, "1" * 64, "1" * 64],
    )
    begun = upload_sessions.begin(
        actor=captain, phase=arena.phase, named=named, created_at=NOW, now=NOW
    )
    assert begun.session is not None
    return begun.session


def _granted(arena: Arena, role: Role) -> User:
    user = UserFactory()
    RoleGrant.objects.create(
        competition=arena.competition, user=user, role=role, granted_at=NOW - timedelta(days=5)
    )
    return user


def _secret(user: User) -> str:
    scopes: list[Any] = list(TokenScope)
    token, secret = tokens.create_token(actor=user, name="test", scopes=scopes, now=NOW)
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=NOW)
    return secret
