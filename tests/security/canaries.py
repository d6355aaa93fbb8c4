"""Strings planted where nobody but their owner may read, in a challenge in which everything happened."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.core.mail import EmailMessage
from django.test import override_settings

from accounts.models import User
from accounts.services import invitations, tokens
from competition.enums import Role
from competition.models import RoleGrant
from grading.enums import SubmissionState
from grading.models import Board, Evaluation, Submission
from grading.services import boards, correspondence, evaluations, standings, validation
from grading.services.verification import beginning, receiving, scoring, sets
from grading.services.verification.beginning import Wish
from grading.storage import store_stream
from tests.factories.accounts import MembershipFactory, UserFactory
from tests.factories.grading import NOW, Arena, join, jsonl, make_arena, submit
from tests.factories.verification import SECRET_ID, SECRET_WORD, hold_out, references_of
from tests.security.canaries_heard import EARS, Heard, plant
from tests.security.voices import ROWS
from tests.security.worlds import log_in

LATER = NOW + timedelta(minutes=1)
OVERSEERS = frozenset({"organizer", "admin"})
OWN = frozenset({"captain", "member"})


@dataclass(frozen=True, slots=True)
class Canary:
    """A planted string, and the kinds of people who may read it."""

    what: str
    text: str
    readers: frozenset[str]


@dataclass(slots=True)
class World:
    """The challenge, its people by kind with their tokens, and what must not be found."""

    arena: Arena
    people: dict[str, User | None]
    secrets: dict[str, str] = field(default_factory=dict)
    logins: dict[str, str] = field(default_factory=dict)
    """The keys of their sessions; the listener's is the one that links to sounds are for."""
    canaries: list[Canary] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    verifications: list[str] = field(default_factory=list)
    mails: list[EmailMessage] = field(default_factory=list)
    heard: Heard | None = None

    def hidden_from(self, who: str) -> list[Canary]:
        """Return what this kind of person may not read."""
        return [canary for canary in self.canaries if who not in canary.readers]

    def found_in(self, text: str, who: str) -> list[Canary]:
        """Return the canaries that a text gives away to this kind of person."""
        return [canary for canary in self.hidden_from(who) if canary.text in text]


def make_world() -> World:
    """Return two teams with scored, rejected, failed and waiting submissions, and all canaries."""
    arena = make_arena(now=NOW, quota_per_day=50, quota_total=100)
    _, rival = arena.enter("Team Rival")
    people = {
        "anonymous": None,
        "outsider": UserFactory(),
        "captain": arena.captain,
        "member": _mate(arena, arena.captain),
        "rival": rival,
        "rater": _granted(arena, Role.RATER),
        "listener": UserFactory(),
        "auditor": _granted(arena, Role.AUDITOR),
        "organizer": _granted(arena, Role.ORGANIZER),
        "admin": UserFactory(is_superuser=True, is_staff=True),
    }
    world = World(arena, people)
    _plant_references(world)
    for who in people:
        _plant_person(world, who)
    _plant_team(world, "captain", OWN)
    _plant_team(world, "rival", frozenset({"rival"}))
    _plant_letters(world)
    boards.want_rebuild(phase_id=arena.phase.pk, now=LATER)
    standings.rebuild(board_id=Board.objects.get(phase=arena.phase).pk, now=LATER)
    _plant_held_out(world)
    _plant_heard(world)
    known = {who: user for who, user in people.items() if user is not None}
    world.logins |= {who: log_in(user) for who, user in known.items() if who not in world.logins}
    return world


def clock() -> datetime:
    """Return the moment at which everything is computed."""
    return LATER


def _mate(arena: Arena, captain: User) -> User:
    user = UserFactory()
    team = captain.memberships.get().team
    captain.memberships.update(role="captain")
    arena.entrant.members.filter(user=captain).update(role="captain")
    MembershipFactory(team=team, user=user)
    join(arena.entrant, user)
    return user


def _granted(arena: Arena, role: Role) -> User:
    user = UserFactory()
    RoleGrant.objects.create(
        competition=arena.competition, user=user, role=role, granted_at=NOW - timedelta(days=5)
    )
    return user


def _plant_references(world: World) -> None:
    texts = {text for _, text in world.arena.rows.values()}
    pieces = {piece.strip() for text in texts for piece in re.split(r"\[[^\]]*\]", text)}
    world.canaries += [Canary("a reference", one, OVERSEERS) for one in pieces if len(one) > 3]


def _plant_person(world: World, who: str) -> None:
    user = world.people[who]
    if user is None:
        return
    address = f"mail.canary.{who}@{EARS if who == 'listener' else 'example.org'}"
    User.objects.filter(pk=user.pk).update(email=address)
    user.refresh_from_db()
    _, secret = tokens.create_token(actor=user, name="t", scopes=["read", "submit"], now=NOW)
    world.secrets[who] = secret
    mates = OWN if who in OWN else frozenset({who})
    world.canaries += [
        Canary(f"the address of {who}", address, mates | OVERSEERS),
        Canary(f"a token of {who}", secret, frozenset()),
        Canary(f"the password hash of {who}", user.password, frozenset()),
    ]


