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
from competition.models import Entrant, PackIssue, Phase, Question, RoleGrant
from competition.services import issues, packs
from grading.enums import FilingKind
from grading.identity import PART_BYTES
from grading.models import (
    Board,
    Filing,
    Rater,
    RatingExclusion,
    Stimulus,
    Submission,
    UploadSession,
)
from grading.services import (
    boards,
    correspondence,
    draws,
    receipt_keys,
    standings,
    upload_sessions,
)
from grading.services.final import filings
from grading.services.final.filings import SentPaper
from grading.services.ratings import protocols
from tests.factories.accounts import MembershipFactory, TokenFactory, UserFactory, seen_together
from tests.factories.datasets import DatasetClipFactory, DatasetVersionFactory
from tests.factories.finals import add_stage
from tests.factories.grading import NOW, Arena, join, make_arena, scored, submit
from tests.factories.rating import TRAP, waveform
from tests.security import held_out
from tests.security.voices import Hearing, Voices, make_hearing, make_voices
from tests.security.worlds import log_in

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
    issue: PackIssue

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
            "issue": self.issue.code,
        }


@dataclass(slots=True)
class Final:
    """A phase whose systems are selected, its board not published; systems and papers by entrant."""

    phase: Phase
    systems: dict[int, Submission]
    papers: dict[int, Filing]

    def names(self, entrant: Entrant) -> dict[str, str]:
        """Slugs and codes of the phase and of what an entrant has in it."""
        return {
            "track": self.phase.track.slug,
            "phase": self.phase.slug,
            "phase_code": self.phase.code,
            "system": self.systems[entrant.pk].code,
            "paper": self.papers[entrant.pk].code,
        }


@dataclass(slots=True)
class Stage:
    """The world: its people by kind, the two teams, the open competition and the draft."""

    arena: Arena
    draft: Arena
    people: dict[str, User | None]
    secrets: dict[str, str]
    logins: dict[str, str]
    """The keys of their sessions; the rater's is the one that links to sounds are for."""
    own: TeamSide
    rival: TeamSide
    waiting_entrant: Entrant
    benched: User
    final: Final
    voices: Voices
    hearing: Hearing
    rating: dict[str, str]
    """Codes of the drafted rating of the final, as its organizers' pages name them."""
    verifications: dict[int, str]
    """Codes of verifications by the competition's key."""
    verified: dict[int, str]
    """Codes of entrants that held-out inputs were released to, by the entrant's key."""

    def places(self, arena: Arena) -> dict[str, str]:
        """Slugs and codes of a competition's parts."""
        return {
            "slug": arena.competition.slug,
            "track": arena.track.slug,
            "phase": arena.phase.slug,
            "phase_code": arena.phase.code,
            "pack": arena.competition.packs.get().code,
            "window": arena.competition.windows.earliest("pk").code,
            "dataset": arena.competition.datasets.earliest("pk").slug,
            "verification": self.verifications[arena.competition.pk],
        }


def make_stage() -> Stage:
    """Return the world at NOW: two teams on the board, one team waiting to be accepted."""
    arena = make_arena(
        utterances=4, now=NOW, quota_per_day=50, quota_total=100, limits={"file_bytes": 1 << 26}
    )
    draft = make_arena(now=NOW)
    draft.competition.state = CompetitionState.DRAFT
    draft.competition.save()
    for one in (arena, draft):
        _shelve(one)
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
    seen_together(own.captain, rival.captain, now=NOW)
    boards.want_rebuild(phase_id=arena.phase.pk, now=NOW)
    standings.rebuild(board_id=Board.objects.get(phase=arena.phase).pk, now=NOW)
    final = _final(arena, people["organizer"], [own, rival])
    voices = make_voices(arena.competition, [(one.entrant, one.captain) for one in (own, rival)])
    hearing = _hearing(people["rater"])
    rating = _rating(final.phase, people["organizer"])
    verifications = {
        arena.competition.pk: held_out.verify(arena, [own.entrant, rival.entrant]).code,
        draft.competition.pk: held_out.verify_nobody(draft).code,
    }
    released = held_out.release_to(arena, [own.entrant, rival.entrant])
    verified = {entrant: named.code for entrant, named in released.items()}
    return Stage(
        arena,
        draft,
        people,
        secrets,
        _logins(people) | {"rater": hearing.login},
        own,
        rival,
        waiting,
        benched,
        final,
        voices,
        hearing,
        rating,
        verifications,
        verified,
    )


def _logins(people: dict[str, User | None]) -> dict[str, str]:
    return {who: log_in(user) for who, user in people.items() if user is not None}


def _rating(phase: Phase, organizer: User | None) -> dict[str, str]:
    """Draft a rating with one control item and one imported rater who is left out."""
    selection = phase.final_selection
    protocol = protocols.draft(actor=organizer, selection=selection, now=NOW)
    rater = Rater.objects.create(protocol=protocol, pseudonym="R1", joined_at=NOW, seen_at=NOW)
    exclusion = RatingExclusion.objects.create(
        protocol=protocol, kind="rater", rater=rater, reason="a robot", excluded_at=NOW
    )
    trap = Stimulus.objects.create(
        protocol=protocol,
        kind="trap",
        language="en",
        name="trap",
        text="Choose.",
        expected=TRAP,
        waveform=waveform("trap of the stage"),
    )
    return {
        "selection": selection.code,
        "code": protocol.code,
        "exclusion": exclusion.code,
        "key": trap.key,
    }


def _hearing(rater: User | None) -> Hearing:
    """Let the rater, who is of no entrant's institution, rate elsewhere."""
    assert rater is not None
    rater.email = "rater@ears.example.net"
    rater.save()
    return make_hearing(rater)


def _final(arena: Arena, organizer: User | None, sides: list[TeamSide]) -> Final:
    """Add a phase whose systems are selected; both teams have filed a paper."""
    assert organizer is not None
    final = add_stage(arena.competition, organizer)
    systems = {
        side.entrant.pk: final.submission(side.entrant, side.captain, score, system="spoken")
        for side, score in zip(sides, ("61", "58"), strict=True)
    }
    selection = final.select()
    final.rank()
    papers = {
        side.entrant.pk: filings.file(
            actor=side.captain,
            system=selection.systems.get(submission=systems[side.entrant.pk]),
            kind=FilingKind.DESCRIPTION,
            sent=SentPaper(text="As said.", filename="paper.txt", chunks=[b"A paper."]),
            now=NOW,
        )
        for side in sides
    }
    return Final(final.phase, systems, papers)


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
        issues.request(
            actor=captain, pack=arena.competition.packs.get(), typed_name="A Captain", now=NOW
        ),
    )


def _shelve(arena: Arena) -> None:
    """Give a competition a pack on offer, of a text alone, and a window over a pool of two clips."""
    pack = packs.make(
        actor=None,
        competition=arena.competition,
        name="dev",
        content=packs.Content(texts={"README.txt": b"Clips to practise on.\n"}),
        terms=packs.Terms(approve=False),
        now=NOW,
    )
    packs.offer(actor=None, pack=pack, now=NOW)
    version = DatasetVersionFactory(dataset__competition=arena.competition)
    for _ in range(2):
        DatasetClipFactory(version=version)
    plan = draws.Plan(n=1, opens_at=NOW, closes_at=NOW + timedelta(days=3))
    draws.commit(actor=None, version=version, plan=plan, now=NOW)


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