def _plant_team(world: World, who: str, readers: frozenset[str]) -> None:
    captain = world.people[who]
    assert captain is not None
    word, note = f"filecanary{who}", f"notecanary{who}"
    name, guest = f"namecanary{who}.jsonl", f"guest.canary.{who}@example.org"
    _, secret = invitations.invite(
        actor=captain, team=captain.memberships.get().team, email=guest, now=NOW
    )
    tokens.create_token(actor=captain, name=f"labelcanary{who}", scopes=["read"], now=NOW)
    fields = {"note": note, "filename": name, "actor": captain}
    for make in (_scored, _rejected, _failed, _waiting):
        submission = make(world.arena, word, fields)
        world.codes.append(submission.code)
    seen = readers | OVERSEERS
    world.canaries += [
        Canary(f"what a file of {who} holds", word, seen),
        Canary(f"a note of {who}", note, seen),
        Canary(f"the name of a file of {who}", name, seen),
        Canary(f"the guest of {who}", guest, seen),
        Canary(f"an invitation of {who}", secret, frozenset()),
        Canary(f"a token's name of {who}", f"labelcanary{who}", frozenset({who, "admin"})),
    ]


def _plant_letters(world: World) -> None:
    """Ask in private, and answer one question in public without saying who asked."""
    competition, organizer = world.arena.competition, world.people["organizer"]
    assert organizer is not None
    for who in ("captain", "rival"):
        asker = world.people[who]
        assert asker is not None
        text = f"questioncanary{who}"
        question = correspondence.ask(actor=asker, competition=competition, text=text, now=NOW)
        correspondence.answer(
            actor=organizer,
            question=question,
            text=f"answercanary{who}",
            shown_text="",
            is_public=False,
            now=LATER,
        )
        readers = (OWN if who in OWN else frozenset({who})) | {"auditor"} | OVERSEERS
        world.canaries += [
            Canary(f"what {who} asked", text, readers),
            Canary(f"what {who} was answered", f"answercanary{who}", readers),
        ]


def _plant_held_out(world: World) -> None:
    """Begin a verification of both teams: one output is scored, one is rejected with its reasons."""
    arena = world.arena
    version, rows = hold_out(arena, 3)
    title, filename = "heldouttitlecanary", "heldoutfilecanary.jsonl"
    made = sets.make(
        actor=None,
        track=arena.track,
        version=version,
        title=title,
        data=references_of(rows),
        now=LATER,
    )
    entrants = tuple(row.entrant for row in beginning.ranked(arena.phase))
    wish = Wish(entrants)
    found = beginning.begin(actor=None, phase=arena.phase, held_out=made, wish=wish, now=LATER)
    whole = jsonl({utt_id: text for utt_id, (_language, text) in rows.items()})
    for named, data in zip(found.entrants.all(), (whole, whole.partition(b"\n")[2]), strict=False):
        run = receiving.receive(
            actor=None,
            named=named,
            filename=filename,
            stored=store_stream([data], limit=1 << 20),
            now=LATER,
        )
        scoring.run(run_id=run.pk, worker="w1", clock=clock)
    world.verifications = [found.code]
    told = OVERSEERS | {"auditor"}
    world.canaries += [
        Canary("the id of a held-out clip", SECRET_ID, OVERSEERS),
        Canary("the text of a held-out clip", SECRET_WORD, frozenset()),
        Canary("the name of a held-out set", title, told),
        Canary("the name of a held-out output", filename, OVERSEERS),
    ]


def _plant_heard(world: World) -> None:
    """Add clips of both teams that a judge has heard, and people who rate others'."""
    arena, listener = world.arena, world.people["listener"]
    rival = world.people["rival"]
    assert listener is not None
    assert rival is not None
    theirs = arena.competition.entrants.get(members__user=rival)
    world.heard = plant(
        arena.competition,
        {"captain": (arena.entrant, arena.captain), "rival": (theirs, rival)},
        listener,
        readers={"captain": OWN, "rival": frozenset({"rival"})},
        overseers=OVERSEERS,
    )
    world.logins["listener"] = world.heard.hearing.login
    world.codes += world.heard.clips
    world.canaries += [Canary(*one) for one in world.heard.canaries]
    texts = [text for _, text in ROWS.values()]
    pieces = [piece.strip() for text in texts for piece in re.split(r"\[[^\]]*\]", text)]
    world.canaries += [
        Canary("a text that clips speak", one, OVERSEERS) for one in pieces if len(one) > 5
    ]


def _hand_in(arena: Arena, predictions: dict[str, str], fields: dict) -> Submission:
    submission = submit(arena, predictions, **fields)
    validation.validate(submission_id=submission.pk, clock=clock)
    for evaluation in Evaluation.objects.filter(submission=submission):
        evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=clock)
    submission.refresh_from_db()
    return submission


def _words(arena: Arena, word: str) -> dict[str, str]:
    return dict.fromkeys(arena.rows, f"{word} [burp]")


def _scored(arena: Arena, word: str, fields: dict) -> Submission:
    return _hand_in(arena, _words(arena, word), fields)


def _rejected(arena: Arena, word: str, fields: dict) -> Submission:
    rows = _words(arena, word)
    first, second, *_ = sorted(rows)
    rows |= {first: f"{word} [giggle", second: f"[unheard-of] {word}", f"no_{word}": word}
    del rows[max(arena.rows)]
    submission = _hand_in(arena, rows, fields)
    assert submission.state == SubmissionState.REJECTED
    return submission


def _failed(arena: Arena, word: str, fields: dict) -> Submission:
    """Return a submission whose scorer ran out of memory."""
    rows = _words(arena, f"{word} failed")
    with override_settings(EVALUATION_MEMORY_BYTES=48 * 1024**2):
        submission = _hand_in(arena, rows, fields)
    states = set(Evaluation.objects.filter(submission=submission).values_list("state", flat=True))
    assert submission.state == SubmissionState.FAILED or states == {"failed"}, submission.state
    return submission


def _waiting(arena: Arena, word: str, fields: dict) -> Submission:
    return submit(arena, _words(arena, f"{word} waits"), **fields)
